//! When a send is complete: what its caller waits for.
//!
//! Before: MPI's modes and calls. After: `super::route`, since a caller that waits, one that computes meanwhile and one
//! that needs the target's word are served best in different ways.

/// When a send is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Completion {
    /// When the buffer may be changed again.
    Local,
    /// The same, and the next one like it comes after that: a part of an operation in the background.
    Single,
    /// The same, and the caller does nothing else until then.
    Awaited,
    /// When the target has begun to receive (MPI's synchronous mode).
    Matched,
}
