//! PAMI: the C interface to clients, contexts, active messages and one-sided transfers.
//!
//! `libpami.so` exports the functions of `include/pami.h`; each file here holds those of one
//! noun. `pamir_transport` does their work; here are C's structures and handles, checks
//! of arguments, and results.
//!
//! ```text
//! program ──▶ send::PAMI_Send_immediate ──▶ transport Context::send_again, send_immediate
//!                  │ refused
//!                  └──▶ refusal: result code, and the sentence of PAMI_Error_text
//! transport dispatch table, advance ──▶ dispatch::Receiver ──▶ the program's dispatch function
//! ```
//!
//! Invariants: a handle is a pointer to an object that is never freed, so that one that was
//! destroyed is recognised; no panic crosses C, since a panic ends the process.
#![allow(non_snake_case, non_upper_case_globals)]

mod advance;
mod client;
mod collective;
mod configuration;
mod context;
mod dispatch;
mod endpoint;
mod event;
mod extension;
mod fence;
mod geometry;
mod layout;
mod long_header;
mod machine;
mod mark;
mod memory_region;
mod null;
mod one_sided;
mod purge;
mod read_modify_write;
mod receivers;
mod reduction;
mod refusal;
mod send;
mod structures;
mod torus;
mod typed_send;
mod typed_structures;
mod typed_transfer;
mod types;
mod work;
