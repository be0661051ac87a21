//! `MPI_MINLOC` and `MPI_MAXLOC`: values with the index they stand at (MPI-5.0 section 6.9.4).
//!
//! The pair whose value is greater (less) wins; between equal values the lesser
//! index does. Where a value is not a number, no comparison holds and the pair
//! in `inout` stays.
//!
//! Buffers are in memory layout: a pair lies where C's `struct` has it, with
//! padding between members and behind them. Padding is not written.
//!
//! ```text
//!                      value    index    extent (bytes)
//! FLOAT_INT            0..4     4..8     8
//! DOUBLE_INT           0..8     8..12    16
//! LONG_INT             0..8     8..12    16
//! 2INT, 2INTEGER       0..4     4..8     8
//! SHORT_INT            0..2     4..8     8
//! LONG_DOUBLE_INT      0..10    16..20   32
//! 2REAL                0..4     4..8     8
//! 2DOUBLE_PRECISION    0..8     8..16    16
//! ```

use super::kernel::{Inout, each};
use super::long_double;
use super::primitive::Primitive;
use std::cmp::Ordering;

/// Which of two different values wins.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Extreme {
    /// The lesser one.
    Least,
    /// The greater one.
    Greatest,
}

impl Extreme {
    /// The outcome of comparing the incoming value with the other that lets the incoming win.
    fn winning(self) -> Ordering {
        match self {
            Self::Least => Ordering::Less,
            Self::Greatest => Ordering::Greater,
        }
    }
}

/// Reads a number from the start of a byte range.
macro_rules! number {
    ($kind:ty, $bytes:expr, $offset:expr) => {{
        let mut bytes = [0; size_of::<$kind>()];
        bytes.copy_from_slice(&$bytes[$offset..$offset + size_of::<$kind>()]);
        <$kind>::from_ne_bytes(bytes)
    }};
}

/// Combines pairs of a value kind and an index kind, the index at `$at` of `$extent` bytes.
macro_rules! pairs {
    ($value:ty, $index:ty, $at:literal of $extent:literal, $extreme:expr, $incoming:expr, $inout:expr) => {{
        let winning = $extreme.winning();
        each::<$extent>($incoming, $inout, |a, mut b| {
            let order = number!($value, a, 0).partial_cmp(&number!($value, b, 0));
            let earlier = number!($index, a, $at) < number!($index, b, $at);
            if order == Some(winning) || (order == Some(Ordering::Equal) && earlier) {
                let (value, index) = (size_of::<$value>(), $at + size_of::<$index>());
                b[..value].copy_from_slice(&a[..value]);
                b[$at..index].copy_from_slice(&a[$at..index]);
            }
            b
        })
    }};
}

/// `inout[i] = incoming[i] op inout[i]` for pairs; `false` where the primitive is not a pair.
pub(super) fn combine(
    extreme: Extreme,
    primitive: Primitive,
    incoming: &[u8],
    inout: Inout<'_>,
) -> bool {
    match primitive {
        Primitive::FloatInt => pairs!(f32, i32, 4 of 8, extreme, incoming, inout),
        Primitive::DoubleInt => pairs!(f64, i32, 8 of 16, extreme, incoming, inout),
        Primitive::LongInt => pairs!(i64, i32, 8 of 16, extreme, incoming, inout),
        Primitive::TwoInt => pairs!(i32, i32, 4 of 8, extreme, incoming, inout),
        Primitive::ShortInt => pairs!(i16, i32, 4 of 8, extreme, incoming, inout),
        Primitive::TwoReal => pairs!(f32, f32, 4 of 8, extreme, incoming, inout),
        Primitive::TwoDoublePrecision => pairs!(f64, f64, 8 of 16, extreme, incoming, inout),
        Primitive::LongDoubleInt => long_double_int(extreme, incoming, inout),
        _ => return false,
    }
    true
}

/// The pair of a `long double` and an `int`, whose comparison is the x87's.
fn long_double_int(extreme: Extreme, incoming: &[u8], inout: Inout<'_>) {
    let winning = extreme.winning();
    let (incoming, _) = incoming.as_chunks::<16>();
    let (inout, _) = inout.in_place().as_chunks_mut::<16>();
    // Each pair is two rows of sixteen bytes: the value, then the index and padding.
    for (b, a) in inout.chunks_exact_mut(2).zip(incoming.chunks_exact(2)) {
        let order = long_double::compare(&a[0], &b[0]);
        let earlier = number!(i32, a[1], 0) < number!(i32, b[1], 0);
        if order == Some(winning) || (order == Some(Ordering::Equal) && earlier) {
            long_double::copy(&a[0], &mut b[0]);
            b[1][..4].copy_from_slice(&a[1][..4]);
        }
    }
}
