//! Offers whose data is taken before a receive asks for it, because their messages could have come at once.
//!
//! Before: [`crate::tagged::receive::arrival`] has found no receive for a request to send of middle length, whose origin had chosen to
//! ask ([`crate::tagged::send::timed_message`]). After: a receive has matched it, as any other; or its data waits
//! in memory of the target's, as that of a message that came at once, and its origin goes on.
//!
//! Two tasks that send to each other before they receive would wait for each other for ever if data that is
//! short enough to be buffered were not (MPI-5.0, 3.5, tells programs not to rely on it; many do). A target
//! that has anything else to do does that first: most offers are asked for in its next call.
//!
//! Invariant: an index in the list is that of a message in the unexpected queue that nobody has taken.

use pamir_driver::memory::sweep::Sweep;
use pamir_driver::unit::UnitError;

use crate::context::Context;
use crate::protocol::kind;
use crate::tagged::state::unexpected_message::{Offer, Unexpected};

impl Context {
    /// A message in the unexpected queue, from `origin`, may be taken early.
    pub(crate) fn add_early_offer(&self, index: u32, origin: u32) {
        self.tagged
            .early_offers
            .0
            .borrow_mut()
            .push((index, origin));
    }

    /// A receive has taken a message of the unexpected queue.
    #[inline]
    pub(crate) fn forget_early_offer(&self, index: u32) {
        let mut offers = self.tagged.early_offers.0.borrow_mut();
        offers.retain(|(other, _)| *other != index);
    }

    /// Takes the data of the oldest; whether it did.
    #[cold]
    #[inline(never)]
    pub(crate) fn take_early_offer(&self) -> Result<bool, UnitError> {
        let Some((index, origin)) = self.tagged.early_offers.take_oldest() else {
            return Ok(false);
        };
        let offer = self.tagged.unexpected.with(index, |message| match message {
            Unexpected::Rendezvous(offer) => Some(*offer),
            Unexpected::Data { .. } => None,
        });
        match offer.flatten() {
            Some(offer) => self.buffer_offer(index, origin, offer),
            None => Ok(false),
        }
    }

    fn buffer_offer(&self, index: u32, origin: u32, offer: Offer) -> Result<bool, UnitError> {
        let mut data = vec![0; offer.bytes];
        // Where the kernel refuses, or the data may have gone, the offer stays as it is.
        let is_read = self.read_from(origin as usize, offer.address, &mut data, Sweep::Up);
        if !is_read || self.has_withdrawn(origin)? {
            return Ok(false);
        }
        let total = data.len();
        let synchronous = None;
        self.tagged.unexpected.with(index, |message| {
            *message = Unexpected::Data {
                data,
                total,
                synchronous,
            };
        });
        let request = offer.origins_request;
        self.control(origin as usize, kind::FINISHED, 0, request, &[])?;
        Ok(true)
    }
}
