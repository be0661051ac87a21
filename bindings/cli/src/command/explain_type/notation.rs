//! Datatypes as text: `vector(1024,1,4096,double)`.
//!
//! What: reads words, numbers, lists and calls; what they mean is `super::constructors`' business.
//! Why: a datatype that a program makes in a page of C is asked about in one argument of a shell.
//!
//! ```text
//!   value  = number | word | list | call
//!   list   = "[" [value {"," value}] "]"
//!   call   = word "(" [value {"," value}] ")"
//!   word   = letter {letter | digit | "_" | ":"}
//!   number = ["-"] digit {digit}
//! ```
//!
//! Step before: the command line. Step after: `super::constructors`.
//! Invariant: calls and lists nest at most [`DEEPEST`] levels; a value remembers where it stood.

use thiserror::Error;

/// Levels of calls and lists.
const DEEPEST: usize = 64;

/// What the text is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A whole number.
    Number(i64),
    /// A datatype's name or an option.
    Word(String),
    /// `[...]`.
    List(Vec<Value>),
    /// `name(...)`.
    Call(String, Vec<Value>),
}

/// A piece of the text with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// Bytes before it.
    pub at: usize,
    /// What it is.
    pub kind: Kind,
}

/// The text is no datatype.
#[derive(Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotationError {
    /// Something else belongs there.
    #[error("byte {at}: here should be {wanted}, not {found}")]
    Unexpected {
        /// Bytes before it.
        at: usize,
        /// What belongs there.
        wanted: &'static str,
        /// What is there.
        found: String,
    },
    /// Too large.
    #[error("byte {at}: the number {text} does not fit in 64 bits")]
    Number {
        /// Bytes before it.
        at: usize,
        /// Its digits.
        text: String,
    },
    /// Too deep.
    #[error(
        "byte {at}: more than {DEEPEST} levels of calls and lists; make the inner ones simpler"
    )]
    TooDeep {
        /// Bytes before the last level.
        at: usize,
    },
}

/// Reads one value, which is all of the text.
pub fn read(text: &str) -> Result<Value, NotationError> {
    let mut reader = Reader { text, at: 0 };
    let value = reader.value(0)?;
    reader.skip_spaces();
    match reader.rest().is_empty() {
        true => Ok(value),
        false => Err(reader.unexpected("the end")),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_spaces(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn unexpected(&self, wanted: &'static str) -> NotationError {
        let found = match self.rest().chars().next() {
            Some(character) => format!("'{character}'"),
            None => "the end".into(),
        };
        NotationError::Unexpected {
            at: self.at,
            wanted,
            found,
        }
    }

    /// Takes a character, and the spaces before it, if it is the next one.
    fn take(&mut self, character: char) -> bool {
        self.skip_spaces();
        let taken = self.rest().starts_with(character);
        self.at += usize::from(taken) * character.len_utf8();
        taken
    }

    /// Takes characters as long as `belongs` says.
    fn run(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|character| !belongs(character));
        let taken = &rest[..end.unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    fn value(&mut self, level: usize) -> Result<Value, NotationError> {
        self.skip_spaces();
        let at = self.at;
        if level == DEEPEST {
            return Err(NotationError::TooDeep { at });
        }
        let kind = match self.rest().chars().next() {
            Some('[') => {
                self.at += 1;
                Kind::List(self.values(']', "',' or ']'", level)?)
            }
            Some('-' | '0'..='9') => Kind::Number(self.number()?),
            Some(letter) if letter.is_ascii_alphabetic() => self.word_or_call(level)?,
            _ => return Err(self.unexpected("a datatype, a number or a list")),
        };
        Ok(Value { at, kind })
    }

    fn number(&mut self) -> Result<i64, NotationError> {
        let at = self.at;
        self.at += usize::from(self.rest().starts_with('-'));
        if self.run(|character| character.is_ascii_digit()).is_empty() {
            return Err(self.unexpected("a digit"));
        }
        let text = &self.text[at..self.at];
        text.parse().map_err(|_| NotationError::Number {
            at,
            text: text.into(),
        })
    }

    fn word_or_call(&mut self, level: usize) -> Result<Kind, NotationError> {
        let word = self.run(|character| {
            character.is_ascii_alphanumeric() || character == '_' || character == ':'
        });
        if self.take('(') {
            let arguments = self.values(')', "',' or ')'", level)?;
            return Ok(Kind::Call(word.into(), arguments));
        }
        Ok(Kind::Word(word.into()))
    }

    /// Values up to a closing character.
    fn values(
        &mut self,
        close: char,
        wanted: &'static str,
        level: usize,
    ) -> Result<Vec<Value>, NotationError> {
        let mut values = Vec::new();
        if self.take(close) {
            return Ok(values);
        }
        loop {
            values.push(self.value(level + 1)?);
            if self.take(close) {
                return Ok(values);
            }
            if !self.take(',') {
                return Err(self.unexpected(wanted));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_lists_words_and_numbers_are_read() {
        let value = read(" struct( [1,-2] , [], [ int , block:3 ] ) ").unwrap();
        let Kind::Call(name, arguments) = value.kind else {
            panic!("no call");
        };
        assert_eq!((name.as_str(), value.at, arguments.len()), ("struct", 1, 3));
        let number = |at, number| Value {
            at,
            kind: Kind::Number(number),
        };
        assert_eq!(
            arguments[0].kind,
            Kind::List(vec![number(10, 1), number(12, -2)])
        );
        assert_eq!(arguments[1].kind, Kind::List(vec![]));
        let Kind::List(words) = &arguments[2].kind else {
            panic!("no list");
        };
        assert_eq!(words[1].kind, Kind::Word("block:3".into()));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let said = |text| read(text).unwrap_err().to_string();
        assert_eq!(
            said("vector(1,2"),
            "byte 10: here should be ',' or ')', not the end"
        );
        assert_eq!(said("int int"), "byte 4: here should be the end, not 'i'");
        assert_eq!(said("f(-)"), "byte 3: here should be a digit, not ')'");
        assert_eq!(
            said("f(,)"),
            "byte 2: here should be a datatype, a number or a list, not ','"
        );
        assert!(said("f(99999999999999999999)").contains("does not fit"));
        assert!(said(&"[".repeat(100)).contains("levels"));
    }
}
