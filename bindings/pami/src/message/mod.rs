//! Active messages: sending them, and what receives them.
//!
//! Before: a send, or an arrival in a context that is advanced. After: the transport sends, or the program's
//! dispatch function has said where the data goes.
//!
//! | file | what |
//! |---|---|
//! | `hints.rs` | which hints of a dispatch id cannot hold |
//! | `place.rs` | where a program wants data |
//! | `listener.rs` | receives the messages of a dispatch id |
//! | `long_header.rs` | headers that do not fit a packet, at both ends |
//! | `send.rs`, `typed_send.rs` | sends of bytes, and of what a type describes |
//!
//! A new way to send is a file here; its C function is in `functions/send.rs`.

pub mod hints;
pub mod listener;
pub mod long_header;
pub mod place;
pub mod send;
pub mod typed_send;
