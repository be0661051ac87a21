//! The clients of a job: who has which part of its memory.
//!
//! Before: a task opens a client by its name. After: [`crate::job::Job::open_client`] maps the
//! client's own part of the segment, with lanes between all contexts of all tasks.
//!
//! The launcher's file is longer than what it maps: behind the job's own lanes there is room
//! for [`CLIENTS`] more sets of lanes. The room costs nothing until it is touched.
//!
//! ```text
//! file:   │ header │ job's own blocks and lanes │ client 1 │ client 2 │ ... │
//!             └▶ byte 2048: [name, contexts] for each client
//! ```
//!
//! | entry    | by                     | to      |
//! |----------|------------------------|---------|
//! | free (0) | the first task's claim | named   |
//! | named    | the first task's claim | named, with a number of contexts |
//!
//! Nothing is ever given back: a client lives as long as its job. Whoever comes first takes the
//! entry, in whatever order the tasks open their clients, so no task waits for another.

use std::sync::Arc;

use pamir_shm::atomic::{AtomicU64, Ordering};
use pamir_shm::offset::Offset;
use pamir_shm::segment::{Segment, SegmentError};
use pamir_shm::shareable::Shareable;

use crate::layout::{Layout, MAXIMUM_RANKS};

/// How many clients a job may have besides the one that uses the job's own lanes.
pub const CLIENTS: usize = 8;

/// The most contexts that a client may have in each task.
pub const MAXIMUM_CONTEXTS: usize = 16;

/// The most contexts that a client may have in all tasks together, unless there are more tasks.
const MAXIMUM_UNITS: usize = 256;

/// Each client's part starts at such a multiple, so that huge pages can hold it.
const ALIGNMENT_BYTES: u64 = 2 << 20;

const POSITION: Offset<ClientEntry> = Offset::new(2048);

/// Why a client could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientTableError {
    /// All entries are taken.
    #[error("client {name:?} cannot be opened: the job has {CLIENTS} clients already")]
    Full {
        /// The client's name.
        name: String,
    },
    /// More contexts than there is memory for, or none.
    #[error(
        "client {name:?} asks for {contexts} contexts in each task; a job of {tasks} tasks has room for 1 to {most}"
    )]
    Contexts {
        /// The client's name.
        name: String,
        /// Contexts asked for.
        contexts: usize,
        /// Tasks of the job.
        tasks: usize,
        /// The most that are possible.
        most: usize,
    },
    /// Another task has opened the client with another number of contexts.
    #[error(
        "client {name:?} is opened with {contexts} contexts here and with {others} in another task: configure the same number everywhere"
    )]
    Disagreement {
        /// The client's name.
        name: String,
        /// Contexts here.
        contexts: usize,
        /// Contexts there.
        others: u64,
    },
    /// The segment has no table.
    #[error(transparent)]
    Segment(#[from] SegmentError),
}

/// One client.
#[repr(C)]
#[derive(Debug)]
struct ClientEntry {
    /// A number made of its name; 0 while the entry is free.
    name: AtomicU64,
    /// Contexts of each task; 0 until the first task has said.
    contexts: AtomicU64,
}

// SAFETY: repr(C), nothing but 64-bit atomics.
unsafe impl Shareable for ClientEntry {}

const _: () = assert!(
    size_of::<ClientEntry>() == 16
        && POSITION.bytes() + (CLIENTS as u64) * 16 <= pamir_shm::header::HEADER_BYTES
);

/// The most contexts a client may have in each task of a job with `tasks` tasks.
pub fn maximum_contexts(tasks: usize) -> usize {
    (MAXIMUM_UNITS / tasks).clamp(1, MAXIMUM_CONTEXTS)
}

/// Bytes of the file of a job whose own part has `layout`.
pub(crate) fn file_bytes(layout: Layout) -> u64 {
    start(layout, CLIENTS + 1)
}

/// Where the part of client `entry` starts, 1 being the first.
pub(crate) fn start(layout: Layout, entry: usize) -> u64 {
    let tasks = layout.ranks as usize;
    let part = (1..=maximum_contexts(tasks))
        .map(|contexts| Layout::new((tasks * contexts).min(MAXIMUM_RANKS)).bytes())
        .max()
        .unwrap_or(0);
    layout.bytes().next_multiple_of(ALIGNMENT_BYTES)
        + (entry as u64 - 1) * part.next_multiple_of(ALIGNMENT_BYTES)
}

/// The place of client `name` in the table, 1 being the first.
pub(crate) fn claim(
    segment: &Arc<Segment>,
    layout: Layout,
    name: &str,
    contexts: usize,
) -> Result<usize, ClientTableError> {
    let tasks = layout.ranks as usize;
    let most = maximum_contexts(tasks);
    if !(1..=most).contains(&contexts) {
        let name = name.to_owned();
        return Err(ClientTableError::Contexts {
            name,
            contexts,
            tasks,
            most,
        });
    }
    let wanted = number_of(name);
    for index in 0..CLIENTS {
        let entry = segment.get(POSITION.element(index))?;
        if !take(&entry.name, wanted) {
            continue;
        }
        if !take(&entry.contexts, contexts as u64) {
            return Err(ClientTableError::Disagreement {
                name: name.to_owned(),
                contexts,
                others: entry.contexts.load(Ordering::Relaxed),
            });
        }
        return Ok(index + 1);
    }
    Err(ClientTableError::Full {
        name: name.to_owned(),
    })
}

/// Makes a word that is 0 `value`, or sees that it is already.
fn take(word: &AtomicU64, value: u64) -> bool {
    // Relaxed: the word alone is agreed upon; nothing is published with it.
    match word.compare_exchange(0, value, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => true,
        Err(current) => current == value,
    }
}

/// A number for a name (FNV-1a), never 0.
fn number_of(name: &str) -> u64 {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    hash.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{Job, JobError, JobSpecification};

    fn job(ranks: usize) -> Job {
        Job::create(&JobSpecification {
            ranks,
            processing_units: vec![],
        })
        .unwrap()
    }

    #[test]
    fn tasks_agree_in_any_order() {
        let job = job(2);
        let (one, first) = job.open_client(0, "one", 2).unwrap();
        let (_, second) = job.open_client(0, "two", 1).unwrap();
        assert_eq!((one.ranks(), first, second), (4, 1, 2));
        assert_eq!(job.open_client(1, "two", 1).unwrap().1, 2);
        let (other, place) = job.open_client(1, "one", 2).unwrap();
        assert_eq!(place, 1);
        assert_eq!(one.process(3), Some(std::process::id() as i32));
        one.block(2).unwrap().sleep.store(7, Ordering::Relaxed);
        assert_eq!(other.block(2).unwrap().sleep.load(Ordering::Relaxed), 7);
    }

    #[test]
    fn what_cannot_be_opened_is_said() {
        let job = job(2);
        job.open_client(0, "one", 2).unwrap();
        assert!(matches!(
            job.open_client(0, "one", 2),
            Err(JobError::Claimed { .. })
        ));
        assert!(matches!(
            job.open_client(1, "one", 3),
            Err(JobError::Client(ClientTableError::Disagreement {
                contexts: 3,
                others: 2,
                ..
            }))
        ));
        assert!(matches!(
            job.open_client(1, "two", 17),
            Err(JobError::Client(ClientTableError::Contexts {
                most: 16,
                ..
            }))
        ));
        for number in 1..CLIENTS {
            job.open_client(0, &format!("client {number}"), 1).unwrap();
        }
        assert!(matches!(
            job.open_client(0, "too many", 1),
            Err(JobError::Client(ClientTableError::Full { .. }))
        ));
    }

    #[test]
    fn parts_do_not_overlap() {
        for tasks in [1, 2, 7, 16, 100, 256, 1000] {
            let layout = Layout::new(tasks);
            assert!(start(layout, 1) >= layout.bytes());
            for contexts in 1..=maximum_contexts(tasks) {
                let bytes = Layout::new(tasks * contexts).bytes();
                assert!(start(layout, 1) + bytes <= start(layout, 2));
            }
        }
    }
}
