//! Why a command line cannot be carried out.
//!
//! Before: a word that nothing is known of, or a value that is none. After: one sentence on standard error, and exit code 2.

use std::path::PathBuf;

use super::options;

/// A command line that cannot be carried out.
#[derive(Debug, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum ArgumentError {
    /// No option has this spelling.
    #[error("unknown option `{typed}`{}; see mpiexec --help", advice(.nearest))]
    Unknown {
        /// What was typed.
        typed: String,
        /// The nearest spelling.
        nearest: Option<&'static str>,
    },
    /// The option stands at the end without its value.
    #[error("option `{option}` needs {value}")]
    ValueMissing {
        /// The option as typed.
        option: String,
        /// Name of the value.
        value: &'static str,
    },
    /// The option takes no value, but `=` follows it.
    #[error("option `{option}` takes no value")]
    ValueUnexpected {
        /// The option as typed.
        option: String,
    },
    /// The value is not what the option takes.
    #[error("option `{option}`: `{value}` is not {wanted}")]
    ValueWrong {
        /// The option as typed.
        option: String,
        /// Its value.
        value: String,
        /// What it takes.
        wanted: &'static str,
    },
    /// The programs have more ranks together than a job can have.
    #[error("option `-n`: the job has {ranks} ranks; it may have at most {most}")]
    Ranks {
        /// All of them.
        ranks: usize,
        /// What it may have.
        most: usize,
    },
    /// A network, and nobody to join by it.
    #[error(
        "option `--network` joins nodes, and this job has one: add `--nodes 2`, or leave it out"
    )]
    NetworkAlone,
    /// A policy's word is not known; the text names the option.
    #[error("{reason}")]
    Policy {
        /// What is wrong with it.
        reason: String,
    },
    /// Another launcher's option that would change the result.
    #[error(
        "option `{option}` of other launchers would change what the job does, and is not there: leave it out"
    )]
    NotThere {
        /// The option as typed.
        option: String,
    },
    /// The file with the rest of the command line.
    #[error(transparent)]
    ConfigFile(#[from] ConfigFileError),
    /// A segment between colons names no program.
    #[error("no program is named{}; usage: mpiexec -n N PROGRAM [ARGUMENTS]", segment(.number))]
    NoProgram {
        /// Which segment, from 1; 0 when there is just one.
        number: usize,
    },
}

/// A file that cannot serve.
#[derive(Debug, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum ConfigFileError {
    /// It cannot be read.
    #[error("cannot read the configuration file {path}: {reason}")]
    File {
        /// Its path.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// Something stands behind it.
    #[error(
        "a configuration file is the rest of the command line: leave out the words after {path}"
    )]
    NotAlone {
        /// Its path.
        path: PathBuf,
    },
    /// It names another one.
    #[error("{path} names another configuration file: write all programs into one")]
    Nested {
        /// Its path.
        path: PathBuf,
    },
    /// A quote does not end.
    #[error("{path}: a quote that begins in line {line} does not end there")]
    Quote {
        /// The file.
        path: PathBuf,
        /// The line's number, from 1.
        line: usize,
    },
    /// There is nothing in it.
    #[error("{path} names no program")]
    Empty {
        /// Its path.
        path: PathBuf,
    },
}

fn advice(nearest: &Option<&'static str>) -> String {
    nearest
        .map(|name| format!("; did you mean `{}`", options::dashed(name)))
        .unwrap_or_default()
}

fn segment(number: &usize) -> String {
    if *number == 0 {
        String::new()
    } else {
        format!(" in part {number} of the command line")
    }
}
