//! How a transfer has ended, and who is told.
//!
//! Before: a transfer of `state::operation` ends, or cannot be started. After: its [`Completion`] is called once.

/// How a transfer failed, as its completion is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TransferError {
    /// The target has no handler for the dispatch id.
    #[error("the target has set no handler for the message's dispatch id")]
    NoHandler,
    /// A put or get reaches out of the memory region, or that is not registered (any more).
    #[error(
        "the transfer does not lie in a registered memory region: check its offset and length, and that the target has not deregistered it"
    )]
    OutsideRegion,
    /// The receiver gave less room than the message has bytes; what fits is there.
    #[error("the message has {bytes} bytes, its handler gave room for {room}")]
    Truncated {
        /// Bytes of the message.
        bytes: usize,
        /// Room that there was.
        room: usize,
    },
    /// The memory at one end is not there.
    #[error("no memory is mapped at one end of the transfer: check both addresses and the length")]
    NotMapped,
    /// The target has left, or was killed.
    #[error("the target has left the job")]
    Left,
    /// The messaging unit failed in the middle.
    #[error("the messaging unit failed during the transfer; advance tells why")]
    Unit,
}

/// What is called when a transfer has ended, in the thread that advances the context `C` (or that
/// sends, if it ends at once). It may send, and may not advance.
pub type Completion<C> = Box<dyn FnOnce(&C, Result<(), TransferError>)>;
