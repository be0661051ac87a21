//! The shared heaps of the other ranks' processes, mapped here when they are first needed.
//!
//! `libpamir-heap.so`, where it is preloaded, takes a program's large blocks from a segment. Each
//! rank says in its block where its heap lies; a task that is to copy from or to an address in it maps
//! the segment, and copies without the kernel.
//!
//! ```text
//! claim ─▶ publish: address, descriptor, inode, then bytes  ─┐ the rank's block
//! kernel_copy ─▶ mapped: process ─▶ rank ─▶ those words ◀────┘ ─▶ /proc/PROCESS/fd/N, mapped once
//! ```
//!
//! | what is known of a process | becomes | when |
//! |---|---|---|
//! | nothing | mapped | an address is asked for, and its heap can be opened |
//! | nothing | without a heap | the same, and it has none, or the kernel refuses |
//!
//! Invariants: what is known of a process is kept until this process ends; an address is used only
//! if it and its bytes lie in the heap that was mapped, whatever the peer says; a descriptor that
//! is not the published file (the process's number is another's by now) is not mapped.

use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::sync::{Arc, PoisonError, RwLock};

use pamir_shm::atomic::Ordering;
use pamir_shm::segment::Segment;

use crate::job::layout::HeapWords;
use crate::job::{Job, WeakJob};

struct Heap {
    address: u64,
    segment: Segment,
}

/// Memory of a peer's heap, mapped here.
#[derive(Clone)]
pub struct Mapped {
    heap: Arc<Heap>,
    offset: usize,
}

impl Mapped {
    /// Its first byte.
    pub fn start(&self) -> *mut u8 {
        self.heap.segment.base().wrapping_add(self.offset)
    }
}

#[derive(Default)]
struct Known {
    /// Weak, so that a job's memory goes with its last user.
    jobs: Vec<WeakJob>,
    heaps: Vec<(i32, Option<Arc<Heap>>)>,
}

static KNOWN: RwLock<Known> = RwLock::new(Known {
    jobs: Vec::new(),
    heaps: Vec::new(),
});

/// From now on, heaps of this job's ranks are found.
pub fn know(job: &Job) {
    let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
    let job = job.downgrade();
    known.jobs.retain(|other| other.upgrade().is_some());
    if !known.jobs.contains(&job) {
        known.jobs.push(job);
    }
}

/// The `bytes` bytes at address `remote` of another process, if they lie in a heap that can be
/// mapped here.
pub fn mapped(process: i32, remote: u64, bytes: usize) -> Option<Mapped> {
    let heap = find(process)?;
    let offset = remote.checked_sub(heap.address)?;
    let end = offset.checked_add(bytes as u64)?;
    (end <= heap.segment.bytes()).then(|| Mapped {
        offset: offset as usize,
        heap,
    })
}

/// What is known of a process, which is found out the first time.
fn find(process: i32) -> Option<Arc<Heap>> {
    let of = |known: &Known| {
        let found = known.heaps.iter().find(|(other, _)| *other == process);
        found.map(|(_, heap)| heap.clone())
    };
    let seen = of(&KNOWN.read().unwrap_or_else(PoisonError::into_inner));
    seen.unwrap_or_else(|| {
        let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
        of(&known).unwrap_or_else(|| {
            let heap = look(&known.jobs, process)?.map(Arc::new);
            known.heaps.push((process, heap.clone()));
            heap
        })
    })
}

/// The heap of a process, if it is a rank of one of the jobs: nothing inside if it has none.
fn look(jobs: &[WeakJob], process: i32) -> Option<Option<Heap>> {
    if process == std::process::id() as i32 {
        // The same memory twice would let a copy overlap.
        return Some(None);
    }
    jobs.iter().filter_map(WeakJob::upgrade).find_map(|job| {
        let rank = (0..job.ranks()).find(|&rank| job.process(rank) == Some(process))?;
        Some(open(process, &job.block(rank).ok()?.status.heap))
    })
}

fn open(process: i32, words: &HeapWords) -> Option<Heap> {
    // Acquire pairs with the Release store in `publish`: the other words are there too.
    let bytes = words.bytes.load(Ordering::Acquire);
    if bytes == 0 {
        return None;
    }
    let descriptor = words.descriptor.load(Ordering::Relaxed);
    let path = format!("/proc/{process}/fd/{descriptor}");
    let file = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open(path)
        .ok()?;
    let right = file.metadata().ok()?.ino() == words.inode.load(Ordering::Relaxed);
    let segment = right.then(|| Segment::attach(OwnedFd::from(file)))?.ok()?;
    (segment.bytes() == bytes).then(|| Heap {
        address: words.address.load(Ordering::Relaxed),
        segment,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::JobSpecification;
    use std::os::fd::AsRawFd;
    use std::os::unix::process::ExitStatusExt;

    fn words(segment: &Segment, inode: u64) -> HeapWords {
        HeapWords {
            address: 0x10_0000_u64.into(),
            descriptor: (segment.descriptor().as_raw_fd() as u64).into(),
            inode: inode.into(),
            bytes: segment.bytes().into(),
        }
    }

    fn inode(segment: &Segment) -> u64 {
        let path = format!("/proc/self/fd/{}", segment.descriptor().as_raw_fd());
        std::fs::metadata(path).unwrap().ino()
    }

    #[test]
    fn a_published_heap_is_mapped_and_another_file_is_not() {
        let own = std::process::id() as i32;
        let segment = Segment::create(1 << 20).unwrap();
        let right = words(&segment, inode(&segment));
        let heap = open(own, &right).unwrap();
        assert_eq!((heap.address, heap.segment.bytes()), (0x10_0000, 1 << 20));
        assert!(open(own, &words(&segment, inode(&segment) + 1)).is_none());
        right.bytes.store(2 << 20, Ordering::Relaxed);
        assert!(open(own, &right).is_none());
        right.bytes.store(0, Ordering::Relaxed);
        assert!(open(own, &right).is_none());
    }

    #[test]
    fn addresses_outside_of_a_heap_are_not_mapped() {
        let job = Job::create(&JobSpecification::unbound(2)).unwrap();
        // A process that lives and is not this one; its descriptors are this process's.
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let process = child.id() as i32;
        job.block(1).unwrap().status.process.store(
            crate::job::process_name::own() & !0xFFFF_FFFF | process as u64,
            Ordering::Release,
        );
        know(&job);
        assert!(
            mapped(process, 0x10_0000, 8).is_none(),
            "it has published none"
        );
        let segment = Segment::create(1 << 20).unwrap();
        let heap = Arc::new(Heap {
            address: 0x10_0000,
            segment,
        });
        let mut known = KNOWN.write().unwrap();
        known.heaps.retain(|(other, _)| *other != process);
        known.heaps.push((process, Some(heap)));
        drop(known);
        assert!(mapped(process, 0x10_0000, 1 << 20).is_some());
        assert!(mapped(process, 0x10_0001, 1 << 20).is_none());
        assert!(mapped(process, 0xf_ffff, 8).is_none());
        assert!(mapped(process, u64::MAX - 3, 8).is_none());
        child.kill().unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(9));
    }
}
