//! The entry points, by all names that compilers give them.
//!
//! What: text that the generator wrote: `f_MPI_X` takes addresses, `g_MPI_X` array descriptors. A
//! name is a jump to one of them.
//!
//! ```text
//! mpi_send_   gfortran, flang, ifx, nvfortran      MPI_SEND   compilers of upper case
//! mpi_send__  names with an underscore, by f2c     mpi_send   compilers without underscore
//! ```
//!
//! Step before: the program. Step after: `functions`, or the C function at once.
//! Invariant: the jumps are written in assembly, so that the compiler cannot merge or order the names.

// The text is generated: a conversion may leave a name or a block that it does not need.
#![allow(non_snake_case, unused_unsafe, unused_variables, unused_mut)]
#![allow(
    clippy::missing_safety_doc,
    clippy::too_many_arguments,
    clippy::let_unit_value,
    clippy::unit_arg
)]

use crate::c::{self, Handle, Integer, Status, c_char, c_void};
use crate::error::{Object, finish};
use crate::section::{self, Descriptor};
use crate::{address, handle, pending, string, topology};

#[cfg(target_arch = "x86_64")]
macro_rules! jump_to {
    ($body:path) => {
        std::arch::naked_asm!("jmp {body}", body = sym $body)
    };
}

#[cfg(target_arch = "aarch64")]
macro_rules! jump_to {
    ($body:path) => {
        std::arch::naked_asm!("b {body}", body = sym $body)
    };
}

/// Gives a function one more name for the linker.
macro_rules! export {
    ($name:ident => $body:path) => {
        #[doc = concat!("`", stringify!($body), "` by another name.")]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name() {
            $crate::entry::jump_to!($body)
        }
    };
}

/// Gives a function all of its names.
macro_rules! spell {
    ($body:path: $($name:ident)*) => { $($crate::entry::export! { $name => $body })* };
}

pub(crate) use {export, jump_to, spell};

include!(concat!(env!("OUT_DIR"), "/entries.rs"));
