//! Whom a message goes to or comes from: ranks and tags of a call, checked.
//!
//! Before: a handle, a rank and a tag. After: a communicator and a peer of it; or `MPI_PROC_NULL`, with which a
//! call is done at once.

use std::ffi::c_int;

use pamir_mpi::communicator::Communicator;

use crate::constants::*;
use crate::error::{Error, ErrorClass, Result};
use crate::process::undisturbed;
use crate::state::State;
use crate::types::*;

/// The communicator behind a handle, borrowed where it is `MPI_COMM_WORLD`.
macro_rules! borrowed {
    ($state:ident, $comm:ident, $held:ident) => {
        if $comm == MPI_COMM_WORLD {
            $state.process.world()
        } else {
            $held = $state.communicator($comm)?;
            &$held
        }
    };
}

pub(super) use borrowed;

/// The state and the communicator, if that is one of those which short messages are fast in, and
/// nothing else is to be done first.
#[inline(always)]
pub(super) fn usual(comm: MPI_Comm) -> Option<(&'static State, &'static Communicator)> {
    let state = undisturbed()?;
    (comm == MPI_COMM_WORLD).then(|| (state, &**state.process.world()))
}

/// Whether a call names one peer and one tag.
#[inline(always)]
pub(super) fn is_exact(communicator: &Communicator, rank: c_int, tag: c_int) -> bool {
    communicator.has_peer(rank as usize) && tag >= 0
}

/// The rank a message goes to; `None` for `MPI_PROC_NULL`.
#[inline(always)]
pub(in crate::functions) fn destination(
    communicator: &Communicator,
    rank: c_int,
    tag: c_int,
) -> Result<Option<usize>> {
    if communicator.has_peer(rank as usize) && tag >= 0 {
        return Ok(Some(rank as usize));
    }
    destination_slow(communicator, rank, tag)
}

#[cold]
fn destination_slow(communicator: &Communicator, rank: c_int, tag: c_int) -> Result<Option<usize>> {
    if rank == MPI_PROC_NULL {
        return Ok(None);
    }
    if tag < 0 {
        return Err(ErrorClass::Tag.with(format!("a tag is at least 0, not {tag}")));
    }
    Err(no_rank(communicator, rank))
}

fn no_rank(communicator: &Communicator, rank: c_int) -> Error {
    let size = communicator.peers().size();
    ErrorClass::Rank.with(format!(
        "rank {rank} is not in a communicator of {size} ranks"
    ))
}

/// Source and tag of a receive, where `None` is any; `Err(None)` for `MPI_PROC_NULL`.
#[inline(always)]
pub(in crate::functions) fn source(
    communicator: &Communicator,
    rank: c_int,
    tag: c_int,
) -> std::result::Result<(Option<usize>, Option<i32>), Option<Error>> {
    if communicator.has_peer(rank as usize) && tag >= 0 {
        return Ok((Some(rank as usize), Some(tag)));
    }
    source_slow(communicator, rank, tag)
}

#[cold]
fn source_slow(
    communicator: &Communicator,
    rank: c_int,
    tag: c_int,
) -> std::result::Result<(Option<usize>, Option<i32>), Option<Error>> {
    if rank == MPI_PROC_NULL {
        return Err(None);
    }
    let tag = match tag {
        MPI_ANY_TAG => None,
        tag if tag >= 0 => Some(tag),
        tag => {
            let text = format!("a tag is at least 0 or MPI_ANY_TAG, not {tag}");
            return Err(Some(ErrorClass::Tag.with(text)));
        }
    };
    match rank {
        MPI_ANY_SOURCE => Ok((None, tag)),
        rank if communicator.has_peer(rank as usize) => Ok((Some(rank as usize), tag)),
        rank => Err(Some(no_rank(communicator, rank))),
    }
}
