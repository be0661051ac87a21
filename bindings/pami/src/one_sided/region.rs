//! Handles of memory regions.
//!
//! Before: `PAMI_Memregion_create`; the program sends the handle to others. After: `PAMI_Rput`
//! and `PAMI_Rget` move data between a region here and one there.
//!
//! ```text
//! pami_memregion_t:  word 0..3 the transport's description     word 3 a mark, 0 when destroyed
//! ```

use pamir_transport::one_sided::memory_region::{DESCRIPTION_BYTES, MemoryRegion};

use crate::context::memory::registered;
use crate::edge::span::Span;
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
/// # Errors
///
/// [`Refusal::Handle`] for one that describes none, or no region any more.
pub fn region_of(
    handle: Option<&MemoryRegionHandle>,
    argument: &'static str,
) -> Result<MemoryRegion, Refusal> {
    let good = handle.filter(|handle| handle[DESCRIPTION_BYTES / 8] == MARK);
    let kind = "memory region";
    let words = good.ok_or(Refusal::Handle { argument, kind })?;
    let mut bytes = [0; DESCRIPTION_BYTES];
    for (bytes, word) in bytes.chunks_exact_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_ne_bytes());
    }
    Ok(MemoryRegion::from_bytes(bytes))
}

/// The memory here of a transfer's near end.
///
/// # Errors
///
/// As for [`region_of`], and [`Refusal::OutsideRegion`].
pub fn local_span(place: &RegionPlace, bytes: usize) -> Result<Span, Refusal> {
    let region = region_of(place.mr.get(), "rdma.local.mr")?;
    let (which, offset) = ("local", place.offset);
    registered(&region, offset, bytes).ok_or(Refusal::OutsideRegion {
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
        assert_eq!(region_of(Some(&handle), "").unwrap(), region);
        handle[3] = 0;
        assert!(region_of(Some(&handle), "").is_err());
        assert!(region_of(None, "").is_err());
    }
}
