//! Packet kinds: indices into the packet handler table.
//!
//! Before: a task builds a packet's header. After: the target's table of handlers ([`crate::context`]) calls the one
//! of its kind.
//!
//! Invariant: no two kinds have one number, and numbers below 32 are tagged messages', the others active ones'.

/// A whole tagged message: metadata is its tag and context id.
pub const EAGER: u8 = 1;
/// The first packet of a tagged message: metadata, length, data.
pub const EAGER_LONG: u8 = 2;
/// More data of the message whose first packet came before on the same lane.
pub const CONTINUATION: u8 = 3;
/// A tagged message waits at the origin: metadata, length, address, origin's request.
pub const REQUEST_TO_SEND: u8 = 4;
/// The target wants the data in packets: origin's request, target's request.
pub const CLEAR_TO_SEND: u8 = 5;
/// All data of a rendezvous: target's request, data.
pub const DATA: u8 = 6;
/// The first data of a rendezvous: target's request, length, data.
pub const DATA_LONG: u8 = 7;
/// The target has copied the data itself: origin's request.
pub const FINISHED: u8 = 8;
/// A whole tagged message whose origin waits for it to be matched: metadata,
/// origin's request, data.
pub const EAGER_SYNCHRONOUS: u8 = 9;
/// The target is ready for the stripes of a rendezvous: origin's request, how it is
/// divided, target's requests; see [`crate::striping`].
pub const STRIPES_CLEAR: u8 = 10;
/// The target copies the data of a rendezvous, and the origin may copy too: origin's request,
/// target's request, address, bytes, slot and generation; see `crate::tagged::transfer`.
pub const CLEAR_TO_COPY: u8 = 11;
/// The origin has copied what it had claimed of it, or could not: target's request.
pub const PUSHED: u8 = 12;
/// Asking for data of a length, or not, is the faster now; see `crate::tagged::send::timed_message`.
pub const PREFERENCE: u8 = 13;
/// A whole active message; see [`crate::active`] for this and the next ones.
pub const ACTIVE: u8 = 32;
/// The first packet of an active message of several.
pub const ACTIVE_LONG: u8 = 33;
/// More data of the active message that is coming on the same lane.
pub const ACTIVE_CONTINUATION: u8 = 34;
/// An active message whose data waits at the origin.
pub const ACTIVE_REQUEST: u8 = 35;
/// The target wants that data in packets.
pub const ACTIVE_CLEAR: u8 = 36;
/// All of that data.
pub const ACTIVE_DATA: u8 = 37;
/// The first packet of that data.
pub const ACTIVE_DATA_LONG: u8 = 38;
/// The target has an active message's data, or does not want it.
pub const ACTIVE_DONE: u8 = 39;
/// The engine has put data into this task's memory.
pub const PUT_ARRIVED: u8 = 40;
