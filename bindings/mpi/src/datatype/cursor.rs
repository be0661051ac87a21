//! The machine that runs a layout program for some bytes at a time.
//!
//! It plays the part of the data gather/scatter machine (DGSM). Its whole
//! state is one packed offset: every burst finds its place from the root (what
//! the *dummy* DGSM does) and then moves whole inner loops. Stopping anywhere,
//! also inside an element, and seeking cost therefore nothing to keep.
//!
//! Step before: `super::program` says what memory a packed range is. Step
//! after: the bytes are moved by `super::memory`, the only file here that
//! touches user memory.
//!
//! Invariant: `offset <= total`.

use super::program::{Collect, Program};

/// A range of user memory, as `process_vm_readv` takes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoVector {
    /// Address of the first byte.
    pub address: usize,
    /// Length.
    pub bytes: usize,
}

/// A position in the packed form of a user's buffer.
#[derive(Clone, Debug)]
pub struct Cursor {
    pub(super) program: Program,
    pub(super) base: usize,
    pub(super) offset: usize,
}

impl Cursor {
    /// The packed offset of the next byte.
    #[inline]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Packed bytes in all.
    #[inline]
    pub fn total(&self) -> usize {
        self.program.bytes()
    }

    /// Packed bytes still to move.
    #[inline]
    pub fn remaining(&self) -> usize {
        self.program.bytes() - self.offset
    }

    /// Goes to a packed offset; beyond the end it stays at the end.
    #[inline]
    pub fn seek(&mut self, offset: usize) {
        self.offset = offset.min(self.program.bytes());
    }

    /// The program behind the cursor.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// `(address, bytes)` where the whole buffer is one contiguous block.
    #[inline]
    pub fn contiguous(&self) -> Option<(usize, usize)> {
        let (displacement, bytes) = self.program.contiguous()?;
        Some((self.base.wrapping_add_signed(displacement as isize), bytes))
    }

    /// Fills `out` with up to `most` ranges of memory from packed offset
    /// `from` on, neighbours merged, and answers the packed offset behind
    /// them. The cursor does not move.
    pub fn iovecs(&self, from: usize, most: usize, out: &mut Vec<IoVector>) -> usize {
        out.clear();
        let mut list = Vec::new();
        if most != 0 {
            let mut collect = Collect {
                list: &mut list,
                most,
                merge: true,
            };
            self.program.run(from, self.program.bytes(), &mut collect);
        }
        let mut end = from.min(self.program.bytes());
        for (displacement, bytes) in list {
            end += bytes;
            let address = self.base.wrapping_add_signed(displacement as isize);
            out.push(IoVector { address, bytes });
        }
        end
    }
}
