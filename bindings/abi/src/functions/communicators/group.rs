//! Ordered sets of processes (MPI-5.0 section 7.3).

use std::ffi::c_int;

use pamir_mpi::group::{Comparison, Group, GroupError, RankRange};

use crate::argument::{address, array, store};
use crate::constants::*;
use crate::error::Result;
use crate::process::running;
use crate::state::State;
use crate::types::*;

/// Gives the program a handle of a group.
///
/// # Safety
///
/// `target` is null or writable.
pub unsafe fn give(state: &State, group: Group, target: *mut MPI_Group) -> Result {
    address(target, "newgroup")?;
    let handle = state.groups.insert(group);
    // SAFETY: as the caller vouches.
    unsafe { store(target, handle, "newgroup") }
}

/// `MPI_Group_size`, section 7.3.1.
///
/// # Safety
///
/// `size` is null or writable.
pub unsafe fn group_size(group: MPI_Group, size: *mut c_int) -> Result {
    let state = running()?;
    let group = state.groups.named(group)?;
    // SAFETY: as the caller vouches.
    unsafe { store(size, group.size() as c_int, "size") }
}

fn rank_or_undefined(rank: Option<usize>) -> c_int {
    rank.map_or(MPI_UNDEFINED, |rank| rank as c_int)
}

/// `MPI_Group_rank`, section 7.3.1.
///
/// # Safety
///
/// `rank` is null or writable.
pub unsafe fn group_rank(group: MPI_Group, rank: *mut c_int) -> Result {
    let state = running()?;
    let group = state.groups.named(group)?;
    let own = group.rank_of(state.process.context().task() as u32);
    // SAFETY: as the caller vouches.
    unsafe { store(rank, rank_or_undefined(own), "rank") }
}

/// `MPI_Group_translate_ranks`, section 7.3.1.
///
/// # Safety
///
/// Both arrays are null or have `n` entries.
pub unsafe fn group_translate_ranks(
    group1: MPI_Group,
    n: c_int,
    ranks1: *const c_int,
    group2: MPI_Group,
    ranks2: *mut c_int,
) -> Result {
    let state = running()?;
    let (from, to) = (state.groups.named(group1)?, state.groups.named(group2)?);
    // SAFETY: as the caller vouches.
    let ranks = unsafe { array(ranks1, n, "ranks1")? };
    if n > 0 {
        address(ranks2, "ranks2")?;
    }
    for (index, rank) in ranks.iter().copied().enumerate() {
        let translated = if rank == MPI_PROC_NULL {
            MPI_PROC_NULL
        } else {
            let size = from.size();
            let inside = usize::try_from(rank).map_err(|_| GroupError::NoSuchRank {
                rank: rank.into(),
                size,
            })?;
            rank_or_undefined(from.translate_rank(inside, &to)?)
        };
        // SAFETY: the array has n entries.
        unsafe { ranks2.add(index).write(translated) };
    }
    Ok(())
}

/// `MPI_Group_compare`, section 7.3.1.
///
/// # Safety
///
/// `result` is null or writable.
pub unsafe fn group_compare(group1: MPI_Group, group2: MPI_Group, result: *mut c_int) -> Result {
    let state = running()?;
    let comparison = state
        .groups
        .named(group1)?
        .compare(&*state.groups.named(group2)?);
    let value = match comparison {
        Comparison::Identical => MPI_IDENT,
        Comparison::Similar => MPI_SIMILAR,
        Comparison::Unequal => MPI_UNEQUAL,
    };
    // SAFETY: as the caller vouches.
    unsafe { store(result, value, "result") }
}

/// Gives the group that two groups make.
///
/// # Safety
///
/// `newgroup` is null or writable.
unsafe fn give_combined(
    group1: MPI_Group,
    group2: MPI_Group,
    newgroup: *mut MPI_Group,
    combine: fn(&Group, &Group) -> Group,
) -> Result {
    let state = running()?;
    let group = combine(&*state.groups.named(group1)?, &*state.groups.named(group2)?);
    // SAFETY: as the caller vouches.
    unsafe { give(&state, group, newgroup) }
}

/// `MPI_Group_union`, section 7.3.2.
///
/// # Safety
///
/// `newgroup` is null or writable.
pub unsafe fn group_union(
    group1: MPI_Group,
    group2: MPI_Group,
    newgroup: *mut MPI_Group,
) -> Result {
    // SAFETY: as the caller vouches.
    unsafe { give_combined(group1, group2, newgroup, Group::union) }
}

/// `MPI_Group_intersection`, section 7.3.2.
///
/// # Safety
///
/// `newgroup` is null or writable.
pub unsafe fn group_intersection(
    group1: MPI_Group,
    group2: MPI_Group,
    newgroup: *mut MPI_Group,
) -> Result {
    // SAFETY: as the caller vouches.
    unsafe { give_combined(group1, group2, newgroup, Group::intersection) }
}

/// `MPI_Group_difference`, section 7.3.2.
///
/// # Safety
///
/// `newgroup` is null or writable.
pub unsafe fn group_difference(
    group1: MPI_Group,
    group2: MPI_Group,
    newgroup: *mut MPI_Group,
) -> Result {
    // SAFETY: as the caller vouches.
    unsafe { give_combined(group1, group2, newgroup, Group::difference) }
}

/// `MPI_Group_incl`, section 7.3.2.
///
/// # Safety
///
/// `ranks` is null or has `n` entries; `newgroup` is null or writable.
pub unsafe fn group_incl(
    group: MPI_Group,
    n: c_int,
    ranks: *const c_int,
    newgroup: *mut MPI_Group,
) -> Result {
    let state = running()?;
    let group = state.groups.named(group)?;
    // SAFETY: as the caller vouches.
    unsafe { give(&state, group.include(array(ranks, n, "ranks")?)?, newgroup) }
}

/// `MPI_Group_excl`, section 7.3.2.
///
/// # Safety
///
/// `ranks` is null or has `n` entries; `newgroup` is null or writable.
pub unsafe fn group_excl(
    group: MPI_Group,
    n: c_int,
    ranks: *const c_int,
    newgroup: *mut MPI_Group,
) -> Result {
    let state = running()?;
    let group = state.groups.named(group)?;
    // SAFETY: as the caller vouches.
    unsafe { give(&state, group.exclude(array(ranks, n, "ranks")?)?, newgroup) }
}

/// The program's triplets as ranges.
///
/// # Safety
///
/// `ranges` is null or has `n` entries.
unsafe fn rank_ranges(n: c_int, ranges: *const [c_int; 3]) -> Result<Vec<RankRange>> {
    // SAFETY: as the caller vouches.
    let triplets = unsafe { array(ranges, n, "ranges")? };
    let range = |&[first, last, stride]: &[c_int; 3]| RankRange {
        first,
        last,
        stride,
    };
    Ok(triplets.iter().map(range).collect())
}

/// `MPI_Group_range_incl`, section 7.3.2.
///
/// # Safety
///
/// `ranges` is null or has `n` entries; `newgroup` is null or writable.
pub unsafe fn group_range_incl(
    group: MPI_Group,
    n: c_int,
    ranges: *mut [c_int; 3],
    newgroup: *mut MPI_Group,
) -> Result {
    let state = running()?;
    let group = state.groups.named(group)?;
    // SAFETY: as the caller vouches.
    unsafe {
        let chosen = group.include_ranges(&rank_ranges(n, ranges)?)?;
        give(&state, chosen, newgroup)
    }
}

/// `MPI_Group_range_excl`, section 7.3.2.
///
/// # Safety
///
/// `ranges` is null or has `n` entries; `newgroup` is null or writable.
pub unsafe fn group_range_excl(
    group: MPI_Group,
    n: c_int,
    ranges: *mut [c_int; 3],
    newgroup: *mut MPI_Group,
) -> Result {
    let state = running()?;
    let group = state.groups.named(group)?;
    // SAFETY: as the caller vouches.
    unsafe {
        let chosen = group.exclude_ranges(&rank_ranges(n, ranges)?)?;
        give(&state, chosen, newgroup)
    }
}

/// `MPI_Group_free`, section 7.3.3.
///
/// # Safety
///
/// `group` is null or points to a handle.
pub unsafe fn group_free(group: *mut MPI_Group) -> Result {
    let state = running()?;
    address(group, "group")?;
    // SAFETY: it is not null, so the caller vouches for it.
    let handle = unsafe { group.read() };
    state.groups.named(handle)?;
    state.groups.remove(handle);
    // SAFETY: as above.
    unsafe { store(group, MPI_GROUP_NULL, "group") }
}
