//! Communicators that join two groups (MPI-5.0 section 7.6).

use std::ffi::c_int;

use pamir_mpi::communicator::inter::{Bridge, join, merge};

use crate::argument::{address, store};
use crate::constants::*;
use crate::error::{ErrorClass, Result};
use crate::functions::communicators::communicator::remote;
use crate::functions::communicators::group;
use crate::process::running;
use crate::types::*;

/// `MPI_Comm_test_inter`, section 7.6.1.
///
/// # Safety
///
/// `flag` is null or writable.
pub unsafe fn comm_test_inter(comm: MPI_Comm, flag: *mut c_int) -> Result {
    let state = running()?;
    let communicator = state.communicator(comm)?;
    // SAFETY: the caller vouches for it.
    unsafe { store(flag, communicator.is_inter().into(), "flag") }
}

/// `MPI_Comm_remote_size`, section 7.6.1.
///
/// # Safety
///
/// `size` is null or writable.
pub unsafe fn comm_remote_size(comm: MPI_Comm, size: *mut c_int) -> Result {
    let state = running()?;
    let communicator = state.communicator(comm)?;
    // SAFETY: the caller vouches for it.
    unsafe { store(size, remote(&communicator)?.size() as c_int, "size") }
}

/// `MPI_Comm_remote_group`, section 7.6.1.
///
/// # Safety
///
/// `group` is null or writable.
pub unsafe fn comm_remote_group(comm: MPI_Comm, group: *mut MPI_Group) -> Result {
    let state = running()?;
    let communicator = state.communicator(comm)?;
    // SAFETY: the caller vouches for it.
    unsafe { group::give(&state, remote(&communicator)?.clone(), group) }
}

/// `MPI_Comm_get_parent`, section 11.8.2: no process is started by another one here.
///
/// # Safety
///
/// `parent` is null or writable.
pub unsafe fn comm_get_parent(parent: *mut MPI_Comm) -> Result {
    let _state = running()?;
    // SAFETY: the caller vouches for it.
    unsafe { store(parent, MPI_COMM_NULL, "parent") }
}

/// `MPI_Intercomm_create`, section 7.6.2.
///
/// # Safety
///
/// `newintercomm` is null or writable.
pub unsafe fn intercomm_create(
    local_comm: MPI_Comm,
    local_leader: c_int,
    peer_comm: MPI_Comm,
    remote_leader: c_int,
    tag: c_int,
    newintercomm: *mut MPI_Comm,
) -> Result {
    let state = running()?;
    let local = state.communicator(local_comm)?;
    address(newintercomm, "newintercomm")?;
    if local.is_inter() {
        return Err(ErrorClass::Comm.with("local_comm is to be an intra-communicator"));
    }
    let no_rank = |rank: c_int, size: usize| {
        ErrorClass::Rank.with(format!("rank {rank} is not in a communicator of {size}"))
    };
    let leader = usize::try_from(local_leader)
        .ok()
        .filter(|rank| *rank < local.size())
        .ok_or_else(|| no_rank(local_leader, local.size()))?;
    let peers;
    let mut bridge = None;
    // The last three arguments count at the leader only.
    if leader == local.rank() {
        peers = state.communicator(peer_comm)?;
        if tag < 0 {
            return Err(ErrorClass::Tag.with(format!("a tag is at least 0, not {tag}")));
        }
        let remote_leader = usize::try_from(remote_leader)
            .ok()
            .filter(|rank| peers.has_peer(*rank))
            .ok_or_else(|| no_rank(remote_leader, peers.peers().size()))?;
        bridge = Some(Bridge {
            peers: &peers,
            remote_leader,
            tag,
        });
    }
    let new = join(&state.process, &local, leader, bridge)?;
    let handle = state.communicators.insert(new);
    // SAFETY: the caller vouches for it.
    unsafe { store(newintercomm, handle, "newintercomm") }
}

/// `MPI_Intercomm_merge`, section 7.6.2.
///
/// # Safety
///
/// `newintracomm` is null or writable.
pub unsafe fn intercomm_merge(
    intercomm: MPI_Comm,
    high: c_int,
    newintracomm: *mut MPI_Comm,
) -> Result {
    let state = running()?;
    let parent = state.communicator(intercomm)?;
    remote(&parent)?;
    address(newintracomm, "newintracomm")?;
    let new = merge(&state.process, &parent, high != 0)?;
    let handle = state.communicators.insert(new);
    // SAFETY: the caller vouches for it.
    unsafe { store(newintracomm, handle, "newintracomm") }
}
