//! Square matrices of costs or weights, row by row.
//!
//! What: `n * n` numbers in one block, which the gain tables walk row after row.
//! Step before: a file, a measurement, or a graph written out. Step after: [`super::problem`].

use super::PlacementError;

/// The most places for which tables of all pairs are made: three of them are 400 MiB.
pub const MOST_DENSE: usize = 4096;

/// A square matrix of finite numbers of at least 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    size: usize,
    values: Vec<f64>,
}

impl Matrix {
    /// All zeros.
    pub fn zero(size: usize) -> Matrix {
        Matrix {
            size,
            values: vec![0.0; size * size],
        }
    }

    /// From its rows, one after the other.
    pub fn from_rows(size: usize, values: Vec<f64>) -> Result<Matrix, PlacementError> {
        if values.len() != size * size {
            return Err(PlacementError::Size {
                what: "the list of a matrix's values",
                found: values.len(),
                expected: size * size,
            });
        }
        if let Some(at) = values.iter().position(|value| !valid(*value)) {
            return Err(PlacementError::Number {
                what: format!("the value in row {}, column {}", at / size, at % size),
                value: values[at],
            });
        }
        Ok(Matrix { size, values })
    }

    /// Number of rows, which is that of columns.
    pub fn size(&self) -> usize {
        self.size
    }

    /// A value.
    pub fn at(&self, row: usize, column: usize) -> f64 {
        self.values[row * self.size + column]
    }

    /// Sets a value, which must be finite and at least 0.
    pub fn set(&mut self, row: usize, column: usize, value: f64) {
        debug_assert!(valid(value), "{value} in a matrix of costs");
        self.values[row * self.size + column] = value;
    }

    /// One row.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.size..(row + 1) * self.size]
    }

    /// Whether it equals its transpose.
    pub fn is_symmetric(&self) -> bool {
        (0..self.size)
            .all(|row| (0..row).all(|column| self.at(row, column) == self.at(column, row)))
    }

    /// How unequal its values are: their standard deviation in per cent of their mean, the
    /// dominance of Vollmann and Buffa (1966). Some 60 of random values, hundreds where a few pairs
    /// have most of the flow; 0 where all is zero.
    pub fn dominance(&self) -> f64 {
        let count = self.values.len().max(1) as f64;
        let mean = self.values.iter().sum::<f64>() / count;
        if mean == 0.0 {
            return 0.0;
        }
        let squares = self.values.iter().map(|value| (value - mean).powi(2));
        (squares.sum::<f64>() / count).sqrt() / mean * 100.0
    }

    /// The matrix with rows and columns exchanged.
    pub fn transposed(&self) -> Matrix {
        let mut matrix = Matrix::zero(self.size);
        for row in 0..self.size {
            for column in 0..self.size {
                matrix.values[column * self.size + row] = self.at(row, column);
            }
        }
        matrix
    }
}

/// Whether a number may be a cost or a weight.
pub(super) fn valid(value: f64) -> bool {
    value.is_finite() && value >= 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dominance_is_deviation_in_per_cent_of_the_mean() {
        let dominance = |values: [f64; 4]| {
            let matrix = Matrix::from_rows(2, values.to_vec()).unwrap();
            matrix.dominance()
        };
        assert_eq!(dominance([0.0; 4]), 0.0);
        assert_eq!(dominance([3.0; 4]), 0.0);
        assert_eq!(dominance([0.0, 2.0, 2.0, 0.0]), 100.0);
        // Mean 1, squares 9 + 1 + 1 + 1 over 4.
        assert!((dominance([4.0, 0.0, 0.0, 0.0]) - 300f64.sqrt() * 10.0).abs() < 1e-9);
    }

    #[test]
    fn values_lie_where_they_were_put() {
        let matrix = Matrix::from_rows(2, vec![1.0, 2.0, 3.0, 4.0]).unwrap();
        assert_eq!(matrix.at(0, 1), 2.0);
        assert_eq!(matrix.transposed().row(0), [1.0, 3.0]);
        assert!(!matrix.is_symmetric());
    }

    #[test]
    fn what_is_no_cost_is_refused() {
        let error = Matrix::from_rows(2, vec![1.0, 2.0, -3.0, 4.0]).unwrap_err();
        assert!(
            error.to_string().contains("row 1, column 0 is -3"),
            "{error}"
        );
        let error = Matrix::from_rows(2, vec![1.0]).unwrap_err();
        assert!(error.to_string().contains("size 1, and 4"), "{error}");
    }
}
