//! The messages whose packets are still coming, one for each origin at most: all packets of a message follow each
//! other in the lane.
//!
//! Before: [`crate::tagged::receive::arrival`] has handled the first packet of several. After: each further one finds here
//! where its data goes.
//!
//! | incoming   | packet                     | becomes |
//! |------------|----------------------------|---------|
//! | nothing    | `EAGER_LONG`, `DATA_LONG`  | request, or unexpected |
//! | request    | `CONTINUATION`             | request; nothing after the last |
//! | unexpected | `CONTINUATION`             | unexpected; nothing after the last |
//! | unexpected | (a receive takes it)       | request |
//!
//! Any other combination is a packet that makes no sense, and an error.

use std::cell::Cell;

use crate::tagged::state::request::RequestId;

/// The message of one origin whose packets are still coming.
#[derive(Clone, Copy, Debug)]
pub enum Incoming {
    /// None.
    Nothing,
    /// One that has been matched.
    Request {
        /// The receive.
        id: RequestId,
        /// Bytes that have come.
        at: usize,
        /// Bytes of the message.
        total: usize,
    },
    /// One that waits in the unexpected queue.
    Unexpected {
        /// Its place there.
        index: u32,
    },
}

/// Those of all origins.
#[derive(Debug)]
pub struct IncomingMessages {
    of: Vec<Cell<Incoming>>,
}

impl IncomingMessages {
    /// Nothing comes from any of so many origins.
    pub fn new(origins: usize) -> Self {
        let nothing = || Cell::new(Incoming::Nothing);
        Self {
            of: std::iter::repeat_with(nothing).take(origins).collect(),
        }
    }

    /// What comes from an origin.
    pub fn get(&self, origin: u32) -> Incoming {
        self.of[origin as usize].get()
    }

    /// It is another now.
    pub fn set(&self, origin: u32, incoming: Incoming) {
        self.of[origin as usize].set(incoming);
    }
}
