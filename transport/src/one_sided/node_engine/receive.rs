//! The receive thread: writes chunks to the memory that their orders name, and tells both ends.
//!
//! Before: [`super::transmit`] has read a chunk. After: it is in the target's memory; behind the last
//! one a descriptor stands in the reception FIFOs of target and initiator.
//!
//! Invariant: both are told after the last byte is written.

use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use super::transmit::outcome_of;
use std::sync::mpsc::{Receiver, SyncSender};

use super::threads::{Chunk, MOVED, MOVED_IN, Outcome, Shared, context_of};
use crate::context::Context;
use pamir_driver::memory::kernel_copy;
use pamir_driver::unit::UnitError;

/// How long it waits for a chunk before it looks whether its own messages wait for room.
const PATIENCE: Duration = Duration::from_millis(1);

/// What an engine has moved.
#[derive(Default)]
struct Moved {
    transfers: u64,
    bytes: u64,
}

impl Moved {
    /// Prints it if `PAMIR_DRIVER_REPORT` asks for it.
    fn print(&self, shared: &Shared) {
        if pamir_settings::DRIVER_REPORT.value() {
            let (client, Self { transfers, bytes }) = (shared.place.client, self);
            eprintln!(
                "pamir: the node's engine of client {client} moved {transfers} transfers, {bytes} bytes"
            );
        }
    }
}

/// Serves chunks until the transmit thread has ended.
pub(super) fn run(
    shared: &Shared,
    chunks: &Receiver<Chunk>,
    emptied: &SyncSender<Vec<u8>>,
) -> Result<(), UnitError> {
    let context = context_of(shared, 1)?;
    let (mut so_far, mut moved) = (Outcome::Moved, Moved::default());
    loop {
        match chunks.recv_timeout(PATIENCE) {
            Ok(chunk) => {
                if take(shared, &context, &chunk, &mut so_far)? {
                    moved.transfers += 1;
                    moved.bytes += chunk.order.bytes;
                }
                // The transmit thread may have ended: then nobody needs the buffer.
                let _ = emptied.send(chunk.data);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                moved.print(shared);
                return context.leave();
            }
        }
        context.advance()?;
    }
}

/// Writes a chunk, unless one before it could not be moved; `so_far` is how its order has gone so far. Whether its order
/// has been moved with it.
fn take(
    shared: &Shared,
    context: &Context,
    chunk: &Chunk,
    so_far: &mut Outcome,
) -> Result<bool, UnitError> {
    if *so_far == Outcome::Moved {
        *so_far = match chunk.outcome {
            Outcome::Moved => write(shared, chunk),
            failed => failed,
        };
    }
    if !chunk.last {
        return Ok(false);
    }
    let (order, outcome) = (&chunk.order, std::mem::replace(so_far, Outcome::Moved));
    if let (Outcome::Moved, Some(dispatch)) = (outcome, order.notify.0.checked_sub(1)) {
        let about = [dispatch, order.notify.1, order.to.1, order.bytes];
        let words = [&[order.initiator as u64], about.as_slice()].concat();
        context.tell(order.to.0, MOVED_IN, &words)?;
    }
    context.tell(order.initiator, MOVED, &[order.word, outcome as u64])?;
    Ok(outcome == Outcome::Moved)
}

fn write(shared: &Shared, chunk: &Chunk) -> Outcome {
    let (unit, address) = chunk.order.to;
    let Some(process) = shared.job.process(unit) else {
        return Outcome::Absent;
    };
    let (data, bytes) = (chunk.data.as_ptr(), chunk.data.len());
    // SAFETY: the chunk has the bytes; the target expects the put, or has asked for the data.
    outcome_of(unsafe { kernel_copy::write(process, data, address + chunk.at, bytes) })
}
