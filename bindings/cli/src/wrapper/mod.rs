//! `mpicc` and `mpicxx`: the system's compiler with what MPI needs.
//!
//! What: [`main`] adds include and library paths to a compiler's arguments and becomes the
//! compiler, or prints what it would run.
//! Why: build systems ask an MPI wrapper for its flags in the words of MPICH (`-show`,
//! `-compile-info`) or of Open MPI (`-showme:compile`); CMake's FindMPI asks in both.
//! `words` takes what is said to the wrapper out of what is said to the compiler; `help` has the table of it.
//! Step before: `make` and its like. Step after: the compiler, by exec.
//! Invariants: paths are found from the wrapper's own place (`PREFIX/bin`), so an installed tree
//! can be moved; the user's arguments keep their order and stand before the library.

mod error;
pub mod help;
mod words;

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::results;

pub use error::WrapperError;
pub use words::{Question, Words};

/// The language a wrapper compiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// C.
    C,
    /// C++.
    Cxx,
}

impl Language {
    /// The language of the name the wrapper was called by.
    pub fn of(name: &OsStr) -> Language {
        let name = Path::new(name)
            .file_name()
            .unwrap_or_default()
            .to_string_lossy();
        let cxx = ["mpicxx", "mpic++", "mpiCC"]
            .iter()
            .any(|cxx| name.starts_with(cxx));
        if cxx { Language::Cxx } else { Language::C }
    }

    /// Variables which name the compiler, in order, and the compiler when none does.
    fn compiler(self) -> ([&'static str; 3], &'static str) {
        match self {
            Language::C => ([pamir_settings::CC.name(), "MPICH_CC", "OMPI_CC"], "cc"),
            Language::Cxx => ([pamir_settings::CXX.name(), "MPICH_CXX", "OMPI_CXX"], "c++"),
        }
    }
}

/// Where an installed tree lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    /// Directory of `mpi.h`.
    pub include: PathBuf,
    /// Directory of `libmpi_abi.so`.
    pub library: PathBuf,
}

impl Tree {
    /// The tree of a program in `PREFIX/bin`.
    pub fn around(executable: &Path) -> Tree {
        let prefix = executable
            .parent()
            .and_then(Path::parent)
            .unwrap_or(Path::new("/usr"));
        Tree {
            include: prefix.join("include"),
            library: prefix.join("lib"),
        }
    }

    fn compile_flags(&self) -> Vec<OsString> {
        vec![joined("-I", &self.include)]
    }

    fn link_flags(&self) -> Vec<OsString> {
        vec![
            joined("-L", &self.library),
            joined("-Wl,-rpath,", &self.library),
            OsString::from("-lmpi_abi"),
        ]
    }
}

fn joined(flag: &str, path: &Path) -> OsString {
    let mut text = OsString::from(flag);
    text.push(path);
    text
}

/// The whole command line for the user's arguments.
pub fn command_line(compiler: &[OsString], tree: &Tree, arguments: &[OsString]) -> Vec<OsString> {
    let mut line = compiler.to_vec();
    let (compiles, links) = steps(arguments);
    if compiles {
        line.extend(tree.compile_flags());
    }
    line.extend_from_slice(arguments);
    if links {
        line.extend(tree.link_flags());
    }
    line
}

/// Whether these arguments compile something, and whether they link.
fn steps(arguments: &[OsString]) -> (bool, bool) {
    const NO_LINKING: [&str; 6] = ["-c", "-E", "-S", "-M", "-MM", "-fsyntax-only"];
    // The value of such an option is no input file.
    const WITH_VALUE: [&str; 13] = [
        "-o", "-I", "-L", "-D", "-U", "-x", "-include", "-isystem", "-MF", "-MT", "-MQ",
        "-Xlinker", "-T",
    ];
    let mut links = true;
    let mut inputs = 0;
    let mut arguments = arguments.iter().map(|argument| argument.to_string_lossy());
    while let Some(argument) = arguments.next() {
        if NO_LINKING.contains(&&*argument) {
            links = false;
        } else if WITH_VALUE.contains(&&*argument) {
            arguments.next();
        } else if argument == "-" || argument.starts_with("-l") || !argument.starts_with('-') {
            inputs += 1;
        }
    }
    // Without input (`mpicc --version`, `mpicc -v`) the compiler only speaks about itself.
    (inputs > 0, links && inputs > 0)
}

/// Runs the command called by `name` with these arguments; returns only if it was no compiling.
pub fn main(name: &OsStr, arguments: &[OsString]) -> u8 {
    match run(Language::of(name), arguments) {
        Ok(text) => match results::print(text.as_encoded_bytes()) {
            Ok(()) => 0,
            Err(error) => refuse(name, &error),
        },
        Err(error) => refuse(name, &error),
    }
}

fn refuse(name: &OsStr, error: &dyn std::fmt::Display) -> u8 {
    let name = Path::new(name).file_name().unwrap_or_default();
    results::complain(format_args!("{}: {error}", name.to_string_lossy()));
    1
}

fn run(language: Language, arguments: &[OsString]) -> Result<OsString, WrapperError> {
    let executable = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("/usr/bin/mpicc"));
    let tree = Tree::around(&executable);
    let (variables, default) = language.compiler();
    let words = Words::of(arguments)?;
    let named = variables
        .iter()
        .filter_map(std::env::var_os)
        .find(|value| !value.is_empty());
    let compiler: Vec<OsString> = match words.compiler.clone().or(named) {
        // The value may hold arguments: "ccache gcc".
        Some(value) => value
            .to_string_lossy()
            .split_whitespace()
            .map(OsString::from)
            .collect(),
        None => vec![OsString::from(default)],
    };
    if words.question != Question::Nothing {
        let mut text = answer(&words.question, &compiler, &tree, &words.rest);
        text.push("\n");
        return Ok(text);
    }
    refuse_static(&words.rest)?;
    let line = command_line(&compiler, &tree, &words.rest);
    if words.echo {
        eprintln!("{}", line.join(OsStr::new(" ")).to_string_lossy());
    }
    let error = Command::new(&line[0]).args(&line[1..]).exec();
    Err(WrapperError::Compiler {
        compiler: line[0].to_string_lossy().into_owned(),
        reason: error.to_string(),
        variable: variables[0],
    })
}

/// Says why a static program cannot be linked, which the linker would not.
fn refuse_static(arguments: &[OsString]) -> Result<(), WrapperError> {
    const STATIC: [&str; 4] = ["-static", "--static", "-static-pie", "-static-mpi"];
    let asks = |argument: &&OsString| STATIC.iter().any(|known| *argument == *known);
    match arguments.iter().find(asks) {
        Some(argument) if steps(arguments).1 => Err(WrapperError::Static {
            argument: argument.to_string_lossy().into_owned(),
        }),
        _ => Ok(()),
    }
}

fn answer(asked: &Question, compiler: &[OsString], tree: &Tree, rest: &[OsString]) -> OsString {
    let with = |flags: Vec<OsString>| {
        let mut line = compiler.to_vec();
        line.extend_from_slice(rest);
        line.extend(flags);
        line
    };
    let line = match asked {
        Question::CommandLine if rest.is_empty() => {
            let mut line = with(tree.compile_flags());
            line.extend(tree.link_flags());
            line
        }
        Question::CommandLine | Question::Nothing => command_line(compiler, tree, rest),
        Question::CompileCommand => with(tree.compile_flags()),
        Question::LinkCommand => with(tree.link_flags()),
        Question::CompileFlags => tree.compile_flags(),
        Question::LinkFlags => tree.link_flags(),
        Question::IncludeDirectories => vec![tree.include.clone().into()],
        Question::LibraryDirectories => vec![tree.library.clone().into()],
        Question::Libraries => vec!["mpi_abi".into()],
        Question::Compiler => compiler.to_vec(),
        Question::Version => vec!["Pamir".into(), env!("CARGO_PKG_VERSION").into()],
        Question::Help => vec![help::text().into()],
    };
    line.join(OsStr::new(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    fn line(arguments: &str) -> String {
        let tree = Tree::around(Path::new("/opt/pamir/bin/mpicc"));
        let line = command_line(&words("cc"), &tree, &words(arguments));
        line.join(OsStr::new(" ")).into_string().expect("text")
    }

    #[test]
    fn names_tell_the_language() {
        assert_eq!(Language::of(OsStr::new("/a/mpicc")), Language::C);
        assert_eq!(Language::of(OsStr::new("mpic++")), Language::Cxx);
        assert_eq!(Language::of(OsStr::new("../mpicxx")), Language::Cxx);
    }

    #[test]
    fn linking_adds_the_library_last() {
        let link = "-L/opt/pamir/lib -Wl,-rpath,/opt/pamir/lib -lmpi_abi";
        assert_eq!(
            line("-O2 a.c -o a"),
            format!("cc -I/opt/pamir/include -O2 a.c -o a {link}")
        );
        assert_eq!(line("a.o"), format!("cc -I/opt/pamir/include a.o {link}"));
    }

    #[test]
    fn steps_without_linking_get_no_library() {
        for option in ["-c", "-E", "-S", "-M", "-MM"] {
            assert_eq!(
                line(&format!("{option} a.c")),
                format!("cc -I/opt/pamir/include {option} a.c")
            );
        }
        assert!(line("-MD -MF a.d a.c").contains("-lmpi_abi"));
    }

    #[test]
    fn questions_about_the_compiler_go_through_alone() {
        assert_eq!(line("--version"), "cc --version");
        assert_eq!(line("-v -o x"), "cc -v -o x");
        assert!(line("-x c -").contains("-lmpi_abi"));
    }

    #[test]
    fn static_programs_are_refused_where_they_would_be_linked() {
        for line in ["-static a.c", "a.o --static -o a", "-static-pie a.c"] {
            let error = refuse_static(&words(line)).expect_err(line).to_string();
            assert!(error.contains("shared library"), "{error}");
        }
        for line in ["-c -static a.c", "-static-libgcc a.c", "--version -static"] {
            assert_eq!(refuse_static(&words(line)), Ok(()), "{line}");
        }
    }

    #[test]
    fn answers_have_the_form_build_systems_parse() {
        let tree = Tree::around(Path::new("/opt/pamir/bin/mpicc"));
        let text = |asked| {
            answer(&asked, &words("gcc"), &tree, &[])
                .into_string()
                .expect("text")
        };
        assert_eq!(text(Question::CompileCommand), "gcc -I/opt/pamir/include");
        assert!(text(Question::LinkCommand).starts_with("gcc -L/opt/pamir/lib"));
        assert!(text(Question::CommandLine).starts_with("gcc -I/opt/pamir/include -L"));
        assert_eq!(text(Question::IncludeDirectories), "/opt/pamir/include");
    }
}
