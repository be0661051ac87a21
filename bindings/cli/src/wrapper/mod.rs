//! `mpicc`, `mpicxx` and `mpifort`: the system's compiler with what MPI needs.
//!
//! What: [`main`] adds include and library paths to a compiler's arguments and becomes the
//! compiler, or prints what it would run.
//! Why: build systems ask an MPI wrapper for its flags in the words of MPICH (`-show`,
//! `-compile-info`) or of Open MPI (`-showme:compile`); CMake's FindMPI asks in both.
//! `words` takes what is said to the wrapper out of what is said to the compiler; `help` has the table of it;
//! `language` finds the compiler, `flags` what is added, `refusal` what cannot serve;
//! `steps` tells compiling from linking.
//! Step before: `make` and its like. Step after: the compiler, by exec.
//! Invariants: paths are found from the wrapper's own place (`PREFIX/bin`), so an installed tree
//! can be moved; the user's arguments keep their order and stand before the library.

mod error;
mod flags;
pub mod help;
mod language;
mod refusal;
mod steps;
mod words;

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::results;
use steps::steps;

pub use error::WrapperError;
pub use flags::{Flags, Tree};
pub use language::Language;
pub use words::{Question, Words};

/// The whole command line for the user's arguments.
pub fn command_line(compiler: &[OsString], flags: &Flags, arguments: &[OsString]) -> Vec<OsString> {
    let mut line = compiler.to_vec();
    let (compiles, links) = steps(arguments);
    if compiles {
        line.extend(flags.compile());
    }
    line.extend_from_slice(arguments);
    if links {
        line.extend(flags.link());
    }
    line
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
    let words = Words::of(arguments)?;
    let compiler = language.compiler_words(words.compiler.clone());
    let flags = if needs_flags(&words) {
        Flags::of(language, &tree, &compiler)?
    } else {
        Flags::default()
    };
    if words.question != Question::Nothing {
        let mut text = answer(&words.question, &compiler, &flags, &words.rest);
        text.push("\n");
        return Ok(text);
    }
    refusal::check(language, &words.rest)?;
    let line = command_line(&compiler, &flags, &words.rest);
    if words.echo {
        eprintln!("{}", line.join(OsStr::new(" ")).to_string_lossy());
    }
    let error = Command::new(&line[0]).args(&line[1..]).exec();
    Err(WrapperError::Compiler {
        compiler: line[0].to_string_lossy().into_owned(),
        reason: error.to_string(),
        variable: language.variable(),
    })
}

/// Whether the answer, or what the compiler is to do, has anything to do with MPI.
fn needs_flags(words: &Words) -> bool {
    match words.question {
        Question::Help | Question::Version | Question::Compiler => false,
        Question::Nothing => steps(&words.rest).0,
        _ => true,
    }
}

fn answer(asked: &Question, compiler: &[OsString], flags: &Flags, rest: &[OsString]) -> OsString {
    let with = |added: Vec<OsString>| {
        let mut line = compiler.to_vec();
        line.extend_from_slice(rest);
        line.extend(added);
        line
    };
    let paths = |paths: &[PathBuf]| paths.iter().map(OsString::from).collect();
    let line = match asked {
        Question::CommandLine if rest.is_empty() => {
            let mut line = with(flags.compile());
            line.extend(flags.link());
            line
        }
        Question::CommandLine | Question::Nothing => command_line(compiler, flags, rest),
        Question::CompileCommand => with(flags.compile()),
        Question::LinkCommand => with(flags.link()),
        Question::CompileFlags => flags.compile(),
        Question::LinkFlags => flags.link(),
        Question::IncludeDirectories => paths(&flags.include),
        Question::LibraryDirectories => paths(&flags.library),
        Question::Libraries => flags.names.iter().map(OsString::from).collect(),
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
        let flags = Flags::of(Language::C, &tree, &[]).expect("C needs no modules");
        let line = command_line(&words("cc"), &flags, &words(arguments));
        line.join(OsStr::new(" ")).into_string().expect("text")
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
    fn answers_have_the_form_build_systems_parse() {
        let tree = Tree::around(Path::new("/opt/pamir/bin/mpicc"));
        let flags = Flags::of(Language::C, &tree, &[]).expect("C needs no modules");
        let text = |asked| {
            answer(&asked, &words("gcc"), &flags, &[])
                .into_string()
                .expect("text")
        };
        assert_eq!(text(Question::CompileCommand), "gcc -I/opt/pamir/include");
        assert!(text(Question::LinkCommand).starts_with("gcc -L/opt/pamir/lib"));
        assert!(text(Question::CommandLine).starts_with("gcc -I/opt/pamir/include -L"));
        assert_eq!(text(Question::IncludeDirectories), "/opt/pamir/include");
    }
}
