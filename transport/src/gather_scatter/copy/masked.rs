//! Blocks of at most 64 bytes, each in one register, by masked loads and stores.
//!
//! A copy whose length is known only when it runs is a call that branches by the length, and where
//! lengths are irregular the branches are mispredicted. A mask made of the length needs neither
//! (AVX-512).
//!
//! Step before: `super::kernel` has blocks of unequal length, or blocks whose lines share a set of
//! the cache. Step after: none.
//!
//! Invariant: nothing outside of the block is read or written; masked bytes are not touched, and do
//! not fault.

/// The longest block.
pub(crate) const MOST_BYTES: usize = 64;

/// Whether the processor has the instructions.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn is_available() -> bool {
    std::arch::is_x86_feature_detected!("avx512bw") && std::arch::is_x86_feature_detected!("bmi2")
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(crate) fn is_available() -> bool {
    false
}

/// Copies one block.
///
/// The instructions are written out, since Rust 1.88 has no functions for them. The register is one
/// that code without AVX-512 does not know, so that nothing need be cleared behind it.
///
/// # Safety
/// [`is_available`] has said so; `bytes` is at most [`MOST_BYTES`]; `from` is readable and `to`
/// writable for so many bytes.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) unsafe fn copy(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: the mask has a bit for each of the block's bytes, which alone are read and written,
    // as the caller vouches; flags, mask and vector register are said to be lost.
    unsafe {
        std::arch::asm!(
            "bzhi {mask}, {ones}, {bytes}",
            "kmovq k1, {mask}",
            "vmovdqu8 zmm16{{k1}}{{z}}, [{from}]",
            "vmovdqu8 [{to}]{{k1}}, zmm16",
            mask = out(reg) _,
            ones = in(reg) u64::MAX,
            bytes = in(reg) bytes,
            from = in(reg) from,
            to = in(reg) to,
            out("k1") _,
            out("xmm16") _,
            options(nostack),
        );
    }
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) unsafe fn copy(_: *const u8, _: *mut u8, _: usize) {
    unreachable!("`is_available` has refused");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_the_block_is_copied() {
        if !is_available() {
            return;
        }
        let from: Vec<u8> = (1..=80).collect();
        for bytes in 0..=MOST_BYTES {
            for at in [0, 1, 15] {
                let mut to = [0_u8; 96];
                // SAFETY: it is available; 15 + 64 bytes lie in either.
                unsafe { copy(from.as_ptr().add(at), to.as_mut_ptr().add(at), bytes) };
                assert_eq!(to[at..at + bytes], from[at..at + bytes]);
                let rest = to[..at].iter().chain(&to[at + bytes..]);
                assert!(rest.copied().all(|byte| byte == 0), "{bytes} at {at}");
            }
        }
    }
}
