//! Blocking and nonblocking sends, receives and their combinations (MPI-5.0 chapter 3).
//!
//! [`send`](mod@send) and [`receive`] have the calls that everything is measured by, and `short.rs` has their
//! shortest way; [`modes`] has the other modes, and [`exchange`] the calls that send and receive.

pub mod exchange;
pub mod modes;
pub mod outcome;
pub mod peer;
pub mod receive;
mod scattered;
pub mod send;
mod short;

pub use exchange::{isendrecv, isendrecv_replace, sendrecv, sendrecv_replace};
pub use modes::{bsend, ibsend, irsend, issend, rsend, ssend};
pub use receive::{irecv, recv};
pub use send::{isend, send};
