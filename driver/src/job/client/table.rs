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
//! | named, with a number of contexts | the last task that closes the client (`super::place`) | free |
//!
//! The first task takes the entry, in whatever order the tasks open their clients, so no task waits for another.
//! A client of some tasks only has their list in its agreement word, and lanes between those.
//!
//! Where the job's ranks are on several nodes, each node has such a table, and all tables are
//! alike: a task writes down what it asks for in a second table behind the first
//! (`request`), the node's bridge ([`crate::bridge`]) has node 0 give it an entry, and the
//! bridges of all nodes write it down (`install`). There nothing is given back.
//!
//! | request  | by                     | to      |
//! |----------|------------------------|---------|
//! | free (0) | the first task of the node that asks | asked for, by name and contexts |
//! | asked for | the node's bridge     | refused: node 0 has no entry left |

use std::sync::Arc;

use pamir_shm::atomic::{AtomicU64, Ordering};
use pamir_shm::segment::offset::Offset;
use pamir_shm::segment::{Segment, SegmentError};
use pamir_shm::shareable::Shareable;

use crate::job::client::table_lock::TableLock;
use crate::job::layout::{Layout, MAXIMUM_RANKS};

/// How many clients a job may have at a time besides the one that uses the job's own lanes.
pub const CLIENTS: usize = 8;

/// The most contexts that a client may have in each task.
pub const MAXIMUM_CONTEXTS: usize = 16;

/// The most contexts that a client may have in all tasks together, unless there are more tasks.
const MAXIMUM_UNITS: usize = 256;

/// Each client's part starts at such a multiple, so that huge pages can hold it.
const ALIGNMENT_BYTES: u64 = 2 << 20;

const POSITION: Offset<ClientEntry> = Offset::new(2048);

/// What the tasks of this node ask the other nodes for.
const REQUESTS: Offset<ClientEntry> = Offset::new(2048 + (CLIENTS * 16) as u64);

/// Where the header's page is free again behind both tables.
pub(super) const END_BYTES: u64 = 2048 + 2 * (CLIENTS * 16) as u64;

/// In a request, instead of its contexts: there is no entry left.
const REFUSED: u64 = u64::MAX;

/// Why a client could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientTableError {
    /// All entries are taken.
    #[error(
        "client {name:?} cannot be opened: the job has {CLIENTS} clients, as many as there may be until all tasks have destroyed one"
    )]
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
    /// Another task has opened the client for other tasks.
    #[error(
        "client {name:?} is opened for other tasks here than in another task: configure the same list everywhere"
    )]
    Members {
        /// The client's name.
        name: String,
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
    /// Contexts of each task, and a number made of its tasks: see [`Agreement`]; 0 until the first task has said.
    contexts: AtomicU64,
}

// SAFETY: repr(C), nothing but 64-bit atomics.
unsafe impl Shareable for ClientEntry {}

const _: () = assert!(
    size_of::<ClientEntry>() == 16
        && REQUESTS.bytes() + (CLIENTS as u64) * 16 <= pamir_shm::segment::header::HEADER_BYTES
);

/// A client as the nodes tell each other of it: its name's number, and the contexts of each task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClientWords {
    pub(crate) name: u64,
    pub(crate) contexts: u64,
}

/// The most contexts a client may have in each task of a job with `tasks` tasks.
pub fn maximum_contexts(tasks: usize) -> usize {
    (MAXIMUM_UNITS / tasks).clamp(1, MAXIMUM_CONTEXTS)
}

/// Whether any client was opened.
pub(crate) fn is_used(segment: &Segment) -> Result<bool, SegmentError> {
    for index in 0..CLIENTS {
        let entry = segment.get(POSITION.element(index))?;
        if entry.name.load(Ordering::Acquire) != 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What the tasks of a client agree upon: how many contexts each has, and which tasks it has.
///
/// ```text
/// bit 0..16 contexts   16..64 a number made of the list of tasks, 0 where it has all of the job
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Agreement(u64);

impl Agreement {
    fn new(contexts: usize, members: Option<&[usize]>) -> Self {
        let list = members.map_or(0, |members| {
            let bytes = members.iter().flat_map(|member| member.to_ne_bytes());
            (fnv(bytes) >> 16).max(1)
        });
        Self(contexts as u64 | list << 16)
    }

    fn check(self, name: &str, others: u64) -> Result<(), ClientTableError> {
        if self.0 == others {
            return Ok(());
        }
        let (own, others) = (self.0 as u16, u64::from(others as u16));
        let name = name.to_owned();
        if u64::from(own) == others {
            return Err(ClientTableError::Members { name });
        }
        Err(ClientTableError::Disagreement {
            name,
            contexts: own.into(),
            others,
        })
    }
}

/// Bytes of the file of a job whose own part has `layout`.
pub(crate) fn file_bytes(layout: Layout) -> u64 {
    start(layout, CLIENTS + 1)
}

/// Where the part of client `entry` starts, 1 being the first.
pub(crate) fn start(layout: Layout, entry: usize) -> u64 {
    let tasks = layout.ranks as usize;
    // Clients of fewer tasks have longer rings.
    let most = (tasks * maximum_contexts(tasks)).min(MAXIMUM_RANKS);
    let part = (1..=most)
        .map(|units| Layout::new(units).bytes())
        .max()
        .unwrap_or(0);
    layout.bytes().next_multiple_of(ALIGNMENT_BYTES)
        + (entry as u64 - 1) * part.next_multiple_of(ALIGNMENT_BYTES)
}

/// The place of client `name` of all tasks, or of `members`, in the table, 1 being the first.
pub(crate) fn claim(
    segment: &Arc<Segment>,
    layout: Layout,
    name: &str,
    contexts: usize,
    members: Option<&[usize]>,
) -> Result<usize, ClientTableError> {
    check_contexts(layout, name, contexts)?;
    let agreement = Agreement::new(contexts, members);
    let _lock = TableLock::take(segment)?;
    let found = take_entry(segment, POSITION, number_of(name), agreement.0)?;
    let Some((index, others)) = found else {
        return Err(full(name));
    };
    agreement.check(name, others)?;
    Ok(index + 1)
}

/// Makes an entry free; the caller has the table's lock.
pub(super) fn free(segment: &Segment, place: usize) -> Result<(), SegmentError> {
    let entry = segment.get(POSITION.element(place - 1))?;
    entry.contexts.store(0, Ordering::Relaxed);
    entry.name.store(0, Ordering::Release);
    Ok(())
}

fn full(name: &str) -> ClientTableError {
    let name = name.to_owned();
    ClientTableError::Full { name }
}

fn check_contexts(layout: Layout, name: &str, contexts: usize) -> Result<(), ClientTableError> {
    let tasks = layout.ranks as usize;
    let most = maximum_contexts(tasks);
    if (1..=most).contains(&contexts) {
        return Ok(());
    }
    Err(ClientTableError::Contexts {
        name: name.to_owned(),
        contexts,
        tasks,
        most,
    })
}

/// The entry of client `name` in the table at `table`, taken if it has none: its index, and the
/// contexts that are said there; none if the table is full.
fn take_entry(
    segment: &Arc<Segment>,
    table: Offset<ClientEntry>,
    name: u64,
    contexts: u64,
) -> Result<Option<(usize, u64)>, SegmentError> {
    let entry = |index| segment.get(table.element(index));
    // Its own may stand behind one that has come free.
    let mut order: Vec<usize> = Vec::with_capacity(2 * CLIENTS);
    for index in 0..CLIENTS {
        if entry(index)?.name.load(Ordering::Relaxed) == name {
            order.push(index);
        }
    }
    order.extend(0..CLIENTS);
    for index in order {
        let entry = entry(index)?;
        if take(&entry.name, name) {
            take(&entry.contexts, contexts);
            return Ok(Some((index, entry.contexts.load(Ordering::Relaxed))));
        }
    }
    Ok(None)
}

/// Asks the other nodes for client `name`: its place in the table once they have answered, which
/// the node's bridge brings about; none before. The first time, the caller rouses the bridge.
pub(crate) fn request(
    segment: &Arc<Segment>,
    layout: Layout,
    name: &str,
    contexts: usize,
) -> Result<Option<usize>, ClientTableError> {
    check_contexts(layout, name, contexts)?;
    let agreement = Agreement::new(contexts, None);
    let words = ClientWords {
        name: number_of(name),
        contexts: agreement.0,
    };
    for place in 1..=CLIENTS {
        if let Some(known) = installed(segment, place)?
            && known.name == words.name
        {
            agreement.check(name, known.contexts)?;
            return Ok(Some(place));
        }
    }
    match take_entry(segment, REQUESTS, words.name, words.contexts)? {
        None | Some((_, REFUSED)) => Err(full(name)),
        Some((_, others)) => agreement.check(name, others).map(|()| None),
    }
}

/// What the tasks of this node have asked for and is in no table yet.
pub(crate) fn requests(segment: &Arc<Segment>) -> Result<Vec<ClientWords>, SegmentError> {
    let installed: Vec<_> = (1..=CLIENTS)
        .map(|place| installed(segment, place))
        .collect::<Result<_, _>>()?;
    let mut open = Vec::new();
    for index in 0..CLIENTS {
        let words = words_of(segment.get(REQUESTS.element(index))?);
        let known =
            |words: &ClientWords| installed.iter().flatten().any(|it| it.name == words.name);
        open.extend(words.filter(|words| words.contexts != REFUSED && !known(words)));
    }
    Ok(open)
}

/// On node 0: an entry for a client, the same again for one that has one; none if all are taken.
pub(crate) fn assign(
    segment: &Arc<Segment>,
    words: ClientWords,
) -> Result<Option<usize>, SegmentError> {
    let found = take_entry(segment, POSITION, words.name, words.contexts)?;
    Ok(found.map(|(index, _)| index + 1))
}

/// Writes down a client that node 0 has given entry `place`; false if another one is there.
pub(crate) fn install(
    segment: &Arc<Segment>,
    place: usize,
    words: ClientWords,
) -> Result<bool, SegmentError> {
    let entry = segment.get(POSITION.element(place - 1))?;
    Ok(take(&entry.contexts, words.contexts) && take(&entry.name, words.name))
}

/// Tells the tasks of this node that there is no entry for a client.
pub(crate) fn refuse(segment: &Arc<Segment>, name: u64) -> Result<(), SegmentError> {
    for index in 0..CLIENTS {
        let entry = segment.get(REQUESTS.element(index))?;
        if entry.name.load(Ordering::Relaxed) == name {
            entry.contexts.store(REFUSED, Ordering::Relaxed);
        }
    }
    Ok(())
}

/// The client in entry `place`, 1 being the first, if there is one.
pub(crate) fn installed(
    segment: &Arc<Segment>,
    place: usize,
) -> Result<Option<ClientWords>, SegmentError> {
    Ok(words_of(segment.get(POSITION.element(place - 1))?))
}

/// An entry that has both of its words.
fn words_of(entry: &ClientEntry) -> Option<ClientWords> {
    // Relaxed: each word is agreed upon alone, and never changes once it is not 0.
    let words = ClientWords {
        name: entry.name.load(Ordering::Relaxed),
        contexts: entry.contexts.load(Ordering::Relaxed),
    };
    (words.name != 0 && words.contexts != 0).then_some(words)
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
    fnv(name.bytes()).max(1)
}

fn fnv(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{Job, JobError, JobSpecification};

    fn job(ranks: usize) -> Job {
        Job::create(&JobSpecification::unbound(ranks)).unwrap()
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
    fn a_client_of_some_tasks_is_theirs_alone() {
        let job = job(4);
        let (plane, first) = job.open_client_among(&[1, 3], 0, "pair", 2).unwrap();
        assert_eq!(plane.ranks(), 4);
        let (_, second) = job.open_client_among(&[1, 3], 1, "pair", 2).unwrap();
        assert_eq!(first, second);
        assert!(matches!(
            job.open_client_among(&[1, 2], 1, "pair", 2),
            Err(JobError::Client(ClientTableError::Members { .. }))
        ));
        assert!(matches!(
            job.open_client(3, "pair", 2),
            Err(JobError::Client(ClientTableError::Members { .. }))
        ));
        assert!(matches!(
            job.open_client_among(&[1, 4], 0, "other", 1),
            Err(JobError::NoRank { rank: 4, ranks: 4 })
        ));
    }

    #[test]
    fn parts_do_not_overlap() {
        for tasks in [1, 2, 7, 16, 100, 256, 1000] {
            let layout = Layout::new(tasks);
            assert!(start(layout, 1) >= layout.bytes());
            for members in 1..=tasks {
                let contexts = maximum_contexts(tasks);
                for units in [members, members * contexts.div_ceil(2), members * contexts] {
                    let bytes = Layout::new(units).bytes();
                    assert!(start(layout, 1) + bytes <= start(layout, 2));
                }
            }
        }
    }
}
