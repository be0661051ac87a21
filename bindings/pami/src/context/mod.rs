//! Contexts: threading points of a client, each with lanes of its own.
//!
//! Before: a client. After: [`ContextObject`]s, which sending and receiving use, and which advances move on.
//!
//! | file | what |
//! |---|---|
//! | `object.rs` | the object and its fields; below the operations |
//! | `endpoint.rs`, `receivers.rs`, `waiting.rs`, `active_collectives.rs` | plain state that the object holds |
//! | `made.rs` | the contexts of each client, by offset |
//! | `advance.rs`, `work.rs`, `event.rs` | operations: advancing, posting, telling the program |
//! | `memory.rs` | what the transport does with the program's memory |
//!
//! State of a context that a new operation needs is a field of the object, of a plain type in a file of its own.
//! The operation itself is in a file above the object, or in the room that it serves.

pub mod active_collectives;
pub mod advance;
pub mod endpoint;
pub mod event;
pub mod made;
pub mod memory;
mod object;
pub mod receivers;
mod waiting;
mod work;

pub use object::{ContextObject, Held, HeldHandle};
