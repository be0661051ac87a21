//! What a program is told of a message: its status, and whether it was too long.

use std::ffi::c_int;

use pamir_transport::tagged::state::request::Outcome;

use crate::constants::*;
use crate::error::{Error, ErrorClass, Result};
use crate::types::*;

/// What a program sees of a message's outcome.
#[inline(always)]
pub fn status_of(outcome: &Outcome) -> MPI_Status {
    let mut status = MPI_Status::new(outcome.task as c_int, outcome.tag, outcome.bytes as i64);
    if outcome.cancelled {
        status.set_cancelled(true);
    }
    status
}

/// Writes a status, unless it is to be ignored.
///
/// # Safety
///
/// `target` is writable or `MPI_STATUS_IGNORE`. Its `MPI_ERROR` is left as it is, as for all
/// calls that give one status (MPI-5.0 section 3.2.5), unless the status is empty: an empty one
/// says `MPI_SUCCESS` (section 3.7.3).
#[inline(always)]
pub unsafe fn write_status(target: *mut MPI_Status, status: MPI_Status) {
    if target.is_null() {
        return;
    }
    // SAFETY: the caller vouches for it.
    unsafe {
        let code = (*target).MPI_ERROR;
        let empty = status.MPI_SOURCE == MPI_ANY_SOURCE;
        *target = MPI_Status {
            MPI_ERROR: if empty { MPI_SUCCESS } else { code },
            ..status
        }
    };
}

/// A message that was longer than its buffer is an error.
#[inline(always)]
pub fn check(outcome: &Outcome) -> Result {
    if outcome.truncated {
        Err(truncated(outcome))
    } else {
        Ok(())
    }
}

#[cold]
fn truncated(outcome: &Outcome) -> Error {
    too_long(
        outcome.message_bytes,
        outcome.bytes,
        outcome.task,
        outcome.tag,
    )
}

#[cold]
fn too_long(message_bytes: usize, bytes: usize, rank: u32, tag: i32) -> Error {
    ErrorClass::Truncate.with(format!(
        "the message of {message_bytes} bytes from rank {rank} with tag {tag} is longer than the buffer of {bytes} bytes"
    ))
}

/// Says how the receive of a message of `message_bytes` bytes into `room` bytes has ended.
///
/// # Safety
///
/// `status` is writable or `MPI_STATUS_IGNORE`.
#[inline(always)]
pub(super) unsafe fn tell(
    status: *mut MPI_Status,
    rank: c_int,
    tag: c_int,
    message_bytes: usize,
    room: usize,
) -> Result {
    let bytes = message_bytes.min(room) as i64;
    // SAFETY: as the caller vouches.
    unsafe { write_status(status, MPI_Status::new(rank, tag, bytes)) };
    if message_bytes > room {
        return Err(too_long(message_bytes, room, rank as u32, tag));
    }
    Ok(())
}
