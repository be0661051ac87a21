//! Gathers with wider registers, where they were measured to pay.
//!
//! Copying block by block moves one block a cycle out of the first-level cache whatever its
//! length up to 32 bytes. Of every other block a register holds many, and shuffles pack
//! them (nanoseconds a block, 64 KiB in bursts of 16 KiB):
//!
//! | layout | block by block | here |
//! |---|---|---|
//! | 1 byte, every other | 0.20 | 0.015 |
//! | 2 bytes, every other | 0.20 | 0.03 |
//! | 4 bytes, every other | 0.20 | 0.06 |
//! | 8 bytes, every other | 0.21 | 0.11 |
//!
//! What was measured and does not pay: gather instructions (0.35 at short distances; at long
//! ones the cache misses count alone) and scatter instructions (as fast at best, a third as
//! fast from memory), prefetching ahead (the hardware does), wide copies of long
//! blocks (`memcpy` has them).
//!
//! Step before: `super::kernel` asks whether there is something better. Step after: none.
//!
//! Invariant: nothing outside of the blocks is read, not even between them where a
//! block might be the last of a page.

/// Whether [`gather`] has a kernel for blocks of `block` bytes, `stride` bytes apart.
#[inline(always)]
pub(crate) fn pays(block: usize, stride: i64) -> bool {
    stride == 2 * block as i64 && matches!(block, 1 | 2 | 4 | 8) && is_available()
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn is_available() -> bool {
    std::arch::is_x86_feature_detected!("avx2")
}

#[cfg(not(target_arch = "x86_64"))]
fn is_available() -> bool {
    false
}

/// Copies `count` blocks from `from` on, every other one, to packed bytes.
///
/// # Safety
/// [`pays`] has said so; each block readable; `out` writable for all; no overlap.
#[cfg(target_arch = "x86_64")]
pub(crate) unsafe fn gather(from: *const u8, out: *mut u8, count: usize, block: usize) {
    // SAFETY: `pays` has found the instructions; the rest as the caller vouches.
    unsafe {
        match block {
            1 => every_other(from, out, count),
            2 => every_other::<[u8; 2]>(from.cast(), out.cast(), count),
            4 => every_other::<[u8; 4]>(from.cast(), out.cast(), count),
            _ => every_other::<[u8; 8]>(from.cast(), out.cast(), count),
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) unsafe fn gather(_: *const u8, _: *mut u8, _: usize, _: usize) {
    unreachable!("`pays` has refused");
}

/// Copies items 0, 2, 4, ...; the compiler makes shuffles of the constant distance.
///
/// # Safety
/// AVX2 is there; `count` such items are readable, and writable at `out`.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn every_other<T: Copy>(from: *const T, out: *mut T, count: usize) {
    for index in 0..count {
        // SAFETY: as the caller vouches, for this item.
        unsafe {
            let item = from.add(2 * index).read_unaligned();
            out.add(index).write_unaligned(item);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_gathers_what_it_should() {
        let memory: Vec<u8> = (0..40_000u32).map(|at| ((at * 31) >> 3) as u8).collect();
        for block in [1, 2, 4, 8]
            .into_iter()
            .filter(|&block| pays(block, 2 * block as i64))
        {
            for count in [1, 3, 4, 5, 17, 64, 1000] {
                let first = 3;
                let mut out = vec![0; count * block];
                let from = memory.as_ptr().wrapping_add(first);
                // SAFETY: at most 16,000 bytes from the first block, within the memory.
                unsafe { gather(from, out.as_mut_ptr(), count, block) };
                let blocks = memory[first..].chunks(2 * block).take(count);
                let expected: Vec<u8> = blocks.flat_map(|pair| pair[..block].to_vec()).collect();
                assert_eq!(out, expected, "{count} blocks of {block}");
            }
        }
        assert!(!pays(8, 24) && !pays(16, 32));
    }
}
