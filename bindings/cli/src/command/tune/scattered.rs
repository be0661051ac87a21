//! A message whose data does not lie together, there and back: what `scattered_stripes` are for.
//!
//! Step before: [`super::measure`] repeats it. Step after: the transport packs and unpacks.
//! Invariant: memory has twice as many bytes as the message: every second 8 bytes are sent.

use pamir_driver::unit::UnitError;
use pamir_transport::context::Context;
use pamir_transport::gather_scatter::program::node::{Node, Placed};
use pamir_transport::gather_scatter::{Machine, Program, RandomAccess};
use pamir_transport::protocol::completion::Completion;
use pamir_transport::tagged::buffer::Buffer;
use pamir_transport::tagged::envelope::Pattern;
use pamir_transport::tagged::send::Address;
use pamir_transport::tagged::state::request::RequestId;

/// Bytes of a block.
const BLOCK_BYTES: usize = 8;

/// Context id of these messages, which no collective operation uses.
const CONTEXT_ID: u32 = 5;

/// `bytes` bytes of a message in twice as many bytes of memory.
///
/// # Safety
///
/// The memory is good until the message is complete, and nobody else uses it.
unsafe fn buffer(memory: *mut u8, bytes: usize) -> Buffer {
    let node = Node::Strided {
        count: (bytes / BLOCK_BYTES).max(1),
        block: BLOCK_BYTES.min(bytes),
        stride: 2 * BLOCK_BYTES as i64,
    };
    let placed = Placed {
        displacement: 0,
        node,
    };
    // SAFETY: the blocks lie within twice the bytes, which the caller vouches for.
    let machine = unsafe { Machine::new(Program::new(placed, 0), memory) };
    Buffer::Noncontiguous(Box::new(RandomAccess::new(machine)))
}

/// From each even rank to the next, and back.
///
/// # Safety
///
/// Both memories have twice `bytes` bytes, and nobody else uses them.
pub(super) unsafe fn there_and_back(
    context: &Context,
    outgoing: *mut u8,
    incoming: *mut u8,
    bytes: usize,
) -> Result<(), UnitError> {
    let (rank, partner) = (context.task(), context.task() ^ 1);
    if partner >= context.tasks() {
        return Ok(());
    }
    for sends in [partner > rank, partner < rank] {
        // SAFETY: as the caller vouches; the message is complete when `wait` returns.
        let id = unsafe {
            if sends {
                let to = Address {
                    task: partner,
                    context: CONTEXT_ID,
                    tag: 0,
                };
                context.start_send(to, buffer(outgoing, bytes), Completion::Local)?
            } else {
                let pattern = Pattern::new(CONTEXT_ID, Some(partner as u32), Some(0));
                context.receive(pattern, buffer(incoming, bytes))?.id()
            }
        };
        wait(context, id)?;
    }
    Ok(())
}

fn wait(context: &Context, id: RequestId) -> Result<(), UnitError> {
    let Some(request) = context.requests().get(id) else {
        return Ok(());
    };
    context.advance_until(|| request.is_complete())?;
    context.requests().free(id, request);
    Ok(())
}
