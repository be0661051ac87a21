//! Problems of QAPLIB: the size, then two matrices, all numbers separated by any white space.
//!
//! What: the first matrix is that of weights, the second that of costs: the cost of a mapping `p`
//! is the sum of `A[i][j] * B[p(i)][p(j)]`. A few of QAPLIB's files mean it the other way round;
//! `exchanged` reads them so. The best cost is the same either way, the best mapping the inverse.
//! Source: Burkard, Karisch, Rendl, "QAPLIB: a quadratic assignment problem library" (1997).

use std::path::Path;

use super::super::{EdgeFunction, Matrix, PlacementError, Problem, TopologyGraph};
use super::{lines, read_text};

/// Reads a problem; with `exchanged` the first matrix is that of costs.
pub fn from_text(text: &str, file: &str, exchanged: bool) -> Result<Problem, PlacementError> {
    let mut numbers = Vec::new();
    for line in lines(text, file, '#') {
        for word in &line.words {
            let number: f64 = word
                .parse()
                .map_err(|_| line.wrong(format!("{word:?} is not a number")))?;
            numbers.push(number);
        }
    }
    let size = numbers.first().copied().unwrap_or(0.0);
    if size < 1.0 || size.fract() != 0.0 {
        return Err(PlacementError::Nothing { what: "matrix" });
    }
    let size = size as usize;
    if size
        .checked_mul(size)
        .and_then(|cells| cells.checked_mul(2))
        != Some(numbers.len() - 1)
    {
        return Err(PlacementError::Size {
            what: "the list of a problem's numbers (the size, then two matrices)",
            found: numbers.len(),
            expected: size
                .saturating_mul(size)
                .saturating_mul(2)
                .saturating_add(1),
        });
    }
    let (first, second) = numbers[1..].split_at(size * size);
    let mut matrices = [
        Matrix::from_rows(size, first.to_vec())?,
        Matrix::from_rows(size, second.to_vec())?,
    ];
    if exchanged {
        matrices.swap(0, 1);
    }
    let [weights, costs] = matrices;
    let topology = TopologyGraph::from_matrix((0..size as u32).collect(), costs)?;
    Problem::from_matrix(&weights, &topology, EdgeFunction::PRODUCT)
}

/// Reads a problem's file.
pub fn read(path: &Path, exchanged: bool) -> Result<Problem, PlacementError> {
    from_text(&read_text(path)?, &path.display().to_string(), exchanged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_matrix_is_that_of_weights() {
        let text = "2\n\n0 3\n1 0\n 0 5 7\n0\n";
        let problem = from_text(text, "f", false).unwrap();
        assert_eq!(problem.cost_of(&[0, 1]), 3.0 * 5.0 + 7.0);
        assert_eq!(problem.cost_of(&[1, 0]), 3.0 * 7.0 + 5.0);
        let exchanged = from_text(text, "f", true).unwrap();
        assert_eq!(exchanged.dense().unwrap().weights.at(0, 1), 5.0);
        assert_eq!(exchanged.cost_of(&[0, 1]), 22.0);
    }

    #[test]
    fn files_that_are_no_problem_are_refused() {
        for (text, expected) in [
            ("", "no matrix"),
            ("2 0 1 1 0 0 1 1", "size 8, and 9"),
            ("2 0 1 1 0 0 1 1 x", "line 1: \"x\""),
            ("1 -1 0", "is -1"),
            ("99999999999 1 2", "and"),
        ] {
            let error = from_text(text, "f", false).unwrap_err().to_string();
            assert!(error.contains(expected), "{text:?}: {error}");
        }
    }
}
