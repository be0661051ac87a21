//! Accumulates of windows: elements of the target combined with those of the origin, one accumulate at a time.
//!
//! Before: the caller has checked that the target's layout lies in its part, and that the operation is defined on the elements.
//! After: the target's elements are what the operation made of them, and a result holds what they were before.
//!
//! | the target's memory | with the gate closed |
//! |---|---|
//! | mapped here, elements side by side | combined in place |
//! | mapped here, or the kernel copies | gathered, combined, scattered |
//! | neither | the target is asked, which does the same ([`super::message`]) |
//!
//! Invariants: the gate of the target's part is closed from the first look at an element to the last store, so accumulates of
//! any length are atomic for each element, and those of one origin come in their order (MPI-5.0 section 12.7.1).

use super::elements::{Elements, count_in};
use super::transfer::Remote;
use super::{Window, WindowError};
use crate::active::{Completion, TransferError};
use crate::context::Context;
use crate::gather_scatter::Machine;
use crate::one_sided::scattered::Direction;
use crate::operation::{Operation, Primitive, combine, extent_bytes};

/// What becomes of the target's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// They are combined with the origin's.
    Combine(Operation),
    /// They are replaced by the origin's where they are what is compared: one element.
    CompareAndSwap,
}

/// The elements of an accumulate, and what becomes of them.
#[derive(Clone, Copy, Debug)]
pub struct Accumulate<'a> {
    /// What it does.
    pub change: Change,
    /// Of what kind the elements are, at both ends.
    pub primitive: Primitive,
    /// The origin's elements in memory layout, and behind them what is compared; none for `MPI_NO_OP`.
    pub incoming: &'a [u8],
}

impl Accumulate<'_> {
    /// Changes elements in memory layout.
    pub(super) fn apply(&self, elements: &mut [u8]) {
        match self.change {
            Change::Combine(Operation::NoOperation) => {}
            Change::Combine(operation) if self.apply_to_one(operation, elements) => {}
            Change::Combine(operation) => {
                let count = elements.len() / extent_bytes(self.primitive);
                combine(operation, self.primitive, self.incoming, elements, count)
                    .expect("operation, type and lengths were checked when the call began");
            }
            Change::CompareAndSwap => {
                let (value, compared) = self.incoming.split_at(elements.len());
                if elements == compared {
                    elements.copy_from_slice(value);
                }
            }
        }
    }

    /// Changes one element of the usual kinds, for which a loop would cost more than the element; whether it did.
    #[inline(always)]
    fn apply_to_one(&self, operation: Operation, element: &mut [u8]) -> bool {
        use Primitive::{Float64, Int32, Int64, Long, UInt32, UInt64, UnsignedLong};
        if let (Ok(element), Ok(incoming)) = (
            <&mut [u8; 8]>::try_from(&mut *element),
            <&[u8; 8]>::try_from(self.incoming),
        ) {
            let changed = match (operation, self.primitive) {
                (Operation::Replace, _) => *incoming,
                (Operation::Sum, Int64 | UInt64 | Long | UnsignedLong) => {
                    let sum =
                        u64::from_ne_bytes(*element).wrapping_add(u64::from_ne_bytes(*incoming));
                    sum.to_ne_bytes()
                }
                (Operation::Sum, Float64) => {
                    (f64::from_ne_bytes(*incoming) + f64::from_ne_bytes(*element)).to_ne_bytes()
                }
                _ => return false,
            };
            *element = changed;
            return true;
        }
        let (Ok(element), Ok(incoming)) = (
            <&mut [u8; 4]>::try_from(element),
            <&[u8; 4]>::try_from(self.incoming),
        ) else {
            return false;
        };
        *element = match (operation, self.primitive) {
            (Operation::Replace, _) => *incoming,
            (Operation::Sum, Int32 | UInt32) => {
                let sum = u32::from_ne_bytes(*element).wrapping_add(u32::from_ne_bytes(*incoming));
                sum.to_ne_bytes()
            }
            _ => return false,
        };
        true
    }

    /// Whether it needs the target's elements as they are, besides for a result.
    fn looks(&self) -> bool {
        self.change != Change::Combine(Operation::Replace)
    }

    fn changes(&self) -> bool {
        self.change != Change::Combine(Operation::NoOperation)
    }

    /// Bytes in memory layout of so many packed ones.
    pub(super) fn memory_bytes(primitive: Primitive, packed_bytes: usize) -> usize {
        count_in(primitive, packed_bytes) * extent_bytes(primitive)
    }
}

impl Window {
    /// One element that is mapped here and has no gaps: whether it is done. [`Self::accumulate`] serves where it is not.
    ///
    /// # Safety
    ///
    /// `result` is null or writable for one element. The element lies in the part.
    #[inline]
    pub unsafe fn accumulate_here(
        &self,
        context: &Context,
        (rank, at): (usize, i64),
        accumulate: &Accumulate<'_>,
        bytes: usize,
        result: *mut u8,
    ) -> bool {
        let Some(base) = self.part(rank).here else {
            return false;
        };
        context.count_message(self.task(rank), bytes);
        let _inside = self.words.member(rank).gate.enter();
        // SAFETY: the part is mapped here, and the caller vouches that the elements lie in it; the gate keeps other accumulates
        // away, and the program all else (MPI-5.0 section 12.7).
        let elements =
            unsafe { std::slice::from_raw_parts_mut(base.wrapping_offset(at as isize), bytes) };
        if !result.is_null() {
            // SAFETY: the caller vouches for the result, which is no part of the target's elements.
            unsafe { std::ptr::copy_nonoverlapping(elements.as_ptr(), result, bytes) };
        }
        accumulate.apply(elements);
        true
    }

    /// Lets `work` have bytes of this task's part; none where they are not all in it.
    pub(super) fn with_own<R>(
        &self,
        at: i64,
        bytes: usize,
        work: impl FnOnce(&mut [u8]) -> R,
    ) -> Option<R> {
        let base = self.part(self.rank()).here?;
        if !self.holds(self.rank(), at, (0, i64::try_from(bytes).ok()?)) {
            return None;
        }
        let own = base.wrapping_offset(at as isize);
        // SAFETY: the bytes lie in this task's part, which the program has made good until the window is freed, and lets others change
        // in their epochs.
        Some(work(unsafe { std::slice::from_raw_parts_mut(own, bytes) }))
    }

    /// Changes elements of a member's part; `result` is where they go as they were before. `done` is called when all is done.
    ///
    /// # Safety
    ///
    /// `result` has so many bytes, which are writable until `done` has been called, or else until the window is complete. The
    /// layout lies in the part.
    ///
    /// # Errors
    ///
    /// Those that are seen at once; others are told to `done`, and by [`Window::complete_all`].
    pub unsafe fn accumulate(
        &self,
        context: &Context,
        to: Remote<'_>,
        accumulate: Accumulate<'_>,
        mut result: Option<Machine>,
        done: Option<Completion>,
    ) -> Result<(), WindowError> {
        if self.accumulate_by_mail(context, to, &accumulate, result.as_mut()) {
            context.complete(done, Ok(()));
            return Ok(());
        }
        // SAFETY: as the caller vouches.
        match unsafe { self.accumulate_at_once(context, to, &accumulate, &mut result) } {
            Some(Ok(())) => {
                context.count_message(self.task(to.rank), to.bytes);
                context.complete(done, Ok(()));
                Ok(())
            }
            Some(Err(error)) => Err(error.into()),
            // SAFETY: as the caller vouches.
            None => unsafe { self.ask(context, to, &accumulate, result, done) },
        }
    }

    /// Does it without the target, where that can be.
    ///
    /// # Safety
    ///
    /// As for [`Self::accumulate`].
    pub(super) unsafe fn accumulate_at_once(
        &self,
        context: &Context,
        to: Remote<'_>,
        accumulate: &Accumulate<'_>,
        result: &mut Option<Machine>,
    ) -> Option<Result<(), TransferError>> {
        let mut elements = Elements::new(accumulate.primitive, to.bytes);
        let _inside = self.words.member(to.rank).gate.enter();
        if accumulate.looks() || result.is_some() {
            let here = elements.machine();
            // SAFETY: the elements have room for so many bytes; the caller vouches for the rest.
            let got = unsafe { self.transfer_at_once(context, Direction::Get, to, &here) }?;
            if got.is_err() {
                return Some(got);
            }
        }
        if let Some(result) = result {
            elements.machine().copy_bytes_to(result, to.bytes);
        }
        if !accumulate.changes() {
            return Some(Ok(()));
        }
        accumulate.apply(elements.bytes_mut());
        let here = elements.machine();
        // SAFETY: as above.
        unsafe { self.transfer_at_once(context, Direction::Put, to, &here) }
    }
}
