//! Puts and gets of windows.
//!
//! Before: the caller has checked that the target's layout lies in its part. After: the bytes are at the other end, or the
//! transfer is counted as under way.
//!
//! Invariant: memory that is mapped here is moved in one copy between the layouts; nothing is packed in between.

use pamir_driver::memory::kernel_copy;
use pamir_driver::memory::kernel_copy::KernelCopyError;

use super::{Window, WindowError};
use crate::active::{ActiveError, Completion, TransferError};
use crate::context::Context;
use crate::gather_scatter::{Machine, Program};
use crate::one_sided::scattered::{Direction, Scattered};

/// One end of a transfer: so many bytes at a place in a member's part.
#[derive(Clone, Copy, Debug)]
pub struct Remote<'p> {
    /// Whose part it is.
    pub rank: usize,
    /// Where in the part the layout stands, in bytes.
    pub at: i64,
    /// One element of the layout.
    pub element: &'p Program,
    /// Packed bytes to move.
    pub bytes: usize,
}

/// Data of fewer bytes is moved block by block, however short these are.
const FINE_BYTES: usize = 1024;

/// Blocks below this length are short.
const FINE_BLOCK_BYTES: usize = 256;

/// How many times its data a layout may span to be read as a whole.
const MOST_AROUND: usize = 8;

/// The kernel's refusals that say that it never copies between these two.
fn is_never(errno: i32) -> bool {
    matches!(errno, libc::EPERM | libc::EACCES | libc::ENOSYS)
}

impl Window {
    /// Writes `bytes` bytes at `source` to byte `at` of a member's part; whether it is done. Nothing was done, and
    /// [`Self::put`] serves, where it is not.
    ///
    /// # Safety
    ///
    /// `source` is readable for `bytes` bytes. The bytes lie in the part ([`Window::holds`]).
    #[inline(always)]
    pub unsafe fn put_here(
        &self,
        context: &Context,
        rank: usize,
        at: i64,
        source: *const u8,
        bytes: usize,
    ) -> bool {
        let Some(base) = self.part(rank).here else {
            return false;
        };
        context.count_message(self.task(rank), bytes);
        // SAFETY: the part is mapped here, and the caller vouches for both ranges, which may overlap where both are this task's.
        unsafe { move_bytes(source, base.wrapping_offset(at as isize), bytes) };
        true
    }

    /// Reads `bytes` bytes from byte `at` of a member's part to `target`; as [`Self::put_here`].
    ///
    /// # Safety
    ///
    /// `target` is writable for `bytes` bytes. The bytes lie in the part.
    #[inline(always)]
    pub unsafe fn get_here(
        &self,
        context: &Context,
        rank: usize,
        at: i64,
        target: *mut u8,
        bytes: usize,
    ) -> bool {
        let Some(base) = self.part(rank).here else {
            return false;
        };
        context.count_fetched(self.task(rank), bytes);
        // SAFETY: as in `put_here`.
        unsafe { move_bytes(base.wrapping_offset(at as isize), target, bytes) };
        true
    }

    /// Writes what `source` describes into a member's part. `done` is called when it is there.
    ///
    /// # Safety
    ///
    /// `source` has at least so many bytes, which are readable until `done` has been called, or else until the window is
    /// complete. The layout lies in the part.
    ///
    /// # Errors
    ///
    /// Those that are seen at once; others are told to `done`, and by [`Window::complete_all`].
    pub unsafe fn put(
        &self,
        context: &Context,
        to: Remote<'_>,
        source: Machine,
        done: Option<Completion>,
    ) -> Result<(), WindowError> {
        // SAFETY: as the caller vouches.
        unsafe { self.transfer(context, Direction::Put, to, source, done) }
    }

    /// Reads what lies in a member's part into what `target` describes; as [`Self::put`].
    ///
    /// # Safety
    ///
    /// As for [`Self::put`], with `target` writable.
    ///
    /// # Errors
    ///
    /// As for [`Self::put`].
    pub unsafe fn get(
        &self,
        context: &Context,
        from: Remote<'_>,
        target: Machine,
        done: Option<Completion>,
    ) -> Result<(), WindowError> {
        // SAFETY: as the caller vouches.
        unsafe { self.transfer(context, Direction::Get, from, target, done) }
    }

    /// # Safety
    ///
    /// As for [`Self::put`], in the direction that is said.
    unsafe fn transfer(
        &self,
        context: &Context,
        direction: Direction,
        remote: Remote<'_>,
        here: Machine,
        done: Option<Completion>,
    ) -> Result<(), WindowError> {
        let task = self.task(remote.rank);
        if self.transfer_by_mail(context, direction, remote, &here) {
            context.complete(done, Ok(()));
            return Ok(());
        }
        // SAFETY: as the caller vouches.
        match unsafe { self.transfer_at_once(context, direction, remote, &here) } {
            Some(Ok(())) => {
                match direction {
                    Direction::Put => context.count_message(task, remote.bytes),
                    Direction::Get => context.count_fetched(task, remote.bytes),
                }
                context.complete(done, Ok(()));
                return Ok(());
            }
            Some(Err(error)) => return Err(error.into()),
            None => {}
        }
        let transfer = Scattered {
            to: context.place.endpoint(task),
            region: self.part(remote.rank).region,
            offset: remote.at as usize,
            element: remote.element.clone(),
            bytes: remote.bytes,
            local: None,
            done: Some(self.begin(done)),
        };
        // SAFETY: the caller vouches for the memory here; the target has its part registered as long as the window lives.
        let started = unsafe {
            match direction {
                Direction::Put => context.put_scattered(transfer, here),
                Direction::Get => context.get_scattered(transfer, here),
            }
        };
        started.map_err(failed_to_start)
    }

    /// Moves the bytes without the target, where that can be: mapped, or by the kernel.
    ///
    /// # Safety
    ///
    /// As for [`Self::put`], in the direction that is said.
    pub(super) unsafe fn transfer_at_once(
        &self,
        context: &Context,
        direction: Direction,
        remote: Remote<'_>,
        here: &Machine,
    ) -> Option<Result<(), TransferError>> {
        let (part, bytes) = (self.part(remote.rank), remote.bytes);
        let there = remote.element.covering(bytes)?;
        if let Some(base) = part.here {
            let base = base.wrapping_offset(remote.at as isize);
            let mut here = here.clone();
            // SAFETY: the part is mapped here, and the layout lies in it.
            let mut there = unsafe { Machine::new(there, base) };
            match direction {
                Direction::Put => here.copy_bytes_to(&mut there, bytes),
                Direction::Get => there.copy_bytes_to(&mut here, bytes),
            };
            return Some(Ok(()));
        }
        let task = self.task(remote.rank);
        if !context.copies_with(task) {
            return None;
        }
        let base = part.region.address.wrapping_add_signed(remote.at);
        // SAFETY: the caller vouches for the memory here; the kernel checks the other.
        let copied = unsafe { kernel_moves(context, direction, task, (here, there), base, bytes) };
        match copied? {
            Ok(()) => Some(Ok(())),
            Err(KernelCopyError::Refused { errno, .. }) if is_never(errno) => {
                context.kernel_refuses.set(true);
                None
            }
            Err(error) if error.is_about_memory() => Some(Err(TransferError::NotMapped)),
            Err(_) => Some(Err(TransferError::Left)),
        }
    }
}

/// # Safety
///
/// `here` is good for the bytes in the direction that is said.
unsafe fn kernel_moves(
    context: &Context,
    direction: Direction,
    task: usize,
    (here, there): (&Machine, Program),
    base: u64,
    bytes: usize,
) -> Option<Result<(), KernelCopyError>> {
    if let (Some((address, _)), Some((displacement, _))) = (here.contiguous(), there.contiguous()) {
        let process = context.job().process(task)?;
        let local: *mut u8 = std::ptr::with_exposed_provenance_mut(address);
        let remote = base.wrapping_add_signed(displacement);
        // SAFETY: the caller vouches for the memory here; the other process has made it part of a window.
        return Some(unsafe {
            match direction {
                Direction::Put => kernel_copy::write(process, local, remote, bytes),
                Direction::Get => kernel_copy::read(process, local, remote, bytes),
            }
        });
    }
    if direction == Direction::Get && is_fine(&there, bytes) {
        // SAFETY: as the caller vouches.
        if let Some(read) = unsafe { read_around(context, task, (here, &there), base, bytes) } {
            return Some(read);
        }
    }
    let base = std::ptr::with_exposed_provenance_mut(base as usize);
    // SAFETY: nothing follows the address here: it is another process's.
    let there = unsafe { Machine::new(there, base) };
    // SAFETY: as the caller vouches.
    unsafe { context.copy_places(direction, task, here, &there, bytes) }
}

/// Whether a layout is of so many short blocks that a kernel's copy of each would take long.
fn is_fine(layout: &Program, bytes: usize) -> bool {
    bytes >= FINE_BYTES
        && layout.contiguous_times(2).is_none()
        && layout.bytes() / layout.blocks().max(1) < FINE_BLOCK_BYTES
}

/// Reads all that lies between the first and the last byte of a layout, and takes from that what belongs to it; none where that is
/// much more than the layout has.
///
/// # Safety
///
/// `here` is writable for the bytes.
unsafe fn read_around(
    context: &Context,
    task: usize,
    (here, there): (&Machine, &Program),
    base: u64,
    bytes: usize,
) -> Option<Result<(), KernelCopyError>> {
    let (low, high) = there.span();
    let length = usize::try_from(high.checked_sub(low)?).ok()?;
    // What an element has beyond the bytes may be nobody's memory.
    if there.bytes() != bytes || length > MOST_AROUND * bytes {
        return None;
    }
    let process = context.job().process(task)?;
    let mut around = vec![0_u8; length];
    let first = base.wrapping_add_signed(low);
    // SAFETY: the buffer has so many bytes.
    let read = unsafe { kernel_copy::read(process, around.as_mut_ptr(), first, length) };
    if read.is_ok() {
        let base = around.as_mut_ptr().wrapping_offset(-(low as isize));
        // SAFETY: what the layout reaches from there lies in the buffer, which lives as long as the machine.
        let mut from = unsafe { Machine::new(there.clone(), base) };
        from.copy_bytes_to(&mut here.clone(), bytes);
    }
    Some(read)
}

pub(super) fn failed_to_start(error: ActiveError) -> WindowError {
    match error {
        ActiveError::Unit(error) => error.into(),
        _ => TransferError::Left.into(),
    }
}

/// A copy whose ranges may overlap; the lengths of single elements without a call.
///
/// # Safety
///
/// `from` is readable and `to` writable for `bytes` bytes.
#[inline(always)]
unsafe fn move_bytes(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: each branch moves exactly `bytes`, which the caller vouches for.
    unsafe {
        match bytes {
            8 => to
                .cast::<u64>()
                .write_unaligned(from.cast::<u64>().read_unaligned()),
            4 => to
                .cast::<u32>()
                .write_unaligned(from.cast::<u32>().read_unaligned()),
            _ => std::ptr::copy(from, to, bytes),
        }
    }
}
