//! The inner loops of the gain tables, over rows of numbers that lie together.
//!
//! What: all of a table plus products of vectors, the lowest number of a row, and the lowest among
//! those that are admitted. Why a file of their own: nine tenths of a search's time passes here,
//! and on processors with 256-bit registers the same loops, compiled for these, take half as long.
//! Rows are as long as whole groups of [`LANES`] numbers, so that no loop has a rest:
//!
//! ```text
//!  table by processes   | margin | 0 1 2 ... n-1 |   column of j = margin + j
//!  table by place       | 0 1 2 ... n-1 | zeros  |
//!  row i is done from the group of its diagonal on: what lies left of it there is the same pair
//!  the other way round, so it does no harm; in the margin stands Number::NEVER
//! ```
//!
//! This file is one of the few with `unsafe`: a function that is compiled for a processor's
//! feature may be called only where the feature is there.

use super::number::Number;

/// Numbers handled together: as many as fit two wide registers.
pub(super) const LANES: usize = 16;

/// The length of a row of `size` numbers with its margin.
pub(super) fn row_length(size: usize) -> usize {
    size.next_multiple_of(LANES)
}

/// The vectors of one direction of a swap: `x` and `z` by process after a margin, `y` by place.
#[derive(Clone, Copy)]
pub(super) struct Vectors<'v, T> {
    pub(super) x: &'v [T],
    pub(super) y: &'v [T],
    pub(super) z: &'v [T],
}

/// What a walk admits: what is allowed again at step `now`, and what is lower than `bound`.
#[derive(Clone, Copy)]
pub struct Admission<T> {
    /// The step.
    pub now: i32,
    /// Changes below this are admitted in any case.
    pub bound: T,
}

/// Makes a function that runs the loop of the same name as it was compiled for this processor.
macro_rules! dispatched {
    ($(#[$about:meta])* $name:ident($($argument:ident: $kind:ty),*) $(-> $result:ty)?) => {
        $(#[$about])*
        pub(super) fn $name<T: Number>($($argument: $kind),*) $(-> $result)? {
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has AVX2, the only feature the function is compiled for.
                return unsafe { wide::$name($($argument),*) };
            }
            plain::$name($($argument),*)
        }
    };
}

dispatched! {
    /// `row[l] += factor * vector[l]`.
    add_product(row: &mut [T], factor: T, vector: &[T])
}
dispatched! {
    /// For all processes i, places l and processes j from the group of the diagonal on:
    /// `placed[i][l] += x[i] * y[l]` and `change[i][j] -= (x[i] - x[j]) * (z[i] - z[j])`.
    add_swap(placed: &mut [T], change: &mut [T], vectors: Vectors<T>, margin: usize)
}
dispatched! {
    /// The lowest number; [`Number::NEVER`] if there is none.
    lowest(row: &[T]) -> T
}
dispatched! {
    /// The lowest number of each row, from the group of the diagonal on, among those whose step in
    /// `allowed_at` is before now, or that are below the bound.
    lowest_admitted(change: &[T], allowed_at: &[i32], admission: Admission<T>, lowest: &mut [T])
}

mod plain {
    use super::{Admission, LANES, Number, Vectors};

    #[inline(always)]
    pub(super) fn add_product<T: Number>(row: &mut [T], factor: T, vector: &[T]) {
        for (value, other) in row.iter_mut().zip(vector) {
            *value = value.plus(factor.times(*other));
        }
    }

    #[inline(always)]
    pub(super) fn add_swap<T: Number>(
        placed: &mut [T],
        change: &mut [T],
        vectors: Vectors<T>,
        margin: usize,
    ) {
        let (x, z) = (
            vectors.x.as_chunks::<LANES>().0,
            vectors.z.as_chunks::<LANES>().0,
        );
        let length = vectors.x.len();
        let rows = placed
            .chunks_exact_mut(length)
            .zip(change.chunks_exact_mut(length));
        for (row, (placed, change)) in rows.enumerate() {
            let own = margin + row;
            let (own_x, own_z) = (vectors.x[own], vectors.z[own]);
            if own_x != T::ZERO {
                add_groups(placed, own_x, vectors.y);
            }
            let first = own / LANES;
            let change = change.as_chunks_mut::<LANES>().0;
            for ((change, x), z) in change[first..].iter_mut().zip(&x[first..]).zip(&z[first..]) {
                for lane in 0..LANES {
                    let product = own_x.minus(x[lane]).times(own_z.minus(z[lane]));
                    change[lane] = change[lane].minus(product);
                }
            }
        }
    }

    #[inline(always)]
    fn add_groups<T: Number>(row: &mut [T], factor: T, vector: &[T]) {
        let groups = row.as_chunks_mut::<LANES>().0.iter_mut();
        for (row, vector) in groups.zip(vector.as_chunks::<LANES>().0) {
            for lane in 0..LANES {
                row[lane] = row[lane].plus(factor.times(vector[lane]));
            }
        }
    }

    /// Lanes are compared each for itself, so that the compiler may do them at once.
    #[inline(always)]
    pub(super) fn lowest<T: Number>(row: &[T]) -> T {
        let mut lanes = [T::NEVER; LANES];
        let (groups, rest) = row.as_chunks::<LANES>();
        for group in groups {
            for lane in 0..LANES {
                lanes[lane] = lower(lanes[lane], group[lane]);
            }
        }
        rest.iter().chain(&lanes).copied().fold(T::NEVER, lower)
    }

    #[inline(always)]
    pub(super) fn lowest_admitted<T: Number>(
        change: &[T],
        allowed_at: &[i32],
        admission: Admission<T>,
        lowest: &mut [T],
    ) {
        let length = super::row_length(lowest.len());
        let margin = length - lowest.len();
        let rows = change
            .chunks_exact(length)
            .zip(allowed_at.chunks_exact(length))
            .zip(lowest);
        for (row, ((change, allowed_at), lowest)) in rows.enumerate() {
            let first = (margin + row) / LANES;
            let change = &change.as_chunks::<LANES>().0[first..];
            let allowed_at = &allowed_at.as_chunks::<LANES>().0[first..];
            let mut lanes = [T::NEVER; LANES];
            for (change, step) in change.iter().zip(allowed_at) {
                for lane in 0..LANES {
                    let value = admitted(change[lane], step[lane], admission);
                    lanes[lane] = lower(lanes[lane], value);
                }
            }
            *lowest = lanes.into_iter().fold(T::NEVER, lower);
        }
    }

    #[inline(always)]
    fn admitted<T: Number>(value: T, step: i32, admission: Admission<T>) -> T {
        if (step < admission.now) | (value < admission.bound) {
            value
        } else {
            T::NEVER
        }
    }

    #[inline(always)]
    fn lower<T: Number>(one: T, other: T) -> T {
        if other < one { other } else { one }
    }
}

/// The same loops for processors with 256-bit registers.
#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{Admission, Number, Vectors, plain};

    #[target_feature(enable = "avx2")]
    pub(super) fn add_product<T: Number>(row: &mut [T], factor: T, vector: &[T]) {
        plain::add_product(row, factor, vector);
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn add_swap<T: Number>(
        placed: &mut [T],
        change: &mut [T],
        vectors: Vectors<T>,
        margin: usize,
    ) {
        plain::add_swap(placed, change, vectors, margin);
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn lowest<T: Number>(row: &[T]) -> T {
        plain::lowest(row)
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn lowest_admitted<T: Number>(
        change: &[T],
        allowed_at: &[i32],
        admission: Admission<T>,
        lowest: &mut [T],
    ) {
        plain::lowest_admitted(change, allowed_at, admission, lowest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers without order, the same for the same arguments.
    fn numbers<T: Number>(length: usize, factor: usize) -> Vec<T> {
        let value = |at: usize| T::of(((at * factor) % 23) as f64 - 11.0);
        (0..length).map(value).collect()
    }

    /// A vector by process, zeros in its margin.
    fn by_process<T: Number>(size: usize, factor: usize) -> Vec<T> {
        let margin = row_length(size) - size;
        [vec![T::ZERO; margin], numbers(size, factor)].concat()
    }

    fn wide_is_plain<T: Number>() {
        for size in 1..40 {
            let (x, z) = (by_process(size, 7), by_process(size, 3));
            let (length, margin) = (row_length(size), row_length(size) - size);
            let y = numbers(length, 5);
            let vectors = Vectors {
                x: &x,
                y: &y,
                z: &z,
            };
            let table = numbers::<T>(size * length, 11);
            let (mut placed, mut change) = (table.clone(), table.clone());
            let (mut placed_plainly, mut change_plainly) = (table.clone(), table.clone());
            add_swap(&mut placed, &mut change, vectors, margin);
            plain::add_swap(&mut placed_plainly, &mut change_plainly, vectors, margin);
            assert_eq!(placed, placed_plainly);
            assert_eq!(change, change_plainly);
            for (row, column) in (0..size).flat_map(|row| (row..size).map(move |at| (row, at))) {
                let at = row * length + margin + column;
                let product = (x[margin + row].value() - x[margin + column].value())
                    * (z[margin + row].value() - z[margin + column].value());
                assert_eq!(change[at].value(), table[at].value() - product);
            }
            let (mut one, mut other) = (x.clone(), x.clone());
            add_product(&mut one, T::of(3.0), &y);
            plain::add_product(&mut other, T::of(3.0), &y);
            assert_eq!(one, other);
            let by_hand = |row: &[T]| {
                row.iter()
                    .fold(f64::INFINITY, |low, at| low.min(at.value()))
            };
            assert_eq!(lowest(&one).value(), by_hand(&one));
            assert_eq!(lowest::<T>(&[]).value(), f64::INFINITY);
        }
    }

    fn admitted_are_what_is_allowed_or_low<T: Number>() {
        for size in 1..40usize {
            let (length, margin) = (row_length(size), row_length(size) - size);
            let change = numbers::<T>(size * length, 11);
            let steps: Vec<i32> = (0..change.len() as i32).map(|at| at * 17 % 31).collect();
            let admission = Admission {
                now: 9,
                bound: T::of(-8.0),
            };
            let mut lowest = vec![T::ZERO; size];
            lowest_admitted(&change, &steps, admission, &mut lowest);
            for (row, lowest) in lowest.iter().enumerate() {
                let first = (margin + row) / LANES * LANES;
                let done = row * length + first..(row + 1) * length;
                let admitted = done.filter(|&at| steps[at] < 9 || change[at] < T::of(-8.0));
                let by_hand = admitted.map(|at| change[at].value());
                assert_eq!(lowest.value(), by_hand.fold(f64::INFINITY, f64::min));
            }
        }
    }

    #[test]
    fn wide_loops_give_the_same_numbers_as_plain_ones() {
        wide_is_plain::<f64>();
        wide_is_plain::<i32>();
    }

    #[test]
    fn the_lowest_of_what_is_admitted_is_found() {
        admitted_are_what_is_allowed_or_low::<f64>();
        admitted_are_what_is_allowed_or_low::<i32>();
    }
}
