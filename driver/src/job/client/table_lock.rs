//! Who may search and change the table of clients.
//!
//! Before: a task opens or closes a client. After: no other one does meanwhile.
//!
//! Entries of the table come free, so a task that looks for its client might take a free entry while another one takes the next for
//! the same client. The table is therefore one task's at a time.
//!
//! | word | by | becomes |
//! |---|---|---|
//! | 0 | whoever takes the lock | its process |
//! | a process | that process, when it is done | 0 |
//! | a process that has ended | whoever finds that out | its own process |

use std::time::Duration;

use pamir_shm::atomic::{AtomicU64, Ordering};
use pamir_shm::segment::offset::Offset;
use pamir_shm::segment::{Segment, SegmentError};

use crate::job::layout::Word;
use crate::job::{process_end, process_name};

/// In the header's page, behind the word of [`super::renewal`].
const POSITION: Offset<Word> = Offset::new(1032);

/// How long to look away while another process has the lock.
const PAUSE: Duration = Duration::from_micros(50);

/// Who has this is the only one that searches and changes the table.
pub(super) struct TableLock<'a>(&'a AtomicU64);

impl<'a> TableLock<'a> {
    /// Waits until nobody else has it.
    pub(super) fn take(segment: &'a Segment) -> Result<Self, SegmentError> {
        let word = &segment.get(POSITION)?.0;
        let own = process_name::own();
        let mut before = 0;
        while let Err(owner) =
            word.compare_exchange(before, own, Ordering::Acquire, Ordering::Relaxed)
        {
            let ended = process_name::number_here(owner).is_some_and(process_end::has_ended);
            before = if ended { owner } else { 0 };
            if !ended && owner != 0 {
                std::thread::sleep(PAUSE);
            }
        }
        Ok(Self(word))
    }
}

impl Drop for TableLock<'_> {
    fn drop(&mut self) {
        self.0.store(0, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{Job, JobSpecification};

    #[test]
    fn the_lock_of_a_process_that_has_ended_is_taken_over() {
        let job = Job::create(&JobSpecification::unbound(1)).unwrap();
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let ended = u64::from(child.id()) | process_name::own() >> 32 << 32;
        child.wait().unwrap();
        let word = &job.segment().get(POSITION).unwrap().0;
        word.store(ended, Ordering::Relaxed);
        assert_eq!(job.open_client(0, "one", 1).unwrap().1, 1);
        assert_eq!(word.load(Ordering::Relaxed), 0);
    }
}
