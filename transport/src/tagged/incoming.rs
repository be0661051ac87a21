//! The messages whose packets are still coming, one for each origin at most: all packets of a message follow each
//! other in the lane.
//!
//! Before: [`crate::tagged::arrival`] has handled the first packet of several. After: each further one finds here
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
//!
//! Invariant: `receives` is the number of those that are [`Incoming::Request`].

use std::cell::Cell;

use crate::tagged::request::RequestId;

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

impl Incoming {
    fn is_receive(self) -> bool {
        matches!(self, Self::Request { .. })
    }
}

/// Those of all origins.
#[derive(Debug)]
pub struct IncomingMessages {
    of: Vec<Cell<Incoming>>,
    receives: Cell<usize>,
}

impl IncomingMessages {
    /// Nothing comes from any of so many origins.
    pub fn new(origins: usize) -> Self {
        let nothing = || Cell::new(Incoming::Nothing);
        Self {
            of: std::iter::repeat_with(nothing).take(origins).collect(),
            receives: Cell::new(0),
        }
    }

    /// What comes from an origin.
    pub fn get(&self, origin: u32) -> Incoming {
        self.of[origin as usize].get()
    }

    /// It is another now.
    pub fn set(&self, origin: u32, incoming: Incoming) {
        let before = self.of[origin as usize].replace(incoming);
        let receives = self.receives.get() + usize::from(incoming.is_receive());
        self.receives
            .set(receives - usize::from(before.is_receive()));
    }

    /// How many receives have a part of their data.
    #[inline(always)]
    pub fn receives(&self) -> usize {
        self.receives.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn receives_are_counted() {
        let id = RequestId::from_word(7);
        let request = |at| Incoming::Request { id, at, total: 9 };
        let messages = IncomingMessages::new(2);
        let mut counts = Vec::new();
        for (origin, incoming) in [
            (0, request(1)),
            (0, request(2)),
            (1, Incoming::Unexpected { index: 3 }),
            (1, request(4)),
            (0, Incoming::Nothing),
            (1, Incoming::Nothing),
        ] {
            messages.set(origin, incoming);
            counts.push(messages.receives());
        }
        assert_eq!(counts, [1, 1, 1, 2, 1, 0]);
        assert!(matches!(messages.get(1), Incoming::Nothing));
    }
}
