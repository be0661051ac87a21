//! Tagged messages: sent with an envelope, matched at the target.
//!
//! Before: MPI's point-to-point calls and the collectives' exchange. After: the driver.
//!
//! [`envelope`] says what is matched, [`matching`] keeps receives that wait for messages
//! and messages that wait for receives, [`request`] is one operation under way, [`send`]
//! starts messages and [`arrival`] handles their packets at the target.

pub mod arrival;
pub mod buffer;
pub mod envelope;
pub mod matching;
pub mod receive;
pub mod request;
pub mod send;

#[cfg(test)]
mod tests;
