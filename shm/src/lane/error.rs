//! What can be wrong with a lane: only what its other end has written.
//!
//! Before: a cursor or a header word was read. After: the peer's memory is corrupt, and its lane is not read any more.

/// What a peer wrote cannot be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LaneError {
    /// A record would reach beyond the ring or beyond the longest record.
    #[error(
        "a peer wrote a record of {lines} lines at line {line} of a lane of {ring_lines}: its memory is corrupt"
    )]
    Record {
        /// Lines that the record claims.
        lines: u64,
        /// Where it starts.
        line: u64,
        /// Lines of the ring.
        ring_lines: u64,
    },
    /// The consumer claims to have read what was not written.
    #[error(
        "a peer claims to have consumed {consumed} lines of {produced} produced: its memory is corrupt"
    )]
    Cursor {
        /// What the peer claims.
        consumed: u64,
        /// What was produced.
        produced: u64,
    },
}
