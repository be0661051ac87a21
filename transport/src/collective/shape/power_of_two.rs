//! How any number of members takes part in an algorithm made for a power of two.
//!
//! Of the first members, neighbours form pairs: one hands its data to the other
//! before the algorithm and gets the result after it. Folded indices keep the
//! order of ranks, so that non-commutative operators are served.
//!
//! ```text
//!   6 members, power 4, pairs 2      ranks    0 1   2 3   4   5
//!                                    folded    0     1    2   3
//! ```

/// The part one member has in an algorithm over a power of two of members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Folding {
    /// Largest power of two that is at most the number of members.
    pub power: usize,
    /// How many pairs there are: the members above the power.
    pub pairs: usize,
    /// The member that shall not be the one which only hands over: an operation's root.
    active: usize,
}

/// What a member does around the algorithm proper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fold {
    /// Not in a pair.
    Alone,
    /// Takes the data of `partner` in, and gives it the result afterwards.
    Takes {
        /// The other member of the pair.
        partner: usize,
    },
    /// Hands its data to `partner`, and gets the result from it.
    Hands {
        /// The other member of the pair.
        partner: usize,
    },
}

impl Folding {
    /// The folding of `size` members (not 0) in which `active` takes part in the algorithm.
    pub fn new(size: usize, active: usize) -> Self {
        let power = 1 << size.ilog2();
        Self {
            power,
            pairs: size - power,
            active,
        }
    }

    /// What `rank` does around the algorithm.
    pub fn fold(&self, rank: usize) -> Fold {
        if rank >= 2 * self.pairs {
            return Fold::Alone;
        }
        let partner = rank ^ 1;
        if self.rank_of(rank / 2) == rank {
            Fold::Takes { partner }
        } else {
            Fold::Hands { partner }
        }
    }

    /// The folded index of `rank` (that of its pair, where it is in one).
    pub fn index_of(&self, rank: usize) -> usize {
        if rank < 2 * self.pairs {
            rank / 2
        } else {
            rank - self.pairs
        }
    }

    /// The member that takes part under the folded index `index`.
    pub fn rank_of(&self, index: usize) -> usize {
        if index >= self.pairs {
            index + self.pairs
        } else if self.active == 2 * index {
            self.active
        } else {
            2 * index + 1
        }
    }
}
