//! PAMI: the C interface to clients, contexts, active messages and one-sided transfers.
//!
//! `libpami.so` exports the functions of `include/pami.h`. `pamir_transport` does their work; here are C's
//! structures and handles, checks of arguments, and results.
//!
//! ```text
//! functions     what C calls                                     PAMI_Send_immediate
//!   message, one_sided, collective     operations, above the state they use
//!     geometry, layout, context, client    objects behind handles, and their plain state
//!       edge, refusal    what C hands in; why a call is refused   PAMI_Error_text
//!         structures     C's structures, constants and variables
//!
//! program ──▶ functions/send.rs ──▶ message/send.rs ──▶ transport Context::send_again, send_immediate
//! transport dispatch table ──▶ message::listener::Listener ──▶ the program's dispatch function
//! ```
//!
//! Invariants: a handle is a pointer to an object that is never freed, so that one that was
//! destroyed is recognised; no panic crosses C, since a panic ends the process.
#![allow(non_snake_case, non_upper_case_globals)]

mod client;
mod collective;
mod context;
mod edge;
mod extension;
mod functions;
mod geometry;
mod layout;
mod message;
mod one_sided;
mod refusal;
mod structures;
