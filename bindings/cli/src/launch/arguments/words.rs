//! The words of a command line, read as options with their values.
//!
//! Step before: [`super::parse`] has cut the line at its colons. Step after: [`super::parse`] applies each
//! option.
//! Invariant: nothing behind the program's name is looked at.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use super::error::ArgumentError;
use super::options::{self, Action};
use crate::launch::output::route;
use crate::launch::request::{MOST_PLANNED_RANKS, RANKS};

/// One option met on the command line with its values.
pub struct Met {
    /// As it was typed.
    pub typed: String,
    /// Its row of the table.
    pub option: &'static options::LaunchOption,
    /// Its values.
    pub values: Vec<OsString>,
}

impl Met {
    /// What it does.
    pub fn action(&self) -> Action {
        self.option.action
    }

    /// Its first value, as text.
    pub fn text(&self) -> String {
        self.values[0].to_string_lossy().into_owned()
    }

    /// The value is not what is wanted.
    pub fn wrong(&self, wanted: &'static str) -> ArgumentError {
        ArgumentError::ValueWrong {
            option: self.typed.clone(),
            value: self.text(),
            wanted,
        }
    }

    /// Its value, a number of at least 1.
    pub fn positive(&self) -> Result<usize, ArgumentError> {
        match self.text().parse() {
            Ok(0) | Err(_) => Err(self.wrong("a whole number of at least 1 that fits 64 bits")),
            Ok(number) => Ok(number),
        }
    }

    /// Its value, a number of ranks that can be planned.
    pub fn ranks(&self) -> Result<usize, ArgumentError> {
        let number = self.text().parse().ok();
        number
            .filter(|ranks| (1..=MOST_PLANNED_RANKS).contains(ranks))
            .ok_or_else(|| self.wrong(RANKS))
    }

    /// Its value, a pattern with a word for each rank.
    pub fn pattern(&self) -> Result<OsString, ArgumentError> {
        if !route::is_pattern(&self.values[0]) {
            return Err(self.wrong(route::PATTERN));
        }
        Ok(self.values[0].clone())
    }
}

/// A segment's words, read from the front.
pub struct Words<'a> {
    /// The segment.
    pub arguments: &'a [OsString],
    /// The index of the next word.
    pub next: usize,
}

impl<'a> Words<'a> {
    /// What is not read yet.
    pub fn rest(&self) -> &'a [OsString] {
        &self.arguments[self.next..]
    }

    /// The next option, or nothing where the program's name stands.
    pub fn option(&mut self) -> Result<Option<Met>, ArgumentError> {
        let Some(word) = self.rest().first() else {
            return Ok(None);
        };
        if word == "--" {
            self.next += 1;
            return Ok(None);
        }
        if word.len() < 2 || !word.as_bytes().starts_with(b"-") {
            return Ok(None);
        }
        self.next += 1;
        let (typed, attached) = match at_equals(word) {
            Some((typed, value)) => (typed, Some(value.to_os_string())),
            None => (word.as_os_str(), None),
        };
        let typed = typed.to_string_lossy().into_owned();
        let name = typed.strip_prefix("--").unwrap_or(&typed[1..]);
        let Some(option) = options::find(name) else {
            return Err(ArgumentError::Unknown {
                nearest: options::nearest(name),
                typed,
            });
        };
        if option.values.is_empty() && attached.is_some() {
            return Err(ArgumentError::ValueUnexpected { option: typed });
        }
        let mut values: Vec<OsString> = attached.into_iter().collect();
        while values.len() < option.values.len() {
            let Some(value) = self.rest().first() else {
                let value = option.values[values.len()];
                return Err(ArgumentError::ValueMissing {
                    option: typed,
                    value,
                });
            };
            values.push(value.clone());
            self.next += 1;
        }
        Ok(Some(Met {
            typed,
            option,
            values,
        }))
    }
}

/// What stands before the first `=`, and what behind it; words need not be UTF-8.
pub fn at_equals(word: &OsStr) -> Option<(&OsStr, &OsStr)> {
    let bytes = word.as_bytes();
    let at = bytes.iter().position(|byte| *byte == b'=')?;
    Some((
        OsStr::from_bytes(&bytes[..at]),
        OsStr::from_bytes(&bytes[at + 1..]),
    ))
}
