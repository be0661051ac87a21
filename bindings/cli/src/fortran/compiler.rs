//! Who a Fortran compiler is, by what it says of itself.
//!
//! Before: the words by which a compiler is called. After: the name of its set of modules.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Parts of a version's line, and the family of compilers that write them.
const FAMILIES: [(&str, &str); 7] = [
    ("GNU Fortran", "gfortran"),
    ("flang", "flang"),
    ("ifx", "ifx"),
    ("ifort", "ifort"),
    ("nvfortran", "nvfortran"),
    ("LFortran", "lfortran"),
    ("Cray Fortran", "crayftn"),
];

/// What a compiler says of its version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// The name of its set: family and major version, such as `gfortran-12`.
    pub id: String,
    /// Its line, such as `GNU Fortran (Debian 12.2.0-14) 12.2.0`.
    pub line: String,
}

/// Why a compiler's version is not known.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompilerError {
    /// It cannot be run.
    #[error("cannot execute the compiler `{compiler}`: {reason}; is it installed, and in PATH?")]
    Execution {
        /// The words that call it.
        compiler: String,
        /// Why not.
        reason: String,
    },
    /// It says nothing that has a version in it.
    #[error(
        "`{compiler} --version` tells no version; name a Fortran compiler, such as gfortran or flang"
    )]
    Silence {
        /// The words that call it.
        compiler: String,
    },
}

impl Version {
    /// Asks the compiler that these words call.
    ///
    /// # Errors
    ///
    /// [`CompilerError`] where it cannot be run, or tells no version.
    pub fn asked(words: &[OsString]) -> Result<Version, CompilerError> {
        let compiler = text_of(words);
        let output = run(words).map_err(|error| CompilerError::Execution {
            compiler: compiler.clone(),
            reason: error.to_string(),
        })?;
        let told = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
        let mut lines = told.iter().flat_map(|text| text.lines());
        lines
            .find_map(|line| Version::read(line.trim(), words))
            .filter(|_| output.status.success())
            .ok_or(CompilerError::Silence { compiler })
    }

    /// The version that a line names, if it does.
    fn read(line: &str, words: &[OsString]) -> Option<Version> {
        let major = line.split([' ', '(', ')', '-']).find_map(major_version)?;
        let known = FAMILIES.iter().find(|(part, _)| line.contains(part));
        let family = known.map_or_else(|| own_name(words), |(_, family)| (*family).to_owned());
        Some(Version {
            id: format!("{family}-{major}"),
            line: line.to_owned(),
        })
    }
}

/// The words that call a compiler, as one text.
fn text_of(words: &[OsString]) -> String {
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}

fn run(words: &[OsString]) -> std::io::Result<Output> {
    let (program, arguments) = words
        .split_first()
        .ok_or_else(|| std::io::Error::other("it has no name"))?;
    let mut command = Command::new(program);
    let command = command.args(arguments).arg("--version");
    command.env("LC_ALL", "C").stdin(Stdio::null()).output()
}

/// The number before the first dot of a version such as `12.2.0`.
fn major_version(word: &str) -> Option<&str> {
    let (major, rest) = word.split_once('.')?;
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_version = digits(major) && !major.is_empty();
    (is_version && rest.starts_with(|first: char| first.is_ascii_digit())).then_some(major)
}

/// The compiler's own name, in what may stand in a folder's.
fn own_name(words: &[OsString]) -> String {
    let name = words.last().map(Path::new).and_then(Path::file_name);
    let name = name.unwrap_or_default().to_string_lossy().into_owned();
    name.replace(|letter: char| !letter.is_ascii_alphanumeric(), "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_named_by_family_and_major_version() {
        for (line, id) in [
            (
                "GNU Fortran (Debian 12.2.0-14+deb12u1) 12.2.0",
                "gfortran-12",
            ),
            (
                "GNU Fortran (GCC) 4.8.5 20150623 (Red Hat 4.8.5-44)",
                "gfortran-4",
            ),
            ("Debian flang-new version 19.1.7 (3~deb12u1)", "flang-19"),
            (
                "flang version 20.1.0 (https://github.com/llvm/llvm-project)",
                "flang-20",
            ),
            ("ifx (IFX) 2024.1.0 20240308", "ifx-2024"),
            (
                "nvfortran 23.1-0 64-bit target on x86-64 Linux",
                "nvfortran-23",
            ),
            ("Some Compiler 3.1", "my_fc-3"),
        ] {
            let version = Version::read(line, &["/opt/bin/my fc".into()]).expect(line);
            assert_eq!((version.id.as_str(), version.line.as_str()), (id, line));
        }
        assert_eq!(Version::read("Copyright (C) 2022 Foundation.", &[]), None);
    }

    #[test]
    fn what_is_no_compiler_is_refused_with_the_next_step() {
        let error = |name: &str| Version::asked(&[name.into()]).expect_err(name).to_string();
        assert!(error("/no/such/fc").contains("is it installed"));
        assert!(error("false").contains("name a Fortran compiler"));
    }
}
