//! The arguments that a wrapper understands, one table.
//!
//! What: groups of entries, and the text of `-help` from them. The manual page is written from the same
//! table (`tests/manual`).
//! Step before: [`super::main`], when it is asked for help. Step after: standard output.
//! Invariant: [`super::Words`] knows every spelling of the table (tested).

use std::fmt::Write as _;

/// One line of help: spellings of one meaning.
#[derive(Debug)]
pub struct Entry {
    /// Spellings, as they are typed.
    pub names: &'static [&'static str],
    /// What they do.
    pub meaning: &'static str,
}

/// Entries under one title.
#[derive(Debug)]
pub struct Group {
    /// The title in the manual page.
    pub title: &'static str,
    /// The sentence above the entries in `-help`.
    pub opening: &'static str,
    /// The entries.
    pub entries: &'static [Entry],
}

const fn entry(names: &'static [&'static str], meaning: &'static str) -> Entry {
    Entry { names, meaning }
}

/// All of them.
pub const GROUPS: &[Group] = &[
    Group {
        title: "OPTIONS",
        opening: "Compiles with the system's compiler and links with Pamir's MPI library.",
        entries: &[
            entry(
                &["-cc=COMPILER", "-cxx=COMPILER"],
                "another compiler, of C or of C++",
            ),
            entry(
                &["-fc=COMPILER", "-f90=COMPILER"],
                "another compiler of Fortran, also -f77=",
            ),
            entry(&["-echo"], "print the command line, then run it"),
        ],
    },
    Group {
        title: "QUESTIONS",
        opening: "With one of these the wrapper prints instead of compiling.",
        entries: &[
            entry(&["-show", "-showme"], "the whole command line"),
            entry(&["-compile-info"], "the command line that compiles"),
            entry(&["-link-info"], "the command line that links"),
            entry(
                &["-showme:compile", "-show-compile-info"],
                "the flags for compiling",
            ),
            entry(
                &["-showme:link", "-show-link-info"],
                "the flags for linking",
            ),
            entry(&["-showme:incdirs"], "the include directories"),
            entry(&["-showme:libdirs"], "the library directories"),
            entry(&["-showme:libs"], "the names of the libraries"),
            entry(&["-showme:command"], "the compiler"),
            entry(&["-showme:version"], "Pamir's version"),
            entry(&["-showme:help", "-help"], "this list"),
        ],
    },
];

const CLOSING: &str = "\
PAMIR_CC (_CXX, _FC), MPICH_CC (_CXX, _FC) or OMPI_CC (_CXX, _FC) name another compiler.
Each Fortran compiler has modules of its own, which `pamir fortran --compiler FC` makes.
Options that make INTEGER 8 bytes long, such as -fdefault-integer-8, are refused.
There is no static library: -static is refused where it would link.";

/// The text of `-help`, without the last line's end.
pub fn text() -> String {
    let mut text = String::new();
    for group in GROUPS {
        let _ = writeln!(text, "{}", group.opening);
        for entry in group.entries {
            let _ = writeln!(text, "  {:<36} {}", entry.names.join(", "), entry.meaning);
        }
    }
    text + CLOSING
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;
    use crate::wrapper::{Question, Words};

    #[test]
    fn the_wrapper_knows_every_word_of_its_help() {
        for name in GROUPS
            .iter()
            .flat_map(|group| group.entries)
            .flat_map(|entry| entry.names)
        {
            let words = Words::of(&[OsString::from(name)]).expect(name);
            assert!(words.rest.is_empty(), "{name} went to the compiler");
            let options = words.echo || words.compiler.is_some();
            assert!(options || words.question != Question::Nothing, "{name}");
        }
    }

    #[test]
    fn the_help_has_every_word_and_fits_a_terminal() {
        let text = text();
        for name in GROUPS
            .iter()
            .flat_map(|group| group.entries)
            .flat_map(|entry| entry.names)
        {
            assert!(text.contains(name), "{name}");
        }
        assert!(text.lines().all(|line| line.len() <= 96), "{text}");
    }
}
