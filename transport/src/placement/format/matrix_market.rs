//! Matrix-market files: matrices as numerical programs exchange them.
//!
//! ```text
//! %%MatrixMarket matrix coordinate integer general      or: array, real, pattern, symmetric
//! % a comment
//! 4 4 2                                                 rows, columns, entries
//! 1 2 819200                                            row, column (from 1), value
//! 2 1 819200
//! ```
//!
//! What: read as bytes between ranks or as costs between places; a pattern's entries count 1.
//! Source: Boisvert, Pozo, Remington, "The Matrix Market Exchange Formats" (NISTIR 5935, 1996).

use std::fmt::Write as _;

use super::super::communication::Entry;
use super::super::{CommunicationGraph, Matrix, PlacementError, Traffic, Weight, matrix};
use super::{Line, lines};

/// Whole numbers above this are not exact as the numbers that costs are computed with.
const MOST_EXACT: f64 = 9_007_199_254_740_992.0;

/// What the first line says of the rest.
struct Banner {
    sparse: bool,
    pattern: bool,
    symmetric: bool,
}

/// The values of a square matrix by row and column, from 0.
struct Values {
    size: usize,
    values: Vec<(usize, usize, f64)>,
}

/// A matrix of bytes between ranks as a communication graph; every entry is one message.
pub fn read_communication(text: &str, file: &str) -> Result<CommunicationGraph, PlacementError> {
    let read = read(text, file)?;
    let mut entries = Vec::with_capacity(read.values.len());
    for (row, column, value) in read.values {
        if value > MOST_EXACT {
            let what = format!("the number of bytes from rank {row} to rank {column}");
            return Err(PlacementError::Number { what, value });
        }
        if value > 0.0 {
            // Fractions come from averages; a byte more or less moves no rank.
            let bytes = value.ceil() as u64;
            entries.push(Entry {
                origin: row as u32,
                target: column as u32,
                traffic: Traffic { messages: 1, bytes },
            });
        }
    }
    CommunicationGraph::new(read.size, entries)
}

/// A matrix of costs.
pub fn read_matrix(text: &str, file: &str) -> Result<Matrix, PlacementError> {
    let read = read(text, file)?;
    let mut matrix = Matrix::zero(read.size);
    for (row, column, value) in read.values {
        matrix.set(row, column, matrix.at(row, column) + value);
    }
    Ok(matrix)
}

/// The text of a graph: weights between ranks as a sparse matrix.
pub fn write_communication(graph: &CommunicationGraph, weight: Weight) -> String {
    let mut text = format!(
        "%%MatrixMarket matrix coordinate real general\n{} {} {}\n",
        graph.ranks(),
        graph.ranks(),
        graph.entries().len()
    );
    for entry in graph.entries() {
        let value = weight.of(entry.traffic);
        let _ = writeln!(text, "{} {} {value}", entry.origin + 1, entry.target + 1);
    }
    text
}

fn read(text: &str, file: &str) -> Result<Values, PlacementError> {
    let banner = banner(text, file)?;
    let mut lines = lines(text, file, '%');
    let Some(header) = lines.next() else {
        return Err(PlacementError::Nothing { what: "row" });
    };
    let words = if banner.sparse { 3 } else { 2 };
    let sizes: Vec<usize> = header.numbers(words, "the numbers of rows, columns and entries")?;
    let size = sizes[0];
    if size != sizes[1] {
        return Err(header.wrong("the matrix is not square"));
    }
    let values = if banner.sparse {
        sparse_values(lines, &banner, size, sizes[2], &header)?
    } else {
        dense_values(lines, &banner, size, &header)?
    };
    Ok(Values { size, values })
}

fn banner(text: &str, file: &str) -> Result<Banner, PlacementError> {
    let first = text.lines().next().unwrap_or("").to_ascii_lowercase();
    let words: Vec<&str> = first.split_whitespace().collect();
    let wrong = |reason: &str| PlacementError::Line {
        file: file.to_string(),
        line: 1,
        reason: reason.to_string(),
    };
    let ["%%matrixmarket", "matrix", shape, field, symmetry] = words[..] else {
        return Err(wrong(
            "expected `%%MatrixMarket matrix coordinate|array FIELD SYMMETRY`",
        ));
    };
    if !matches!(shape, "coordinate" | "array") {
        return Err(wrong("the matrix must be coordinate or array"));
    }
    if !matches!(field, "real" | "integer" | "pattern") {
        return Err(wrong("the values must be real, integer or pattern"));
    }
    if !matches!(symmetry, "general" | "symmetric") {
        return Err(wrong("the matrix must be general or symmetric"));
    }
    Ok(Banner {
        sparse: shape == "coordinate",
        pattern: field == "pattern",
        symmetric: symmetry == "symmetric",
    })
}

fn checked(line: &Line, value: f64) -> Result<f64, PlacementError> {
    if matrix::valid(value) {
        Ok(value)
    } else {
        Err(line.wrong(format!("{value} is not a finite number of at least 0")))
    }
}

fn sparse_values<'t>(
    lines: impl Iterator<Item = Line<'t>>,
    banner: &Banner,
    size: usize,
    expected: usize,
    header: &Line,
) -> Result<Vec<(usize, usize, f64)>, PlacementError> {
    let mut values = Vec::new();
    let mut count = 0;
    for line in lines {
        let words = if banner.pattern { 2 } else { 3 };
        let numbers: Vec<f64> = line.numbers(words, "a row, a column and a value")?;
        let inside = |number: f64| number.fract() == 0.0 && number >= 1.0 && number <= size as f64;
        if !inside(numbers[0]) || !inside(numbers[1]) {
            return Err(line.wrong(format!("rows and columns go from 1 to {size}")));
        }
        let (row, column) = (numbers[0] as usize - 1, numbers[1] as usize - 1);
        let value = checked(&line, numbers.get(2).copied().unwrap_or(1.0))?;
        values.push((row, column, value));
        if banner.symmetric && row != column {
            values.push((column, row, value));
        }
        count += 1;
    }
    if count != expected {
        return Err(header.wrong(format!(
            "{expected} entries are announced, and {count} follow"
        )));
    }
    Ok(values)
}

/// Columns one after the other; of a symmetric matrix the part from the diagonal down.
fn dense_values<'t>(
    lines: impl Iterator<Item = Line<'t>>,
    banner: &Banner,
    size: usize,
    header: &Line,
) -> Result<Vec<(usize, usize, f64)>, PlacementError> {
    let first_row = |column| if banner.symmetric { column } else { 0 };
    let mut cells =
        (0..size).flat_map(|column| (first_row(column)..size).map(move |row| (row, column)));
    let mut values = Vec::new();
    for line in lines {
        for word in &line.words {
            let value = word
                .parse()
                .map_err(|_| line.wrong(format!("{word:?} is not a number")))?;
            let value = checked(&line, value)?;
            let Some((row, column)) = cells.next() else {
                return Err(line.wrong("there are more values than the matrix has"));
            };
            values.push((row, column, value));
            if banner.symmetric && row != column {
                values.push((column, row, value));
            }
        }
    }
    match cells.next() {
        None => Ok(values),
        Some(_) => Err(header.wrong("there are fewer values than the matrix has")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparse_dense_and_symmetric_matrices_are_read() {
        let sparse =
            "%%MatrixMarket matrix coordinate integer symmetric\n% c\n3 3 2\n2 1 5\n3 3 2\n";
        let matrix = read_matrix(sparse, "f").unwrap();
        assert_eq!(
            (matrix.at(0, 1), matrix.at(1, 0), matrix.at(2, 2)),
            (5.0, 5.0, 2.0)
        );
        let dense = "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4.5\n";
        let matrix = read_matrix(dense, "f").unwrap();
        assert_eq!(
            (matrix.at(1, 0), matrix.at(0, 1), matrix.at(1, 1)),
            (2.0, 3.0, 4.5)
        );
        let pattern = "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n";
        assert_eq!(
            read_communication(pattern, "f")
                .unwrap()
                .traffic(0, 1)
                .bytes,
            1
        );
    }

    #[test]
    fn a_graph_survives_being_written() {
        let entry = |origin, target, bytes| Entry {
            origin,
            target,
            traffic: Traffic { messages: 1, bytes },
        };
        let graph = CommunicationGraph::new(4, [entry(0, 3, 7), entry(2, 1, 9)]).unwrap();
        let text = write_communication(&graph, Weight::Bytes);
        assert_eq!(read_communication(&text, "f").unwrap(), graph);
    }

    #[test]
    fn bad_files_are_refused_with_their_line() {
        let banner = "%%MatrixMarket matrix coordinate real general\n";
        for (text, expected) in [
            ("1 1 1\n".to_string(), "line 1: expected"),
            (
                banner.replace("real", "complex"),
                "real, integer or pattern",
            ),
            (
                format!("{banner}2 3 0\n"),
                "line 2: the matrix is not square",
            ),
            (
                format!("{banner}2 2 1\n3 1 1\n"),
                "line 3: rows and columns go from 1 to 2",
            ),
            (
                format!("{banner}2 2 1\n0 1 1\n"),
                "line 3: rows and columns",
            ),
            (
                format!("{banner}2 2 2\n1 1 1\n"),
                "line 2: 2 entries are announced, and 1 follow",
            ),
            (format!("{banner}2 2 1\n1 1 -1\n"), "line 3: -1 is not"),
            (format!("{banner}2 2 1\n1 1 nan\n"), "line 3: NaN is not"),
        ] {
            let error = read_matrix(&text, "f").unwrap_err().to_string();
            assert!(error.contains(expected), "{text:?}: {error}");
        }
    }
}
