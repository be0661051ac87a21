//! One row of a table: an algorithm, and the sizes and members that it is for.
//!
//! Before: a kind's own file, a configuration file or a variable. After: [`super::table`].

use pamir_shm::processor::stores_without_fetch;

/// What an algorithm asks of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Needs {
    /// Serves everything.
    Nothing,
    /// The operator is commutative.
    Commutative,
    /// The number of members is a power of two.
    PowerOfTwo,
    /// The members share a board ([`crate::collective::board`]).
    Board,
}

impl Needs {
    /// Whether an operation in this situation is served.
    pub fn met(self, situation: Situation) -> bool {
        match self {
            Self::Nothing => true,
            Self::Commutative => situation.commutative,
            Self::PowerOfTwo => situation.ranks.is_power_of_two(),
            Self::Board => situation.board,
        }
    }

    /// The need in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Commutative => "a commutative operation",
            Self::PowerOfTwo => "a power of two of ranks",
            Self::Board => "a board that the ranks share",
        }
    }
}

/// What decides about an operation beside its size: the same at all its members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Situation {
    /// How many members take part.
    pub ranks: usize,
    /// Whether the operator is commutative; true where there is none.
    pub commutative: bool,
    /// Whether members share their processors.
    pub oversubscribed: bool,
    /// Whether members share a board.
    pub board: bool,
    /// Whether their processor's string moves store to lines that other cores have without fetching them; the same on
    /// all of a machine.
    pub stores_without_fetch: bool,
}

impl Situation {
    /// `ranks` members with a processor each.
    pub fn new(ranks: usize, commutative: bool) -> Self {
        Self {
            ranks,
            commutative,
            oversubscribed: false,
            board: false,
            stores_without_fetch: stores_without_fetch(),
        }
    }

    /// The situation, where members share processors or not.
    pub fn oversubscribed(mut self, oversubscribed: bool) -> Self {
        self.oversubscribed = oversubscribed;
        self
    }

    /// The situation, where members share a board or not.
    pub fn board(mut self, board: bool) -> Self {
        self.board = board;
        self
    }
}

/// One line of a table: an algorithm, and what it is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row<A> {
    /// The algorithm.
    pub algorithm: A,
    /// Smallest size it is used for, in bytes.
    pub from_bytes: usize,
    /// Largest size it is used for, in bytes.
    pub up_to_bytes: usize,
    /// Fewest members it is used for.
    pub least_ranks: usize,
    /// Most members it is used for.
    pub most_ranks: usize,
    /// Whether it is used only where members share their processors: then a message to a member
    /// that is not running costs a turn of the scheduler, and fewer rounds are worth more
    /// messages.
    pub oversubscribed: bool,
    /// Whether it is used only where string moves store lines without fetching them (`pamir_shm::processor`): then
    /// posts are written fast. Built-in rows only say so.
    pub stores_without_fetch: bool,
}

impl<A: Copy> Row<A> {
    /// A row for any size and any number of members.
    pub const fn new(algorithm: A) -> Self {
        Self {
            algorithm,
            from_bytes: 0,
            up_to_bytes: usize::MAX,
            least_ranks: 0,
            most_ranks: usize::MAX,
            oversubscribed: false,
            stores_without_fetch: false,
        }
    }

    /// The row, for at least `bytes` bytes.
    pub const fn from(mut self, bytes: usize) -> Self {
        self.from_bytes = bytes;
        self
    }

    /// The row, for at most `bytes` bytes.
    pub const fn up_to(mut self, bytes: usize) -> Self {
        self.up_to_bytes = bytes;
        self
    }

    /// The row, for `least` to `most` members.
    pub const fn ranks(mut self, least: usize, most: usize) -> Self {
        self.least_ranks = least;
        self.most_ranks = most;
        self
    }

    /// The row, for processors whose string moves store lines without fetching them.
    pub const fn taking_over(mut self) -> Self {
        self.stores_without_fetch = true;
        self
    }

    /// The row, for members that share their processors.
    pub const fn oversubscribed(mut self) -> Self {
        self.oversubscribed = true;
        self
    }
}

impl<A> Row<A> {
    /// The row, for another algorithm.
    pub fn with<B>(&self, algorithm: B) -> Row<B> {
        Row {
            algorithm,
            from_bytes: self.from_bytes,
            up_to_bytes: self.up_to_bytes,
            least_ranks: self.least_ranks,
            most_ranks: self.most_ranks,
            oversubscribed: self.oversubscribed,
            stores_without_fetch: self.stores_without_fetch,
        }
    }

    /// Whether the row is for a size.
    pub fn covers_size(&self, bytes: usize) -> bool {
        (self.from_bytes..=self.up_to_bytes).contains(&bytes)
    }

    /// Whether the row is for members in a situation.
    pub fn covers_members(&self, situation: Situation) -> bool {
        (self.least_ranks..=self.most_ranks).contains(&situation.ranks)
            && (situation.oversubscribed || !self.oversubscribed)
            && (situation.stores_without_fetch || !self.stores_without_fetch)
    }

    /// Whether the row is for every size and all members that `other` is for.
    pub fn covers<B>(&self, other: &Row<B>) -> bool {
        self.from_bytes <= other.from_bytes
            && other.up_to_bytes <= self.up_to_bytes
            && self.least_ranks <= other.least_ranks
            && other.most_ranks <= self.most_ranks
            && (other.oversubscribed || !self.oversubscribed)
            && (other.stores_without_fetch || !self.stores_without_fetch)
    }
}
