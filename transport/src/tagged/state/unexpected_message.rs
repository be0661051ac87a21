//! Messages that nobody has asked for yet, as the unexpected queue keeps them.
//!
//! Before: [`crate::tagged::receive::arrival`] has found no receive. After: a receive takes the message, or `receive::early_offer` its data.

use std::cell::RefCell;

use crate::tagged::state::request::RequestId;

/// A message that nobody has asked for yet.
#[derive(Debug)]
pub enum Unexpected {
    /// Its data has come, or is coming.
    Data {
        /// What has come so far.
        data: Vec<u8>,
        /// Bytes of the message.
        total: usize,
        /// The origin's request, if it waits for the message to be matched.
        synchronous: Option<RequestId>,
    },
    /// Its data waits at the origin.
    Rendezvous(Offer),
}

impl Unexpected {
    /// Bytes of the message.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Data { total, .. } => *total,
            Self::Rendezvous(offer) => offer.bytes,
        }
    }
}

/// Data that waits at its origin.
#[derive(Clone, Copy, Debug)]
pub struct Offer {
    pub(crate) bytes: usize,
    pub(crate) address: u64,
    pub(crate) origins_request: u64,
    /// Whether it lies in one piece, and how it shall be fetched.
    pub(in crate::tagged) way: u16,
    /// How it may be divided, a word that the origin chose.
    pub(in crate::tagged) division: u64,
}

/// The offers of one context that may be taken early: their indices in the unexpected queue, and their origins.
#[derive(Debug, Default)]
pub(crate) struct EarlyOffers(pub(in crate::tagged) RefCell<Vec<(u32, u32)>>);

impl EarlyOffers {
    /// Whether any wait.
    #[inline(always)]
    pub(crate) fn any(&self) -> bool {
        !self.0.borrow().is_empty()
    }

    pub(in crate::tagged) fn take_oldest(&self) -> Option<(u32, u32)> {
        let mut offers = self.0.borrow_mut();
        (!offers.is_empty()).then(|| offers.remove(0))
    }
}
