//! Short messages of data that does not lie together: packed on the stack, and then sent and
//! received as contiguous ones are, without a request where those need none.
//!
//! Before: a blocking send or receive whose data is no contiguous span. After: the transport's
//! ways for contiguous data. Longer messages, and whatever is unusual, take the general way,
//! in which a machine packs straight into the lane.
//!
//! Invariant: the bytes on the stack are used no longer than the call lasts.

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;

use pamir_mpi::communicator::Communicator;
use pamir_mpi::point_to_point::{address, envelope};

use super::short::tell;
use super::{destination, finish_send};
use crate::data::scattered;
use crate::error::Result;
use crate::process::State;
use crate::types::*;

/// Packed bytes up to which messages are packed on the stack.
const MOST_BYTES: usize = 4096;

type Packed = [MaybeUninit<u8>; MOST_BYTES];

/// Sends short data that does not lie together; `false` if it is of another kind.
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
    let Some(mut machine) = scattered(state, buf.cast(), count, datatype, MOST_BYTES) else {
        return Ok(false);
    };
    let Some(rank) = destination(communicator, dest, tag)? else {
        return Ok(true);
    };
    let to = address(communicator, rank, tag);
    let mut packed: Packed = [const { MaybeUninit::uninit() }; MOST_BYTES];
    let packed = packed.as_mut_ptr().cast::<u8>();
    // SAFETY: there is room for the machine's bytes, which are at most as many; the caller
    // vouches for the program's buffer, and this call lasts until they are sent.
    let waiting = unsafe {
        let bytes = machine.pack_to(packed, MOST_BYTES);
        state.process.context().send(to, packed, bytes)?
    };
    if let Some(id) = waiting {
        finish_send(state, id)?;
    }
    Ok(true)
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
    if !communicator.has_peer(source_rank as usize) || tag < 0 {
        return Ok(None);
    }
    let Some(mut machine) = scattered(state, buf.cast(), count, datatype, MOST_BYTES) else {
        return Ok(None);
    };
    let wanted = envelope(communicator, source_rank as usize, tag);
    let mut packed: Packed = [const { MaybeUninit::uninit() }; MOST_BYTES];
    let packed = packed.as_mut_ptr().cast::<u8>();
    let (context, room) = (state.process.context(), machine.total());
    // SAFETY: there is room for the machine's bytes; what has come of the message is
    // written, and the caller vouches for the program's buffer.
    unsafe {
        let Some(message_bytes) = context.receive_at_once(wanted, packed, room)? else {
            return Ok(None);
        };
        machine.unpack_from(packed, message_bytes.min(room));
        tell(status, source_rank, tag, message_bytes, room).map(Some)
    }
}
