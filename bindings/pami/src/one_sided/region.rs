//! Handles of memory regions.
//!
//! Before: `PAMI_Memregion_create`; the program sends the handle to others. After: `PAMI_Rput`
//! and `PAMI_Rget` move data between a region here and one there.
//!
//! ```text
//! pami_memregion_t:  word 0..3 the transport's description     word 3 a mark, 0 when destroyed
//! ```

use pamir_transport::one_sided::memory_region::{DESCRIPTION_BYTES, MemoryRegion};

use crate::refusal::Refusal;
use crate::structures::{MemoryRegionHandle, RegionPlace};

/// What a region's handle that is good ends with.
const MARK: usize = 0x4745_5249_4D41_5021;

/// The handle that describes a region.
pub fn handle_of(region: MemoryRegion) -> MemoryRegionHandle {
    let mut handle = [MARK; size_of::<MemoryRegionHandle>() / 8];
    let bytes = region.to_bytes();
    for (word, bytes) in handle.iter_mut().zip(bytes.chunks_exact(8)) {
        *word = usize::from_ne_bytes(bytes.try_into().expect("a chunk has eight bytes"));
    }
    handle
}

/// The region that a handle describes.
///
/// # Safety
///
/// `handle` is NULL or readable.
pub unsafe fn region_of(
    handle: *const MemoryRegionHandle,
    argument: &'static str,
) -> Result<MemoryRegion, Refusal> {
    // SAFETY: the caller vouches for it.
    let handle = unsafe { handle.as_ref() };
    let good = handle.filter(|handle| handle[DESCRIPTION_BYTES / 8] == MARK);
    let kind = "memory region";
    let words = good.ok_or(Refusal::Handle { argument, kind })?;
    let mut bytes = [0; DESCRIPTION_BYTES];
    for (bytes, word) in bytes.chunks_exact_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_ne_bytes());
    }
    Ok(MemoryRegion::from_bytes(bytes))
}

/// The region and its address here of a transfer's near end.
///
/// # Safety
///
/// The place's region is NULL or readable.
pub unsafe fn local_address(place: &RegionPlace, bytes: usize) -> Result<*mut u8, Refusal> {
    // SAFETY: as the caller vouches.
    let region = unsafe { region_of(place.mr, "rdma.local.mr")? };
    let (which, offset) = ("local", place.offset);
    region
        .address_of(offset, bytes)
        .ok_or(Refusal::OutsideRegion {
            which,
            offset,
            bytes,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_come_back_until_they_are_destroyed() {
        let mut description = [0; DESCRIPTION_BYTES];
        description[9] = 7;
        let region = MemoryRegion::from_bytes(description);
        let mut handle = handle_of(region);
        // SAFETY: the handle is this test's.
        unsafe {
            assert_eq!(region_of(&raw const handle, "").unwrap(), region);
            handle[3] = 0;
            assert!(region_of(&raw const handle, "").is_err());
            assert!(region_of(std::ptr::null(), "").is_err());
        }
    }
}
