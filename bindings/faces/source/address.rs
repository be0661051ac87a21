//! Addresses and offsets with a meaning of their own.
//!
//! What: `MPI_IN_PLACE`, `MPI_UNWEIGHTED` and their like, from the program's to the standard ABI's. Step before: a
//! function's arguments. Step after: the library's. Invariant: all other addresses pass as they are.

// The generator calls those of which this face's number is not the standard's.
#![allow(dead_code)]

use std::ptr::without_provenance_mut;

use crate::abi::sentinel;

const IN_PLACE: usize = 1;
const BUFFER_AUTOMATIC: usize = 2;
const UNWEIGHTED: usize = 10;
const WEIGHTS_EMPTY: usize = 11;
const ALL_VARIABLES: usize = 1;
const CURRENT: i64 = -1;

/// An address of either kind of pointer.
pub trait Pointer: Copy {
    /// Where it points.
    fn number(self) -> usize;
    /// A pointer that points to nothing.
    fn of(number: usize) -> Self;
}

impl<T> Pointer for *const T {
    #[inline(always)]
    fn number(self) -> usize {
        self as usize
    }
    #[inline(always)]
    fn of(number: usize) -> Self {
        without_provenance_mut::<T>(number)
    }
}

impl<T> Pointer for *mut T {
    #[inline(always)]
    fn number(self) -> usize {
        self as usize
    }
    #[inline(always)]
    fn of(number: usize) -> Self {
        without_provenance_mut(number)
    }
}

/// A buffer of a collective operation.
#[inline(always)]
pub fn in_place<P: Pointer>(buffer: P) -> P {
    match buffer.number() == sentinel::IN_PLACE {
        true => P::of(IN_PLACE),
        false => buffer,
    }
}

/// Memory for buffered sends.
pub fn buffer<P: Pointer>(buffer: P) -> P {
    match buffer.number() == sentinel::BUFFER_AUTOMATIC {
        true => P::of(BUFFER_AUTOMATIC),
        false => buffer,
    }
}

/// Weights of a graph's edges.
pub fn weights<P: Pointer>(weights: P) -> P {
    let number = weights.number();
    match () {
        _ if number == sentinel::unweighted() => P::of(UNWEIGHTED),
        _ if number == sentinel::weights_empty() => P::of(WEIGHTS_EMPTY),
        _ => weights,
    }
}

/// The displacement of a file's view.
pub fn displacement(offset: i64) -> i64 {
    match offset == sentinel::DISPLACEMENT_CURRENT {
        true => CURRENT,
        false => offset,
    }
}

/// A handle of a performance variable.
pub fn variable(handle: usize) -> usize {
    match handle == sentinel::all_variables() {
        true => ALL_VARIABLES,
        false => handle,
    }
}
