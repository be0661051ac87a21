//! The exported symbols, `MPI_X` and `PMPI_X`.
//!
//! Generated from `table/functions.txt`. Both symbols of a function jump to one
//! body, which is local to the library:
//!
//! ```text
//! MPI_Send  --jmp--+
//!                  +--> body_MPI_Send --> functions::point_to_point::send
//! PMPI_Send --jmp--+
//! ```
//!
//! A tool or program that defines `MPI_Send` itself takes its place in the
//! process; `PMPI_Send` still reaches the body. Were one symbol to call the other,
//! or were the compiler to merge the two, it would reach the tool again: hence the
//! jumps are written in assembly.

// The names are C's, and what the bodies pass on is described by `crate::functions`.
// A handwritten function may be safe to call, and need no `unsafe`.
#![allow(non_snake_case, unused_unsafe, unused_variables)]
#![allow(clippy::missing_safety_doc, clippy::too_many_arguments)]

use crate::types::*;
use std::ffi::{c_char, c_int, c_void};

#[cfg(target_arch = "x86_64")]
macro_rules! jump_to {
    ($body:ident) => {
        std::arch::naked_asm!("jmp {body}", body = sym $body)
    };
}

#[cfg(target_arch = "aarch64")]
macro_rules! jump_to {
    ($body:ident) => {
        std::arch::naked_asm!("b {body}", body = sym $body)
    };
}

macro_rules! export {
    ($name:ident, $profiling:ident, $body:ident, ($($parameter:ident: $kind:ty),*) -> $returns:ty) => {
        #[doc = concat!("`", stringify!($name), "` of the C interface.")]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name($($parameter: $kind),*) -> $returns {
            jump_to!($body)
        }

        #[doc = concat!("`", stringify!($name), "` by the name that tools call it by.")]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $profiling($($parameter: $kind),*) -> $returns {
            jump_to!($body)
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/exports.rs"));
