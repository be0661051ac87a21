//! Clients: exclusive collections of resources, each with contexts of its own.
//!
//! Before: a program names itself. After: a [`ClientObject`], for which `context` makes contexts.
//!
//! `object.rs` has the object with its attributes, `machine.rs` what they say of the machine. A new attribute
//! gets its number in `structures/configuration.rs` and its answer in the object.

pub mod machine;
mod object;

pub use object::{ClientObject, is_attribute};
