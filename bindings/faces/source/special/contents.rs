//! `MPI_Type_get_contents`: what a datatype was made of, constants among its integers.
//!
//! ```text
//! subarray   ndims, sizes[n], subsizes[n], starts[n], order
//! darray     size, rank, ndims, gsizes[n], distribs[n], dargs[n], psizes[n], order
//! ```
//!
//! Step before: a program decodes a datatype. Step after: it makes the same again, with the same constants.
//! Invariant: only as many integers and datatypes are touched as the library has written.

use std::ffi::c_int;

use crate::call::pamir_functions;
use crate::constant::{distribution_argument_out, distribution_out, order_out};
use crate::handle;

/// The standard's combiners of which integers are constants.
const SUBARRAY: c_int = 111;
const DARRAY: c_int = 112;

/// Translates those integers that are constants. Where sizes are large counts they are not among the integers.
///
/// # Safety
///
/// The integers are what the library has written for a datatype of this combiner.
unsafe fn show(combiner: c_int, integers: *mut c_int, has_large_counts: bool) {
    // SAFETY: the caller's promise, with the lengths of the head of this file.
    unsafe {
        let sizes = |arrays: usize, dimensions: usize| match has_large_counts {
            true => 0,
            false => arrays * dimensions,
        };
        match combiner {
            SUBARRAY => {
                let order = integers.add(1 + sizes(3, *integers as usize));
                *order = order_out(*order);
            }
            DARRAY => {
                let dimensions = *integers.add(2) as usize;
                let distributions = integers.add(3 + sizes(1, dimensions));
                let arguments = distributions.add(dimensions);
                for dimension in 0..dimensions {
                    let (distribution, argument) =
                        (distributions.add(dimension), arguments.add(dimension));
                    *distribution = distribution_out(*distribution);
                    *argument = distribution_argument_out(*argument);
                }
                let order = arguments.add(2 * dimensions);
                *order = order_out(*order);
            }
            _ => {}
        }
    }
}

/// Translates datatypes.
///
/// # Safety
///
/// The library's array has `length` datatypes, and the program's room for them.
unsafe fn give(standard: &[usize], own: *mut handle::Datatype, length: usize) {
    for (index, standard) in standard.iter().take(length).enumerate() {
        // SAFETY: the caller's promise.
        unsafe { *own.add(index) = handle::datatype_out(*standard) };
    }
}

/// `MPI_Type_get_contents`.
///
/// # Safety
///
/// As the standard says.
pub unsafe fn type_get_contents(
    datatype: handle::Datatype,
    max_integers: c_int,
    max_addresses: c_int,
    max_datatypes: c_int,
    array_of_integers: *mut c_int,
    array_of_addresses: *mut isize,
    array_of_datatypes: *mut handle::Datatype,
) -> c_int {
    let datatype = handle::datatype_in(datatype);
    let mut datatypes = vec![0; crate::array::length(max_datatypes)];
    let mut numbers = [0; 4];
    let [integers, addresses, inner, combiner] = numbers.each_mut().map(std::ptr::from_mut);
    // SAFETY: the caller's promise.
    unsafe {
        let code = (pamir_functions.MPI_Type_get_contents)(
            datatype,
            max_integers,
            max_addresses,
            max_datatypes,
            array_of_integers,
            array_of_addresses,
            datatypes.as_mut_ptr(),
        );
        if code == 0
            && (pamir_functions.MPI_Type_get_envelope)(
                datatype, integers, addresses, inner, combiner,
            ) == 0
        {
            show(*combiner, array_of_integers, false);
            give(&datatypes, array_of_datatypes, *inner as usize);
        }
        code
    }
}

/// `MPI_Type_get_contents_c`.
///
/// # Safety
///
/// As the standard says.
pub unsafe fn type_get_contents_c(
    datatype: handle::Datatype,
    max_integers: i64,
    max_addresses: i64,
    max_large_counts: i64,
    max_datatypes: i64,
    array_of_integers: *mut c_int,
    array_of_addresses: *mut isize,
    array_of_large_counts: *mut i64,
    array_of_datatypes: *mut handle::Datatype,
) -> c_int {
    let datatype = handle::datatype_in(datatype);
    let mut datatypes = vec![0; crate::array::length(max_datatypes)];
    let (mut numbers, mut combiner) = ([0_i64; 4], 0);
    let [integers, addresses, counts, inner] = numbers.each_mut().map(std::ptr::from_mut);
    // SAFETY: the caller's promise.
    unsafe {
        let code = (pamir_functions.MPI_Type_get_contents_c)(
            datatype,
            max_integers,
            max_addresses,
            max_large_counts,
            max_datatypes,
            array_of_integers,
            array_of_addresses,
            array_of_large_counts,
            datatypes.as_mut_ptr(),
        );
        let envelope = pamir_functions.MPI_Type_get_envelope_c;
        if code == 0
            && envelope(
                datatype,
                integers,
                addresses,
                counts,
                inner,
                &raw mut combiner,
            ) == 0
        {
            show(combiner, array_of_integers, *counts != 0);
            give(&datatypes, array_of_datatypes, *inner as usize);
        }
        code
    }
}
