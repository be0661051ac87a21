//! Tables in a file: TOML, one list of rows a kind.
//!
//! ```toml
//! [[allreduce]]
//! algorithm = "recursive_doubling"
//! up_to = 16384            # bytes; without it any size
//! ranks = [2, 8]           # without it any number
//! oversubscribed = true           # only where ranks share their cores; without it anywhere
//!
//! [[allreduce]]
//! algorithm = "ring"
//! from = 16385             # bytes; without it 0
//! ```
//!
//! The first row that is for an operation, and whose algorithm can serve it, is taken; where none
//! is, the built-in rows serve.
//!
//! Before: [`super::configuration`] has found the file; `pamir tune` has measured. After:
//! [`super::kind::Kind::install`].

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Deserialize;
use toml::Spanned;

use super::kind::{KindRows, kind};
use super::row::Row;

/// What is wrong with a file's text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct FileError {
    /// The line, from 1.
    pub line: usize,
    /// Why it is refused.
    pub reason: String,
}

/// A row as it stands in the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    algorithm: String,
    from: Option<usize>,
    up_to: Option<usize>,
    ranks: Option<[usize; 2]>,
    #[serde(default)]
    oversubscribed: bool,
}

impl Line {
    fn row(&self) -> Row<String> {
        let [least, most] = self.ranks.unwrap_or([0, usize::MAX]);
        let row = Row::new("")
            .from(self.from.unwrap_or(0))
            .up_to(self.up_to.unwrap_or(usize::MAX))
            .ranks(least, most);
        let row = if self.oversubscribed {
            row.oversubscribed()
        } else {
            row
        };
        row.with(self.algorithm.clone())
    }
}

type Document = BTreeMap<Spanned<String>, Vec<Spanned<Line>>>;

/// The kinds that a text has rows for, checked.
pub fn read(text: &str) -> Result<Vec<KindRows>, FileError> {
    let at = |offset: usize, reason: String| FileError {
        line: text[..offset.min(text.len())].matches('\n').count() + 1,
        reason,
    };
    let document: Document = toml::from_str(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        at(offset, error.message().to_owned())
    })?;
    let mut kinds = Vec::new();
    for (name, lines) in &document {
        let known = kind(name.get_ref()).ok_or_else(|| {
            let reason = format!("there is no kind of instruction {:?}", name.get_ref());
            at(name.span().start, reason)
        })?;
        let rows: Vec<Row<String>> = lines.iter().map(|line| line.get_ref().row()).collect();
        known.check(&rows).map_err(|(index, error)| {
            let offset = lines.get(index).map_or(0, |line| line.span().start);
            at(offset, error.to_string())
        })?;
        kinds.push((known, rows));
    }
    Ok(kinds)
}

/// A file's text with these rows; `about` says in its first lines where they come from.
pub fn write<'a>(
    about: &str,
    kinds: impl IntoIterator<Item = (&'a str, &'a [Row<&'a str>])>,
) -> String {
    let mut text = String::new();
    for line in about.lines() {
        let _ = writeln!(text, "# {line}");
    }
    for (kind, rows) in kinds {
        for row in rows {
            let _ = write!(text, "\n[[{kind}]]\nalgorithm = \"{}\"\n", row.algorithm);
            if row.from_bytes > 0 {
                let _ = writeln!(text, "from = {}", row.from_bytes);
            }
            if row.up_to_bytes < usize::MAX {
                let _ = writeln!(text, "up_to = {}", row.up_to_bytes);
            }
            if (row.least_ranks, row.most_ranks) != (0, usize::MAX) {
                // TOML's numbers end at 2^63 - 1.
                let most = row.most_ranks.min(i64::MAX as usize);
                let _ = writeln!(text, "ranks = [{}, {most}]", row.least_ranks);
            }
            if row.oversubscribed {
                text += "oversubscribed = true\n";
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"# measured
[[allreduce]]
algorithm = "recursive_doubling"
up_to = 16384
ranks = [2, 8]

[[allreduce]]
algorithm = "ring"
from = 16385

[[barrier]]
algorithm = "tree"
"#;

    #[test]
    fn rows_are_read() {
        let kinds = read(GOOD).unwrap();
        let names: Vec<&str> = kinds.iter().map(|(kind, _)| kind.name()).collect();
        assert_eq!(names, ["allreduce", "barrier"]);
        let row = Row::new("").up_to(16384).ranks(2, 8);
        assert_eq!(kinds[0].1[0], row.with("recursive_doubling".to_owned()));
        let row = Row::new("").from(16385);
        assert_eq!(kinds[0].1[1], row.with("ring".to_owned()));
        assert_eq!(read("").unwrap().len(), 0);
    }

    #[test]
    fn what_is_written_is_read_again() {
        let rows = [
            Row::new("recursive_doubling").up_to(16384).ranks(2, 8),
            Row::new("ring").from(16385).ranks(3, usize::MAX),
            Row::new("rabenseifner").oversubscribed(),
        ];
        let text = write("Measured\non a machine", [("allreduce", &rows[..])]);
        assert!(text.starts_with("# Measured\n# on a machine\n"), "{text}");
        let read = read(&text).unwrap();
        let names: Vec<&str> = read[0].1.iter().map(|row| &*row.algorithm).collect();
        assert_eq!(names, ["recursive_doubling", "ring", "rabenseifner"]);
        assert_eq!(read[0].1[0], rows[0].with(names[0].to_owned()));
        assert_eq!(read[0].1[2], rows[2].with(names[2].to_owned()));
    }

    fn refused(text: &str) -> (usize, String) {
        let error = read(text).map(|_| ()).expect_err(text);
        (error.line, error.reason)
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let (line, reason) = refused("\n[[carousel]]\nalgorithm = \"ring\"\n");
        assert_eq!(line, 2);
        assert!(
            reason.contains("no kind of instruction \"carousel\""),
            "{reason}"
        );
        let (line, reason) = refused(&GOOD.replace("\"ring\"", "\"rind\""));
        assert_eq!(line, 7, "{reason}");
        assert!(
            reason.starts_with("allreduce has no algorithm \"rind\""),
            "{reason}"
        );
        let (line, reason) = refused(&GOOD.replace("from = 16385", "fro = 16385"));
        assert_eq!(line, 9, "{reason}");
        assert!(reason.contains("fro"), "{reason}");
        let (line, reason) = refused(&GOOD.replace("from = 16385", "from = -1"));
        assert_eq!(line, 9, "{reason}");
        let (line, _) = refused(&GOOD.replace("from = 16385", "from = = 1"));
        assert_eq!(line, 9);
        let (line, reason) = refused(&GOOD.replace("[2, 8]", "[8, 2]"));
        assert_eq!(line, 2, "{reason}");
        assert!(reason.contains("8 to 2 ranks"), "{reason}");
        let (line, _) = refused("x = 5\n");
        assert_eq!(line, 1);
    }
}
