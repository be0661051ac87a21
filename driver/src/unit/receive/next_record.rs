//! The next record of a lane.
//!
//! Before: a lane's turn has come. After: its record is known, and released once it is used.

use pamir_shm::lane::Arrived;
use pamir_shm::lane::mapped::LaneConsumer;

#[cfg(doc)]
use crate::unit::MessagingUnit;
use crate::unit::UnitError;

/// What [`MessagingUnit::take_packet`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next<T> {
    /// No packet.
    Nothing,
    /// Another packet than the one that is wanted; it is still there.
    Other,
    /// The one that is wanted.
    Taken(T),
}

#[inline(always)]
pub(in crate::unit) fn peek(
    lane: &LaneConsumer,
    origin: usize,
) -> Result<Option<Arrived>, UnitError> {
    lane.peek().map_err(|source| UnitError::Lane {
        rank: origin as u32,
        source,
    })
}

/// Lets a packet go that its handler could not handle, but not one that is to be handled later.
#[cold]
pub(in crate::unit) fn unless_held(error: UnitError, release: impl FnOnce()) -> UnitError {
    if !matches!(error, UnitError::Held) {
        release();
    }
    error
}
