//! Tori: members at the places of a grid whose lines are rings.
//!
//! Before: `PAMIR_TORUS`, such as `3x3x3`, or only a number of members. After: coordinates for
//! PAMI's extension, and lines and trees for the collective algorithms that go along dimensions
//! ([`crate::collective::shape::torus_line`], [`crate::collective::shape::torus_tree`]).
//!
//! ```text
//! member = ((x * Y + y) * Z + z) * T + t        T = members / (X * Y * Z), the last dimension
//! ```
//!
//! Where the variable gives no shape, or one that the members do not fill evenly, as those of
//! a part of the job, they stand in the most even torus of up to three dimensions: 12 in 2x2x3, 7 in
//! a ring. The torus is virtual: lanes join every pair of tasks.
//!
//! Invariants: places and members are each other's inverse; all members of an operation have the
//! same torus, since all tasks of a job find the same variable.

use std::sync::OnceLock;

/// The variable names no shape.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "environment variable PAMIR_TORUS={value:?} is no shape: set it to sizes such as 3x3x3, or unset it"
)]
pub struct ShapeError {
    /// What it is.
    pub value: String,
}

/// The shape that the variable names, and how many places that has, if it is set.
///
/// # Errors
///
/// [`ShapeError`].
pub fn configured_shape() -> Result<Option<(Vec<usize>, usize)>, ShapeError> {
    shape_of(&pamir_settings::TORUS.text())
}

/// The shape that a text names, and how many places that has, if it is not empty.
///
/// # Errors
///
/// [`ShapeError`].
pub fn shape_of(text: &str) -> Result<Option<(Vec<usize>, usize)>, ShapeError> {
    if text.is_empty() {
        return Ok(None);
    }
    let shape = sizes_of(text).map(Some);
    shape.ok_or_else(|| ShapeError { value: text.into() })
}

/// A torus of members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Torus {
    /// Places of each dimension.
    sizes: Vec<usize>,
}

/// The sizes that a text such as `3x3x3` names, with their product, if there are any.
fn sizes_of(shape: &str) -> Option<(Vec<usize>, usize)> {
    let sizes = shape.split('x').map(|size| size.trim().parse().ok());
    let sizes = sizes.collect::<Option<Vec<usize>>>()?;
    let product = |all: usize, size: &usize| all.checked_mul(*size);
    let places = sizes.iter().try_fold(1, product)?;
    (places > 0).then_some((sizes, places))
}

/// The greatest divisor of `number` whose power `power` is at most `number`.
fn even_divisor(number: usize, power: u32) -> usize {
    let fits = |divisor: &usize| divisor.checked_pow(power).is_some_and(|all| all <= number);
    let divisors = (1..=number).take_while(fits);
    let whole = divisors.filter(|divisor| number.is_multiple_of(*divisor));
    whole.last().unwrap_or(1)
}

impl Torus {
    /// The torus of a shape such as `3x3x3`, if `members` fill it evenly; its last dimension is that
    /// of the members of a place.
    pub fn of(shape: &str, members: usize) -> Option<Self> {
        let (sizes, places) = sizes_of(shape)?;
        Self::filled(&sizes, places, members)
    }

    fn filled(sizes: &[usize], places: usize, members: usize) -> Option<Self> {
        let evenly = members > 0 && members.is_multiple_of(places);
        evenly.then(|| Self {
            sizes: sizes.iter().copied().chain([members / places]).collect(),
        })
    }

    /// The most even torus of up to three dimensions that `members` fill.
    pub fn balanced(members: usize) -> Self {
        let first = even_divisor(members, 3);
        let second = even_divisor(members / first, 2);
        Self {
            sizes: vec![first, second, members / first / second],
        }
    }

    /// The torus that `members` members stand in: of the variable's shape, where they fill it.
    pub fn configured(members: usize) -> Self {
        static CONFIGURED: OnceLock<Option<(Vec<usize>, usize)>> = OnceLock::new();
        // What is no shape was refused when the first client was opened.
        let shape = CONFIGURED.get_or_init(|| configured_shape().unwrap_or_default());
        let shape = shape.as_ref();
        let filled = shape.and_then(|(sizes, places)| Self::filled(sizes, *places, members));
        filled.unwrap_or_else(|| Self::balanced(members))
    }

    /// Places of each dimension.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// How far the numbers of neighbours in a dimension are apart.
    pub fn stride(&self, dimension: usize) -> usize {
        self.sizes[dimension + 1..].iter().product()
    }

    /// A member's coordinate in a dimension.
    pub fn coordinate(&self, member: usize, dimension: usize) -> usize {
        member / self.stride(dimension) % self.sizes[dimension]
    }

    /// Where a member is.
    pub fn place(&self, member: usize) -> Option<Vec<usize>> {
        let dimensions = 0..self.sizes.len();
        let members = self.sizes.iter().product::<usize>();
        let coordinates = dimensions.map(|dimension| self.coordinate(member, dimension));
        (member < members).then(|| coordinates.collect())
    }

    /// Who is there.
    pub fn member(&self, place: &[usize]) -> Option<usize> {
        let inside = place.iter().zip(&self.sizes).all(|(at, size)| at < size);
        let places = place.iter().zip(&self.sizes);
        inside.then(|| places.fold(0, |member, (at, size)| member * size + at))
    }

    /// Who has `coordinate` in a dimension, and all others from `member`.
    pub fn beside(&self, member: usize, dimension: usize, coordinate: usize) -> usize {
        let stride = self.stride(dimension);
        member - self.coordinate(member, dimension) * stride + coordinate * stride
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The neighbours of a member in both directions of each ring.
    fn neighbours(torus: &Torus, member: usize) -> BTreeSet<usize> {
        let rings = 0..torus.sizes.len() - 1;
        rings
            .flat_map(|dimension| [1, torus.sizes[dimension] - 1].map(|step| (dimension, step)))
            .map(|(dimension, step)| {
                let there = torus.coordinate(member, dimension) + step;
                torus.beside(member, dimension, there % torus.sizes[dimension])
            })
            .collect()
    }

    #[test]
    fn twenty_seven_members_have_six_neighbours_each() {
        let torus = Torus::of("3x3x3", 27).unwrap();
        assert_eq!(torus.place(26), Some(vec![2, 2, 2, 0]));
        for member in 0..27 {
            let around = neighbours(&torus, member);
            assert!(around.len() == 6 && !around.contains(&member), "{member}");
            for other in around {
                assert!(neighbours(&torus, other).contains(&member));
            }
        }
    }

    #[test]
    fn members_and_places_are_each_others_inverse() {
        for (shape, members) in [("5", 5), ("2x3", 12), ("2 x 2 x 2", 8), ("3x2x2x2x2", 96)] {
            let torus = Torus::of(shape, members).unwrap();
            for member in 0..members {
                let place = torus.place(member).unwrap();
                assert_eq!(torus.member(&place), Some(member));
                for (dimension, at) in place.iter().enumerate() {
                    assert_eq!(torus.beside(member, dimension, *at), member);
                    let moved = torus.beside(member, dimension, 0);
                    assert_eq!(torus.coordinate(moved, dimension), 0);
                }
            }
            assert_eq!(torus.place(members), None);
            assert_eq!(torus.member(&torus.sizes), None);
        }
    }

    #[test]
    fn shapes_that_members_do_not_fill_are_none() {
        for (shape, members) in [
            ("", 4),
            ("0x2", 4),
            ("2xtwo", 4),
            ("3", 4),
            ("2x", 4),
            ("2", 0),
        ] {
            assert_eq!(Torus::of(shape, members), None, "{shape}");
        }
        assert_eq!(Torus::of(&format!("{0}x{0}", usize::MAX), 4), None);
    }

    #[test]
    fn members_stand_as_evenly_as_they_can() {
        let of = |members| Torus::balanced(members).sizes;
        assert_eq!(of(1), [1, 1, 1]);
        assert_eq!(of(7), [1, 1, 7]);
        assert_eq!(of(12), [2, 2, 3]);
        assert_eq!(of(27), [3, 3, 3]);
        assert_eq!(of(64), [4, 4, 4]);
        for members in 1..=1024 {
            assert_eq!(of(members).iter().product::<usize>(), members);
        }
    }
}
