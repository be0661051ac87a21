//! Memory of tests that can be made unreachable for the kernel.

use std::ptr::NonNull;

/// Memory that can be taken away from the kernel.
pub(super) struct Pages(pub(super) NonNull<u8>, usize);

impl Pages {
    pub(super) fn new(bytes: usize) -> Self {
        let (access, flags) = (
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
        );
        // SAFETY: a new mapping at an address of the kernel's choice.
        let memory = unsafe { libc::mmap(std::ptr::null_mut(), bytes, access, flags, -1, 0) };
        assert_ne!(memory, libc::MAP_FAILED);
        Self(NonNull::new(memory.cast()).unwrap(), bytes)
    }

    pub(super) fn allow(&self, access: i32) {
        // SAFETY: the mapping is this value's own, and nobody holds references into it.
        let done = unsafe { libc::mprotect(self.0.as_ptr().cast(), self.1, access) };
        assert_eq!(done, 0);
    }

    pub(super) fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the mapping has the bytes, which are initialised; the borrow is unique.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_ptr(), self.1) }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the mapping is this value's own.
        unsafe { libc::munmap(self.0.as_ptr().cast(), self.1) };
    }
}
