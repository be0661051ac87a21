//! The files of placement: profiles, traces, matrices, measured machines, problems of QAPLIB.
//!
//! ```text
//!  communication.rs  "# pamir communication 1": rank pairs with messages and bytes, by portion
//!  matrix_market.rs  "%%MatrixMarket matrix ...": any sparse or dense matrix
//!  machine.rs        "# pamir machine 1": unit pairs with latency, bandwidth, overhead
//!  dumpi.rs          the texts of a trace, one a rank: their sends become a graph
//!  qaplib.rs         a size and two matrices, as QAPLIB has its problems
//! ```
//!
//! Step before: a file. Step after: [`super::CommunicationGraph`], [`super::TopologyGraph`].
//! Invariant: what is not understood is refused with its line and what was expected there.

pub mod communication;
pub mod dumpi;
pub mod machine;
pub mod matrix_market;
pub mod qaplib;

use std::path::Path;

use super::PlacementError;

/// A file's text.
pub fn read_text(path: &Path) -> Result<String, PlacementError> {
    std::fs::read_to_string(path).map_err(|source| PlacementError::File {
        path: path.to_path_buf(),
        source,
    })
}

/// A line of a text with its number, from 1, and its words.
struct Line<'t> {
    file: &'t str,
    number: usize,
    text: &'t str,
    words: Vec<&'t str>,
}

impl Line<'_> {
    fn wrong(&self, reason: impl Into<String>) -> PlacementError {
        PlacementError::Line {
            file: self.file.to_string(),
            line: self.number,
            reason: reason.into(),
        }
    }

    /// The words as numbers, exactly `count` of them.
    fn numbers<N: std::str::FromStr>(
        &self,
        count: usize,
        meaning: &str,
    ) -> Result<Vec<N>, PlacementError> {
        let numbers: Option<Vec<N>> = self.words.iter().map(|word| word.parse().ok()).collect();
        match numbers {
            Some(numbers) if numbers.len() == count => Ok(numbers),
            _ => Err(self.wrong(format!("{:?} is not {meaning}", self.text.trim()))),
        }
    }
}

/// The lines that hold more than a comment, which begins with this character.
fn lines<'t>(text: &'t str, file: &'t str, comment: char) -> impl Iterator<Item = Line<'t>> {
    let numbered = text.lines().enumerate().map(move |(at, text)| Line {
        file,
        number: at + 1,
        text,
        words: text
            .split(comment)
            .next()
            .unwrap_or("")
            .split_whitespace()
            .collect(),
    });
    numbered.filter(|line| !line.words.is_empty())
}
