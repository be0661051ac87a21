//! What the unit asks of the layer above it.
//!
//! Before: the engine needs data, or is done with a descriptor. After: the transport has written the data, or knows.

use pamir_shm::lane::room::LaneRoom;

use super::messaging_unit::MessagingUnit;
use crate::injection::descriptor::Descriptor;
#[cfg(doc)]
use crate::injection::descriptor::Source;
use crate::memory::kernel_copy::KernelCopyError;

/// What the unit asks of the layer above it.
pub trait Owner: Sized {
    /// Writes bytes `at..at + bytes` of the message with `cookie` into `room`, for
    /// descriptors whose source is [`Source::Owner`].
    fn fill(&self, cookie: u64, at: u64, room: LaneRoom<'_>, bytes: usize);

    /// The unit that it owns: packet handlers come back through it.
    fn unit(&self) -> &MessagingUnit<Self>;

    /// The engine is done with the descriptor that has a cookie.
    fn injected(&self, cookie: u64);

    /// The kernel refused a put or get; the descriptor is dropped.
    fn refused(&self, descriptor: &Descriptor, error: KernelCopyError);

    /// The first descriptor waits, where none did: it goes on in a later step, whoever makes that.
    fn pends(&self) {}

    /// How many operations wait for packets. A poll that has found the last one's ends: what
    /// lies behind it is better left in its lane until somebody asks for it.
    fn under_way(&self) -> usize {
        0
    }

    /// How many receives wait for their messages.
    fn receives(&self) -> usize {
        0
    }
}
