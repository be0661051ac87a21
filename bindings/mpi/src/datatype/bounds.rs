//! Lower and upper bound of a datatype (MPI-5.0 section 5.1.6).
//!
//! A type made by a resizing constructor carries *markers*: its bounds hold
//! whatever the data inside. Markers stick: where a marked and an unmarked
//! type meet in a structure, only the marked bounds count. An empty type (no
//! data, no marker) has no say in anybody's bounds.
//!
//! ```text
//!   unmarked:  lb = least displacement     ub = greatest end (+ padding of structures)
//!   marked:    lb = least marked lb        ub = greatest marked ub
//! ```
//!
//! Invariant: `upper - lower` fits in an `i64`.

use super::error::{DatatypeError, product, signed, sum};

/// Bounds of a type in bytes, relative to its buffer's address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The lower bound.
    pub lower: i64,
    /// The upper bound.
    pub upper: i64,
    /// The bounds were set explicitly and stick.
    pub marked: bool,
    /// There is nothing inside: neither data nor markers.
    pub empty: bool,
}

impl Bounds {
    /// Of the type without data.
    pub const EMPTY: Self = Self {
        lower: 0,
        upper: 0,
        marked: false,
        empty: true,
    };

    /// Bounds that follow from data.
    pub fn natural(lower: i64, upper: i64) -> Self {
        Self {
            lower,
            upper,
            marked: false,
            empty: false,
        }
    }

    /// Explicit bounds that begin at `lower` and span `extent` bytes.
    pub fn marked(lower: i64, extent: i64) -> Result<Self, DatatypeError> {
        let upper = sum("the upper bound", lower, extent)?;
        Ok(Self {
            lower,
            upper,
            marked: true,
            empty: false,
        })
    }

    /// Distance between neighbours in an array, in bytes.
    pub fn extent(self) -> i64 {
        self.upper - self.lower
    }

    /// These bounds `displacement` bytes further up.
    pub fn shifted(self, displacement: i64) -> Result<Self, DatatypeError> {
        if self.empty {
            return Ok(self);
        }
        Ok(Self {
            lower: sum("the lower bound", self.lower, displacement)?,
            upper: sum("the upper bound", self.upper, displacement)?,
            ..self
        })
    }

    /// Of `count` repetitions that begin `stride` bytes apart.
    pub fn repeated(self, count: usize, stride: i64) -> Result<Self, DatatypeError> {
        if count == 0 || self.empty {
            return Ok(Self::EMPTY);
        }
        let last = product("a displacement", signed("a count", count - 1)?, stride)?;
        self.joined(self.shifted(last)?)
    }

    /// Of two types side by side in one structure.
    pub fn joined(self, other: Self) -> Result<Self, DatatypeError> {
        let joined = match (self.empty, other.empty, self.marked, other.marked) {
            (true, ..) => other,
            (_, true, ..) => self,
            (_, _, true, false) => self,
            (_, _, false, true) => other,
            _ => Self {
                lower: self.lower.min(other.lower),
                upper: self.upper.max(other.upper),
                ..self
            },
        };
        joined
            .upper
            .checked_sub(joined.lower)
            .ok_or(DatatypeError::TooLarge { what: "the extent" })?;
        Ok(joined)
    }

    /// A structure's end padded so that its extent is a multiple of
    /// `alignment`; marked bounds stay as they are.
    pub fn padded(self, alignment: usize) -> Result<Self, DatatypeError> {
        if self.marked || self.empty || alignment < 2 {
            return Ok(self);
        }
        let rest = self.extent().rem_euclid(signed("an alignment", alignment)?);
        if rest == 0 {
            return Ok(self);
        }
        let padding = signed("an alignment", alignment)? - rest;
        let upper = sum("the upper bound", self.upper, padding)?;
        upper
            .checked_sub(self.lower)
            .ok_or(DatatypeError::TooLarge { what: "the extent" })?;
        Ok(Self { upper, ..self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_stick_and_empties_are_silent() {
        let data = Bounds::natural(-4, 100);
        let marked = Bounds::marked(8, 8).unwrap();
        assert_eq!(data.joined(marked).unwrap(), marked);
        assert_eq!(marked.joined(data).unwrap(), marked);
        assert_eq!(
            Bounds::EMPTY.shifted(1000).unwrap().joined(data).unwrap(),
            data
        );
        assert_eq!(marked.repeated(3, -20).unwrap().lower, -32);
        assert_eq!(marked.repeated(3, -20).unwrap().upper, 16);
    }

    #[test]
    fn padding_completes_the_extent_unless_marked() {
        assert_eq!(Bounds::natural(4, 13).padded(8).unwrap().upper, 20);
        assert_eq!(Bounds::natural(4, 20).padded(8).unwrap().upper, 20);
        assert_eq!(Bounds::marked(0, 13).unwrap().padded(8).unwrap().upper, 13);
    }

    #[test]
    fn overflow_is_refused() {
        let wide = Bounds::natural(0, i64::MAX);
        assert!(wide.shifted(1).is_err());
        assert!(wide.joined(Bounds::natural(-1, 0)).is_err());
    }
}
