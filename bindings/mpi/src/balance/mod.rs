//! Balancing of a running job: partitions whose ranges follow what the members need.
//!
//! Before: `pamir.h`'s functions, which know handles and addresses. After: the pure logic of
//! `pamir_transport::balance`, fed from the job's shared history.
//!
//! ```text
//! begin ─▶ compute ─▶ end: announce ─▶ wait, and prepare meanwhile ─▶ the slowest decides
//!   ▲                                                                       │ message
//!   └──────── fetch what is new, by one-sided reads ◀── new ranges ◀────────┘
//! ```
//!
//! [`partition`] is a cycle; [`watch`] evaluates every notification and runs the set-up
//! operations; [`decision`] is the slowest member's message; [`mod@array`] is data that moves, and [`source`] a file of which each reads its own;
//! [`resources`] is what the library's own change; [`agreement`] is what members say while they wait,
//! and [`statistics`] tells what came of it. [`tasks`] is for data that must stay, and
//! [`spare`] for the time that is left over.

pub mod agreement;
pub mod array;
pub mod decision;
mod error;
pub mod partition;
pub mod resources;
mod shape;
pub mod source;
pub mod spare;
pub mod statistics;
pub mod tasks;
pub mod watch;

pub use error::BalanceError;
pub use shape::Shape;
