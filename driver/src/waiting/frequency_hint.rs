//! A hint that the calling thread needs no high frequency, while it waits (utilisation clamps).
//!
//! Before: a rank will wait for long, as the waits before show. After: while it polls and wakes up
//! in between, its core may run slowly; and at its usual frequency again when it computes.
//!
//! | state | by | to |
//! |---|---|---|
//! | untried | [`FrequencyHint::lower`], a trial thread may lower and raise again | lowered |
//! | untried | the trial is refused | refused, for good |
//! | lowered | [`Lowered`] is dropped, whatever the wait came to | usual |
//! | usual | [`FrequencyHint::lower`] | lowered |
//!
//! The clamp is a thread's own, and goes with it, unlike a frequency that is written for a core and
//! stays if the rank is killed. The governor `schedutil` heeds it. Invariants: the thread is never
//! clamped where it could not be unclamped again, which a thread of its own finds out; what is
//! refused is refused quietly.

use std::cell::Cell;
use std::marker::PhantomData;

/// What the kernel takes for a thread's clamp; the greatest is none.
pub type Clamp = u32;

/// The clamp while a thread waits: the least.
const LOW: Clamp = 0;

/// Who holds the calling thread's clamp.
pub trait Clamps {
    /// The calling thread's upper clamp, if it has one that can be read.
    fn read(&self) -> Option<Clamp>;

    /// Sets it; whether that was permitted.
    fn write(&self, clamp: Clamp) -> bool;

    /// Whether a thread that lowered its clamp could raise it again.
    fn may_return(&self) -> bool;
}

/// The kernel's clamps (`sched_setattr`, Linux 5.3 with CONFIG_UCLAMP_TASK).
#[derive(Clone, Copy, Debug, Default)]
pub struct KernelClamps;

/// `struct sched_attr`, as long as it is since Linux 5.3.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct Attributes {
    size: u32,
    policy: u32,
    flags: u64,
    nice: i32,
    priority: u32,
    runtime: u64,
    deadline: u64,
    period: u64,
    least_utilisation: u32,
    most_utilisation: u32,
}

/// Bytes of that structure.
const ATTRIBUTES_BYTES: u32 = 56;

const _: () = assert!(size_of::<Attributes>() == ATTRIBUTES_BYTES as usize);

/// Leave policy and parameters, and set the upper clamp.
const KEEP_ALL_SET_MOST: u64 = 0x08 | 0x10 | 0x40;

impl Clamps for KernelClamps {
    fn read(&self) -> Option<Clamp> {
        let mut attributes = Attributes::default();
        // SAFETY: the structure is live and writable, and as long as is said; 0 is the caller.
        let outcome = unsafe {
            libc::syscall(
                libc::SYS_sched_getattr,
                0,
                &raw mut attributes,
                ATTRIBUTES_BYTES,
                0,
            )
        };
        (outcome == 0 && attributes.size == ATTRIBUTES_BYTES).then_some(attributes.most_utilisation)
    }

    fn write(&self, clamp: Clamp) -> bool {
        let attributes = Attributes {
            size: ATTRIBUTES_BYTES,
            flags: KEEP_ALL_SET_MOST,
            most_utilisation: clamp,
            ..Attributes::default()
        };
        // SAFETY: the structure is live and as long as its first field says; 0 is the caller.
        unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) == 0 }
    }

    fn may_return(&self) -> bool {
        // A kernel without clamps refuses what changes nothing, too: no thread is needed to know.
        if !self.read().is_some_and(|usual| self.write(usual)) {
            return false;
        }
        let trial = || {
            let usual = Self.read();
            usual.is_some_and(|usual| Self.write(LOW) && Self.write(usual))
        };
        let thread = std::thread::Builder::new().name("pamir-trial".into());
        let thread = thread.spawn(trial);
        thread.is_ok_and(|thread| thread.join().unwrap_or(false))
    }
}

/// The hint of one thread.
#[derive(Debug, Default)]
pub struct FrequencyHint<C = KernelClamps> {
    clamps: C,
    /// Nothing before the first trial; then whether it went well.
    permitted: Cell<Option<bool>>,
    lowered: Cell<u64>,
}

/// A clamp that is low, until this is dropped; it belongs to the thread that lowered it.
#[derive(Debug)]
#[must_use = "the clamp is as before once this is dropped"]
pub struct Lowered<'h, C: Clamps = KernelClamps> {
    clamps: &'h C,
    usual: Clamp,
    /// Not to be sent: another thread would change its own clamp.
    of_thread: PhantomData<*const ()>,
}

impl<C: Clamps> FrequencyHint<C> {
    /// The calling thread will wait for long; nothing where that cannot be said, or not be taken
    /// back.
    pub fn lower(&self) -> Option<Lowered<'_, C>> {
        if !self.is_permitted() {
            return None;
        }
        let usual = self.clamps.read()?;
        if !self.clamps.write(LOW) {
            return None;
        }
        self.lowered.set(self.lowered.get() + 1);
        Some(Lowered {
            clamps: &self.clamps,
            usual,
            of_thread: PhantomData,
        })
    }

    /// How often it was lowered.
    pub fn lowered(&self) -> u64 {
        self.lowered.get()
    }

    fn is_permitted(&self) -> bool {
        let known = self.permitted.get();
        let permitted = known.unwrap_or_else(|| self.clamps.may_return());
        self.permitted.set(Some(permitted));
        permitted
    }
}

impl<C: Clamps> Drop for Lowered<'_, C> {
    fn drop(&mut self) {
        self.clamps.write(self.usual);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fake {
        clamp: Cell<Clamp>,
        returns: bool,
        writes: Cell<u32>,
    }

    impl Clamps for Fake {
        fn read(&self) -> Option<Clamp> {
            Some(self.clamp.get())
        }

        fn write(&self, clamp: Clamp) -> bool {
            self.writes.set(self.writes.get() + 1);
            let permitted = self.returns || clamp <= self.clamp.get();
            if permitted {
                self.clamp.set(clamp);
            }
            permitted
        }

        fn may_return(&self) -> bool {
            self.returns
        }
    }

    fn hint(returns: bool) -> FrequencyHint<Fake> {
        FrequencyHint {
            clamps: Fake {
                clamp: Cell::new(700),
                returns,
                writes: Cell::new(0),
            },
            permitted: Cell::new(None),
            lowered: Cell::new(0),
        }
    }

    #[test]
    fn the_clamp_is_low_while_the_thread_waits_and_as_before_afterwards() {
        let hint = hint(true);
        for wait in 1..3 {
            let lowered = hint.lower();
            assert!(lowered.is_some());
            assert_eq!((hint.clamps.clamp.get(), hint.lowered()), (LOW, wait));
            drop(lowered);
            assert_eq!(hint.clamps.clamp.get(), 700);
        }
        assert_eq!(hint.clamps.writes.get(), 4);
    }

    #[test]
    fn the_clamp_is_as_before_when_the_wait_fails() {
        let hint = hint(true);
        let wait = || {
            let _lowered = hint.lower();
            assert_eq!(hint.clamps.clamp.get(), LOW);
            std::panic::resume_unwind(Box::new("what waits failed"));
        };
        let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(wait));
        assert!(failed.is_err());
        assert_eq!((hint.clamps.clamp.get(), hint.lowered()), (700, 1));
    }

    #[test]
    fn a_clamp_that_could_not_be_raised_again_is_never_lowered() {
        let hint = hint(false);
        assert!(hint.lower().is_none());
        assert_eq!(
            (hint.clamps.clamp.get(), hint.clamps.writes.get()),
            (700, 0)
        );
        assert_eq!(hint.lowered(), 0);
    }

    #[test]
    fn the_kernels_clamp_is_as_before_whatever_it_permits() {
        let usual = KernelClamps.read();
        let hint = FrequencyHint::<KernelClamps>::default();
        let lowered = hint.lower();
        let expected = if lowered.is_some() { Some(LOW) } else { usual };
        assert_eq!(KernelClamps.read(), expected);
        assert_eq!(hint.lowered(), u64::from(lowered.is_some()));
        drop(lowered);
        assert_eq!(KernelClamps.read(), usual);
    }
}
