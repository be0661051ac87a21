//! C's structures, constants and variables, as `include/pami.h` declares them.
//!
//! Before: a C call. After: the rooms above read them. Tests compile the header and compare every size
//! and offset.
//!
//! | file | what |
//! |---|---|
//! | `code.rs` | results of calls |
//! | `pointer.rs` | pointers that C hands in, for safe code |
//! | `function.rs` | the program's functions, and how they are called |
//! | `configuration.rs` | attributes |
//! | `hints.rs` | hints of a dispatch id |
//! | `message.rs`, `transfer.rs`, `collective.rs` | parameters of sends, of one-sided transfers, of collective operations |
//! | `kind.rs` | kinds of collective operations |
//! | `metadata.rs` | what is said of an algorithm |
//! | `variables.rs` | predefined types, data functions, handles of nothing |
//!
//! A new structure goes into the file of its noun, with its layout into the test beside it. Invariant: nothing
//! here imports what is outside of this room.

mod code;
pub mod collective;
pub mod configuration;
pub mod function;
mod hints;
pub mod kind;
mod message;
pub mod metadata;
pub mod pointer;
#[cfg(test)]
pub(crate) mod tests;
mod transfer;
pub mod variables;

use std::ffi::c_void;

pub use code::Code;
pub use configuration::{Configuration, Value};
pub use function::{DataFunction, DispatchFunction, EventFunction, Receive, WorkFunction};
pub use hints::{DispatchHints, Hint};
pub use message::{Send, SendEvents, SendImmediate, SendTyped};
pub use pointer::Vector;
pub use transfer::{
    Addresses, GetSimple, GetTyped, MemoryRegionHandle, PutSimple, PutTyped, ReadModifyWrite,
    RegionGet, RegionGetTyped, RegionPlace, RegionPut, RegionPutTyped, Transfer, Types,
};

/// `pami_type_t`.
pub type Type = *mut c_void;

/// The highest dispatch id that programs may use.
pub const HIGHEST_DISPATCH: usize = 2047;

/// The largest atom that a type may have, in bytes (`PAMI_TYPE_ATOM_SIZE_STATIC`).
pub const MOST_ATOM_BYTES: usize = 128;
