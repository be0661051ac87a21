//! Programs built piece by piece, as PAMI's types are.
//!
//! A cursor moves over the memory that is being described: `offset` moves it on from where the
//! last piece left it; each repetition stands at the cursor and moves it on by `stride`.
//! Where it is in the end is where the next element would begin.
//!
//! ```text
//!   add_simple(8, 0, 2, 16)   ████████········████████········▼
//!   add_simple(4, 8, 1, 8)                                    ········████····▼
//! ```
//!
//! | state | event | next |
//! |---|---|---|
//! | building | `add_simple`, `add_typed` | building; after an error as before the call |
//! | building | `complete` | a [`Program`], which never changes |
//!
//! Step before: PAMI's functions on types. Step after: [`super::canonical`].
//!
//! Source: PAMI, `PAMI_Type_add_simple`, `PAMI_Type_add_typed` and `PAMI_Type_complete`.

use super::node::{Placed, repeat, sequence};
use crate::gather_scatter::error::{ProgramError, product, signed, sum};
use crate::gather_scatter::program::Program;

/// A program in the making; see the module.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    parts: Vec<Placed>,
    cursor: i64,
}

impl Builder {
    /// Without any data.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds `count` blocks of `bytes` bytes each, `stride` bytes from one to the next, the
    /// first `offset` bytes behind the cursor.
    ///
    /// # Errors
    ///
    /// [`ProgramError::TooLarge`] where a size or displacement does not fit in 63 bits.
    pub fn add_simple(
        &mut self,
        bytes: usize,
        offset: i64,
        count: usize,
        stride: i64,
    ) -> Result<(), ProgramError> {
        self.add(&Placed::checked_block(0, bytes)?, offset, count, stride)
    }

    /// The same with a whole program in the place of each block.
    ///
    /// # Errors
    ///
    /// As for [`Self::add_simple`], and [`ProgramError::TooDeep`].
    pub fn add_typed(
        &mut self,
        subtype: &Program,
        offset: i64,
        count: usize,
        stride: i64,
    ) -> Result<(), ProgramError> {
        let element = repeat(subtype.count, subtype.stride, &subtype.placed)?;
        self.add(&element, offset, count, stride)
    }

    fn add(
        &mut self,
        piece: &Placed,
        offset: i64,
        count: usize,
        stride: i64,
    ) -> Result<(), ProgramError> {
        let start = sum("the cursor", self.cursor, offset)?;
        let moved = product("the cursor", signed("a count", count)?, stride)?;
        let cursor = sum("the cursor", start, moved)?;
        let part = repeat(count, stride, piece)?.shifted(start)?;
        self.cursor = cursor;
        self.parts.push(part);
        Ok(())
    }

    /// The program, in canonical form.
    ///
    /// # Errors
    ///
    /// As for [`Self::add_typed`], for all pieces together.
    pub fn complete(self) -> Result<Program, ProgramError> {
        Program::canonical(&sequence(self.parts)?, self.cursor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(program: &Program) -> Vec<(i64, usize)> {
        program.iter_blocks(0).collect()
    }

    #[test]
    fn the_cursor_moves_by_offset_and_stride() {
        let mut builder = Builder::new();
        builder.add_simple(8, 0, 2, 16).unwrap();
        builder.add_simple(4, 8, 1, 8).unwrap();
        let program = builder.complete().unwrap();
        assert_eq!(blocks(&program), [(0, 8), (16, 8), (40, 4)]);
        assert_eq!((program.bytes(), program.extent()), (20, 48));

        let mut outer = Builder::new();
        outer.add_typed(&program, 4, 2, 100).unwrap();
        let outer = outer.complete().unwrap();
        let expected = [(4, 8), (20, 8), (44, 4), (104, 8), (120, 8), (144, 4)];
        assert_eq!(blocks(&outer), expected);
        assert_eq!(outer.extent(), 204);
    }

    #[test]
    fn the_worked_example_with_offsets_from_block_to_block() {
        let mut builder = Builder::new();
        for (bytes, offset) in [(12, 0), (6, 20), (16, 13)] {
            builder.add_simple(bytes, offset, 1, 0).unwrap();
        }
        let program = builder.complete().unwrap();
        assert_eq!(blocks(&program), [(0, 12), (20, 6), (33, 16)]);
    }

    #[test]
    fn what_does_not_fit_is_refused_and_changes_nothing() {
        let mut builder = Builder::new();
        builder.add_simple(8, 0, 1, 8).unwrap();
        assert!(builder.add_simple(usize::MAX, 0, 1, 0).is_err());
        assert!(builder.add_simple(8, i64::MAX, 1, 0).is_err());
        assert!(builder.add_simple(8, 0, usize::MAX, 8).is_err());
        assert!(builder.add_simple(8, 0, 3, i64::MAX / 2).is_err());
        let program = builder.complete().unwrap();
        assert_eq!((program.bytes(), program.extent()), (8, 8));
    }
}
