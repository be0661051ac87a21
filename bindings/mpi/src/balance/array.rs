//! Data that moves with its items: an array of which each member has its own range.
//!
//! Before: the ranges have changed. After: each member has fetched its new items, from the member that had
//! it, and has given back the memory of what it lost.
//!
//! ```text
//! before   member 0 |=========|                   member 1           |=========|
//! after    member 0 |============|                member 1              |======|
//!                             └─┴───── get ──────────────────────────┴─┘
//! ```
//!
//! Item i lies at the same place of every member's array, so items beside the own range are room
//! for what neighbours have at their border. Where the program gives no memory, address space is
//! reserved for all items, and only what is touched is memory.
//!
//! Invariants: a member fetches only items that it does not have; nobody lets go of an item before the member that
//! got it has fetched it; the border beside a range is never given back.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;

use pamir_driver::memory::reserved_memory::ReservedMemory;
use pamir_transport::active::{ActiveError, TransferError};
use pamir_transport::context::Context;
use pamir_transport::one_sided::Get;
use pamir_transport::one_sided::memory_region::{DESCRIPTION_BYTES, MemoryRegion};

use super::error::BalanceError;
use super::shape::Shape;

/// Where the items lie.
#[derive(Debug)]
enum Storage {
    /// In memory of the program's, for all items.
    Given(*mut u8),
    /// In address space that becomes memory where it is touched.
    Reserved(ReservedMemory),
}

/// One member's part of an array.
#[derive(Debug)]
pub struct Array {
    shape: Shape,
    storage: Storage,
    own: MemoryRegion,
    /// What every member has registered.
    regions: Vec<MemoryRegion>,
}

impl Array {
    /// An array of reserved address space.
    ///
    /// # Errors
    ///
    /// [`BalanceError::ArrayTooLarge`] and [`BalanceError::Memory`].
    pub fn reserved(context: &Context, shape: Shape) -> Result<Self, BalanceError> {
        let Some(bytes) = shape.bytes() else {
            return Err(BalanceError::ArrayTooLarge { shape });
        };
        let memory =
            ReservedMemory::new(bytes).map_err(|source| BalanceError::Memory { bytes, source })?;
        // SAFETY: the reserved memory is writable as long as the array lives, which takes the
        // region back first (`leave`).
        let own = unsafe { context.register(memory.base(), bytes) };
        Ok(Self {
            shape,
            storage: Storage::Reserved(memory),
            own,
            regions: Vec::new(),
        })
    }

    /// An array in the program's own memory.
    ///
    /// # Safety
    ///
    /// `base` is readable and writable for all items until [`Self::leave`].
    ///
    /// # Errors
    ///
    /// [`BalanceError::ArrayTooLarge`].
    pub unsafe fn given(
        context: &Context,
        shape: Shape,
        base: *mut u8,
    ) -> Result<Self, BalanceError> {
        let Some(bytes) = shape.bytes() else {
            return Err(BalanceError::ArrayTooLarge { shape });
        };
        // SAFETY: as the caller vouches.
        let own = unsafe { context.register(base, bytes) };
        Ok(Self {
            shape,
            storage: Storage::Given(base),
            own,
            regions: Vec::new(),
        })
    }

    /// This member's description of the array, for the others.
    pub fn description(&self) -> [u8; DESCRIPTION_BYTES] {
        self.own.to_bytes()
    }

    /// Takes all members' descriptions, in order.
    pub fn meet(&mut self, descriptions: &[u8]) {
        let (chunks, _) = descriptions.as_chunks::<DESCRIPTION_BYTES>();
        self.regions = chunks
            .iter()
            .map(|one| MemoryRegion::from_bytes(*one))
            .collect();
    }

    /// Item 0's address.
    pub fn base(&self) -> *mut u8 {
        match &self.storage {
            Storage::Given(base) => *base,
            Storage::Reserved(memory) => memory.base(),
        }
    }

    /// Fetches the items of `after` that member `own` did not have `before`; `tasks` are the
    /// members' tasks. How many bytes that were.
    ///
    /// # Errors
    ///
    /// [`BalanceError`] if a transfer failed.
    pub fn fetch(
        &self,
        context: &Context,
        tasks: &[usize],
        own: usize,
        before: &[Range<u64>],
        after: &Range<u64>,
    ) -> Result<usize, BalanceError> {
        let progress = Rc::new(Progress::default());
        let mut fetched = 0;
        for (member, had) in before
            .iter()
            .enumerate()
            .filter(|(member, _)| *member != own)
        {
            let items = had.start.max(after.start)..had.end.min(after.end);
            if items.is_empty() {
                continue;
            }
            let bytes = self.shape.bytes_of(&items, 0);
            fetched += bytes.len();
            self.get(context, (tasks[member], member), bytes, &progress)?;
        }
        context.advance_until(|| progress.under_way.get() == 0)?;
        progress
            .failure
            .take()
            .map_or(Ok(fetched), |failure| Err(failure.into()))
    }

    /// Starts to get bytes `bytes` from a member, who is (task, member).
    fn get(
        &self,
        context: &Context,
        (task, member): (usize, usize),
        bytes: Range<usize>,
        progress: &Rc<Progress>,
    ) -> Result<(), ActiveError> {
        let told = progress.clone();
        let get = Get {
            from: context.endpoint_of(task),
            region: self.regions[member],
            offset: bytes.start,
            notify: None,
            done: Some(Box::new(move |_, outcome| told.end(outcome))),
        };
        progress.under_way.set(progress.under_way.get() + 1);
        let target = self.base().wrapping_add(bytes.start);
        // SAFETY: the bytes are of items of the array, which is writable; `fetch` does not
        // return before the transfer has ended. The member's region is registered until all
        // have left.
        unsafe { context.get(get, target, bytes.len()) }
    }

    /// Makes memory of `beside` items on both sides of `range` ahead of time, as far as it is
    /// the library's to do so; how many bytes.
    pub fn prepare(&self, range: &Range<u64>, beside: u64) -> usize {
        match &self.storage {
            Storage::Given(_) => 0,
            Storage::Reserved(memory) => {
                let [less, more] = [0, beside].map(|beside| self.shape.bytes_of(range, beside));
                memory.touch(more.start..less.start) + memory.touch(less.end..more.end)
            }
        }
    }

    /// Gives back the memory of items `had`, and `beside` more on both sides, but for items `kept`
    /// and the border, as far as it is the library's; how many bytes.
    pub fn release(&self, had: &Range<u64>, beside: u64, kept: &Range<u64>) -> usize {
        match &self.storage {
            Storage::Given(_) => 0,
            Storage::Reserved(memory) => {
                let had = self.shape.bytes_of(had, beside.max(self.shape.border));
                let kept = self.shape.bytes_of(kept, self.shape.border);
                memory.release(had.start..kept.start.min(had.end))
                    + memory.release(kept.end.max(had.start)..had.end)
            }
        }
    }

    /// Takes the region back, when no member fetches from here any more.
    pub fn leave(&self, context: &Context) {
        context.deregister(&self.own);
    }
}

/// Transfers that are under way.
#[derive(Debug, Default)]
struct Progress {
    under_way: Cell<usize>,
    failure: RefCell<Option<TransferError>>,
}

impl Progress {
    fn end(&self, outcome: Result<(), TransferError>) {
        self.under_way.set(self.under_way.get() - 1);
        if let Err(failure) = outcome {
            self.failure.replace(Some(failure));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_border_ends_where_the_items_end() {
        let shape = Shape {
            items: 10,
            item_bytes: 8,
            border: 2,
        };
        assert_eq!(shape.bytes(), Some(80));
        assert_eq!(shape.bytes_of(&(3..5), 0), 24..40);
        assert_eq!(shape.bytes_of(&(1..9), 2), 0..80);
        let items = u64::MAX;
        assert_eq!(Shape { items, ..shape }.bytes(), None);
    }
}
