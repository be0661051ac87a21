//! Copies between two processes' private memory, done by the kernel.
//!
//! Before: the engine has a put or get descriptor, or the rendezvous protocol knows
//! both addresses. The kernel checks that the other process lets itself be read; a
//! refusal is an error that the caller answers with another protocol. Memory of a shared heap
//! (`peer_heap.rs`) is copied without the kernel.

use std::sync::OnceLock;

use pamir_shm::copy::copy_read;
use pamir_shm::segment::PAGE_BYTES;

use crate::memory::sweep::Sweep;
use crate::memory::{huge_pages, peer_heap};

/// The kernel did not copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KernelCopyError {
    /// The system call failed.
    #[error("the kernel refuses to copy {bytes} bytes {direction} process {process} (error {errno}: {}); a container needs the capability CAP_SYS_PTRACE for this", std::io::Error::from_raw_os_error(*errno))]
    Refused {
        /// `from` or `to`.
        direction: &'static str,
        /// The other process.
        process: i32,
        /// Bytes that were left to copy.
        bytes: usize,
        /// What the kernel said.
        errno: i32,
    },
}

impl KernelCopyError {
    /// Whether it was the memory, and not the other process: other copies may succeed.
    pub fn is_about_memory(&self) -> bool {
        let Self::Refused { errno, .. } = self;
        *errno == libc::EFAULT
    }
}

/// Whether memory of another process is copied here without the kernel.
pub fn is_mapped(process: i32, remote: u64, bytes: usize) -> bool {
    peer_heap::mapped(process, remote, bytes).is_some()
}

/// Copies `bytes` bytes from address `remote` of `process` to `local`.
///
/// # Safety
///
/// `local` is writable for `bytes` bytes.
pub unsafe fn read(
    process: i32,
    local: *mut u8,
    remote: u64,
    bytes: usize,
) -> Result<(), KernelCopyError> {
    if let Some(mapped) = peer_heap::mapped(process, remote, bytes) {
        // Bytes that the other process has just written come sooner in this way than by `memcpy`
        // (`docs/decisions/006-heap-and-huge-pages.md`).
        // SAFETY: the mapping has the bytes and is another process's; the caller vouches for
        // `local`.
        unsafe { copy_read(mapped.start(), local, bytes) };
        return Ok(());
    }
    // SAFETY: the caller vouches for `local`.
    unsafe {
        copy(
            "from",
            process,
            local,
            remote,
            bytes,
            libc::process_vm_readv,
        )
    }
}

/// [`read`], in an order of pieces.
///
/// # Safety
///
/// As for [`read`].
pub unsafe fn read_in_order(
    process: i32,
    local: *mut u8,
    remote: u64,
    bytes: usize,
    sweep: Sweep,
) -> Result<(), KernelCopyError> {
    if sweep == Sweep::Up {
        // SAFETY: the caller vouches for `local`.
        return unsafe { read(process, local, remote, bytes) };
    }
    if is_mapped(process, remote, bytes) {
        for piece in sweep.pieces(0..bytes) {
            let (local, remote) = (local.wrapping_add(piece.start), remote + piece.start as u64);
            // SAFETY: a part of what the caller vouches for.
            unsafe { read(process, local, remote, piece.len()) }?;
        }
        return Ok(());
    }
    // SAFETY: the caller vouches for `local`.
    unsafe { read_down(process, local, remote, bytes) }
}

/// Pieces that a call copies against their order.
const PIECES_DOWN: usize = 16;

/// No place.
pub const NOWHERE: libc::iovec = libc::iovec {
    iov_base: std::ptr::null_mut(),
    iov_len: 0,
};

/// [`read`] from the last piece to the first, many in a call.
///
/// # Safety
///
/// As for [`read`].
unsafe fn read_down(
    process: i32,
    local: *mut u8,
    remote: u64,
    bytes: usize,
) -> Result<(), KernelCopyError> {
    let mut end = bytes;
    while end > 0 {
        let mut here = [NOWHERE; PIECES_DOWN];
        let mut there = here;
        let (mut count, mut start) = (0, end);
        for piece in Sweep::Down.pieces(0..end).take(PIECES_DOWN) {
            start = piece.start;
            here[count].iov_base = local.wrapping_add(start).cast();
            there[count].iov_base = (remote as usize + start) as *mut libc::c_void;
            here[count].iov_len = piece.len();
            there[count].iov_len = piece.len();
            count += 1;
        }
        // SAFETY: the caller vouches for `local`, of which each place is a part.
        let moved = unsafe { read_places(process, &here[..count], &there[..count]) }?;
        if moved != end - start {
            let (local, remote) = (local.wrapping_add(start), remote + start as u64);
            // SAFETY: as above. It copies what is left, or says what is wrong with it.
            unsafe { read(process, local, remote, end - start) }?;
        }
        end = start;
    }
    Ok(())
}

/// Copies `bytes` bytes from `local` to address `remote` of `process`.
///
/// # Safety
///
/// `local` is readable for `bytes` bytes, and the other process expects to be written to
/// at `remote`.
pub unsafe fn write(
    process: i32,
    local: *const u8,
    remote: u64,
    bytes: usize,
) -> Result<(), KernelCopyError> {
    if let Some(mapped) = peer_heap::mapped(process, remote, bytes) {
        // SAFETY: as in `read`; the other process expects to be written to there.
        unsafe { mapped.start().copy_from_nonoverlapping(local, bytes) };
        return Ok(());
    }
    // SAFETY: the caller vouches for `local`, which the call only reads.
    unsafe {
        copy(
            "to",
            process,
            local.cast_mut(),
            remote,
            bytes,
            libc::process_vm_writev,
        )
    }
}

/// Most places that one call takes at either end: the kernel's `UIO_MAXIOV`.
pub const MOST_PLACES: usize = 1024;

/// Copies from the places `remote` of `process` to the places `local`, in order, until either end
/// is used up; the bytes that were copied, which may be fewer.
///
/// # Safety
///
/// Each local place is writable for its bytes.
pub unsafe fn read_places(
    process: i32,
    local: &[libc::iovec],
    remote: &[libc::iovec],
) -> Result<usize, KernelCopyError> {
    // SAFETY: the caller vouches for the local places.
    unsafe { copy_places("from", process, local, remote, libc::process_vm_readv) }
}

/// Copies from the places `local` to the places `remote` of `process`, as [`read_places`] does.
///
/// # Safety
///
/// Each local place is readable for its bytes, and the other process expects to be written to.
pub unsafe fn write_places(
    process: i32,
    local: &[libc::iovec],
    remote: &[libc::iovec],
) -> Result<usize, KernelCopyError> {
    // SAFETY: the caller vouches for the local places.
    unsafe { copy_places("to", process, local, remote, libc::process_vm_writev) }
}

/// # Safety
///
/// Each local place is good for its bytes in the direction of `call`.
unsafe fn copy_places(
    direction: &'static str,
    process: i32,
    local: &[libc::iovec],
    remote: &[libc::iovec],
    call: Call,
) -> Result<usize, KernelCopyError> {
    let counts = [local.len(), remote.len()].map(|count| count.min(MOST_PLACES) as libc::c_ulong);
    // SAFETY: both lists have at least as many entries as is said; the local ranges are the
    // caller's, the remote ones are checked by the kernel.
    let moved = unsafe {
        call(
            process,
            local.as_ptr(),
            counts[0],
            remote.as_ptr(),
            counts[1],
            0,
        )
    };
    usize::try_from(moved)
        .ok()
        .filter(|&moved| moved != 0)
        .ok_or_else(|| KernelCopyError::Refused {
            direction,
            process,
            bytes: local.iter().map(|place| place.iov_len).sum(),
            errno: std::io::Error::last_os_error().raw_os_error().unwrap_or(0),
        })
}

type Call = unsafe extern "C" fn(
    libc::pid_t,
    *const libc::iovec,
    libc::c_ulong,
    *const libc::iovec,
    libc::c_ulong,
    libc::c_ulong,
) -> libc::ssize_t;

/// # Safety
///
/// `local` is good for `bytes` bytes in the direction of `call`.
unsafe fn copy(
    direction: &'static str,
    process: i32,
    local: *mut u8,
    remote: u64,
    bytes: usize,
    call: Call,
) -> Result<(), KernelCopyError> {
    huge_pages::copied(local.addr(), bytes);
    let mut done = 0;
    while done < bytes {
        let here = libc::iovec {
            iov_base: local.wrapping_add(done).cast(),
            iov_len: bytes - done,
        };
        let there = libc::iovec {
            iov_base: (remote as usize + done) as *mut libc::c_void,
            iov_len: bytes - done,
        };
        // SAFETY: one live entry each; the local range is the caller's, the remote one is
        // checked by the kernel.
        let moved = unsafe { call(process, &raw const here, 1, &raw const there, 1, 0) };
        if moved <= 0 {
            let errno = std::io::Error::last_os_error().raw_os_error().unwrap_or(0);
            return Err(KernelCopyError::Refused {
                direction,
                process,
                bytes: bytes - done,
                errno,
            });
        }
        done += moved as usize;
    }
    Ok(())
}

/// Whether this process may ask the kernel for copies at all: containers often forbid the system
/// calls, whoever the other process is. Asked once, quietly; who may be read is seen when a copy
/// is refused.
pub fn is_allowed() -> bool {
    let source = [0_u8; 8];
    let mut target = [0_u8; 8];
    let own = std::process::id() as i32;
    let (from, to) = (source.as_ptr() as u64, target.as_mut_ptr());
    // SAFETY: the target is eight bytes of this function's own.
    unsafe { read(own, to, from, source.len()) }.is_ok()
}

/// What is to be done with memory of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It is read.
    Read,
    /// It is written.
    Write,
}

/// Whether this process has `bytes` bytes at `address` that it may access so, for an address that
/// another process says: what the kernel finds out for its copies. The pages are there afterwards.
/// True as well where the kernel does not tell (before Linux 5.14).
pub fn is_accessible(address: u64, bytes: u64, access: Access) -> bool {
    static TELLS: OnceLock<bool> = OnceLock::new();
    let own = 0_u8;
    let tells = || populate((&raw const own).addr() as u64, 1, Access::Read);
    bytes == 0 || populate(address, bytes, access) || !*TELLS.get_or_init(tells)
}

/// Has the kernel make the pages of a range present, as an access would.
fn populate(address: u64, bytes: u64, access: Access) -> bool {
    let start = address & !(PAGE_BYTES as u64 - 1);
    let Some(end) = address.checked_add(bytes) else {
        return false;
    };
    let advice = match access {
        Access::Read => libc::MADV_POPULATE_READ,
        Access::Write => libc::MADV_POPULATE_WRITE,
    };
    let start_address = std::ptr::with_exposed_provenance_mut(start as usize);
    // SAFETY: populating changes no byte; what is not mapped, or not so, is an error.
    unsafe { libc::madvise(start_address, (end - start) as usize, advice) == 0 }
}

/// Lets the other ranks' processes read and write this one's memory, where the kernel
/// otherwise lets only ancestors do so (Yama's `ptrace_scope`).
pub fn allow_peers() {
    // SAFETY: prctl with these arguments only sets a property of this process.
    unsafe { libc::prctl(libc::PR_SET_PTRACER, libc::PR_SET_PTRACER_ANY, 0, 0, 0) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_within_this_process() {
        assert!(is_allowed());
        let process = std::process::id() as i32;
        let source: Vec<u8> = (0..10_000).map(|byte| byte as u8).collect();
        let mut target = vec![0_u8; 10_000];
        // SAFETY: both vectors have the bytes.
        unsafe { read(process, target.as_mut_ptr(), source.as_ptr() as u64, 10_000).unwrap() };
        assert_eq!(source, target);
        target.fill(0);
        // SAFETY: as above.
        unsafe { write(process, source.as_ptr(), target.as_mut_ptr() as u64, 10_000).unwrap() };
        assert_eq!(source, target);
    }

    #[test]
    fn copies_in_either_order() {
        let process = std::process::id() as i32;
        for bytes in [0, 5, 700_001, 5_000_003] {
            let source: Vec<u8> = (0..bytes).map(|at| (at % 251) as u8).collect();
            for sweep in [Sweep::Up, Sweep::Down] {
                let mut target = vec![0; bytes];
                let (to, from) = (target.as_mut_ptr(), source.as_ptr() as u64);
                // SAFETY: the target has the bytes.
                unsafe { read_in_order(process, to, from, bytes, sweep) }.unwrap();
                assert!(source == target);
            }
        }
        let mut target = vec![0; 1 << 20];
        // SAFETY: as above; the kernel refuses what is not there.
        let refused =
            unsafe { read_in_order(process, target.as_mut_ptr(), 8, 1 << 20, Sweep::Down) };
        assert!(refused.is_err_and(|error| error.is_about_memory()));
    }

    #[test]
    fn copies_between_places_of_different_lengths() {
        let process = std::process::id() as i32;
        let source: Vec<u8> = (0..100).collect();
        let mut target = [0_u8; 100];
        let place = |memory: *mut u8, at: usize, bytes: usize| libc::iovec {
            iov_base: memory.wrapping_add(at).cast(),
            iov_len: bytes,
        };
        let from = source.as_ptr().cast_mut();
        let from = [place(from, 50, 10), place(from, 0, 7), place(from, 90, 9)];
        let to = target.as_mut_ptr();
        let to = [place(to, 3, 4), place(to, 20, 16)];
        // SAFETY: all places lie in the two arrays.
        let moved = unsafe { write_places(process, &from, &to).unwrap() };
        assert_eq!(moved, 20);
        assert_eq!(target[3..7], source[50..54]);
        assert_eq!(target[20..26], source[54..60]);
        assert_eq!(target[26..33], source[..7]);
        assert_eq!(target[33..37], [90, 91, 92, 0]);
        // SAFETY: as above.
        assert_eq!(unsafe { read_places(process, &to, &from).unwrap() }, 20);
        // SAFETY: the local places are as above; the kernel looks at the remote ones.
        let refused = unsafe { read_places(process, &to, &[place(8 as *mut u8, 0, 20)]) };
        let refused = refused.unwrap_err();
        assert!(refused.is_about_memory() && refused.to_string().contains("error 14"));
    }

    #[test]
    fn memory_that_is_not_there_or_not_writable_is_not_accessible() {
        static CONSTANT: [u8; 64] = [7; 64];
        let mut own = vec![0_u8; 10_000];
        let accessible = |address: *const u8, bytes, access| {
            is_accessible(address.expose_provenance() as u64, bytes, access)
        };
        for access in [Access::Read, Access::Write] {
            assert!(accessible(own.as_mut_ptr(), 10_000, access));
            assert!(accessible(std::ptr::without_provenance(64), 0, access));
            assert!(!accessible(std::ptr::without_provenance(64), 5, access));
            assert!(!is_accessible(u64::MAX - 4, 8, access));
        }
        assert!(accessible(CONSTANT.as_ptr(), 64, Access::Read));
        assert!(!accessible(CONSTANT.as_ptr(), 64, Access::Write));
    }

    #[test]
    fn a_refusal_names_the_process() {
        let mut target = [0_u8; 8];
        // SAFETY: eight bytes are writable.
        let error = unsafe { read(i32::MAX, target.as_mut_ptr(), 4096, 8) }.unwrap_err();
        assert!(error.to_string().contains("process 2147483647"), "{error}");
        assert!(!error.is_about_memory());
    }
}
