//! Memory that interrupts when it is touched.
//!
//! Before: a replenish descriptor of criterion `touching-put:userfaultfd` is a put into
//! [`TouchNotification`]. After: the kernel has stopped the engine at that store, the interrupt thread
//! has counted it and let the engine go on, and the engine's unit replenishes
//! ("Replenishing descriptors in an injection FIFO", interrupt-on-touch memory).
//!
//! ```text
//! arm: page is write-protected (userfaultfd)
//! put: store ─▶ page fault ─▶ │engine stands still│ ─▶ store done ─▶ take: was it counted?
//!                   └▶ interrupt thread: count, lift the protection, wake ─┘
//! ```
//!
//! | page | by | becomes |
//! |---|---|---|
//! | open | `put`, before its store | protected |
//! | protected | interrupt thread, at the fault | open, counted once |
//!
//! The thread is one of its own, and neither the engine thread nor one that takes a context's
//! lock: the touching thread may be the engine thread, and stands still with the lock in its hand.
//!
//! A touch costs two switches between threads; a notification word costs nothing (`docs/decisions/004-messaging-unit.md`).
//!
//! The kernel must let the process use userfaultfd for faults of its own code, which Linux allows
//! everybody since 5.11; containers often forbid it all the same. Then [`TouchNotification::new`] says so.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use pamir_shm::refusal::Refusal;

use crate::interrupt::{InterruptError, Signal};

/// The interface's version.
const API: u64 = 0xAA;

/// The kernel reports faults at write-protected pages.
const FEATURE_WRITE_PROTECTION: u64 = 1;

/// A range is watched for write protection.
const REGISTER_WRITE_PROTECTION: u64 = 2;

/// Faults of the process's own code only.
const USER_MODE_ONLY: libc::c_int = 1;

/// The event: somebody touched the page.
const PAGE_FAULT: u8 = 0x12;

/// Bytes of a message.
const MESSAGE_BYTES: usize = 32;

/// `_IOWR(0xAA, number, T)`: the kernel reads and writes a `T`.
const fn command<T>(number: u64) -> libc::c_ulong {
    (3 << 30 | (size_of::<T>() as u64) << 16 | API << 8 | number) as libc::c_ulong
}

#[repr(C)]
struct Version {
    api: u64,
    features: u64,
    commands: u64,
}

#[repr(C)]
struct Registration {
    start: u64,
    bytes: u64,
    mode: u64,
    commands: u64,
}

#[repr(C)]
struct Protection {
    start: u64,
    bytes: u64,
    mode: u64,
}

/// Why there is no such memory.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TouchNotificationError {
    /// The kernel refuses userfaultfd, or has none that can do it.
    #[error(
        "the kernel gives no memory that interrupts when touched ({step}: {}): it needs Linux 5.11, and a container must allow userfaultfd; use PAMIR_REPLENISH=touching-put, which touches a notification word instead",
        error.desc()
    )]
    Refused {
        /// What was asked of the kernel.
        step: &'static str,
        /// Its reason.
        error: Errno,
    },
    /// The interrupt thread cannot be.
    #[error("cannot start the thread of memory that interrupts when touched: {}", Refusal(*.0))]
    Thread(Errno),
    /// The thread has nothing to be stopped by.
    #[error(transparent)]
    Interrupt(#[from] InterruptError),
}

fn refused(step: &'static str) -> impl Fn(Errno) -> TouchNotificationError {
    move |error| TouchNotificationError::Refused { step, error }
}

/// One page, whose touches its thread counts.
#[derive(Debug)]
pub struct TouchNotification {
    watch: Arc<Watch>,
    thread: Option<JoinHandle<()>>,
    taken: AtomicU64,
}

/// The page, and what watches it.
#[derive(Debug)]
struct Watch {
    page: *mut u64,
    bytes: usize,
    descriptor: OwnedFd,
    stop: Signal,
    touches: AtomicU64,
}

// SAFETY: the page is only stored to as raw memory, by `put`; everything else is made for several
// threads.
unsafe impl Send for Watch {}
// SAFETY: as above; two puts at once store a word each, which nobody reads.
unsafe impl Sync for Watch {}

impl TouchNotification {
    /// A page that interrupts, and the thread that is interrupted.
    ///
    /// # Errors
    ///
    /// [`TouchNotificationError`] if the kernel does not allow it.
    pub fn new() -> Result<Self, TouchNotificationError> {
        let watch = Arc::new(Watch::new()?);
        let own = Arc::clone(&watch);
        let builder = std::thread::Builder::new().name("pamir-touch".into());
        let thread = builder.spawn(move || own.run()).map_err(|error| {
            TouchNotificationError::Thread(Errno::from_raw(error.raw_os_error().unwrap_or(0)))
        })?;
        Ok(Self {
            watch,
            thread: Some(thread),
            taken: AtomicU64::new(0),
        })
    }

    /// Stores `word` into the memory, which interrupts.
    ///
    /// # Errors
    ///
    /// [`TouchNotificationError::Refused`] if the page cannot be protected; then nothing is stored.
    pub fn put(&self, word: u64) -> Result<(), TouchNotificationError> {
        self.watch.protect(true).map_err(refused("protect"))?;
        // SAFETY: the page is mapped as long as the watch lives, and nobody has a reference to it.
        unsafe { self.watch.page.write_volatile(word) };
        Ok(())
    }

    /// Whether the interrupt has come since the last call.
    pub fn take(&self) -> bool {
        let touches = self.watch.touches.load(Ordering::Acquire);
        self.taken.swap(touches, Ordering::Relaxed) != touches
    }

    /// How often it has interrupted.
    pub fn touches(&self) -> u64 {
        self.watch.touches.load(Ordering::Acquire)
    }
}

impl Drop for TouchNotification {
    fn drop(&mut self) {
        self.watch.stop.raise();
        if let Some(thread) = self.thread.take() {
            // A panic there has been reported already.
            let _ = thread.join();
        }
    }
}

impl Watch {
    fn new() -> Result<Self, TouchNotificationError> {
        let descriptor = open().map_err(refused("userfaultfd"))?;
        let mut version = Version {
            api: API,
            features: FEATURE_WRITE_PROTECTION,
            commands: 0,
        };
        control(descriptor.as_fd(), command::<Version>(0x3F), &mut version)
            .map_err(refused("UFFDIO_API"))?;
        // SAFETY: sysconf has no preconditions.
        let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let page = map(bytes).map_err(refused("mmap"))?;
        let watch = Self {
            page,
            bytes,
            descriptor,
            stop: Signal::new()?,
            touches: AtomicU64::new(0),
        };
        let mut registration = Registration {
            start: page as u64,
            bytes: bytes as u64,
            mode: REGISTER_WRITE_PROTECTION,
            commands: 0,
        };
        watch
            .control(command::<Registration>(0), &mut registration)
            .map_err(refused("UFFDIO_REGISTER"))?;
        // Only a page that is there can be protected.
        // SAFETY: it is mapped writable, and not protected yet.
        unsafe { page.write_volatile(0) };
        watch
            .protect(true)
            .map_err(refused("UFFDIO_WRITEPROTECT"))?;
        watch
            .protect(false)
            .map_err(refused("UFFDIO_WRITEPROTECT"))?;
        Ok(watch)
    }

    fn control<T>(&self, command: libc::c_ulong, argument: &mut T) -> Result<(), Errno> {
        control(self.descriptor.as_fd(), command, argument)
    }

    /// Protects the page, or opens it and lets whoever touched it go on.
    fn protect(&self, protected: bool) -> Result<(), Errno> {
        let mut protection = Protection {
            start: self.page as u64,
            bytes: self.bytes as u64,
            mode: u64::from(protected),
        };
        loop {
            match self.control(command::<Protection>(6), &mut protection) {
                // The process's memory is changing at this moment.
                Err(Errno::EAGAIN | Errno::EINTR) => {}
                other => return other,
            }
        }
    }

    /// The interrupt thread.
    fn run(&self) {
        let entry = |descriptor| PollFd::new(descriptor, PollFlags::POLLIN);
        loop {
            let mut entries = [entry(self.stop.as_fd()), entry(self.descriptor.as_fd())];
            match poll(&mut entries, PollTimeout::NONE) {
                Ok(_) | Err(Errno::EINTR) => {}
                Err(_) => break,
            }
            if self.stop.take() {
                break;
            }
            if !self.handle() {
                break;
            }
        }
        // Nobody is left behind at a protected page.
        let _ = self.protect(false);
    }

    /// Counts a touch, and lets the toucher go on; false if that is not possible any more.
    fn handle(&self) -> bool {
        let mut message = [0_u8; MESSAGE_BYTES];
        match nix::unistd::read(&self.descriptor, &mut message) {
            Ok(MESSAGE_BYTES) => {}
            Err(Errno::EAGAIN | Errno::EINTR) => return true,
            _ => return false,
        }
        if message[0] != PAGE_FAULT {
            return true;
        }
        // Before the toucher goes on: it looks at the count right after its store.
        self.touches.fetch_add(1, Ordering::Release);
        self.protect(false).is_ok()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // SAFETY: the page was mapped by `map` with this length, and nobody uses it any more.
        unsafe { libc::munmap(self.page.cast(), self.bytes) };
    }
}

fn open() -> Result<OwnedFd, Errno> {
    let flags = libc::O_CLOEXEC | libc::O_NONBLOCK;
    // SAFETY: the call takes flags and gives a descriptor or an error.
    let userfaultfd = |flags: libc::c_int| unsafe { libc::syscall(libc::SYS_userfaultfd, flags) };
    let descriptor = match Errno::result(userfaultfd(flags | USER_MODE_ONLY)) {
        // A kernel before 5.11 does not know the flag.
        Err(Errno::EINVAL) => Errno::result(userfaultfd(flags))?,
        other => other?,
    };
    // SAFETY: the kernel has just made it, and nobody else has it.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor as i32) })
}

fn control<T>(
    descriptor: BorrowedFd<'_>,
    command: libc::c_ulong,
    argument: &mut T,
) -> Result<(), Errno> {
    // SAFETY: the command's size is that of `T`, which is live and may be written.
    let outcome = unsafe { libc::ioctl(descriptor.as_raw_fd(), command, argument) };
    Errno::result(outcome).map(drop)
}

/// A page of its own.
fn map(bytes: usize) -> Result<*mut u64, Errno> {
    // SAFETY: a new private mapping without an address wish.
    let page = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            bytes,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    if page == libc::MAP_FAILED {
        return Err(Errno::last());
    }
    Ok(page.cast())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_touch_interrupts_once() {
        match TouchNotification::new() {
            Ok(memory) => {
                assert!(!memory.take());
                for touch in 1..=100 {
                    memory.put(touch).unwrap();
                    assert!(memory.take() && !memory.take());
                    assert_eq!(memory.touches(), touch);
                }
            }
            // Where the kernel refuses, it says so, and what to use instead.
            Err(error) => {
                assert!(
                    matches!(error, TouchNotificationError::Refused { .. }),
                    "{error}"
                );
                assert!(error.to_string().contains("notification word"), "{error}");
            }
        }
    }
}
