//! Memory regions: what puts and gets may reach.
//!
//! Before: a task registers memory, and sends the region's description to others. After: a
//! [`crate::one_sided`] transfer names the region, and a place in it.
//!
//! Where the kernel copies, the target does nothing, and the origin checks the bounds by the
//! description. Where packets carry the data, the target looks the region up in its
//! [`MemoryRegions`] and refuses what does not lie in it.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pamir_driver::memory::kernel_copy::{Access, is_accessible};

use crate::active::dispatch::Status;

/// Bytes of a region's description as it is sent.
pub const DESCRIPTION_BYTES: usize = 24;

/// The description of a registered piece of a task's memory. Copies may be sent to any task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryRegion {
    /// Address in the task that registered it.
    pub(crate) address: u64,
    /// Its length.
    pub(crate) bytes: u64,
    /// What the task knows it by.
    pub(crate) key: u64,
}

/// The key of [`MemoryRegion::everything`].
const EVERYTHING: u64 = u64::MAX;

impl MemoryRegion {
    /// All memory of a task that has opened it ([`crate::context::Context::open_memory`]):
    /// offsets are addresses.
    pub const fn everything() -> Self {
        Self {
            address: 0,
            bytes: u64::MAX,
            key: EVERYTHING,
        }
    }

    /// Memory at an address, which nobody has registered: for what both ends have mapped.
    pub fn at(address: *mut u8, bytes: u64) -> Self {
        Self {
            address: address.expose_provenance() as u64,
            bytes,
            key: 0,
        }
    }

    /// Its length in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes as usize
    }

    /// As it is sent.
    pub fn to_bytes(&self) -> [u8; DESCRIPTION_BYTES] {
        let words = [self.address, self.bytes, self.key].map(u64::to_ne_bytes);
        let mut bytes = [0; DESCRIPTION_BYTES];
        bytes.copy_from_slice(words.as_flattened());
        bytes
    }

    /// The region that was sent.
    pub fn from_bytes(bytes: [u8; DESCRIPTION_BYTES]) -> Self {
        let [address, bytes, key] = words(&bytes);
        Self {
            address,
            bytes,
            key,
        }
    }

    /// Where `bytes` bytes at byte `offset` lie in the task that registered the region.
    pub fn address_of(&self, offset: usize, bytes: usize) -> Option<*mut u8> {
        let address = self.place(offset, bytes)?;
        Some(std::ptr::with_exposed_provenance_mut(address as usize))
    }

    /// The same for a layout at byte `offset` whose reach is from `low` to `high` bytes from there.
    pub fn base_of(&self, offset: usize, reach: (i64, i64)) -> Option<*mut u8> {
        let address = self.place_reach(offset, reach)?;
        Some(std::ptr::with_exposed_provenance_mut(address as usize))
    }

    /// The address of byte `offset`, if what lies `low` to `high` bytes from it is in the region.
    pub(crate) fn place_reach(&self, offset: usize, (low, high): (i64, i64)) -> Option<u64> {
        let start = offset.checked_add_signed(low as isize)?;
        self.place(start, high.checked_sub(low)? as usize)?;
        self.address.checked_add(offset as u64)
    }

    /// The address of `bytes` bytes at byte `offset`, if they lie in the region.
    pub(crate) fn place(&self, offset: usize, bytes: usize) -> Option<u64> {
        let end = offset.checked_add(bytes)? as u64;
        if end > self.bytes {
            return None;
        }
        self.address.checked_add(offset as u64)
    }
}

/// `N` words as they were sent; missing ones are 0.
pub(crate) fn words<const N: usize>(bytes: &[u8]) -> [u64; N] {
    let mut words = [0; N];
    for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(8)) {
        *word = u64::from_ne_bytes(bytes.try_into().expect("a chunk has eight bytes"));
    }
    words
}

/// The regions that a client has registered in this task.
#[derive(Debug, Default)]
pub struct MemoryRegions {
    registered: Mutex<Registered>,
}

#[derive(Debug, Default)]
struct Registered {
    last_key: u64,
    /// All memory may be reached.
    open: bool,
    /// Address and length by key.
    regions: HashMap<u64, (u64, u64)>,
}

impl MemoryRegions {
    fn registered(&self) -> MutexGuard<'_, Registered> {
        // Nothing that may panic leaves it half changed.
        self.registered
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn register(&self, address: u64, bytes: u64) -> MemoryRegion {
        let mut registered = self.registered();
        registered.last_key += 1;
        let key = registered.last_key;
        registered.regions.insert(key, (address, bytes));
        MemoryRegion {
            address,
            bytes,
            key,
        }
    }

    pub(crate) fn open(&self) {
        self.registered().open = true;
    }

    pub(crate) fn deregister(&self, region: &MemoryRegion) -> bool {
        self.registered().regions.remove(&region.key).is_some()
    }

    /// Whether `bytes` bytes at `address` lie in the region with this key.
    pub(crate) fn allow(&self, key: u64, address: u64, bytes: u64) -> bool {
        let registered = self.registered();
        if key == EVERYTHING {
            return registered.open && address != 0 && address.checked_add(bytes).is_some();
        }
        let Some((start, length)) = registered.regions.get(&key) else {
            return false;
        };
        let offset = address.checked_sub(*start);
        let end = offset.and_then(|offset| offset.checked_add(bytes));
        end.is_some_and(|end| end <= *length)
    }

    /// The same, and that the memory is there where nobody has registered it: an address of which
    /// only its sender says that it is one.
    pub(crate) fn check(
        &self,
        key: u64,
        address: u64,
        bytes: u64,
        access: Access,
    ) -> Result<(), Status> {
        if !self.allow(key, address, bytes) {
            return Err(Status::OutsideRegion);
        }
        let there = is_vouched_for(key) || is_accessible(address, bytes, access);
        there.then_some(()).ok_or(Status::NotMapped)
    }
}

/// Whether whoever registered the memory behind a key has said that it is there. Of an address in
/// [`MemoryRegion::everything`] only whoever names it has.
pub(crate) fn is_vouched_for(key: u64) -> bool {
    key != EVERYTHING
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_outside_is_refused() {
        let regions = MemoryRegions::default();
        let region = regions.register(1000, 100);
        assert_eq!(MemoryRegion::from_bytes(region.to_bytes()), region);
        for (offset, bytes, inside) in [
            (0, 100, true),
            (100, 0, true),
            (50, 51, false),
            (101, 0, false),
            (usize::MAX, 2, false),
        ] {
            assert_eq!(region.place(offset, bytes).is_some(), inside);
        }
        for (offset, reach, inside) in [
            (0, (0, 100), true),
            (0, (-1, 9), false),
            (50, (-50, 50), true),
            (50, (-50, 51), false),
            (200, (-150, -100), true),
            (0, (5, 4), false),
            (usize::MAX, (0, 1), false),
        ] {
            assert_eq!(region.place_reach(offset, reach).is_some(), inside);
        }
        assert_eq!(region.place_reach(200, (-150, -100)), Some(1200));
        assert!(regions.allow(region.key, 1000, 100));
        assert!(!regions.allow(region.key, 999, 10));
        assert!(!regions.allow(region.key, 1001, 100));
        assert!(!regions.allow(region.key, 1050, u64::MAX));
        assert!(!regions.allow(region.key + 1, 1000, 1));
        assert!(regions.deregister(&region) && !regions.deregister(&region));
        assert!(!regions.allow(region.key, 1000, 1));
        let all = MemoryRegion::everything();
        assert_eq!(all.place(4096, 10), Some(4096));
        assert!(!regions.allow(all.key, 4096, 10));
        regions.open();
        assert!(regions.allow(all.key, 4096, 10) && !regions.allow(all.key, 0, 10));
        assert!(!regions.allow(all.key, u64::MAX, 10));
    }
}
