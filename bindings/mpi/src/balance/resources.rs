//! What the library's set-up operations change: memory, windows to the other ranks, cache.
//!
//! Before: a notification says that this member is the fastest, or alone is missing. After: it has
//! more for the larger portion that it will probably get, or less for a smaller one.
//!
//! | resource | for a larger portion | for a smaller one |
//! |---|---|---|
//! | memory | pages beside the own range are made | they are given back |
//! | windows | each injection FIFO has twice the slots | half the slots; memory of pending descriptors goes |
//! | cache | a sixteenth more of the ways, up to all | as many less, down to half of them |
//!
//! Windows and cache belong to the process: a second partition goes on from where the first has
//! brought them, and the end of each gives back what is usual. Invariant: what cannot be had is said
//! in the statistics and costs nothing further.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;

use pamir_driver::memory::cache_portion::{self, CachePortion, CachePortionError};
use pamir_transport::balance::decision::evaluation::Reaction;
use pamir_transport::balance::decision::policy::SetUp;
use pamir_transport::context::Context;

use super::array::Array;
use super::source::Source;

/// Which part of its range a member prepares to get at most, before it knows how much it gets.
const PREPARED_PART: u64 = 8;

/// After so many cycles in which nothing moved, no memory is made for what may come.
const STILL: u32 = 2;

/// Windows have between a quarter and eight times the slots that they were set up with.
const WINDOWS: (usize, usize) = (4, 8);

/// Which part of all ways is taken or given up at once.
const WAYS_PART: u32 = 16;

/// The cache as statistics show it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cache {
    /// How many ways of the last-level cache the rank may fill, and how many there are; 0 where
    /// nobody divides them.
    pub ways: [u32; 2],
    /// Why that is so; nothing where the cache is divided.
    pub failure: Option<CachePortionError>,
}

/// What set-up operations change.
#[derive(Debug)]
pub struct Resources {
    context: Rc<Context>,
    changes: SetUp,
    arrays: RefCell<Vec<Rc<Array>>>,
    sources: RefCell<Vec<Source>>,
    read_bytes: Cell<usize>,
    range: RefCell<Range<u64>>,
    /// In how many cycles nothing has moved, one after another.
    still: Cell<u32>,
    /// Slots of each injection FIFO before anything was changed.
    usual_slots: usize,
    portion: RefCell<Option<CachePortion>>,
    cache: Cell<Cache>,
    prepared_bytes: Cell<usize>,
}

impl Resources {
    /// The resources of a rank, of which set-up operations change those named.
    pub fn new(context: Rc<Context>, changes: SetUp) -> Self {
        let found = match changes.cache {
            true => cache_portion::place().and_then(|place| CachePortion::whole(&place)),
            false => Err(CachePortionError::Off),
        };
        let failure = found.as_ref().err().copied();
        let resources = Self {
            usual_slots: context.injection_slots(),
            context,
            changes,
            arrays: RefCell::default(),
            sources: RefCell::default(),
            read_bytes: Cell::new(0),
            range: RefCell::default(),
            still: Cell::new(0),
            portion: RefCell::new(found.ok()),
            cache: Cell::default(),
            prepared_bytes: Cell::new(0),
        };
        resources.note_cache(failure);
        resources
    }

    /// Adds an array.
    pub fn add(&self, array: Array) {
        self.arrays.borrow_mut().push(Rc::new(array));
    }

    /// All arrays.
    pub fn arrays(&self) -> Vec<Rc<Array>> {
        self.arrays.borrow().clone()
    }

    /// Adds a file, of which this member reads its own items.
    pub fn add_source(&self, source: Source) {
        self.count_read(source.follow(&(0..0), &self.range.borrow()));
        self.sources.borrow_mut().push(source);
    }

    /// How many bytes were read from files.
    pub fn read_bytes(&self) -> u64 {
        self.read_bytes.get() as u64
    }

    fn count_read(&self, bytes: usize) {
        self.read_bytes.set(self.read_bytes.get() + bytes);
    }

    /// The own items are these from now on: what is new of files is read.
    pub fn set_range(&self, range: Range<u64>) {
        let before = self.range.replace(range.clone());
        if before != range {
            for source in self.sources.borrow().iter() {
                self.count_read(source.follow(&before, &range));
            }
        }
    }

    /// A cycle has ended, in which something moved or not.
    pub fn count_cycle(&self, moved: bool) {
        self.still.set(if moved { 0 } else { self.still.get() + 1 });
    }

    /// How many bytes of memory set-up operations made or gave back.
    pub fn prepared_bytes(&self) -> u64 {
        self.prepared_bytes.get() as u64
    }

    /// How many descriptors fit into each injection FIFO now.
    pub fn window_slots(&self) -> usize {
        self.context.injection_slots()
    }

    /// The cache now.
    pub fn cache(&self) -> Cache {
        self.cache.get()
    }

    /// The library's own set-up operations.
    pub fn set_up(&self, reaction: Reaction) {
        if reaction == Reaction::None {
            return;
        }
        let mut bytes = 0;
        // Where nothing moves, pages would be made and given back in turn for nobody.
        if self.changes.memory && self.still.get() < STILL {
            bytes += self.change_memory(reaction);
        }
        if self.changes.windows {
            bytes += self.change_windows(reaction);
        }
        if self.changes.cache {
            self.change_cache(reaction);
        }
        self.prepared_bytes.set(self.prepared_bytes.get() + bytes);
    }

    /// Memory for items that may come, or memory back that was made for items that did not.
    fn change_memory(&self, reaction: Reaction) -> usize {
        let range = self.range.borrow();
        let beside = (range.end - range.start).div_ceil(PREPARED_PART);
        let arrays = self.arrays.borrow();
        let bytes = arrays.iter().map(|array| match reaction {
            Reaction::PrepareLarger => array.prepare(&range, beside),
            _ => array.release(&range, beside, &range),
        });
        bytes.sum()
    }

    fn change_windows(&self, reaction: Reaction) -> usize {
        let slots = self.context.injection_slots();
        let wanted = wanted_slots(slots, self.usual_slots, reaction);
        if wanted == slots {
            return 0;
        }
        self.context.resize_injection(wanted)
    }

    fn change_cache(&self, reaction: Reaction) {
        let mut portion = self.portion.borrow_mut();
        let Some(cache) = portion.as_mut() else {
            return;
        };
        let ways = wanted_ways(cache.ways(), cache.all_ways(), reaction);
        let failure = cache.set_ways(ways).err();
        if failure.is_some() {
            // It would be refused each time.
            *portion = None;
        }
        drop(portion);
        self.note_cache(failure);
    }

    fn note_cache(&self, failure: Option<CachePortionError>) {
        let portion = self.portion.borrow();
        let ways = portion
            .as_ref()
            .map(|portion| [portion.ways(), portion.all_ways()]);
        let ways = ways.unwrap_or_default();
        self.cache.set(Cache { ways, failure });
    }

    /// Gives back all but what is usual; the arrays are the caller's to leave.
    pub fn leave(&self) -> Vec<Rc<Array>> {
        if self.changes.windows && self.context.injection_slots() != self.usual_slots {
            self.context.resize_injection(self.usual_slots);
        }
        self.portion.replace(None);
        self.sources.take();
        self.arrays.take()
    }
}

/// Twice or half the slots, within bounds.
fn wanted_slots(slots: usize, usual: usize, reaction: Reaction) -> usize {
    let (part, times) = WINDOWS;
    // Fewer than four slots are hardly a FIFO.
    let least = (usual / part).max(4).min(usual);
    match reaction {
        Reaction::PrepareLarger => (slots * 2).min(usual.saturating_mul(times)),
        Reaction::PrepareSmaller => (slots / 2).max(least).min(slots),
        Reaction::None => slots,
    }
}

/// A few more ways, or a few less, within bounds.
fn wanted_ways(ways: u32, all: u32, reaction: Reaction) -> u32 {
    let step = (all / WAYS_PART).max(1);
    match reaction {
        Reaction::PrepareLarger => (ways + step).min(all),
        Reaction::PrepareSmaller => ways.saturating_sub(step).max(all.div_ceil(2)),
        Reaction::None => ways,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_and_cache_grow_and_shrink_within_bounds() {
        let (larger, smaller) = (Reaction::PrepareLarger, Reaction::PrepareSmaller);
        let after = |reactions: [Reaction; 6], mut slots| {
            for reaction in reactions {
                slots = wanted_slots(slots, 64, reaction);
            }
            slots
        };
        assert_eq!(after([larger; 6], 64), 512);
        assert_eq!(after([smaller; 6], 512), 16);
        assert_eq!(wanted_slots(64, 64, Reaction::None), 64);
        // A FIFO of very few slots keeps them.
        assert_eq!(wanted_slots(3, 3, smaller), 3);
        assert_eq!(wanted_ways(12, 12, smaller), 11);
        assert_eq!(wanted_ways(6, 12, smaller), 6);
        assert_eq!(wanted_ways(32, 64, larger), 36);
        assert_eq!(wanted_ways(12, 12, larger), 12);
    }
}
