//! The communicators that have a job's boards; and, in the same page, room for what all ranks agree on.
//!
//! Before: the members of a communicator begin their first collective operation. After: they
//! share a board (`pamir_shm::board`), or know that none is free and messages serve.
//!
//! One member takes a board for all and tells the others its number in a message; each lets go
//! of it when it drops its lease, and the last one clears it and gives it back.
//!
//! | board | by | becomes |
//! |---|---|---|
//! | free | [`BoardLease::take`] at one member | taken, with as many users as members |
//! | taken | a member drops its lease | taken, with one user less |
//! | taken, one user | the last member drops its lease | cleared, then free |
//!
//! Invariants: a taker finds its board cleared, since the bit that says so is stored with
//! Release behind the clearing and read with Acquire; nobody who has let go touches it.

use pamir_shm::atomic::{AtomicU32, AtomicU64, Ordering};
use pamir_shm::board::mapped::MappedBoard;
use pamir_shm::segment::SegmentError;
use pamir_shm::segment::offset::Offset;
use pamir_shm::shareable::Shareable;

use pamir_settings::MOST_AGREED;

use crate::job::Job;
use crate::job::layout::BOARDS;

/// The page before the boards.
#[repr(C)]
#[derive(Debug)]
struct BoardTable {
    /// A bit for each board that somebody has.
    taken: AtomicU64,
    /// How many members have not let go of each board.
    users: [AtomicU32; BOARDS],
    /// What the ranks agree on ([`super::agreement`]); 0 before the first has come.
    agreed: [AtomicU64; MOST_AGREED],
}

// SAFETY: repr(C), nothing but atomics, the wider one first: no padding, as is asserted below.
unsafe impl Shareable for BoardTable {}

const _: () = assert!(BOARDS < 64 && size_of::<BoardTable>() == 8 + 4 * BOARDS + 8 * MOST_AGREED);

fn table(job: &Job) -> Result<&BoardTable, SegmentError> {
    job.segment().get(Offset::new(job.layout().board_table()))
}

impl Job {
    /// The words of [`Job::agree`].
    pub(super) fn agreed_words(&self) -> Result<&[AtomicU64], SegmentError> {
        Ok(&table(self)?.agreed)
    }
}

/// A member's part in a board.
#[derive(Debug)]
pub struct BoardLease {
    job: Job,
    number: usize,
    members: usize,
}

impl BoardLease {
    /// Takes a free board for `members` members, of which this is one; none if there is none, or
    /// they are too many for one.
    pub fn take(job: &Job, members: usize) -> Result<Option<Self>, SegmentError> {
        if !(2..=job.layout().board_members()).contains(&members) {
            return Ok(None);
        }
        let table = table(job)?;
        for number in 0..BOARDS {
            // Acquire: pairs with the Release in `drop`, so the board is seen cleared.
            let before = table.taken.fetch_or(1 << number, Ordering::Acquire);
            if before & (1 << number) == 0 {
                // Relaxed: the others learn the number by a message, which orders this.
                table.users[number].store(members as u32, Ordering::Relaxed);
                return Self::join(job, number, members);
            }
        }
        Ok(None)
    }

    /// The part of another member in board `number`, which one of `members` has taken for all;
    /// none if there is no such board.
    pub fn join(job: &Job, number: usize, members: usize) -> Result<Option<Self>, SegmentError> {
        let sound = number < BOARDS && (2..=job.layout().board_members()).contains(&members);
        Ok(sound.then(|| Self {
            job: job.clone(),
            number,
            members,
        }))
    }

    /// The board's number, by which others join.
    pub fn number(&self) -> usize {
        self.number
    }

    /// The board's memory.
    pub fn memory(&self) -> Result<MappedBoard, SegmentError> {
        let layout = self.job.layout();
        let (offset, most_members) = (layout.board(self.number), layout.board_members());
        MappedBoard::new(self.job.segment(), offset, self.members, most_members)
    }
}

impl Drop for BoardLease {
    fn drop(&mut self) {
        let Ok(table) = table(&self.job) else {
            return;
        };
        // AcqRel: the last one clears behind everything that the others have done.
        if table.users[self.number].fetch_sub(1, Ordering::AcqRel) != 1 {
            return;
        }
        if let Ok(memory) = self.memory() {
            memory.clear();
            // Release: pairs with the Acquire in `take`.
            let others = !(1 << self.number);
            table.taken.fetch_and(others, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::JobSpecification;
    use pamir_shm::board::Board;

    fn job(ranks: usize) -> Job {
        Job::create(&JobSpecification::unbound(ranks)).unwrap()
    }

    #[test]
    fn a_board_is_given_back_by_the_last_member() {
        let job = job(3);
        let first = BoardLease::take(&job, 3).unwrap().unwrap();
        let second = BoardLease::take(&job, 2).unwrap().unwrap();
        assert_eq!((first.number(), second.number()), (0, 1));
        let join = || BoardLease::join(&job, 0, 3).unwrap().unwrap();
        let others = [join(), join()];
        let board = Board::new(first.memory().unwrap(), 1);
        board.publish(1, 7);
        assert_eq!(
            Board::new(others[0].memory().unwrap(), 0).look(1, 1),
            Some(7)
        );
        drop(others);
        assert_eq!(BoardLease::take(&job, 3).unwrap().unwrap().number(), 2);
        drop(first);
        let again = BoardLease::take(&job, 2).unwrap().unwrap();
        assert_eq!(again.number(), 0);
        assert_eq!(Board::new(again.memory().unwrap(), 0).look(1, 1), None);
    }

    #[test]
    fn there_are_so_many_boards_and_no_more() {
        let job = job(2);
        let take = |members| BoardLease::take(&job, members).unwrap();
        assert!(take(1).is_none() && take(3).is_none());
        let taken: Vec<_> = (0..BOARDS).map(|_| take(2).unwrap()).collect();
        assert!(take(2).is_none());
        assert!(BoardLease::join(&job, BOARDS, 2).unwrap().is_none());
        drop(taken);
    }
}
