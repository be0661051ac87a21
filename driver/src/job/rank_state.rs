//! How far a rank has come.
//!
//! Before: a rank has claimed its place, or has not. After: its peers, its bridges and the launcher know whether anything more
//! can come from it.

/// How far a rank has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankState {
    /// It has not initialised.
    Absent,
    /// It takes part.
    Attached,
    /// It has left in good order.
    Finalized,
    /// It gave up the job.
    Aborted {
        /// The code it gave.
        code: i32,
    },
}

impl RankState {
    pub(crate) fn to_word(self) -> u64 {
        match self {
            Self::Absent => 0,
            Self::Attached => 1,
            Self::Finalized => 2,
            Self::Aborted { code } => 3 | u64::from(code as u32) << 32,
        }
    }

    pub(crate) fn from_word(word: u64) -> Self {
        match word as u32 {
            0 => Self::Absent,
            1 => Self::Attached,
            2 => Self::Finalized,
            _ => Self::Aborted {
                code: (word >> 32) as i32,
            },
        }
    }
}
