//! Memory of `MPI_Alloc_mem`: pieces of the job's file, which other ranks can map (MPI-5.0 section 9.2).
//!
//! ```text
//! chunk: a range of the file, mapped here    │ piece │ free │ piece │ free ...      short pieces share one
//!                                            │ piece                        │      a long piece has its own
//! ```
//!
//! Before: a program asks for memory. After: it has it; and a window over that memory is as good as one that allocates
//! ([`super::construct`]), since [`Allocations::home`] says where in the file it lies.
//!
//! | a chunk | becomes | when |
//! |---|---|---|
//! | mapped | gone, its pages given back | its last piece is freed, but for the last chunk of short pieces |
//!
//! Where the file has no room, pieces are ordinary memory, which only windows are slower over.
//!
//! Invariant: pieces and free places of a chunk do not overlap, and free places that touch are one.

use std::alloc::Layout;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use pamir_driver::job::{FileRange, Job, JobError};
use pamir_shm::segment::{HUGE_PAGE_BYTES, PAGE_BYTES, Segment};

/// Bytes of a chunk for short pieces.
const CHUNK_BYTES: usize = 1 << 20;

/// Pieces from here on have a chunk of their own.
const LONG_BYTES: usize = CHUNK_BYTES / 4;

/// Chunks from here on may be put into huge pages.
const HUGE_BYTES: usize = 2 * HUGE_PAGE_BYTES;

/// Where a piece lies in the job's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Home {
    /// The chunk's range.
    pub range: FileRange,
    /// Bytes from its begin.
    pub offset: u64,
}

#[derive(Debug)]
struct Chunk {
    segment: Arc<Segment>,
    range: FileRange,
    /// Offset and length of each.
    pieces: BTreeMap<usize, usize>,
    free: BTreeMap<usize, usize>,
}

impl Chunk {
    fn new(job: &Job, bytes: usize) -> Result<Self, JobError> {
        let bytes = bytes.next_multiple_of(PAGE_BYTES);
        let range = job.take_window_memory(bytes as u64)?;
        let segment = job.map_window_memory(range).inspect_err(|_| {
            // What is not given back is the job's until that ends.
            let _ = job.free_window_memory(range);
        })?;
        if bytes >= HUGE_BYTES {
            segment.advise_huge_pages(0, bytes as u64);
        }
        Ok(Self {
            segment,
            range,
            pieces: BTreeMap::new(),
            free: BTreeMap::from([(0, bytes)]),
        })
    }

    /// Whether it is for short pieces.
    fn is_short(&self) -> bool {
        self.range.bytes == CHUNK_BYTES as u64
    }

    fn base(&self) -> usize {
        self.segment.base().addr()
    }

    /// The first free place that is long enough, if there is one.
    fn take(&mut self, layout: Layout) -> Option<*mut u8> {
        let base = self.base();
        let place = |(start, length): (&usize, &usize)| {
            let at = (base + start).next_multiple_of(layout.align()) - base;
            (at + layout.size() <= start + length).then_some((*start, *length, at))
        };
        let (start, length, at) = self.free.iter().find_map(place)?;
        self.free.remove(&start);
        let (end, free_end) = (at + layout.size(), start + length);
        if at > start {
            self.free.insert(start, at - start);
        }
        if free_end > end {
            self.free.insert(end, free_end - end);
        }
        self.pieces.insert(at, layout.size());
        Some(self.segment.base().wrapping_add(at))
    }

    fn give_back(&mut self, offset: usize) -> bool {
        let Some(length) = self.pieces.remove(&offset) else {
            return false;
        };
        let (mut start, mut end) = (offset, offset + length);
        if let Some((&before, &bytes)) = self.free.range(..offset).next_back()
            && before + bytes == offset
        {
            self.free.remove(&before);
            start = before;
        }
        if let Some(bytes) = self.free.remove(&end) {
            end += bytes;
        }
        self.free.insert(start, end - start);
        true
    }
}

/// The memory that a program has from `MPI_Alloc_mem`.
#[derive(Debug, Default)]
pub struct Allocations {
    /// By their first address.
    chunks: RefCell<BTreeMap<usize, Chunk>>,
    /// Pieces of ordinary memory by their first address, as many words as they take.
    ordinary: RefCell<BTreeMap<usize, Vec<u64>>>,
}

impl Allocations {
    /// A piece of memory.
    ///
    /// # Errors
    ///
    /// [`JobError`] where there is no memory.
    pub fn allocate(&self, job: &Job, layout: Layout) -> Result<*mut u8, JobError> {
        self.allocate_shared(job, layout)
            .or_else(|error| self.allocate_ordinary(layout).ok_or(error))
    }

    fn allocate_ordinary(&self, layout: Layout) -> Option<*mut u8> {
        let bytes = layout.size().checked_add(layout.align())?;
        let mut memory: Vec<u64> = Vec::new();
        memory.try_reserve_exact(bytes.div_ceil(8)).ok()?;
        let first = memory.as_mut_ptr().cast::<u8>();
        let piece = first.wrapping_add(first.align_offset(layout.align()));
        self.ordinary
            .borrow_mut()
            .insert(piece.expose_provenance(), memory);
        Some(piece)
    }

    fn allocate_shared(&self, job: &Job, layout: Layout) -> Result<*mut u8, JobError> {
        let mut chunks = self.chunks.borrow_mut();
        let whole = layout.size().saturating_add(layout.align());
        if whole < LONG_BYTES {
            let short = chunks.values_mut().filter(|chunk| chunk.is_short());
            if let Some(found) = { short }.find_map(|chunk| chunk.take(layout)) {
                return Ok(found);
            }
        }
        let bytes = if whole < LONG_BYTES {
            CHUNK_BYTES
        } else {
            whole.max(CHUNK_BYTES + 1)
        };
        let mut chunk = Chunk::new(job, bytes)?;
        let piece = chunk.take(layout);
        chunks.insert(chunk.base(), chunk);
        Ok(piece.expect("a new chunk has room for the piece it was made for"))
    }

    /// Takes a piece back; false for what is none.
    pub fn free(&self, job: &Job, address: usize) -> bool {
        if self.ordinary.borrow_mut().remove(&address).is_some() {
            return true;
        }
        let mut chunks = self.chunks.borrow_mut();
        let Some((&base, chunk)) = chunks.range_mut(..=address).next_back() else {
            return false;
        };
        if !chunk.give_back(address - base) {
            return false;
        }
        let (is_empty, is_short, range) = (chunk.pieces.is_empty(), chunk.is_short(), chunk.range);
        let is_last = || {
            let mut short = chunks.values().filter(|chunk| chunk.is_short());
            short.nth(1).is_none()
        };
        if is_empty && !(is_short && is_last()) {
            chunks.remove(&base);
            // Memory that the kernel does not take back is the job's until that ends.
            let _ = job.free_window_memory(range);
        }
        true
    }

    /// Where `bytes` bytes at an address lie in the job's file, if a piece has all of them.
    pub fn home(&self, address: usize, bytes: usize) -> Option<Home> {
        let chunks = self.chunks.borrow();
        let (base, chunk) = chunks.range(..=address).next_back()?;
        let offset = address - base;
        let (start, length) = chunk.pieces.range(..=offset).next_back()?;
        let inside = offset.checked_add(bytes)? <= start + length;
        inside.then_some(Home {
            range: chunk.range,
            offset: offset as u64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pamir_driver::job::JobSpecification;

    fn layout(bytes: usize) -> Layout {
        Layout::from_size_align(bytes, 64).unwrap()
    }

    #[test]
    fn pieces_do_not_overlap_and_are_used_again() {
        let job = Job::create(&JobSpecification::unbound(1)).unwrap();
        let allocations = Allocations::default();
        let pieces: Vec<usize> = (1..200)
            .map(|number| {
                allocations
                    .allocate(&job, layout(number * 37))
                    .unwrap()
                    .addr()
            })
            .collect();
        for (number, piece) in pieces.iter().enumerate() {
            let bytes = (number + 1) * 37;
            assert!(piece.is_multiple_of(64));
            let others = pieces.iter().filter(|other| *other != piece);
            assert!({ others }.all(|other| !(*piece..piece + bytes).contains(other)));
            let home = allocations.home(*piece, bytes).unwrap();
            assert!(home.offset + bytes as u64 <= home.range.bytes);
            assert_eq!(allocations.home(*piece, bytes + 1), None);
        }
        assert!(!allocations.free(&job, pieces[3] + 1) && !allocations.free(&job, 64));
        for piece in &pieces {
            assert!(allocations.free(&job, *piece) && !allocations.free(&job, *piece));
        }
        let chunks = allocations.chunks.borrow();
        assert_eq!(chunks.len(), 1);
        assert!(
            chunks
                .values()
                .all(|chunk| chunk.free.len() == 1 && chunk.pieces.is_empty())
        );
    }

    #[test]
    fn a_long_piece_goes_with_its_chunk() {
        let job = Job::create(&JobSpecification::unbound(1)).unwrap();
        let allocations = Allocations::default();
        let aligned = Layout::from_size_align(3 << 20, 1 << 16).unwrap();
        let piece = allocations.allocate(&job, aligned).unwrap().addr();
        assert!(piece.is_multiple_of(1 << 16));
        assert!(allocations.home(piece + 100, (3 << 20) - 100).is_some());
        assert!(allocations.free(&job, piece) && allocations.chunks.borrow().is_empty());
        let refused = allocations.allocate(&job, Layout::from_size_align(1 << 62, 64).unwrap());
        assert!(refused.is_err());
    }

    #[test]
    fn ordinary_memory_serves_where_the_file_has_no_room() {
        let job = Job::create(&JobSpecification::unbound(1)).unwrap();
        let allocations = Allocations::default();
        let piece = allocations.allocate_ordinary(layout(100)).unwrap().addr();
        assert!(piece.is_multiple_of(64) && allocations.home(piece, 100).is_none());
        assert!(allocations.free(&job, piece) && !allocations.free(&job, piece));
    }
}
