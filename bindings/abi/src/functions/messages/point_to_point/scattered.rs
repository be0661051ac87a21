//! Short messages of data that does not lie together: gathered straight into the packet, and
//! scattered straight from it, without a request where contiguous ones need none.
//!
//! Before: a blocking send or receive whose data is no contiguous span. After: the transport's
//! ways for messages of one packet. Longer messages, and whatever is unusual, take the general
//! way, in which a machine packs into several packets.
//!
//! Data whose blocks lie so far apart that it comes in several packets takes the general way too.
//!
//! One element of a committed datatype, in the world, is what its calls are for: all that can be known
//! of it is known (`gather_scatter::whole`), and its arguments are checked in a few instructions. What
//! is unusual in any way is left to the functions behind.
//!
//! Invariant: a program is run as a whole here, so that no machine need keep its state.

use std::ffi::{c_int, c_void};

use pamir_mpi::communicator::Communicator;
use pamir_mpi::point_to_point::{address, envelope};

use super::outcome::tell;
use super::peer::{destination, is_exact, usual};
use crate::error::Result;
use crate::state::State;
use crate::state::memory::with_program;
use crate::types::*;

/// Packed bytes up to which this is tried: as much as a packet may have.
const MOST_BYTES: usize = 8192;

/// Sends one element of a datatype of the program's own that fits a packet, if that can go at once;
/// whether it has gone.
///
/// # Safety
///
/// `buf` is readable for `count` elements of `datatype`.
#[inline(never)]
pub(super) unsafe fn send_at_once(
    (buf, count, datatype): (*const c_void, i64, MPI_Datatype),
    dest: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> bool {
    let Some((state, communicator)) = usual(comm) else {
        return false;
    };
    if count != 1 || !is_exact(communicator, dest, tag) {
        return false;
    }
    let to = address(communicator, dest as usize, tag);
    let (memory, context) = (buf.cast::<u8>().cast_mut(), state.process.context());
    let sent = state.datatypes.made.with(datatype.0, |datatype| {
        let whole = datatype.whole()?;
        // SAFETY: the caller vouches for the program's buffer, which packing only reads; the
        // packet has room for the bytes, which `pack_into_lane` writes all.
        let sent = unsafe {
            context.send_filled(to, whole.bytes(), |room| whole.pack_into_lane(memory, room))
        };
        // What fails here fails in the general way too, which says so.
        sent.ok()
    });
    sent.flatten() == Some(true)
}

/// Receives one element of a datatype of the program's own that fits a packet, if its message comes
/// within a short while; whether it was that.
///
/// # Safety
///
/// `buf` is writable for `count` elements of `datatype`; `status` is writable or
/// `MPI_STATUS_IGNORE`.
#[inline(never)]
pub(super) unsafe fn receive_at_once(
    (buf, count, datatype): (*mut c_void, i64, MPI_Datatype),
    source_rank: c_int,
    tag: c_int,
    comm: MPI_Comm,
    status: *mut MPI_Status,
) -> Option<Result> {
    let (state, communicator) = usual(comm)?;
    if count != 1 || !is_exact(communicator, source_rank, tag) {
        return None;
    }
    let wanted = envelope(communicator, source_rank as usize, tag);
    let (memory, context) = (buf.cast::<u8>(), state.process.context());
    let received = state.datatypes.made.with(datatype.0, |datatype| {
        let (whole, room) = datatype.whole().map(|whole| (whole, whole.bytes()))?;
        // SAFETY: the caller vouches for the program's buffer, and nobody else touches it; what
        // has come of the message is copied from the packet, each byte once.
        let received = unsafe {
            context.receive_scattered_at_once(wanted, room, |packed, bytes| {
                whole.unpack(memory, packed, bytes);
            })
        };
        // As above.
        Some((received.ok()??, room))
    });
    let (message_bytes, room) = received.flatten()?;
    // SAFETY: as the caller vouches.
    Some(unsafe { tell(status, source_rank, tag, message_bytes, room) })
}

/// Sends short data that does not lie together; `false` if it is of another kind, or cannot go at
/// once.
///
/// # Safety
///
/// `buf` is readable for `count` elements of `datatype`.
#[inline(never)]
pub(super) unsafe fn send(
    state: &State,
    communicator: &Communicator,
    (buf, count, datatype): (*const c_void, i64, MPI_Datatype),
    dest: c_int,
    tag: c_int,
) -> Result<bool> {
    let Some((datatype, count)) = state.datatypes.scattered(count, datatype, MOST_BYTES) else {
        return Ok(false);
    };
    let Some(rank) = destination(communicator, dest, tag)? else {
        return Ok(true);
    };
    let to = address(communicator, rank, tag);
    let memory = buf.cast::<u8>().cast_mut();
    let context = state.process.context();
    with_program(&datatype, count, |program| {
        if program.packet_exponent().is_some() {
            return Ok(false);
        }
        // SAFETY: the caller vouches for the program's buffer, which packing only reads; the
        // packet has room for the bytes, which `pack` writes all.
        let sent = unsafe {
            context.send_filled(to, program.bytes(), |room| {
                program.pack_into_lane(memory, room);
            })?
        };
        Ok(sent)
    })
}

/// Receives short data that does not lie together, if it comes within a short while; `None` if
/// it does not, or is of another kind.
///
/// # Safety
///
/// `buf` is writable for `count` elements of `datatype`; `status` is writable or
/// `MPI_STATUS_IGNORE`.
#[inline(never)]
pub(super) unsafe fn receive(
    state: &State,
    communicator: &Communicator,
    (buf, count, datatype): (*mut c_void, i64, MPI_Datatype),
    source_rank: c_int,
    tag: c_int,
    status: *mut MPI_Status,
) -> Result<Option<()>> {
    if !is_exact(communicator, source_rank, tag) {
        return Ok(None);
    }
    let Some((datatype, count)) = state.datatypes.scattered(count, datatype, MOST_BYTES) else {
        return Ok(None);
    };
    let wanted = envelope(communicator, source_rank as usize, tag);
    let (memory, context) = (buf.cast::<u8>(), state.process.context());
    with_program(&datatype, count, |program| {
        let room = program.bytes();
        // SAFETY: the caller vouches for the program's buffer, and nobody else touches it; what
        // has come of the message is copied from the packet, each byte once.
        let received = unsafe {
            context.receive_scattered_at_once(wanted, room, |packed, bytes| {
                program.unpack(memory, packed, bytes);
            })?
        };
        let Some(message_bytes) = received else {
            return Ok(None);
        };
        // SAFETY: as the caller vouches.
        unsafe { tell(status, source_rank, tag, message_bytes, room) }.map(Some)
    })
}
