//! Collective operations of a communicator (MPI-5.0 chapter 6).
//!
//! Before: the C call, with its data as contiguous bytes. After: the algorithms of
//! `pamir_transport::collective`, on the communicator's own channel.

use pamir_driver::unit::UnitError;
use pamir_transport::collective::{self, CollectiveError, Reduction};
use pamir_transport::context::Context;
use pamir_transport::geometry::{Channel, block_on};

use crate::communicator::Communicator;
use crate::group::Group;

/// Why a collective operation failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OperationError {
    /// The algorithm could not go on.
    #[error(transparent)]
    Collective(#[from] CollectiveError),
    /// The messaging unit failed.
    #[error(transparent)]
    Unit(#[from] UnitError),
}

/// The channel of the communicator's next operation.
pub fn channel<'a>(
    context: &'a Context,
    communicator: &'a Communicator,
) -> Channel<&'a Context, &'a Group> {
    Channel {
        context,
        members: communicator.group(),
        rank: communicator.rank(),
        context_id: communicator.collective_context_id(),
        tag: communicator.next_operation(),
    }
}

/// Waits until all ranks are here.
pub fn barrier(context: &Context, communicator: &Communicator) -> Result<(), OperationError> {
    let channel = channel(context, communicator);
    Ok(block_on(context, collective::barrier(&channel))??)
}

/// Gives the root's bytes to all.
pub fn broadcast(
    context: &Context,
    communicator: &Communicator,
    root: usize,
    bytes: &mut [u8],
) -> Result<(), OperationError> {
    let channel = channel(context, communicator);
    Ok(block_on(
        context,
        collective::broadcast(&channel, root, bytes),
    )??)
}

/// Combines everybody's bytes, and gives the result to all.
pub fn allreduce(
    context: &Context,
    communicator: &Communicator,
    reduction: &impl Reduction,
    bytes: &mut [u8],
) -> Result<(), OperationError> {
    let channel = channel(context, communicator);
    Ok(block_on(
        context,
        collective::allreduce(&channel, reduction, bytes),
    )??)
}
