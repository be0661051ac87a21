//! Arguments with which a program would not link, or would be wrong without a word.
//!
//! Before: the compiler's arguments are known. After: the compiler, or an error that says what serves instead.

use std::ffi::OsString;

use super::error::WrapperError;
use super::language::Language;
use super::steps::steps;

const STATIC: [&str; 4] = ["-static", "--static", "-static-pie", "-static-mpi"];
/// What makes INTEGER 8 bytes long, in the words of the compilers of GNU, LLVM, Intel, NVIDIA, IBM and Cray.
const LONG_INTEGERS: [&str; 6] = [
    "-fdefault-integer-8",
    "-finteger-4-integer-8",
    "-i8",
    "-integer-size=64",
    "-qintsize=8",
    "-sinteger64",
];
/// The same, as an option with a value behind it.
const LONG_INTEGERS_BY_VALUE: [(&str, &str); 2] = [("-integer-size", "64"), ("-s", "integer64")];

/// Refuses what cannot serve.
pub(super) fn check(language: Language, arguments: &[OsString]) -> Result<(), WrapperError> {
    let (compiles, links) = steps(arguments);
    if links {
        refuse_static(arguments)?;
    }
    if compiles && language == Language::Fortran {
        refuse_long_integers(arguments)?;
    }
    Ok(())
}

/// Says why a static program cannot be linked, which the linker would not.
fn refuse_static(arguments: &[OsString]) -> Result<(), WrapperError> {
    match one_of(&STATIC, arguments) {
        Some(argument) => Err(WrapperError::Static { argument }),
        None => Ok(()),
    }
}

/// Says why INTEGER may not become longer, which would show in wrong ranks and counts only.
fn refuse_long_integers(arguments: &[OsString]) -> Result<(), WrapperError> {
    let pairs = arguments.windows(2);
    let mut pairs = pairs.map(|pair| (pair[0].to_string_lossy(), pair[1].to_string_lossy()));
    let by_value = pairs.find_map(|(option, value)| {
        let pair = (&*option, &*value);
        LONG_INTEGERS_BY_VALUE
            .contains(&pair)
            .then(|| format!("{option} {value}"))
    });
    match one_of(&LONG_INTEGERS, arguments).or(by_value) {
        Some(argument) => Err(WrapperError::LongIntegers { argument }),
        None => Ok(()),
    }
}

fn one_of(known: &[&str], arguments: &[OsString]) -> Option<String> {
    let asks = |argument: &&OsString| known.iter().any(|known| *argument == *known);
    let found = arguments.iter().find(asks)?;
    Some(found.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(language: Language, line: &str) -> Result<(), WrapperError> {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        check(language, &words)
    }

    #[test]
    fn static_programs_are_refused_where_they_would_be_linked() {
        for line in ["-static a.c", "a.o --static -o a", "-static-pie a.c"] {
            let error = checked(Language::C, line).expect_err(line).to_string();
            assert!(error.contains("shared library"), "{error}");
        }
        for line in ["-c -static a.c", "-static-libgcc a.c", "--version -static"] {
            assert_eq!(checked(Language::C, line), Ok(()), "{line}");
        }
    }

    #[test]
    fn long_integers_are_refused_in_fortran() {
        for option in ["-fdefault-integer-8", "-i8", "-integer-size 64"] {
            let line = format!("-c {option} a.f90");
            let error = checked(Language::Fortran, &line)
                .expect_err(option)
                .to_string();
            assert!(
                error.contains(option) && error.contains("4 bytes"),
                "{error}"
            );
            assert_eq!(checked(Language::C, &line), Ok(()));
        }
        for line in [
            "-fdefault-integer-8 --version",
            "-c -fdefault-real-8 a.f90",
            "-c -i4 a.f",
        ] {
            assert_eq!(checked(Language::Fortran, line), Ok(()), "{line}");
        }
    }
}
