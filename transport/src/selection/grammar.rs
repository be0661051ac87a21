//! Rows in one line of text, for environment variables.
//!
//! ```text
//!   rows    = row { "," row }
//!   row     = algorithm [ ":" sizes ] [ "@" ranks ] [ "+oversubscribed" ]
//!   sizes   = span, in bytes; K, M and G are powers of 1024
//!   ranks   = span
//!   span    = from "-" to | from "-" | "-" to | exactly
//!
//!   ring:65536-,recursive_doubling      a ring from 64 KiB on, recursive doubling below
//!   eager:-256K                         eager up to 256 KiB, the rest as before
//!   pairwise@16-                        pairwise from 16 ranks on
//!   linear:-2K+oversubscribed           linear up to 2 KiB, where ranks share their cores
//! ```
//!
//! The first row that is for an operation, and whose algorithm can serve it, is taken.
//!
//! Before: [`super::configuration`]. After: [`super::kind::Kind::check`].

use super::row::Row;

/// The end of a row that is for ranks which share their cores.
const OVERSUBSCRIBED: &str = "oversubscribed";

/// Why a text is no rows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GrammarError {
    /// There is nothing where an algorithm should be.
    #[error(
        "an algorithm is missing: write ALGORITHM[:SIZES][@RANKS][+oversubscribed], separated by commas"
    )]
    NoAlgorithm,
    /// A row ends in something unknown.
    #[error(
        "\"+{text}\" is no end of a row: there is only \"+oversubscribed\", for ranks that share cores"
    )]
    End {
        /// What is behind the plus sign.
        text: String,
    },
    /// Something is no span.
    #[error("{text:?} is no span of {of}: write FROM-TO, FROM-, -TO or one number{suffixes}")]
    Span {
        /// What it is.
        text: String,
        /// What it should be a span of.
        of: &'static str,
        /// Which suffixes there are.
        suffixes: &'static str,
    },
}

/// The rows of a text; or the index of the one that is none, and why.
pub fn rows(text: &str) -> Result<Vec<Row<String>>, (usize, GrammarError)> {
    let mut rows = Vec::new();
    for (index, item) in text.split(',').enumerate() {
        rows.push(row(item.trim()).map_err(|error| (index, error))?);
    }
    Ok(rows)
}

fn row(text: &str) -> Result<Row<String>, GrammarError> {
    let (text, oversubscribed) = halves(text, '+');
    let (text, ranks) = halves(text, '@');
    let (algorithm, sizes) = halves(text, ':');
    if algorithm.is_empty() {
        return Err(GrammarError::NoAlgorithm);
    }
    let mut row = Row::new("").with(algorithm.to_owned());
    if let Some(sizes) = sizes {
        (row.from_bytes, row.up_to_bytes) = span(sizes, bytes).ok_or(GrammarError::Span {
            text: sizes.to_owned(),
            of: "sizes",
            suffixes: ", in bytes or with K, M or G",
        })?;
    }
    if let Some(ranks) = ranks {
        (row.least_ranks, row.most_ranks) = span(ranks, number).ok_or(GrammarError::Span {
            text: ranks.to_owned(),
            of: "ranks",
            suffixes: "",
        })?;
    }
    match oversubscribed {
        None => Ok(row),
        Some(OVERSUBSCRIBED) => {
            row.oversubscribed = true;
            Ok(row)
        }
        Some(end) => Err(GrammarError::End {
            text: end.to_owned(),
        }),
    }
}

fn halves(text: &str, mark: char) -> (&str, Option<&str>) {
    match text.split_once(mark) {
        Some((before, behind)) => (before.trim(), Some(behind.trim())),
        None => (text, None),
    }
}

fn span(text: &str, number: fn(&str) -> Option<usize>) -> Option<(usize, usize)> {
    match text.split_once('-') {
        Some(("", "")) => None,
        Some(("", to)) => Some((0, number(to)?)),
        Some((from, "")) => Some((number(from)?, usize::MAX)),
        Some((from, to)) => Some((number(from)?, number(to)?)),
        None => number(text).map(|exactly| (exactly, exactly)),
    }
}

/// A number of digits alone: `parse` would take a sign.
fn number(text: &str) -> Option<usize> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok())?
}

fn bytes(text: &str) -> Option<usize> {
    let shift = match text.bytes().last()? {
        b'k' | b'K' => 10,
        b'm' | b'M' => 20,
        b'g' | b'G' => 30,
        _ => return number(text),
    };
    number(&text[..text.len() - 1])?.checked_mul(1 << shift)
}

/// Rows as a text that [`rows`] reads.
pub fn text<'a>(rows: impl IntoIterator<Item = &'a Row<&'a str>>) -> String {
    let items: Vec<String> = rows.into_iter().map(row_text).collect();
    items.join(",")
}

fn row_text(row: &Row<&str>) -> String {
    let mut text = row.algorithm.to_owned();
    for (mark, from, to) in [
        (':', row.from_bytes, row.up_to_bytes),
        ('@', row.least_ranks, row.most_ranks),
    ] {
        match (from, to) {
            (0, usize::MAX) => {}
            (0, to) => text += &format!("{mark}-{to}"),
            (from, usize::MAX) => text += &format!("{mark}{from}-"),
            (from, to) => text += &format!("{mark}{from}-{to}"),
        }
    }
    if row.oversubscribed {
        text += &format!("+{OVERSUBSCRIBED}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rows_are_read() {
        let read = rows("ring:65536-, recursive_doubling").unwrap();
        let ring = Row::new("").from(65536).with("ring".to_owned());
        let doubling = Row::new("").with("recursive_doubling".to_owned());
        assert_eq!(read, [ring, doubling]);
        let row = |text: &str| {
            let row = rows(text).unwrap().remove(0);
            let sizes = (row.from_bytes, row.up_to_bytes);
            (sizes, (row.least_ranks, row.most_ranks))
        };
        let all = (0, usize::MAX);
        assert_eq!(row("eager:-256K"), ((0, 256 << 10), all));
        assert_eq!(row("eager:1k-2M@3-8"), ((1 << 10, 2 << 20), (3, 8)));
        assert_eq!(row("pairwise@16-"), (all, (16, usize::MAX)));
        assert_eq!(row("bruck:8@-7"), ((8, 8), (0, 7)));
        assert!(rows("linear:-2K@3-+oversubscribed").unwrap()[0].oversubscribed);
        assert_eq!(row("bruck:1G"), ((1 << 30, 1 << 30), all));
    }

    #[test]
    fn what_is_no_row_is_refused_with_its_index() {
        for (text, expected) in [
            ("", 0),
            ("ring,", 1),
            ("ring:", 0),
            ("ring:-", 0),
            ("ring:64KB", 0),
            ("ring:+5", 0),
            ("a,b,ring:1-2-3", 2),
            ("ring@few", 0),
            ("ring+", 0),
            ("ring+crowd", 0),
            ("ring:99999999999G", 0),
            (":5", 0),
        ] {
            let (index, _) = rows(text).expect_err(text);
            assert_eq!(index, expected, "{text:?}");
        }
        let (_, error) = rows("ring:64KB").unwrap_err();
        assert_eq!(
            error.to_string(),
            "\"64KB\" is no span of sizes: write FROM-TO, FROM-, -TO or one number, in bytes or \
             with K, M or G"
        );
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(
            spans in prop::collection::vec((0usize..9, 0usize..9, 0usize..9, 0usize..9), 1..6),
            oversubscribed in any::<bool>(),
        ) {
            let end = |number| if number == 8 { usize::MAX } else { number };
            let written: Vec<Row<&str>> = spans
                .iter()
                .map(|(from, to, least, most)| {
                    let row = Row::new("ring").from(*from).up_to(end(*to));
                    let row = row.ranks(*least, end(*most));
                    if oversubscribed { row.oversubscribed() } else { row }
                })
                .collect();
            let read = rows(&text(&written)).unwrap();
            let expected: Vec<Row<String>> =
                written.iter().map(|row| row.with("ring".to_owned())).collect();
            prop_assert_eq!(read, expected);
        }
    }

    proptest! {
        #[test]
        fn no_text_is_too_strange(text in "\\PC*") {
            let _ = rows(&text);
        }
    }
}
