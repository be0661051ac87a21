//! Whose turn it is to write the cells of a pair of tasks.
//!
//! Before: an end has a message for the other one, or has read one out of a cell. After: it writes the cell that it may,
//! or goes another way ([`crate::exclusive_buffer::mapped`]).
//!
//! A cell is memory that two tasks write in turn. The task that has read a message out of it may write the next one into it, and
//! nobody else: that is all there is to agree on, and the message itself says it. Each end begins with one cell.
//!
//! ```text
//!         task 0                                task 1
//!   may write 0        ── message in cell 0 ──▶          may write 1, 0
//!   may write 0        ◀── reply in cell 0 ───           may write 1       the one that came last goes first
//!   may write          ── message in cell 0 ──▶          may write 1, 0
//!   (none: by lane)    ── the next at once, by lane ──▶  may write 1, 0
//! ```
//!
//! What a task has just read lies in its own cache, so its reply is written there without asking the other core for
//! anything but to forget its copy. In a lane, a line was read by the other core last, and has to come back first.
//!
//! | turn | event | next |
//! |---|---|---|
//! | mine | [`CellTurns::give`]: a message in it begins | theirs |
//! | theirs | [`CellTurns::take`]: the last part of their message was read | mine |
//! | mine | `take` | refused: the other end writes where it may not |
//! | theirs | `give` | never: only what [`CellTurns::next`] has named is given |
//!
//! Invariant: a cell is never both ends'. What was written before a message was committed to the lane is seen by who has
//! peeked it (Release and Acquire of the header word, [`crate::lane`]), and so is all that its reader did before it
//! answered in the same cell.

use std::cell::Cell;

/// Cells of a pair: one for each end to begin with, so that both can send at once.
pub const CELLS: usize = 2;

/// One end's idea of which cells it may write.
#[derive(Debug)]
pub struct CellTurns {
    /// A bit for each cell that is this end's.
    mine: Cell<u8>,
    /// The cell that was read last.
    last: Cell<u8>,
}

impl CellTurns {
    /// The turns of a pair's end at the beginning: that of the `first` task or of the other one.
    pub fn new(first: bool) -> Self {
        let own = if first { 0 } else { 1 };
        Self {
            mine: Cell::new(1 << own),
            last: Cell::new(own),
        }
    }

    /// The cell that is best written next, if there is any: of several the one that was read last, whose lines are in this
    /// core's cache.
    #[inline(always)]
    pub fn next(&self) -> Option<usize> {
        let last = usize::from(self.last.get());
        match self.mine.get() {
            0 => None,
            mine if mine >> last & 1 != 0 => Some(last),
            _ => Some(CELLS - 1 - last),
        }
    }

    /// Gives a cell that [`Self::next`] has named to the other end, with a message that begins in it.
    #[inline(always)]
    pub fn give(&self, cell: usize) {
        debug_assert!(
            self.mine.get() >> cell & 1 != 0,
            "cell {cell} is not this end's"
        );
        self.mine.set(self.mine.get() & !(1 << cell));
    }

    /// Whether there is such a cell, and it is the other end's.
    #[inline(always)]
    pub fn is_theirs(&self, cell: usize) -> bool {
        cell < CELLS && self.mine.get() >> cell & 1 == 0
    }

    /// Takes a cell whose message was read to its end; it is the other one's ([`Self::is_theirs`]).
    #[inline(always)]
    pub fn take(&self, cell: usize) {
        debug_assert!(self.is_theirs(cell), "cell {cell} is not the other end's");
        self.mine.set(self.mine.get() | 1 << cell);
        self.last.set(cell as u8);
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;

    #[test]
    fn a_reply_goes_into_the_cell_that_was_read() {
        let (one, other) = (CellTurns::new(true), CellTurns::new(false));
        for _ in 0..3 {
            assert_eq!(one.next(), Some(0));
            one.give(0);
            assert_eq!(one.next(), None);
            assert!(other.is_theirs(0));
            other.take(0);
            assert_eq!(other.next(), Some(0));
            other.give(0);
            assert_eq!(other.next(), Some(1), "the one it began with");
            one.take(0);
        }
    }

    #[test]
    fn both_may_send_at_once_and_change_cells() {
        let (one, other) = (CellTurns::new(true), CellTurns::new(false));
        for round in 0..4 {
            let (mine, theirs) = (one.next().unwrap(), other.next().unwrap());
            assert_eq!((mine, theirs), (round % 2, 1 - round % 2));
            one.give(mine);
            other.give(theirs);
            one.take(theirs);
            other.take(mine);
        }
    }

    #[test]
    fn what_is_not_theirs_is_known() {
        let one = CellTurns::new(true);
        assert!(!one.is_theirs(0) && one.is_theirs(1));
        assert!(!one.is_theirs(CELLS) && !one.is_theirs(usize::MAX));
        one.take(1);
        assert_eq!(one.next(), Some(1));
        one.give(1);
        assert_eq!(one.next(), Some(0));
    }

    /// Any order in which two ends send and read: no cell is ever both ends', and none gets lost.
    #[test]
    fn no_order_of_messages_loses_a_cell() {
        use std::collections::VecDeque;
        for seed in 0..2000_u64 {
            let ends = [CellTurns::new(true), CellTurns::new(false)];
            let mut under_way: [VecDeque<usize>; 2] = Default::default();
            let mut random = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
            for _ in 0..64 {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                let end = (random >> 20 & 1) as usize;
                if random >> 40 & 1 == 0 {
                    if let Some(cell) = ends[end].next() {
                        ends[end].give(cell);
                        under_way[1 - end].push_back(cell);
                    }
                } else if let Some(cell) = under_way[end].pop_front() {
                    assert!(ends[end].is_theirs(cell), "seed {seed}");
                    ends[end].take(cell);
                }
                for cell in 0..CELLS {
                    let owners = ends.iter().filter(|end| !end.is_theirs(cell)).count();
                    let carried = under_way
                        .iter()
                        .flatten()
                        .filter(|way| **way == cell)
                        .count();
                    assert_eq!(owners + carried, 1, "seed {seed}, cell {cell}");
                }
            }
        }
    }
}

#[cfg(all(test, loom))]
mod models {
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;
    use loom::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    /// Two cells, and two words each way as a lane's header words: number of the message, and its cell.
    #[derive(Default)]
    struct Pair {
        cells: [UnsafeCell<u64>; CELLS],
        to: [[AtomicU64; 2]; 2],
    }

    fn send(pair: &Pair, turns: &CellTurns, to: usize, number: u64) {
        let cell = turns.next().expect("a cell came with the last message");
        turns.give(cell);
        // SAFETY: the cell was this end's; loom reports it if the other one touches it as well.
        pair.cells[cell].with_mut(|value| unsafe { *value = number });
        pair.to[to][number as usize & 1].store(number << 1 | cell as u64, Ordering::Release);
    }

    fn receive(pair: &Pair, turns: &CellTurns, at: usize, number: u64) {
        let word = loop {
            let word = pair.to[at][number as usize & 1].load(Ordering::Acquire);
            if word >> 1 == number {
                break word;
            }
            loom::thread::yield_now();
        };
        let cell = (word & 1) as usize;
        assert!(turns.is_theirs(cell));
        // SAFETY: as in `send`.
        pair.cells[cell].with(|value| unsafe { assert_eq!(*value, number) });
        turns.take(cell);
    }

    #[test]
    fn loom_replies_are_never_written_while_somebody_reads() {
        loom::model(|| {
            let pair = Arc::new(Pair::default());
            let other = Arc::clone(&pair);
            let thread = loom::thread::spawn(move || {
                let turns = CellTurns::new(false);
                for number in 1..=2 {
                    receive(&other, &turns, 1, number);
                    send(&other, &turns, 0, number);
                }
            });
            let turns = CellTurns::new(true);
            for number in 1..=2 {
                send(&pair, &turns, 1, number);
                receive(&pair, &turns, 0, number);
            }
            thread.join().unwrap();
        });
    }

    #[test]
    fn loom_messages_that_cross_use_both_cells() {
        loom::model(|| {
            let pair = Arc::new(Pair::default());
            let other = Arc::clone(&pair);
            let thread = loom::thread::spawn(move || {
                let turns = CellTurns::new(false);
                for number in 1..=2 {
                    send(&other, &turns, 0, number);
                    receive(&other, &turns, 1, number);
                }
            });
            let turns = CellTurns::new(true);
            for number in 1..=2 {
                send(&pair, &turns, 1, number);
                receive(&pair, &turns, 0, number);
            }
            thread.join().unwrap();
        });
    }
}
