//! Whose turn it is to write the exclusive buffers of a pair of tasks.
//!
//! Before: an end has a message for the other one, or has read one out of an exclusive buffer. After: it writes the
//! exclusive buffer that it may, or goes another way ([`crate::exclusive_buffer::mapped`]).
//!
//! An exclusive buffer is memory that two tasks write in turn. The task that has read a message out of it may write the
//! next one into it, and nobody else: that is all there is to agree on, and the message itself says it. Each end begins
//! with one exclusive buffer.
//!
//! ```text
//!         task 0                                task 1
//!   may write 0        ── message in 0 ──▶    may write 1, 0
//!   may write 0        ◀── reply in 0 ────    may write 1       the one that came last goes first
//!   may write          ── message in 0 ──▶    may write 1, 0
//!   (none: by lane)    ── the next one ──▶    may write 1, 0
//! ```
//!
//! What a task has just read lies in its own cache, so its reply is written there without asking the other core for
//! anything but to forget its copy. In a lane, a line was read by the other core last, and has to come back first.
//!
//! | turn | event | next |
//! |---|---|---|
//! | mine | [`BufferTurns::give`]: a message in it begins | theirs |
//! | theirs | [`BufferTurns::take`]: the last part of their message was read | mine |
//! | mine | `take` | refused: the other end writes where it may not |
//! | theirs | `give` | never: only what [`BufferTurns::next`] has named is given |
//!
//! Invariant: an exclusive buffer is never both ends'. What was written before a message was committed to the lane is
//! seen by who has peeked it (Release and Acquire of the header word, [`crate::lane`]), and so is all that its reader
//! did before it answered in the same exclusive buffer.

use std::cell::Cell;

/// Exclusive buffers of a pair: one for each end to begin with, so that both can send at once.
pub const EXCLUSIVE_BUFFERS: usize = 2;

/// One end's idea of which exclusive buffers it may write.
#[derive(Debug)]
pub struct BufferTurns {
    /// A bit for each exclusive buffer that is this end's.
    mine: Cell<u8>,
    /// The exclusive buffer that was read last.
    last: Cell<u8>,
}

impl BufferTurns {
    /// The turns of a pair's end at the beginning: that of the `first` task or of the other one.
    pub fn new(first: bool) -> Self {
        let own = if first { 0 } else { 1 };
        Self {
            mine: Cell::new(1 << own),
            last: Cell::new(own),
        }
    }

    /// The exclusive buffer that is best written next, if there is any: of several the one that was read last, whose
    /// lines are in this core's cache.
    #[inline(always)]
    pub fn next(&self) -> Option<usize> {
        let last = usize::from(self.last.get());
        match self.mine.get() {
            0 => None,
            mine if mine >> last & 1 != 0 => Some(last),
            _ => Some(EXCLUSIVE_BUFFERS - 1 - last),
        }
    }

    /// Gives an exclusive buffer that [`Self::next`] has named to the other end, with a message that begins in it.
    #[inline(always)]
    pub fn give(&self, buffer: usize) {
        debug_assert!(
            self.mine.get() >> buffer & 1 != 0,
            "exclusive buffer {buffer} is not this end's"
        );
        self.mine.set(self.mine.get() & !(1 << buffer));
    }

    /// Whether there is such an exclusive buffer, and it is the other end's.
    #[inline(always)]
    pub fn is_theirs(&self, buffer: usize) -> bool {
        buffer < EXCLUSIVE_BUFFERS && self.mine.get() >> buffer & 1 == 0
    }

    /// Takes an exclusive buffer whose message was read to its end; it is the other one's ([`Self::is_theirs`]).
    #[inline(always)]
    pub fn take(&self, buffer: usize) {
        debug_assert!(
            self.is_theirs(buffer),
            "exclusive buffer {buffer} is not the other end's"
        );
        self.mine.set(self.mine.get() | 1 << buffer);
        self.last.set(buffer as u8);
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;

    #[test]
    fn a_reply_goes_into_the_exclusive_buffer_that_was_read() {
        let (one, other) = (BufferTurns::new(true), BufferTurns::new(false));
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
    fn both_may_send_at_once_and_change_exclusive_buffers() {
        let (one, other) = (BufferTurns::new(true), BufferTurns::new(false));
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
        let one = BufferTurns::new(true);
        assert!(!one.is_theirs(0) && one.is_theirs(1));
        assert!(!one.is_theirs(EXCLUSIVE_BUFFERS) && !one.is_theirs(usize::MAX));
        one.take(1);
        assert_eq!(one.next(), Some(1));
        one.give(1);
        assert_eq!(one.next(), Some(0));
    }

    /// Any order in which two ends send and read: no exclusive buffer is ever both ends', and none gets lost.
    #[test]
    fn no_order_of_messages_loses_an_exclusive_buffer() {
        use std::collections::VecDeque;
        for seed in 0..2000_u64 {
            let ends = [BufferTurns::new(true), BufferTurns::new(false)];
            let mut under_way: [VecDeque<usize>; 2] = Default::default();
            let mut random = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
            for _ in 0..64 {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                let end = (random >> 20 & 1) as usize;
                if random >> 40 & 1 == 0 {
                    if let Some(buffer) = ends[end].next() {
                        ends[end].give(buffer);
                        under_way[1 - end].push_back(buffer);
                    }
                } else if let Some(buffer) = under_way[end].pop_front() {
                    assert!(ends[end].is_theirs(buffer), "seed {seed}");
                    ends[end].take(buffer);
                }
                for buffer in 0..EXCLUSIVE_BUFFERS {
                    let owners = ends.iter().filter(|end| !end.is_theirs(buffer)).count();
                    let carried = under_way
                        .iter()
                        .flatten()
                        .filter(|way| **way == buffer)
                        .count();
                    assert_eq!(
                        owners + carried,
                        1,
                        "seed {seed}, exclusive buffer {buffer}"
                    );
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

    /// Two exclusive buffers, and two words each way as a lane's header words: number of the message, and its exclusive
    /// buffer.
    #[derive(Default)]
    struct Pair {
        exclusive_buffers: [UnsafeCell<u64>; EXCLUSIVE_BUFFERS],
        to: [[AtomicU64; 2]; 2],
    }

    fn send(pair: &Pair, turns: &BufferTurns, to: usize, number: u64) {
        let buffer = turns
            .next()
            .expect("an exclusive buffer came with the last message");
        turns.give(buffer);
        // SAFETY: the exclusive buffer was this end's; loom reports it if the other one touches it as well.
        pair.exclusive_buffers[buffer].with_mut(|value| unsafe { *value = number });
        pair.to[to][number as usize & 1].store(number << 1 | buffer as u64, Ordering::Release);
    }

    fn receive(pair: &Pair, turns: &BufferTurns, at: usize, number: u64) {
        let word = loop {
            let word = pair.to[at][number as usize & 1].load(Ordering::Acquire);
            if word >> 1 == number {
                break word;
            }
            loom::thread::yield_now();
        };
        let buffer = (word & 1) as usize;
        assert!(turns.is_theirs(buffer));
        // SAFETY: as in `send`.
        pair.exclusive_buffers[buffer].with(|value| unsafe { assert_eq!(*value, number) });
        turns.take(buffer);
    }

    #[test]
    fn loom_replies_are_never_written_while_somebody_reads() {
        loom::model(|| {
            let pair = Arc::new(Pair::default());
            let other = Arc::clone(&pair);
            let thread = loom::thread::spawn(move || {
                let turns = BufferTurns::new(false);
                for number in 1..=2 {
                    receive(&other, &turns, 1, number);
                    send(&other, &turns, 0, number);
                }
            });
            let turns = BufferTurns::new(true);
            for number in 1..=2 {
                send(&pair, &turns, 1, number);
                receive(&pair, &turns, 0, number);
            }
            thread.join().unwrap();
        });
    }

    #[test]
    fn loom_messages_that_cross_use_both_exclusive_buffers() {
        loom::model(|| {
            let pair = Arc::new(Pair::default());
            let other = Arc::clone(&pair);
            let thread = loom::thread::spawn(move || {
                let turns = BufferTurns::new(false);
                for number in 1..=2 {
                    send(&other, &turns, 0, number);
                    receive(&other, &turns, 1, number);
                }
            });
            let turns = BufferTurns::new(true);
            for number in 1..=2 {
                send(&pair, &turns, 1, number);
                receive(&pair, &turns, 0, number);
            }
            thread.join().unwrap();
        });
    }
}
