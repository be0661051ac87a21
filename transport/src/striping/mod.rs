//! Large messages in stripes, which threads on different processors move at once.
//!
//! ```text
//!            origin                                        target
//!   master   REQUEST_TO_SEND (stripes, series) ──────────▶ matched; entries for its workers
//!            entries for its workers ◀── STRIPES_CLEAR (lengths, ids of the master's)
//!            ├─ stripe 0 ─ DATA... ─────── the job's lane ─────────▶ stripe 0 ─┤ own request
//!   worker 1 ├─ stripe 1 ─ message (series, 1) ─ its own lane ─▶ worker 1 ─────┤ own context
//!   worker 2 ├─ stripe 2 ─ message (series, 2) ─ its own lane ─▶ worker 2 ─────┤ own context
//!            └─ countdown 0: the send is complete    countdown 0: received ────┘
//! ```
//!
//! A message's length is divided ([`crate::gather_scatter::stripes`]); for each submessage an
//! entry with the message's program and its offset is enqueued: in the master's injection
//! FIFO, or in the work queue of a worker (`workers.rs`), which is a thread with a context, and
//! so with lanes, of its own. Each end has its own machine for each submessage (`part.rs`), whose
//! first state the dummy machine finds. Submessages are messages like any other: nothing knows
//! what the others do, and they come in any order.
//!
//! The stripes of a message are as long as those who move them were fast before (`movers.rs`).
//! Each end counts down what it has moved (`message.rs`). The master looks at the counter
//! whenever it is advanced, and is woken by the last counter; then the whole message is
//! complete, once.
//!
//! Without workers all stripes are the master's; with fewer processors than workers
//! they share time. How many stripes: kinds `stripes` and `scattered_stripes` of
//! [`crate::protocol::table`], by size and layout.
//!
//! Step before: [`crate::tagged::send`] has chosen to ask the target. Step after: the request is
//! complete.
//!
//! Source: striping (master, workers, shared counters).

pub mod configuration;
mod division;
mod message;
mod movers;
mod offer;
mod part;
mod reason;
pub(crate) mod state;
mod workers;

#[cfg(test)]
mod tests;

pub(crate) use offer::Offered;

/// The most stripes of one message.
pub const MOST_STRIPES: usize = 64;
