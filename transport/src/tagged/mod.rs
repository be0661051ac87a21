//! Tagged messages: sent with an envelope, matched at the target.
//!
//! Before: MPI's point-to-point calls and the collectives' exchange. After: the driver.
//!
//! [`envelope`] says what is matched. [`state`] has the queues in which messages and receives wait for each other, the
//! requests, and what is known of peers. [`send`] starts messages and takes their buffers back, [`receive`] posts receives and
//! handles packets at the target, `transfer` copies large data from both ends. [`profile`] counts what is sent.

pub mod buffer;
pub mod envelope;
pub mod profile;
pub mod receive;
pub mod send;
pub mod state;
pub(crate) mod transfer;

#[cfg(test)]
mod tests;
