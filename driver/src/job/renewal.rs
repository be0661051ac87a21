//! A job's memory begins again, for the next program of each rank.
//!
//! Before: all ranks have left MPI in good order, and a rank starts another program, as a script does that runs one after
//! the other. After: the memory is as the launcher made it, and the program claims its rank.
//!
//! ```text
//! rank 0   first program ─ finalized ─ second program: waits until all have ─ empties the memory ─ claims
//! rank 1   first program ────────────── finalized ─ second program: waits ──────────────────────── claims
//! ```
//!
//! The rank that sees all ranks finalized and gets the header's word empties the memory: lanes, exclusive buffers and
//! boards first, then the ranks' blocks one after another, each of which may be claimed from then on. A finalized
//! process reads and writes nothing of the memory any more.
//!
//! Invariant: nobody empties the memory unless, while it has the word, all ranks are finalized: each is so at most once
//! between two times.

use std::os::fd::AsRawFd;
use std::time::Duration;

use pamir_shm::atomic::Ordering;
use pamir_shm::segment::SegmentError;
use pamir_shm::segment::offset::Offset;

use super::{Job, JobError, RankState};
use crate::job::client::table;
use crate::job::layout::Word;

/// Not zero while somebody empties the memory; in the header's page, between its words and the table of clients.
const POSITION: Offset<Word> = Offset::new(1024);

/// How long to look away while others have not left yet.
const PAUSE: Duration = Duration::from_micros(200);

impl Job {
    /// The next program of a rank whose last one has left: waits until the rank can be claimed anew; whether it can.
    pub(super) fn renew(&self, rank: usize) -> Result<bool, JobError> {
        if self.rank_state(rank) != RankState::Finalized {
            return Ok(false);
        }
        self.check_renewable()?;
        let word = &self.segment.get(POSITION)?.0;
        while self.rank_state(rank) == RankState::Finalized {
            let won = || word.compare_exchange(0, 1, Ordering::AcqRel, Ordering::Relaxed);
            if self.all_have_left() && won().is_ok() {
                // Somebody else may have emptied it in between.
                let emptied = if self.all_have_left() {
                    self.empty()
                } else {
                    Ok(())
                };
                word.store(0, Ordering::Release);
                emptied?;
            } else {
                std::thread::sleep(PAUSE);
            }
        }
        Ok(true)
    }

    fn check_renewable(&self) -> Result<(), JobError> {
        let reason = if self.nodes() > 1 {
            "a job of several nodes (mpiexec --nodes) runs one"
        } else if table::is_used(&self.segment)? {
            "its last one has used PAMI"
        } else {
            return Ok(());
        };
        Err(JobError::NotAgain { reason })
    }

    fn all_have_left(&self) -> bool {
        (0..self.ranks()).all(|rank| self.rank_state(rank) == RankState::Finalized)
    }

    /// Makes the memory as it was when the launcher had made it.
    fn empty(&self) -> Result<(), JobError> {
        let start = self.layout.call_record(0).bytes();
        self.punch(start, self.layout.bytes() - start)?;
        self.empty_windows()?;
        for rank in 0..self.ranks() {
            let block = self.block(rank)?;
            let status = &block.status;
            block.sleep.store(0, Ordering::Relaxed);
            for word in [
                &status.heap.bytes,
                &status.processor,
                &status.withdrawn,
                &status.interrupts,
                &status.descriptors_moved,
            ] {
                word.store(0, Ordering::Relaxed);
            }
            let absent = RankState::Absent.to_word();
            status.state.store(absent, Ordering::Relaxed);
            // Release: whoever claims the rank finds everything else emptied.
            status.process.store(0, Ordering::Release);
        }
        Ok(())
    }

    /// Makes `bytes` bytes of the file from `start` on 0 again; nobody uses them.
    pub(in crate::job) fn punch(&self, start: u64, bytes: u64) -> Result<(), JobError> {
        let (descriptor, flags) = (
            self.file_descriptor().as_raw_fd(),
            libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE,
        );
        // SAFETY: the call changes the file's bytes, which all that is mapped of them is made for: atomic words and raw
        // memory; and nobody uses them.
        let done = unsafe { libc::fallocate(descriptor, flags, start as i64, bytes as i64) };
        if done == 0 {
            return Ok(());
        }
        let (call, source) = ("fallocate", std::io::Error::last_os_error());
        Err(SegmentError::Create {
            call,
            bytes,
            source,
        }
        .into())
    }
}
