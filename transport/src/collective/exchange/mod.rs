//! What a collective algorithm stands on: sending to and receiving from the
//! other members of its geometry, within one operation.
//!
//! Algorithms are `async fn`s generic over [`Exchange`]. The blocking form of a
//! collective polls the algorithm's future where it stands, on the stack, and
//! advances the context in between; the nonblocking form boxes the same future
//! and every advance polls it. So each algorithm is written once.
//!
//! Invariants: messages between one pair of members, within one operation,
//! arrive in the order in which their sends were first polled, and match the
//! receives in the order in which those were first polled. Operations do not
//! see each other's messages. No member sends to itself. Empty messages are
//! messages: they match and are waited for like others.
//!
//! An algorithm that fails drops the sends and receives it has begun. A dropped
//! receive must not write to its bytes any more, nor a dropped send read them.

pub mod fault_recording;
pub mod join;
pub mod step;

use std::future::Future;

use pamir_driver::memory::sweep::Sweep;

use super::board::Board;
use super::error::{CollectiveError, ExchangeError};
use crate::collective::shape::torus::Torus;
use crate::waiting::exposed_time::ExposedTime;

/// One collective operation's channel between the members of a geometry.
pub trait Exchange {
    /// This member's index.
    fn rank(&self) -> usize;

    /// How many members there are.
    fn size(&self) -> usize;

    /// Whether members share their processors: then a message to a member that is not running
    /// costs a turn of the scheduler, and fewer rounds are worth more messages. The same for all
    /// members.
    fn is_oversubscribed(&self) -> bool {
        false
    }

    /// The torus that the members stand in, for algorithms that go along its dimensions; the same
    /// for all members.
    fn torus(&self) -> Torus;

    /// What errors call a member: its rank in the operation that was called for.
    fn name(&self, member: usize) -> usize {
        member
    }

    /// The board that the members share, if they have one; the same for all members.
    fn board(&self) -> Option<&Board> {
        None
    }

    /// Wakes member `to` if it sleeps: something stands on the board that it may wait for.
    fn wake(&self, _to: usize) {}

    /// Whether member `member` needs this one's processor to go on.
    fn waits_beside(&self, _member: usize) -> bool {
        false
    }

    /// Something of member `member` is waited for.
    fn awaits(&self, _member: usize) {}

    /// How often to look for a post before other things go on: a short wait needs no detour.
    fn looks(&self) -> u32 {
        1
    }

    /// Whether the caller does nothing else before the operation is done; the same for all members.
    fn is_blocking(&self) -> bool {
        true
    }

    /// How an operation in the background learns how long its caller waits for it.
    fn exposed_time(&self) -> Option<&ExposedTime> {
        None
    }

    /// Reads from the memory of member `from`, at `address` of its process, in an order of pieces; false if that
    /// cannot be done, and `target` holds anything.
    fn read(&self, _from: usize, _address: u64, _target: &mut [u8], _sweep: Sweep) -> bool {
        false
    }

    /// This member has taken so many bytes from member `from` without a message: a profile counts them.
    fn has_taken(&self, _from: usize, _bytes: usize) {}

    /// A member's post tells that the members do not agree on the amount of data.
    fn disagrees(&self, fault: CollectiveError) -> Result<(), CollectiveError> {
        Err(fault)
    }

    /// Sends `bytes` to member `to`. Ready as soon as `bytes` may be changed again,
    /// which may be before the target has received it, or only then.
    fn send(&self, to: usize, bytes: &[u8]) -> impl Future<Output = Result<(), ExchangeError>>;

    /// Receives from member `from`; gives how many bytes came (at most `bytes.len()`).
    fn receive(
        &self,
        from: usize,
        bytes: &mut [u8],
    ) -> impl Future<Output = Result<usize, ExchangeError>>;
}
