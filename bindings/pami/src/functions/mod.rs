//! The functions that C calls, as `include/pami.h` declares them.
//!
//! Before: a program's call. After: the arguments are checked, a room below has done the work, and the result
//! is a number ([`crate::refusal::answer`]).
//!
//! Files are named for the rooms that do the work. A new function goes into the file of its room; it checks what C gives and leaves the work to a room.
//! Nothing imports what is here.

mod client;
mod collective;
mod context;
mod endpoint;
mod error;
mod extension;
mod geometry;
mod layout;
mod message;
mod one_sided;
mod region;
