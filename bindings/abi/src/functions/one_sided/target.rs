//! Where an access goes: the target's rank, displacement and datatype, checked against the window and its epochs.
//!
//! Before: the C arguments of a put, a get or an accumulate. After: a place in the target's part, or an error of its class.

use std::ffi::c_int;
use std::rc::Rc;

use pamir_mpi::datatype::{Datatype, Program};
use pamir_transport::active::TransferError;
use pamir_transport::one_sided::window::WindowError;
use pamir_transport::one_sided::window::transfer::Remote;

use crate::constants::*;
use crate::error::{Error, ErrorClass, Result};
use crate::state::State;
use crate::state::datatypes::negative_count;
use crate::state::memory::check_address;
use crate::state::windows::Entry;
use crate::types::*;

impl From<WindowError> for Error {
    #[cold]
    fn from(error: WindowError) -> Self {
        let class = match &error {
            WindowError::Transfer(TransferError::OutsideRegion | TransferError::NotMapped) => {
                ErrorClass::RmaRange
            }
            WindowError::Transfer(TransferError::Left) => ErrorClass::Other,
            _ => ErrorClass::Intern,
        };
        class.with(error.to_string())
    }
}

/// Data of arguments: address, count and datatype.
pub(super) type Data = (*const u8, i64, MPI_Datatype);

/// The target of arguments: rank, displacement, count and datatype.
pub(super) type Target = (c_int, MPI_Aint, i64, MPI_Datatype);

/// A place in the part of a target.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) rank: usize,
    /// Bytes from the part's begin.
    pub(super) at: i64,
}

/// The rank of a target; none for `MPI_PROC_NULL`.
#[inline]
pub(super) fn rank_of(window: &Entry, rank: c_int) -> Result<Option<usize>> {
    match usize::try_from(rank) {
        Ok(rank) if rank < window.memory().size() => Ok(Some(rank)),
        _ if rank == MPI_PROC_NULL => Ok(None),
        _ => Err(no_rank(window, rank)),
    }
}

#[cold]
fn no_rank(window: &Entry, rank: c_int) -> Error {
    let members = window.memory().size();
    ErrorClass::Rank.with(format!(
        "rank {rank} is not in the window, whose ranks are 0 to {}",
        members - 1
    ))
}

/// Refuses an access with a request outside of an epoch that locks its target (MPI-5.0 section 12.3.5).
pub(super) fn check_passive(window: &Entry, rank: c_int) -> Result {
    match rank_of(window, rank)? {
        Some(rank) if !window.epochs().is_passive(rank) => {
            let text = format!(
                "an access with a request needs a lock of its target: call MPI_Win_lock for rank {rank}, or MPI_Win_lock_all, first"
            );
            Err(ErrorClass::RmaSync.with(text))
        }
        _ => Ok(()),
    }
}

/// Where a displacement is at a target that may be accessed; none for `MPI_PROC_NULL`.
#[inline]
pub(super) fn place(window: &Entry, rank: c_int, displacement: MPI_Aint) -> Result<Option<Place>> {
    let Some(rank) = rank_of(window, rank)? else {
        return Ok(None);
    };
    if !window.epochs().access(rank) {
        return Err(no_epoch(rank));
    }
    let unit = window.memory().part(rank).unit;
    match (displacement as i64).checked_mul(unit as i64) {
        Some(at) => Ok(Some(Place { rank, at })),
        None => Err(outside(window, rank, displacement as i64, (0, 0))),
    }
}

/// Where bytes side by side lie in a part that may be accessed; none where anything is unusual, which the general way then says.
#[inline(always)]
pub(super) fn usual_place(
    window: &Entry,
    rank: c_int,
    displacement: MPI_Aint,
    bytes: usize,
) -> Option<Place> {
    let (memory, rank) = (window.memory(), rank as usize);
    if rank >= memory.size() || !window.epochs().access(rank) || !window.is_plain() {
        return None;
    }
    let part = memory.part(rank);
    let at = (displacement as i64).checked_mul(part.unit as i64)?;
    part.holds(at, (0, bytes as i64))
        .then_some(Place { rank, at })
}

#[cold]
fn no_epoch(rank: usize) -> Error {
    let text = format!(
        "rank {rank} is accessed outside of an epoch: call MPI_Win_fence, MPI_Win_start, MPI_Win_lock or MPI_Win_lock_all first"
    );
    ErrorClass::RmaSync.with(text)
}

#[cold]
pub(super) fn outside(window: &Entry, rank: usize, at: i64, (low, high): (i64, i64)) -> Error {
    let (low, high) = (at.saturating_add(low), at.saturating_add(high));
    let text = if window.memory().attached(rank).is_some() {
        format!(
            "not all bytes from address {low:#x} to {high:#x} are attached to the window at rank {rank}: call MPI_Win_attach there, and pass an address that MPI_Get_address gave there"
        )
    } else {
        let part = window.memory().part(rank);
        format!(
            "bytes {low} to {high} do not lie in the window of rank {rank}, which has {}: check displacement (it counts units of {} bytes), count and datatype",
            part.region.bytes(),
            part.unit
        )
    };
    ErrorClass::RmaRange.with(text)
}

/// Data at this end: so many elements of a datatype.
#[derive(Clone, Debug)]
pub(super) struct Local {
    pub(super) datatype: Rc<Datatype>,
    pub(super) count: usize,
    pub(super) address: *mut u8,
}

impl Local {
    /// The data of arguments.
    pub(super) fn new(
        state: &State,
        address: *const u8,
        count: i64,
        datatype: MPI_Datatype,
    ) -> Result<Self> {
        let count = usize::try_from(count).map_err(|_| negative_count(count))?;
        let datatype = state.datatypes.committed(datatype)?;
        check_address(&datatype, address, count)?;
        Ok(Self {
            datatype,
            count,
            address: address.cast_mut(),
        })
    }

    /// Packed bytes.
    pub(super) fn bytes(&self) -> usize {
        self.datatype.size().saturating_mul(self.count)
    }

    /// A machine over them.
    ///
    /// # Safety
    ///
    /// The memory is the program's to be read or written until the operation is complete.
    pub(super) unsafe fn machine(&self) -> pamir_mpi::datatype::Machine {
        // SAFETY: as the caller vouches.
        unsafe { self.datatype.machine(self.count, self.address) }
    }
}

/// The target's data: so many elements of a datatype.
pub(super) struct Far {
    pub(super) datatype: Rc<Datatype>,
    bytes: usize,
}

impl Far {
    /// The data of arguments.
    pub(super) fn new(state: &State, count: i64, datatype: MPI_Datatype) -> Result<Self> {
        let count = usize::try_from(count).map_err(|_| negative_count(count))?;
        let datatype = state.datatypes.committed(datatype)?;
        let bytes = datatype.size().saturating_mul(count);
        Ok(Self { datatype, bytes })
    }

    /// Packed bytes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Its first `bytes` packed bytes in a target's part, which has all of them; none where there are none.
    pub(super) fn remote(
        &self,
        window: &Entry,
        place: Place,
        bytes: usize,
    ) -> Result<Option<Remote<'_>>> {
        if bytes > self.bytes {
            return Err(truncated(bytes, self.bytes));
        }
        if bytes == 0 {
            return Ok(None);
        }
        let element: &Program = self.datatype.program();
        if !window
            .memory()
            .holds_layout(place.rank, place.at, element, bytes)
        {
            let reach = element.reach(bytes).unwrap_or((i64::MIN, i64::MAX));
            return Err(outside(window, place.rank, place.at, reach));
        }
        Ok(Some(Remote {
            rank: place.rank,
            at: place.at,
            element,
            bytes,
        }))
    }
}

#[cold]
pub(super) fn truncated(bytes: usize, room: usize) -> Error {
    let text = format!(
        "{bytes} bytes are to be moved to where there is room for {room}: make the data of origin and target equally long"
    );
    ErrorClass::Truncate.with(text)
}

/// Refuses what does not lie in the target's part.
#[inline]
pub(super) fn check(window: &Entry, place: Place, reach: (i64, i64)) -> Result {
    if window.memory().holds(place.rank, place.at, reach) {
        return Ok(());
    }
    Err(outside(window, place.rank, place.at, reach))
}
