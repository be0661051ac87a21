//! The functions that C calls, as `include/pami.h` declares them.
//!
//! Before: a program's call. After: the arguments are checked, a room below has done the work, and the result
//! is a number ([`crate::refusal::answer`]).
//!
//! A new function goes into the file of its noun; it checks what C gives and leaves the work to a room.
//! Nothing imports what is here.

mod advance;
mod client;
mod collective;
mod context;
mod dispatch;
mod endpoint;
mod error;
mod extension;
mod fence;
mod geometry;
mod layout;
mod one_sided;
mod region;
mod send;
