//! Transfers of so many bytes: how many elements they take, and what memory they touch.
//!
//! A transfer applies one element's program to an address over and over, each time an extent
//! further on, until its bytes are moved; it may end in the middle of an element.
//!
//! ```text
//!   element      ██··█·         3 packed bytes, extent 6
//!   8 bytes      ██··█·██··█·██··          covering: 3 elements
//!                └─────────────┘ reach
//! ```
//!
//! Step before: PAMI names a type, an address and a number of bytes. Step after: a
//! [`crate::gather_scatter::Machine`] runs the covering program; the reach is compared with a memory region.
//!
//! Invariant: both are of programs of one element.

use crate::gather_scatter::program::Program;

impl Program {
    /// As many elements of this program as `bytes` packed bytes take; `None` where it has no data to
    /// take them from, or more than the address space is asked for.
    pub fn covering(&self, bytes: usize) -> Option<Self> {
        isize::try_from(bytes).ok()?;
        match self.bytes() {
            _ if bytes == 0 => Some(self.times(0)),
            0 => None,
            element => Some(self.times(bytes.div_ceil(element))),
        }
    }

    /// The lowest byte, and the end of the highest, that the first `bytes` packed bytes touch, from
    /// the address on; `None` as for [`Self::covering`], or where a place does not fit in 63 bits.
    pub fn reach(&self, bytes: usize) -> Option<(i64, i64)> {
        isize::try_from(bytes).ok()?;
        if bytes == 0 {
            return Some((0, 0));
        }
        let element = self.bytes();
        let (whole, rest) = (bytes.checked_div(element)?, bytes.checked_rem(element)?);
        let mut reach = None;
        if whole != 0 {
            let (low, high) = self.placed().span();
            let last = self.extent().checked_mul(whole as i64 - 1)?;
            reach = Some((
                low.checked_add(last.min(0))?,
                high.checked_add(last.max(0))?,
            ));
        }
        if rest != 0 {
            let (low, high) = self.reach_within(rest);
            let start = self.extent().checked_mul(whole as i64)?;
            let (low, high) = (low.checked_add(start)?, high.checked_add(start)?);
            reach = Some(match reach {
                Some((lowest, highest)) => (low.min(lowest), high.max(highest)),
                None => (low, high),
            });
        }
        reach
    }

    /// The same for less than one element.
    fn reach_within(&self, bytes: usize) -> (i64, i64) {
        let (mut low, mut high, mut left) = (i64::MAX, i64::MIN, bytes);
        for (displacement, block) in self.iter_blocks(0) {
            let block = block.min(left);
            low = low.min(displacement);
            high = high.max(displacement + block as i64);
            left -= block;
            if left == 0 {
                break;
            }
        }
        (low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gather_scatter::Builder;

    fn program(pieces: &[(usize, i64)], tail: i64) -> Program {
        let mut builder = Builder::new();
        for &(bytes, offset) in pieces {
            builder.add_simple(bytes, offset, 1, 0).unwrap();
        }
        builder.add_simple(0, tail, 0, 0).unwrap();
        builder.complete().unwrap()
    }

    /// By looking at every byte.
    fn reach_of(program: &Program, bytes: usize) -> (i64, i64) {
        let covering = program.covering(bytes).unwrap();
        let mut left = bytes;
        let mut reach = (i64::MAX, i64::MIN);
        for (at, block) in covering.iter_blocks(0) {
            let block = block.min(left);
            if block == 0 {
                break;
            }
            reach = (reach.0.min(at), reach.1.max(at + block as i64));
            left -= block;
        }
        assert_eq!(left, 0, "the covering program has all bytes");
        reach
    }

    #[test]
    fn the_reach_ends_where_the_last_byte_is() {
        let forward = program(&[(2, 0), (1, 4)], 2);
        assert_eq!(forward.extent(), 6);
        assert_eq!(forward.covering(8).unwrap().bytes(), 9);
        assert_eq!(forward.reach(8), Some((0, 14)));
        assert_eq!(forward.reach(9), Some((0, 17)));
        let backward = program(&[(4, 0), (4, -20), (2, 9)], -30);
        let apart = program(&[(3, 5), (8, -5)], 100);
        for program in [forward, backward, apart, program(&[(7, 0)], 7)] {
            for bytes in 1..60 {
                assert_eq!(
                    program.reach(bytes),
                    Some(reach_of(&program, bytes)),
                    "{bytes}"
                );
            }
        }
    }

    #[test]
    fn what_cannot_be_had_is_refused() {
        let nothing = program(&[], 8);
        assert!(nothing.covering(1).is_none() && nothing.reach(1).is_none());
        assert_eq!(nothing.covering(0).unwrap().bytes(), 0);
        let some = program(&[(8, 0)], 8);
        assert_eq!(some.reach(0), Some((0, 0)));
        assert!(some.covering(usize::MAX).is_none() && some.reach(usize::MAX).is_none());
        let far = program(&[(1, 0)], i64::MAX);
        assert!(far.reach(3).is_none());
    }

    #[test]
    fn the_unit_divides_every_block() {
        assert_eq!(
            program(&[(12, 0), (6, 20), (16, 13)], 0)
                .placed()
                .node
                .unit(),
            2
        );
        assert_eq!(program(&[(24, 0), (16, 50)], 0).placed().node.unit(), 8);
        assert_eq!(program(&[], 9).placed().node.unit(), 0);
        let mut builder = Builder::new();
        builder.add_simple(8, 0, 3, 24).unwrap();
        builder
            .add_typed(&program(&[(12, 0), (4, 30)], 0), 0, 5, 100)
            .unwrap();
        assert_eq!(builder.complete().unwrap().placed().node.unit(), 4);
    }
}
