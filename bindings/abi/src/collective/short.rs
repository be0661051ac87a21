//! The fast path of blocking collective operations on few bytes.
//!
//! Before: a function of [`super::calls`] in its blocking form. After: the posts are written and
//! read (`pamir_transport::collective::board::fast_path`). What is unusual in any way is not done here, bad
//! arguments too: then the general way does it, or says what is wrong.
//!
//! Invariant: nothing here is done unless all of it can be done.

use std::ffi::c_int;

use pamir_mpi::communicator::Communicator;
use pamir_transport::collective::geometry::Channel;
use pamir_transport::collective::{Done, FastPath, Fault, FaultRecording, OutOfPlace};

use super::place::is_in_place;
use super::{Collective, OperationChannel, outcome};
use crate::constants::MPI_COMM_WORLD;
use crate::error::Result;
use crate::process::undisturbed;
use crate::state::State;
use crate::state::memory::Span;
use crate::types::{MPI_Comm, MPI_Datatype, MPI_Op};

type Way<'c> = FastPath<'c, OperationChannel<'c>>;

/// Count, datatype and address of an argument.
pub type Data = (*const u8, i64, MPI_Datatype);

/// Runs an operation of kind `O` on a communicator, where all is as usual.
#[inline(always)]
fn run<O: Collective>(
    comm: MPI_Comm,
    operation: impl FnOnce(&'static State, &Communicator, &Way<'_>) -> Option<Done>,
) -> Option<Result> {
    let state = undisturbed()?;
    let held;
    let communicator: &Communicator = if comm == MPI_COMM_WORLD {
        state.process.world()
    } else {
        held = state.communicators.get(comm)?;
        &held
    };
    let announced = |kind| state.process.announcer().announces(kind);
    if O::SYNCHRONIZATION.is_some_and(announced) || communicator.is_inter() {
        return None;
    }
    let context = state.process.context();
    let fault = Fault::default();
    let channel = FaultRecording {
        exchange: Channel {
            context: context.as_ref(),
            members: communicator.group(),
            rank: communicator.rank(),
            context_id: communicator.collective_context_id(),
            // Posts carry no number.
            tag: 0,
            board: Some(communicator.settled_board()??),
            blocking: true,
        },
        fault: &fault,
    };
    let way = FastPath::open(context, &channel)?;
    let done = operation(state, communicator, &way)?;
    communicator.next_operation();
    if done == Done::Stopped {
        return Some(stopped(&way, &fault, comm));
    }
    Some(outcome(&fault, Ok(()), comm))
}

#[cold]
#[inline(never)]
fn stopped(way: &Way<'_>, fault: &Fault, comm: MPI_Comm) -> Result {
    match way.reason() {
        Some(Ok(error)) => outcome(fault, Err(error), comm),
        Some(Err(error)) => Err(error.into()),
        None => outcome(fault, Ok(()), comm),
    }
}

/// Data without gaps, at an address of its own.
#[inline(always)]
fn dense(state: &State, (address, count, datatype): Data) -> Option<Span> {
    if is_in_place(address) {
        return None;
    }
    state.datatypes.span(address, count, datatype)
}

/// Data that are sent from elsewhere than `to`, where they are as many; `Some(None)` in place.
#[inline(always)]
fn beside(state: &State, data: Data, to: *mut u8, bytes: usize) -> Option<Option<Span>> {
    if is_in_place(data.0) {
        return Some(None);
    }
    let own = state.datatypes.span(data.0, data.1, data.2)?;
    (own.bytes == bytes && own.address != to).then_some(Some(own))
}

/// Data that are sent from `own`, unless they are in place, and the room for what comes.
///
/// # Safety
///
/// Both are good for the operation as long as their slices live.
#[inline(always)]
unsafe fn opened<'a>(own: Option<Span>, room: Span) -> (Option<&'a [u8]>, &'a mut [u8]) {
    // SAFETY: as the caller vouches.
    unsafe { (own.map(|own| &*own.bytes_mut()), room.bytes_mut()) }
}

/// Blocks of all members, and the bytes of one.
#[inline(always)]
fn blocks(
    state: &State,
    communicator: &Communicator,
    (address, count, datatype): Data,
) -> Option<(Span, usize)> {
    let one = dense(state, (address, count, datatype))?;
    let bytes = one.bytes.checked_mul(communicator.size())?;
    let address = one.address;
    Some((Span { address, bytes }, one.bytes))
}

/// The root, if it is a member; whether it is this one.
#[inline(always)]
fn root(communicator: &Communicator, root: c_int) -> Option<(usize, bool)> {
    let root = root as usize;
    (root < communicator.size()).then(|| (root, root == communicator.rank()))
}

/// Barrier.
#[inline(always)]
pub fn barrier<O: Collective>(comm: MPI_Comm) -> Option<Result> {
    run::<O>(comm, |_, _, way| way.barrier())
}

/// Broadcast.
///
/// # Safety
///
/// The data are good for the operation, here and below.
#[inline(always)]
pub unsafe fn broadcast<O: Collective>(data: Data, from: c_int, comm: MPI_Comm) -> Option<Result> {
    run::<O>(comm, |state, communicator, way| {
        let (from, _) = root(communicator, from)?;
        let data = dense(state, data)?;
        // SAFETY: as the caller vouches.
        way.broadcast(from, unsafe { data.bytes_mut() })
    })
}

/// Reduce of `count` elements.
///
/// # Safety
///
/// As for [`broadcast`].
#[inline(always)]
pub unsafe fn reduce<O: Collective>(
    sendbuf: *const u8,
    recvbuf: *const u8,
    (count, datatype, op): (i64, MPI_Datatype, MPI_Op),
    to: c_int,
    comm: MPI_Comm,
) -> Option<Result> {
    run::<O>(comm, |state, communicator, way| {
        let (to, here) = root(communicator, to)?;
        let plain = state.operations.plain(&state.datatypes, datatype, op)?;
        let own = (sendbuf, count, datatype);
        if !here {
            let own = dense(state, own)?;
            // SAFETY: as the caller vouches.
            return way.reduce_to(to, &plain, unsafe { own.bytes_mut() });
        }
        let result = dense(state, (recvbuf, count, datatype))?;
        let own = beside(state, own, result.address, result.bytes)?;
        // SAFETY: as the caller vouches.
        let (own, result) = unsafe { opened(own, result) };
        way.reduce_here(&plain, OutOfPlace { own, result })
    })
}

/// Allreduce of `count` elements.
///
/// # Safety
///
/// As for [`broadcast`].
#[inline(always)]
pub unsafe fn allreduce<O: Collective>(
    sendbuf: *const u8,
    recvbuf: *const u8,
    (count, datatype, op): (i64, MPI_Datatype, MPI_Op),
    comm: MPI_Comm,
) -> Option<Result> {
    run::<O>(comm, |state, _, way| {
        let plain = state.operations.plain(&state.datatypes, datatype, op)?;
        let result = dense(state, (recvbuf, count, datatype))?;
        let own = beside(
            state,
            (sendbuf, count, datatype),
            result.address,
            result.bytes,
        )?;
        // SAFETY: as the caller vouches.
        let (own, result) = unsafe { opened(own, result) };
        way.allreduce(&plain, OutOfPlace { own, result })
    })
}

/// Gather: `one` goes to the root, where `all` has room for as much of each member.
///
/// # Safety
///
/// As for [`broadcast`].
#[inline(always)]
pub unsafe fn gather<O: Collective>(
    one: Data,
    all: Data,
    to: c_int,
    comm: MPI_Comm,
) -> Option<Result> {
    run::<O>(comm, |state, communicator, way| {
        let (to, here) = root(communicator, to)?;
        if !here {
            let block = dense(state, one)?;
            // SAFETY: as the caller vouches.
            return way.gather_to(to, unsafe { block.bytes_mut() });
        }
        let (all, block_bytes) = blocks(state, communicator, all)?;
        let own = beside(state, one, all.address, block_bytes)?;
        // SAFETY: as the caller vouches.
        let (own, all) = unsafe { opened(own, all) };
        way.gather_here(own, block_bytes, all)
    })
}

/// Allgather: `one` goes to all, where `all` has room for as much of each member.
///
/// # Safety
///
/// As for [`broadcast`].
#[inline(always)]
pub unsafe fn allgather<O: Collective>(one: Data, all: Data, comm: MPI_Comm) -> Option<Result> {
    run::<O>(comm, |state, communicator, way| {
        let (all, block_bytes) = blocks(state, communicator, all)?;
        let own = beside(state, one, all.address, block_bytes)?;
        // SAFETY: as the caller vouches.
        let (own, all) = unsafe { opened(own, all) };
        way.allgather(own, block_bytes, all)
    })
}

/// Scatter: the root's `all` has a block for each member, which gets it as `one`.
///
/// # Safety
///
/// As for [`broadcast`].
#[inline(always)]
pub unsafe fn scatter<O: Collective>(
    all: Data,
    one: Data,
    from: c_int,
    comm: MPI_Comm,
) -> Option<Result> {
    run::<O>(comm, |state, communicator, way| {
        let (from, here) = root(communicator, from)?;
        if !here {
            let block = dense(state, one)?;
            // SAFETY: as the caller vouches.
            return way.scatter_from(from, unsafe { block.bytes_mut() });
        }
        let (all, block_bytes) = blocks(state, communicator, all)?;
        let own = beside(state, one, all.address, block_bytes)?;
        // SAFETY: as the caller vouches.
        let (own, all) = unsafe { (own.map(|own| own.bytes_mut()), all.bytes_mut()) };
        way.scatter_here(own, block_bytes, all)
    })
}

/// Alltoall: a block from each member to each.
///
/// # Safety
///
/// As for [`broadcast`].
#[inline(always)]
pub unsafe fn alltoall<O: Collective>(from: Data, to: Data, comm: MPI_Comm) -> Option<Result> {
    run::<O>(comm, |state, communicator, way| {
        let (to, block_bytes) = blocks(state, communicator, to)?;
        let (from, from_block_bytes) = blocks(state, communicator, from)?;
        if from_block_bytes != block_bytes || from.address == to.address {
            return None;
        }
        // SAFETY: as the caller vouches.
        let (from, to) = unsafe { (from.bytes_mut(), to.bytes_mut()) };
        way.alltoall(block_bytes, from, to)
    })
}
