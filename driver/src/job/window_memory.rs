//! Memory for windows: ranges of the job's file, which every rank can map.
//!
//! ```text
//! the job's file   │ lanes, boards ... │ clients │ windows, one behind the other ...            │ FILE_BYTES
//!                                                └── NEXT: where the next one begins
//! ```
//!
//! Before: the members of a communicator make a window, and one of them takes a range for all. After: each maps it; its pages are
//! memory once they are touched, and one member gives them back when the window has ended everywhere.
//!
//! Ranges are not used again, but for the last one: the file is so long that they do not run out, and it costs nothing where nothing
//! is touched.
//!
//! Invariants: ranges do not overlap; a range that is taken holds zeros.

use std::sync::Arc;

use pamir_shm::atomic::Ordering;
use pamir_shm::segment::offset::Offset;
use pamir_shm::segment::{HUGE_PAGE_BYTES, Segment};

use crate::job::client::place;
use crate::job::client::table;
use crate::job::layout::{Layout, Word};
use crate::job::{Job, JobError, as_wanted};

/// How many bytes behind the clients have been taken; in the header's page.
const TAKEN: Offset<Word> = Offset::new(place::END_BYTES);

const _: () = assert!(TAKEN.bytes() + 8 <= pamir_shm::segment::header::HEADER_BYTES);

/// A range of the job's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileRange {
    /// Its first byte in the file, where a huge page may begin.
    pub start: u64,
    /// Its length.
    pub bytes: u64,
}

/// Where the windows' part of the file begins.
fn first(layout: Layout) -> u64 {
    table::file_bytes(layout).next_multiple_of(HUGE_PAGE_BYTES as u64)
}

impl Job {
    /// Takes `bytes` bytes of zeros, for all who are told of it.
    ///
    /// # Errors
    ///
    /// [`JobError::WindowMemory`] where the file has no such room.
    pub fn take_window_memory(&self, bytes: u64) -> Result<FileRange, JobError> {
        let file_bytes = self.segment.file_bytes();
        let no_room = JobError::WindowMemory { bytes, file_bytes };
        let Some(whole) = bytes.checked_next_multiple_of(HUGE_PAGE_BYTES as u64) else {
            return Err(no_room);
        };
        let taken = &self.segment.get(TAKEN)?.0;
        let first = first(self.layout);
        let room = |taken: u64| {
            let after = taken.checked_add(whole)?;
            (first.checked_add(after)? <= file_bytes).then_some(after)
        };
        // Relaxed: the others learn of the range by a message.
        match taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, room) {
            Ok(taken) => {
                let start = first + taken;
                Ok(FileRange { start, bytes })
            }
            Err(_) => Err(no_room),
        }
    }

    /// Maps a range that some rank has taken.
    ///
    /// # Errors
    ///
    /// [`JobError::Segment`] if the kernel does not map it, or it is none.
    pub fn map_window_memory(&self, range: FileRange) -> Result<Arc<Segment>, JobError> {
        let segment = self.segment.attach_more(range.start, range.bytes)?;
        Ok(as_wanted(segment))
    }

    /// Gives the memory of a range back, which nobody uses any more.
    ///
    /// # Errors
    ///
    /// [`JobError::Segment`] if the kernel does not take it: it is the job's until that ends.
    pub fn free_window_memory(&self, range: FileRange) -> Result<(), JobError> {
        self.punch(range.start, range.bytes)?;
        let taken = &self.segment.get(TAKEN)?.0;
        let start = range.start - first(self.layout);
        let end = start + range.bytes.next_multiple_of(HUGE_PAGE_BYTES as u64);
        // Relaxed: as in `take_window_memory`. Another range may lie behind it: then it stays taken.
        let _ = taken.compare_exchange(end, start, Ordering::Relaxed, Ordering::Relaxed);
        Ok(())
    }

    /// Gives back what the windows of the last program have left.
    pub(super) fn empty_windows(&self) -> Result<(), JobError> {
        let taken = self.segment.get(TAKEN)?.0.load(Ordering::Relaxed);
        match taken {
            0 => Ok(()),
            bytes => self.punch(first(self.layout), bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::JobSpecification;

    fn job() -> Job {
        Job::create(&JobSpecification::unbound(3)).unwrap()
    }

    /// A word of a range.
    const PLACE: Offset<Word> = Offset::new((1 << 19) - 8);

    fn word(segment: &Segment) -> &pamir_shm::atomic::AtomicU64 {
        &segment.get(PLACE).unwrap().0
    }

    #[test]
    fn ranges_do_not_overlap_and_hold_zeros() {
        let job = job();
        let one = job.take_window_memory(100).unwrap();
        let other = job.take_window_memory(1 << 40).unwrap();
        assert!(one.start + one.bytes <= other.start);
        assert!(one.start >= table::file_bytes(job.layout()));
        let [here, there] = [(); 2].map(|()| job.map_window_memory(other).unwrap());
        assert_eq!(word(&there).load(Ordering::Relaxed), 0);
        word(&here).store(7, Ordering::Relaxed);
        assert_eq!(word(&there).load(Ordering::Relaxed), 7);
    }

    #[test]
    fn what_is_given_back_is_no_memory() {
        let job = job();
        let range = job.take_window_memory(1 << 20).unwrap();
        let segment = job.map_window_memory(range).unwrap();
        word(&segment).store(7, Ordering::Relaxed);
        let behind = job.take_window_memory(1).unwrap();
        job.free_window_memory(range).unwrap();
        assert_eq!(word(&segment).load(Ordering::Relaxed), 0);
        job.free_window_memory(behind).unwrap();
        assert_eq!(job.take_window_memory(1).unwrap(), behind);
    }

    #[test]
    fn there_is_no_room_for_more_than_the_file_has() {
        for bytes in [
            crate::job::layout::FILE_BYTES,
            u64::MAX,
            u64::MAX - (4 << 20),
        ] {
            let refused = job().take_window_memory(bytes).unwrap_err();
            assert!(
                matches!(refused, JobError::WindowMemory { .. }),
                "{refused}"
            );
        }
    }
}
