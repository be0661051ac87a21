//! What can be wrong with a program, made here or sent by a peer.
//!
//! Step before: [`crate::gather_scatter::program::builder`], [`crate::gather_scatter::program::node`] or [`crate::gather_scatter::program::code`] refuses. Step after:
//! MPI and PAMI turn it into their own error codes.

use thiserror::Error;

/// Why a program could not be made or read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ProgramError {
    /// A size, extent or displacement does not fit in 63 bits.
    #[error("{what} does not fit in 63 bits; describe less memory with one program")]
    TooLarge {
        /// Which quantity.
        what: &'static str,
    },
    /// Programs nested in programs beyond the limit.
    #[error("{levels} levels of loops and subprograms; stay within {limit}")]
    TooDeep {
        /// What the new program would have.
        levels: usize,
        /// The most allowed.
        limit: usize,
    },
    /// The bytes do not begin as a serialised program does.
    #[error("the bytes are no program of version {version}; serialise it with the same build")]
    NotAProgram {
        /// The version that this build reads.
        version: u8,
    },
    /// The bytes end within an instruction, or go on behind the last one.
    #[error(
        "the program's code is {found} bytes but its instructions end at byte {end}; send it whole"
    )]
    WrongLength {
        /// Bytes that are there.
        found: usize,
        /// Where reading stopped.
        end: usize,
    },
    /// An instruction that does not exist, or stands where it must not.
    #[error("byte {at} of the program's code is {code:#04x}, no instruction that may stand there")]
    BadInstruction {
        /// Its place in the code.
        at: usize,
        /// The byte.
        code: u8,
    },
    /// A subprogram is called that was not defined before the call.
    #[error("byte {at} of the program's code calls subprogram {index} of {defined}")]
    NoSubprogram {
        /// The call's place in the code.
        at: usize,
        /// Which one is called.
        index: usize,
        /// How many are defined there.
        defined: usize,
    },
    /// The header promises other bytes than the instructions move.
    #[error("the program moves {found} bytes where its header says {said}; send it unchanged")]
    WrongSize {
        /// Packed bytes according to the header.
        said: usize,
        /// Packed bytes according to the instructions.
        found: usize,
    },
}

/// `a * b`, refused where it overflows.
pub(super) fn product(what: &'static str, a: i64, b: i64) -> Result<i64, ProgramError> {
    a.checked_mul(b).ok_or(ProgramError::TooLarge { what })
}

/// `a + b`, refused where it overflows.
pub(super) fn sum(what: &'static str, a: i64, b: i64) -> Result<i64, ProgramError> {
    a.checked_add(b).ok_or(ProgramError::TooLarge { what })
}

/// An unsigned quantity as a signed one, refused above 63 bits.
pub(super) fn signed(what: &'static str, value: usize) -> Result<i64, ProgramError> {
    i64::try_from(value).map_err(|_| ProgramError::TooLarge { what })
}
