//! The loop that every element-wise operation is: combine two arrays of
//! `N`-byte elements, whatever their alignment, in place or into a third one.
//!
//! Elements are loaded from and stored to byte arrays, which makes alignment a
//! matter of speed alone: compilers turn the loop into unaligned vector loads,
//! and those cost nothing where the address happens to be aligned. The loop is
//! compiled twice, for the baseline instruction set and for AVX2; which one
//! runs is decided when it is called, from what the processor has.
//!
//! Step before: [`combine`](super::combine) has checked that both buffers are long enough.

/// The right operand of a combination, and where its result goes: where the operand lies, or elsewhere, which saves
/// copying it there.
pub(super) struct Inout<'a> {
    /// The operand; none where it is in `result`.
    pub(super) own: Option<&'a [u8]>,
    /// As long as the operand.
    pub(super) result: &'a mut [u8],
}

impl<'a> Inout<'a> {
    /// Where the result goes, with the operand in it, for what is only computed in place.
    pub(super) fn in_place(self) -> &'a mut [u8] {
        if let Some(own) = self.own {
            self.result.copy_from_slice(own);
        }
        self.result
    }
}

/// `result[i] = f(incoming[i], own[i])` for whole elements of `N` bytes, as
/// many as all buffers hold.
#[inline]
pub(super) fn each<const N: usize>(
    incoming: &[u8],
    inout: Inout<'_>,
    f: impl Fn([u8; N], [u8; N]) -> [u8; N],
) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, as was just asked.
        unsafe { each_avx2(incoming, inout, f) };
        return;
    }
    each_here(incoming, inout, f);
}

/// The loop, compiled for AVX2: vectors of 32 bytes, and integer minimum, maximum
/// and product that the baseline lacks.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn each_avx2<const N: usize>(
    incoming: &[u8],
    inout: Inout<'_>,
    f: impl Fn([u8; N], [u8; N]) -> [u8; N],
) {
    each_here(incoming, inout, f);
}

/// The loop, compiled with the features of whoever it is inlined into.
#[inline(always)]
fn each_here<const N: usize>(
    incoming: &[u8],
    inout: Inout<'_>,
    f: impl Fn([u8; N], [u8; N]) -> [u8; N],
) {
    let (incoming, _) = incoming.as_chunks::<N>();
    let (result, _) = inout.result.as_chunks_mut::<N>();
    let Some(own) = inout.own else {
        for (b, a) in result.iter_mut().zip(incoming) {
            *b = f(*a, *b);
        }
        return;
    };
    let (own, _) = own.as_chunks::<N>();
    for ((result, a), b) in result.iter_mut().zip(incoming).zip(own) {
        *result = f(*a, *b);
    }
}

/// Runs [`each`] over elements of a type that has `from_ne_bytes` and `to_ne_bytes`.
macro_rules! combine_as {
    ($element:ty, $incoming:expr, $inout:expr, |$a:ident, $b:ident| $result:expr) => {
        $crate::operation::kernel::each::<{ size_of::<$element>() }>($incoming, $inout, |a, b| {
            let ($a, $b) = (<$element>::from_ne_bytes(a), <$element>::from_ne_bytes(b));
            <$element>::to_ne_bytes($result)
        })
    };
}
pub(super) use combine_as;
