//! The exported symbols, `MPI_X` and `PMPI_X`. Generated from the tables.
//!
//! ```text
//! MPI_Send  --jmp--+
//!                  +--> body_MPI_Send --jmp--> pamir_functions.MPI_Send
//! PMPI_Send --jmp--+
//! ```
//!
//! Step before: a program, or a tool that stands in front of it. Step after: `libmpi_abi.so.1`, or [`crate::special`].
//! Invariant: no symbol calls another one, so that a tool's `MPI_Send` is not reached by `PMPI_Send`.

#![allow(unused_mut)]

use std::ffi::{c_char, c_int, c_void};

use crate::call::pamir_functions;
use crate::{address, array, constant, handle, place, status, text};

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
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name($($parameter: $kind),*) -> $returns {
            jump_to!($body)
        }

        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $profiling($($parameter: $kind),*) -> $returns {
            jump_to!($body)
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/functions.rs"));
