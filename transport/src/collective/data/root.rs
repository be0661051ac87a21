//! What a member passes to an operation with a root, and how ranks count from it.

use crate::collective::error::CollectiveError;

/// A member's buffer where data flows to the root (reduce, gather).
#[derive(Debug)]
pub enum ToRoot<'a> {
    /// The root's buffer: holds its own contribution, and the result afterwards.
    Root(&'a mut [u8]),
    /// Any other member's contribution.
    Member(&'a [u8]),
}

impl ToRoot<'_> {
    /// Length of the buffer in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Root(buffer) => buffer.len(),
            Self::Member(buffer) => buffer.len(),
        }
    }

    /// This member's buffer, to read.
    pub fn contribution(&self) -> &[u8] {
        match self {
            Self::Root(buffer) => buffer,
            Self::Member(buffer) => buffer,
        }
    }
}

/// A member's buffer where data flows from the root (scatter).
#[derive(Debug)]
pub enum FromRoot<'a> {
    /// The root's buffer: the blocks of all members; the root's own block stays where it is.
    Root(&'a [u8]),
    /// Where any other member gets its block.
    Member(&'a mut [u8]),
}

impl FromRoot<'_> {
    /// Length of the buffer in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Root(buffer) => buffer.len(),
            Self::Member(buffer) => buffer.len(),
        }
    }
}

/// Refuses a root that is no member.
pub fn check_root(root: usize, size: usize) -> Result<(), CollectiveError> {
    if root < size {
        Ok(())
    } else {
        Err(CollectiveError::RootOutside { root, size })
    }
}

/// Refuses a member that passes the root's buffers without being the root, or the reverse.
pub fn check_role(rank: usize, root: usize, is_root: bool) -> Result<(), CollectiveError> {
    if (rank == root) == is_root {
        Ok(())
    } else {
        Err(CollectiveError::WrongRole { rank, root })
    }
}

/// How far `rank` is above `root`, counted around: the root is 0.
pub fn from_root(rank: usize, root: usize, size: usize) -> usize {
    if rank >= root {
        rank - root
    } else {
        rank + size - root
    }
}

/// The rank that is `distance` (below `size`) above `rank`, counted around.
pub fn above(rank: usize, distance: usize, size: usize) -> usize {
    if rank + distance >= size {
        rank + distance - size
    } else {
        rank + distance
    }
}

/// The rank that is `distance` (at most `size`) below `rank`, counted around.
pub fn below(rank: usize, distance: usize, size: usize) -> usize {
    if rank >= distance {
        rank - distance
    } else {
        rank + size - distance
    }
}
