//! The shared heap of this process, if `libpamir-heap.so` was preloaded into it.
//!
//! Before: a rank claims its place. After: its block says where its heap lies, and its peers may map it
//! ([`super::peer_heap`]).

use std::ffi::{c_int, c_void};
use std::os::unix::fs::MetadataExt;

use pamir_shm::atomic::Ordering;

use crate::job::layout::HeapWords;

/// Says where this process's heap lies, if it has one.
pub fn publish(words: &HeapWords) {
    let Some(own) = own() else {
        return;
    };
    let OwnHeap { bounds, descriptor } = own;
    let Ok(status) = std::fs::metadata(format!("/proc/self/fd/{descriptor}")) else {
        return;
    };
    words.address.store(bounds.address, Ordering::Relaxed);
    words.descriptor.store(descriptor as u64, Ordering::Relaxed);
    words.inode.store(status.ino(), Ordering::Relaxed);
    // Release pairs with the Acquire load in `peer_heap`.
    words.bytes.store(bounds.bytes, Ordering::Release);
}

/// Where a heap lies in its process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Its first address.
    pub address: u64,
    /// Its size in bytes.
    pub bytes: u64,
}

impl Bounds {
    /// Whether an address lies in the heap.
    #[inline]
    pub fn has(self, address: usize) -> bool {
        (address as u64).wrapping_sub(self.address) < self.bytes
    }
}

/// The heap of this process.
#[derive(Clone, Copy, Debug)]
pub struct OwnHeap {
    /// Where it lies.
    pub bounds: Bounds,
    /// The descriptor that maps it.
    pub descriptor: c_int,
}

/// The heap that was preloaded into this process.
pub fn own() -> Option<OwnHeap> {
    type Question = unsafe extern "C" fn(*mut u64, *mut u64, *mut c_int) -> c_int;
    // SAFETY: the name ends with a zero.
    let found: *mut c_void =
        unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"pamir_shared_heap".as_ptr()) };
    if found.is_null() {
        return None;
    }
    // SAFETY: only libpamir-heap.so has a function of this name, and it has this type.
    let question = unsafe { std::mem::transmute::<*mut c_void, Question>(found) };
    let (mut address, mut bytes, mut descriptor) = (0, 0, -1);
    // SAFETY: the three values are this function's.
    let there = unsafe { question(&mut address, &mut bytes, &mut descriptor) };
    let bounds = Bounds { address, bytes };
    (there == 1).then_some(OwnHeap { bounds, descriptor })
}
