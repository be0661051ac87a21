//! The contiguous blocks of a program, one after the other.
//!
//! Before: a [`Program`]. After: a caller that lists its memory; each step is one of a machine's [`State`].

use crate::gather_scatter::machine::State;
use crate::gather_scatter::program::Program;

impl Program {
    /// The contiguous blocks from packed offset `from` on, as
    /// `(displacement, bytes)`; the first may be the rest of a cut block.
    pub fn iter_blocks(&self, from: usize) -> Blocks<'_> {
        Blocks {
            program: self,
            state: State::at(self, from.min(self.total)),
        }
    }
}

/// Iterator over `(displacement, bytes)`; see [`Program::iter_blocks`].
#[derive(Debug)]
pub struct Blocks<'a> {
    program: &'a Program,
    state: State,
}

impl Iterator for Blocks<'_> {
    type Item = (i64, usize);

    fn next(&mut self) -> Option<(i64, usize)> {
        self.state.next_block(self.program)
    }
}
