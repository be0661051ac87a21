//! Tagged messages: sent with an envelope, matched at the target.
//!
//! Before: MPI's point-to-point calls and the collectives' exchange. After: the driver.
//!
//! [`envelope`] says what is matched, [`posted`] keeps receives that wait for messages and
//! [`unexpected`] messages that wait for receives, [`request`] is one operation under way, [`send`]
//! starts messages, [`arrival`] handles their packets at the target, `arrived_line` most of the short ones,
//! [`incoming`] is the message of each origin whose packets are still coming, `transfer` is large data that both ends copy, and `withdrawal` sends whose callers
//! take their buffers back. [`traffic`] counts for profiles, and [`iteration_range`] says what of a run counts apart.

pub mod arrival;
mod arrived_line;
mod awaited_send;
mod begun_receive;
pub mod buffer;
mod counting;
pub(crate) mod early_offer;
pub mod envelope;
pub mod incoming;
pub mod iteration_range;
mod kept;
pub mod posted;
pub mod receive;
pub mod request;
pub mod send;
pub(crate) mod timed_message;
pub(crate) mod timed_state;
pub mod traffic;
pub(crate) mod transfer;
pub mod unexpected;
pub mod unexpected_message;
pub(crate) mod withdrawal;
pub(crate) mod withdrawn;

#[cfg(test)]
mod tests;
