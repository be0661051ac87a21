//! Why a collective operation could not be carried out.
//!
//! Step before: an algorithm in one of this room's folders fails. Step after:
//! the MPI layer maps the variant to an error class of the standard.

/// Why a collective operation could not go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExchangeError {
    /// A member sent more than the receiving member expected: the members do
    /// not agree on the amount of data.
    #[error(
        "rank {from} sent {sent_bytes} bytes where {expected_bytes} were expected: do all ranks pass matching counts and datatypes?"
    )]
    Truncated {
        /// The sending member's rank.
        from: usize,
        /// Bytes that were sent.
        sent_bytes: usize,
        /// Bytes that there was room for.
        expected_bytes: usize,
    },
    /// A member has left, and all that it has sent was received.
    #[error("rank {rank} has left while its part in the operation was waited for")]
    Left {
        /// The other member's rank.
        rank: usize,
    },
    /// An operation before this one has failed half-way, so the members' rounds do not agree.
    #[error(
        "an earlier operation on this communicator failed at this rank: make a new communicator for what follows"
    )]
    Disturbed,
    /// The shared memory between a member and this one makes no sense.
    #[error("the shared memory between rank {rank} and this one is corrupt")]
    Corrupt {
        /// The other member's rank.
        rank: usize,
    },
}

/// What stopped a collective operation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CollectiveError {
    /// A message could not be sent or received.
    #[error(transparent)]
    Exchange(#[from] ExchangeError),
    /// A member sent less than this member expected.
    #[error(
        "rank {from} sent {received_bytes} bytes where {expected_bytes} were expected: do all ranks pass matching counts and datatypes?"
    )]
    Shorter {
        /// The sending member's rank.
        from: usize,
        /// Bytes that came.
        received_bytes: usize,
        /// Bytes that should have come.
        expected_bytes: usize,
    },
    /// Temporary memory could not be had.
    #[error(
        "no memory for {bytes} temporary bytes: use smaller messages or an algorithm without temporary memory"
    )]
    OutOfMemory {
        /// Bytes that were asked for.
        bytes: usize,
    },
    /// The root is no member.
    #[error("root {root} is not one of the {size} ranks: pass a root below {size}")]
    RootOutside {
        /// The root that was passed.
        root: usize,
        /// Members there are.
        size: usize,
    },
    /// One member passed the root's buffers although it is not the root, or the reverse.
    #[error(
        "rank {rank} passed the buffer of the wrong role for root {root}: the root passes the root's form, all others the members' form"
    )]
    WrongRole {
        /// The member's own rank.
        rank: usize,
        /// The operation's root.
        root: usize,
    },
    /// A buffer's length does not fit the operation.
    #[error(
        "a buffer of {bytes} bytes was passed where {expected_bytes} are needed: pass a buffer of that length"
    )]
    WrongLength {
        /// Length that was passed.
        bytes: usize,
        /// Length that the operation needs.
        expected_bytes: usize,
    },
    /// A buffer that is reduced does not hold whole elements.
    #[error(
        "{bytes} bytes are not a whole number of elements of {element_bytes} bytes: pass whole elements"
    )]
    PartialElement {
        /// Length that was passed.
        bytes: usize,
        /// Bytes of one element.
        element_bytes: usize,
    },
    /// There are fewer or more blocks than partners.
    #[error("{blocks} blocks were described for {partners} partners: describe one block a partner")]
    WrongBlockCount {
        /// Blocks that were described.
        blocks: usize,
        /// Partners there are.
        partners: usize,
    },
    /// A block does not lie in the buffer.
    #[error(
        "block {block} ends at byte {end_bytes} of a buffer of {buffer_bytes}: pass smaller counts or displacements"
    )]
    BlockOutside {
        /// The block's index.
        block: usize,
        /// Where the block ends, in bytes.
        end_bytes: usize,
        /// The buffer's length in bytes.
        buffer_bytes: usize,
    },
    /// Two blocks that are received into share bytes.
    #[error(
        "blocks {first} and {second} overlap in the receive buffer: pass displacements that keep blocks apart"
    )]
    BlocksOverlap {
        /// The block that starts first.
        first: usize,
        /// The block that starts inside it.
        second: usize,
    },
    /// A block does not start where the one before it ends.
    #[error(
        "block {block} starts at byte {start_bytes} instead of {expected_start_bytes}: list blocks in the order of ranks without gaps"
    )]
    BlocksNotPacked {
        /// The block's index.
        block: usize,
        /// Where the block starts, in bytes.
        start_bytes: usize,
        /// Where the block before it ends, in bytes.
        expected_start_bytes: usize,
    },
    /// A member is its own neighbour, but not as often as a source as it is as a destination.
    #[error(
        "a rank is its own destination {destinations} times but its own source {sources} times: list each edge at both its ends"
    )]
    UnmatchedSelfEdges {
        /// How often the member is among its sources.
        sources: usize,
        /// How often the member is among its destinations.
        destinations: usize,
    },
    /// The neighbours of a Cartesian topology are not in pairs.
    #[error(
        "{sources} sources and {destinations} destinations are no Cartesian neighbourhood: list a negative and a positive neighbour for each dimension"
    )]
    NotCartesian {
        /// Sources that were listed.
        sources: usize,
        /// Destinations that were listed.
        destinations: usize,
    },
    /// A neighbour is no member.
    #[error("neighbour {neighbor} is not one of the {size} ranks: pass ranks below {size}")]
    NeighborOutside {
        /// The neighbour that was passed.
        neighbor: usize,
        /// Members there are.
        size: usize,
    },
    /// The algorithm that was asked for cannot serve this operation.
    #[error(
        "{kind} algorithm {algorithm} cannot serve {ranks} ranks with a {} operation: it needs {needs}",
        if *.commutative { "commutative" } else { "non-commutative" }
    )]
    Unsuitable {
        /// The kind of collective operation.
        kind: &'static str,
        /// The algorithm's name.
        algorithm: &'static str,
        /// Members there are.
        ranks: usize,
        /// Whether the reduction, if there is one, is commutative.
        commutative: bool,
        /// What the algorithm needs, in words.
        needs: &'static str,
    },
    /// No row of the selection table serves this operation.
    #[error(
        "no {kind} algorithm is listed for {bytes} bytes on {ranks} ranks: end the table with an algorithm that serves everything"
    )]
    NoAlgorithm {
        /// The kind of collective operation.
        kind: &'static str,
        /// The operation's size in bytes.
        bytes: usize,
        /// Members there are.
        ranks: usize,
    },
}
