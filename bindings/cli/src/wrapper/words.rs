//! What the arguments of a wrapper say to the wrapper itself.
//!
//! What: [`Words::of`] parts them from the compiler's: a question, another compiler, an option.
//! Why: makefiles and build systems write the words of MPICH's, Open MPI's and Intel's wrappers.
//! Step before: the command line. Step after: [`super::main`] answers or compiles.
//! Invariant: the compiler's arguments keep their order; what the wrapper does not know is the compiler's.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use super::error::WrapperError;

/// What a wrapper is asked for.
#[derive(Debug, PartialEq, Eq)]
pub enum Question {
    /// Compile.
    Nothing,
    /// Print the command line with the user's arguments.
    CommandLine,
    /// Print the command line that compiles.
    CompileCommand,
    /// Print the command line that links.
    LinkCommand,
    /// Print the flags that compiling needs.
    CompileFlags,
    /// Print the flags that linking needs.
    LinkFlags,
    /// Print the include directories.
    IncludeDirectories,
    /// Print the library directories.
    LibraryDirectories,
    /// Print the libraries' names.
    Libraries,
    /// Print the compiler.
    Compiler,
    /// Print the version.
    Version,
    /// Print what can be asked.
    Help,
}

/// The arguments, parted.
#[derive(Debug, PartialEq, Eq)]
pub struct Words {
    /// What is asked; of several questions the last.
    pub question: Question,
    /// The compiler that is named.
    pub compiler: Option<OsString>,
    /// Whether the command line is to be printed before it runs.
    pub echo: bool,
    /// The compiler's arguments.
    pub rest: Vec<OsString>,
}

impl Words {
    /// Parts the arguments.
    ///
    /// # Errors
    ///
    /// [`WrapperError`] where a wrapper is meant and this one cannot serve.
    pub fn of(arguments: &[OsString]) -> Result<Words, WrapperError> {
        let mut words = Words {
            question: Question::Nothing,
            compiler: None,
            echo: false,
            rest: Vec::with_capacity(arguments.len()),
        };
        for argument in arguments {
            words.take(argument)?;
        }
        Ok(words)
    }

    fn take(&mut self, argument: &OsString) -> Result<(), WrapperError> {
        let text = argument.to_string_lossy();
        if let Some(compiler) = named_compiler(argument) {
            self.compiler = Some(compiler.to_os_string());
        } else if let Some(asked) = question(&text)? {
            self.question = asked;
        } else if text == "-echo" {
            self.echo = true;
        } else if let Some(instead) = not_there(&text) {
            let argument = text.into_owned();
            return Err(WrapperError::NotThere { argument, instead });
        } else if !["-mpi-abi", "-mpi_abi"].contains(&&*text) {
            self.rest.push(argument.clone());
        }
        Ok(())
    }
}

/// The compiler that `-cc=` and its like name.
fn named_compiler(argument: &OsStr) -> Option<&OsStr> {
    let bytes = argument.as_bytes();
    let named = |option: &&str| bytes.strip_prefix(option.as_bytes());
    let options = ["-cc=", "-cxx=", "-CC=", "-fc=", "-f90=", "-f77="];
    let name = options.iter().find_map(named)?;
    (!name.is_empty()).then(|| OsStr::from_bytes(name))
}

/// What serves instead of an option that would change the program and is not there.
fn not_there(text: &str) -> Option<&'static str> {
    if text.starts_with("-profile=") {
        Some("link the tool's library with -l, before -lmpi")
    } else if text.starts_with("-config=") {
        Some("name the compiler with -cc=, -cxx= or -fc=, or with PAMIR_CC, PAMIR_CXX or PAMIR_FC")
    } else {
        None
    }
}

/// The question that an argument asks, if it is one.
fn question(text: &str) -> Result<Option<Question>, WrapperError> {
    let word = text
        .strip_prefix("--")
        .or_else(|| text.strip_prefix('-'))
        .unwrap_or("");
    Ok(Some(match word {
        "show" | "showme" => Question::CommandLine,
        "compile-info" | "compile_info" => Question::CompileCommand,
        "link-info" | "link_info" => Question::LinkCommand,
        "showme:compile" | "show-compile-info" | "show_compile_info" => Question::CompileFlags,
        "showme:link" | "show-link-info" | "show_link_info" => Question::LinkFlags,
        "showme:incdirs" => Question::IncludeDirectories,
        "showme:libdirs" => Question::LibraryDirectories,
        "showme:libs" => Question::Libraries,
        "showme:command" => Question::Compiler,
        "showme:version" => Question::Version,
        "showme:help" => Question::Help,
        // With two dashes it asks the compiler.
        "help" if text == "-help" => Question::Help,
        _ if word.starts_with("showme:") => {
            return Err(WrapperError::UnknownQuestion {
                argument: text.to_string(),
            });
        }
        _ => return Ok(None),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    fn parted(line: &str) -> Words {
        Words::of(&words(line)).expect(line)
    }

    #[test]
    fn questions_are_taken_out_of_the_arguments() {
        let asked = parted("-O2 -showme:link a.c");
        assert_eq!(asked.question, Question::LinkFlags);
        assert_eq!(asked.rest, words("-O2 a.c"));
        assert!(Words::of(&words("-showme:weather")).is_err());
        assert_eq!(parted("a.c").question, Question::Nothing);
    }

    #[test]
    fn questions_have_every_spelling() {
        for (line, question) in [
            ("-compile_info", Question::CompileCommand),
            ("-link-info", Question::LinkCommand),
            ("-show-compile-info", Question::CompileFlags),
            ("-show_compile_info", Question::CompileFlags),
            ("-show-link-info", Question::LinkFlags),
            ("--showme:libs", Question::Libraries),
            ("-help", Question::Help),
            ("--help", Question::Nothing),
        ] {
            assert_eq!(parted(line).question, question, "{line}");
        }
    }

    #[test]
    fn a_compiler_can_be_named_and_the_command_echoed() {
        let named = parted("-cc=ccache -echo -mpi-abi a.c");
        assert_eq!(named.compiler, Some("ccache".into()));
        assert_eq!((named.echo, named.rest), (true, words("a.c")));
        assert_eq!(parted("-cxx=g++ a.c").compiler, Some("g++".into()));
        for option in ["-fc", "-f90", "-f77"] {
            let named = parted(&format!("{option}=flang a.f90"));
            assert_eq!(named.compiler, Some("flang".into()));
        }
        assert_eq!(parted("-cc= a.c").compiler, None);
    }

    #[test]
    fn what_would_change_the_program_is_refused() {
        for (line, instead) in [("-profile=mpe a.c", "-l"), ("-config=gcc a.c", "-cc=")] {
            let error = Words::of(&words(line)).expect_err(line).to_string();
            assert!(error.contains(instead), "{error}");
        }
    }
}
