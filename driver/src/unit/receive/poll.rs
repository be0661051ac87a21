//! The poll: packets from the lanes to their handlers.
//!
//! Before: the transport advances, or a receive knows which packet it waits for. After: the packets' handlers have run, or
//! the receive has the one that it wants.
//!
//! Invariant: packet handlers never poll. A packet whose handler says [`UnitError::Held`] stays, and is given to it again by
//! the next poll; nothing that is behind it in its lane overtakes it.

use pamir_shm::lane::Arrived;
use pamir_shm::lane::mapped::LaneConsumer;

use super::next_record::{Next, peek, unless_held};
use crate::unit::packet::Packet;
use crate::unit::{MessagingUnit, Owner, UnitError};

/// Records taken from one lane before the next lane has its turn.
const BURST: u32 = 16;

/// Records taken from one lane without a pause after which there are surely more, so that their lines are asked for.
const BACKLOG: u32 = 3;

/// What a poll of a lane says that has stopped after `handled` packets.
#[cold]
fn stopped(error: UnitError, handled: u32) -> Result<u32, UnitError> {
    match error {
        UnitError::Held => Ok(handled),
        error => Err(error),
    }
}

impl<O: Owner> MessagingUnit<O> {
    /// Gives the packets that have arrived to their handlers, from every lane that has carried any;
    /// how many there were.
    #[inline(always)]
    pub fn poll(&self, owner: &O) -> Result<u32, UnitError> {
        let mut handled = 0;
        let waiting = owner.under_way();
        self.rotation.open_rung(&self.bells);
        for origin in self.rotation.open() {
            let came = self.poll_lane(owner, origin)?;
            if came > 0 {
                self.rotation.found(origin);
                handled += came;
                if waiting != 0 && owner.under_way() == 0 {
                    return Ok(handled);
                }
            }
        }
        Ok(handled)
    }

    /// Gives the packets that have arrived from `origin` to their handlers, up to the one that the
    /// last operation has waited for.
    #[inline(always)]
    pub fn poll_lane(&self, owner: &O, origin: usize) -> Result<u32, UnitError> {
        let lane = &self.origins[origin];
        let mut handled = 0;
        let waiting = owner.under_way();
        while handled < BURST {
            let Some(arrived) = peek(lane, origin)? else {
                break;
            };
            if handled >= BACKLOG {
                lane.look_along(&arrived);
            }
            if let Err(error) = self.deliver(owner, lane, origin, arrived) {
                return stopped(error, handled);
            }
            handled += 1;
            if waiting != 0 && owner.under_way() == 0 {
                break;
            }
        }
        Ok(handled)
    }

    #[inline(always)]
    pub(in crate::unit) fn deliver(
        &self,
        owner: &O,
        lane: &LaneConsumer,
        origin: usize,
        arrived: Arrived,
    ) -> Result<(), UnitError> {
        let header = arrived.header;
        if header.is_in_exclusive_buffer() {
            return self.deliver_from_exclusive_buffer(owner, lane, origin, arrived);
        }
        let packet = Packet::of_record(lane, &arrived);
        match self.handlers.get(header.kind())(owner, origin as u32, packet) {
            Ok(()) => {
                lane.release(arrived);
                Ok(())
            }
            Err(error) => Err(unless_held(error, || lane.release(arrived))),
        }
    }

    /// Looks at the next packet from `origin`: if it is of `kind` and its metadata is the one
    /// that is wanted, gives it to `take` instead of to its handler.
    ///
    /// For a receive that knows what it waits for: the message goes straight to its buffer.
    #[inline(always)]
    pub fn take_packet<T>(
        &self,
        origin: usize,
        kind: u8,
        metadata: u64,
        take: impl FnOnce(Packet<'_>) -> T,
    ) -> Result<Next<T>, UnitError> {
        let lane = &self.origins[origin];
        let Some(arrived) = peek(lane, origin)? else {
            return Ok(Next::Nothing);
        };
        if arrived.header.is_in_exclusive_buffer() {
            return self.take_from_exclusive_buffer(lane, origin, arrived, (kind, metadata), take);
        }
        let packet = Packet::of_record(lane, &arrived);
        if arrived.header.kind() != kind || packet.word(0) != metadata {
            return Ok(Next::Other);
        }
        let taken = take(packet);
        lane.release(arrived);
        Ok(Next::Taken(taken))
    }
}
