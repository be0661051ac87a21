//! `pamir fortran`: the modules of MPI for a Fortran compiler.
//!
//! What: makes a compiler's set of modules, lists the sets, or writes the texts they are made from.
//! Why: `.mod` files are good for one compiler only, and often for one of its versions; so they are made where
//! the compiler is.
//! Step before: `scripts/install`, or a user with another compiler. Step after: `mpifort` finds the set.

mod build;
mod error;
mod prefix;
mod texts;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::ArgGroup;

use crate::fortran::ModuleSet;
use crate::results;
use error::{Access as _, FortranError};
use prefix::Prefix;

/// The arguments that say what is to be done.
const WORK: [&str; 4] = ["compiler", "renew", "list", "write_sources"];

/// Arguments of `pamir fortran`.
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(group(ArgGroup::new("work").required(true).multiple(true).args(WORK)))]
pub struct Arguments {
    /// Make the modules for this compiler. The value may hold arguments (ccache gfortran).
    #[arg(long, value_name = "FC")]
    compiler: Option<String>,
    /// Make the sets again that are there: they are made by this version of Pamir then.
    #[arg(long)]
    renew: bool,
    /// Show the sets that are there.
    #[arg(long, conflicts_with_all = ["compiler", "renew", "write_sources"])]
    list: bool,
    /// Write mpif.h and the modules' texts into a folder, for those who compile them in another way.
    ///
    /// The modules are compiled in the order in which their names are printed.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["compiler", "renew"])]
    write_sources: Option<PathBuf>,
    /// The installation. It is the one that this command is a part of, unless it is said.
    #[arg(long, value_name = "DIR")]
    prefix: Option<PathBuf>,
}

/// Makes, lists or writes; returns the exit code.
pub fn run(arguments: &Arguments) -> u8 {
    results::conclude("pamir fortran", done(arguments), 1)
}

fn done(arguments: &Arguments) -> Result<String, FortranError> {
    if let Some(folder) = &arguments.write_sources {
        return texts::write_all(folder);
    }
    let prefix = Prefix::of(arguments.prefix.as_deref())?;
    if arguments.list {
        list(&prefix)
    } else {
        make(&prefix, arguments)
    }
}

/// Makes the set of the compiler that is named, then those that are to be renewed.
fn make(prefix: &Prefix, arguments: &Arguments) -> Result<String, FortranError> {
    let mut text = String::new();
    let mut made = None;
    if let Some(compiler) = &arguments.compiler {
        let id = build::make(prefix, &words_of(compiler)?)?;
        let _ = writeln!(text, "{}", prefix.set(&id).display());
        made = Some(id);
    }
    if arguments.renew {
        let sets = ModuleSet::all(&prefix.library)?;
        let others = sets.iter().filter(|set| made.as_ref() != Some(&set.id));
        text.push_str(&renew(prefix, others)?);
    }
    Ok(text)
}

/// Makes each set again; one whose compiler is gone keeps none of the others.
fn renew<'a>(
    prefix: &Prefix,
    sets: impl Iterator<Item = &'a ModuleSet>,
) -> Result<String, FortranError> {
    let mut text = String::new();
    let mut old = Vec::new();
    for set in sets {
        match build::make(prefix, &set.record.compiler) {
            Ok(id) => {
                let _ = writeln!(text, "{}", prefix.set(&id).display());
            }
            Err(error) => {
                results::complain(format_args!("pamir fortran: {}: {error}", set.id));
                old.push(set.folder.display().to_string());
            }
        }
    }
    if old.is_empty() {
        return Ok(text);
    }
    Err(FortranError::Old {
        folders: old.join(" "),
    })
}

/// The words that call a compiler, good in any folder.
fn words_of(compiler: &str) -> Result<Vec<String>, FortranError> {
    let mut words: Vec<_> = compiler.split_whitespace().map(str::to_owned).collect();
    if let Some(program) = words.first_mut().filter(|word| word.contains('/')) {
        let path = Path::new(program.as_str());
        let path = std::path::absolute(path).access(path)?;
        *program = path.to_string_lossy().into_owned();
    }
    Ok(words)
}

/// A line for each set: its name, what its compiler said of itself, how it is called.
fn list(prefix: &Prefix) -> Result<String, FortranError> {
    let sets = ModuleSet::all(&prefix.library)?;
    let mut text = String::new();
    if sets.is_empty() {
        text = format!(
            "There are no modules in {}: `pamir fortran --compiler gfortran` makes them.\n",
            prefix.sets().display()
        );
    }
    let width = sets.iter().map(|set| set.id.len()).max().unwrap_or(0);
    for set in sets {
        let called = set.record.compiler.join(" ");
        let _ = writeln!(
            text,
            "{:width$}  {}  ({called})",
            set.id, set.record.version
        );
    }
    Ok(text)
}
