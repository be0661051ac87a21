//! What a reduction needs to know about its operator.
//!
//! Step before: the MPI layer wraps an operator and a datatype. Step after:
//! [`crate::collective::reduce()`], [`crate::collective::allreduce()`], [`crate::collective::reduce_scatter()`],
//! [`crate::collective::scan()`], [`crate::collective::exscan()`].
//!
//! Invariant: algorithms combine neighbouring ranges of ranks only, the lower
//! range as left operand, unless they say that they need a commutative operator.
//! Buffers are split between elements only.

use std::ops::Range;

use super::error::CollectiveError;

/// An associative operator over elements of one datatype.
pub trait Reduction {
    /// `inout = incoming op inout`, element by element. `incoming` is the operand of the lower
    /// ranks. Both have the same length, a whole number of elements.
    fn combine(&self, incoming: &[u8], inout: &mut [u8]);

    /// `result = incoming op own`, as a copy of `own` and [`Self::combine`] do, but maybe in one go.
    fn combine_out_of_place(&self, incoming: &[u8], own: &[u8], result: &mut [u8]) {
        result.copy_from_slice(own);
        self.combine(incoming, result);
    }

    /// Takes `incoming` into `result`, where the right operand is, unless it is still `apart`.
    #[inline(always)]
    fn combine_after(&self, incoming: &[u8], apart: Option<&[u8]>, result: &mut [u8]) {
        match apart {
            Some(own) => self.combine_out_of_place(incoming, own, result),
            None => self.combine(incoming, result),
        }
    }

    /// Whether operands may be swapped.
    fn commutative(&self) -> bool;

    /// Bytes of one element (a datatype's extent); not 0.
    fn element_bytes(&self) -> usize;
}

/// Takes `received`, of ranks above those in `accumulated`, into `accumulated`; `received` is spoiled.
pub fn combine_higher(reduction: &impl Reduction, accumulated: &mut [u8], received: &mut [u8]) {
    if reduction.commutative() {
        reduction.combine(received, accumulated);
    } else {
        reduction.combine(accumulated, received);
        accumulated.copy_from_slice(received);
    }
}

/// Takes `received`, of a member `theirs`, into `accumulated` of this member `ours`, in the order of ranks.
pub fn combine_ordered(
    reduction: &impl Reduction,
    (ours, accumulated): (usize, &mut [u8]),
    (theirs, received): (usize, &mut [u8]),
) {
    if theirs < ours {
        reduction.combine(received, accumulated);
    } else {
        combine_higher(reduction, accumulated, received);
    }
}

/// How many whole elements `bytes` are.
pub fn elements(reduction: &impl Reduction, bytes: usize) -> Result<usize, CollectiveError> {
    let element_bytes = reduction.element_bytes();
    if element_bytes != 0 && bytes.is_multiple_of(element_bytes) {
        Ok(bytes / element_bytes)
    } else {
        Err(CollectiveError::PartialElement {
            bytes,
            element_bytes,
        })
    }
}

/// The bytes of part `part` of `parts` nearly equal parts of `elements` elements.
pub fn part_of(elements: usize, element_bytes: usize, parts: usize, part: usize) -> Range<usize> {
    // The first `longer` parts have one element more than the others.
    let (shorter, longer) = (elements / parts, elements % parts);
    let start = part * shorter + part.min(longer);
    let end = start + shorter + usize::from(part < longer);
    start * element_bytes..end * element_bytes
}
