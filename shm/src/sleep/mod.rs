//! Sleeping until somebody writes: the last rung of the waiting ladder.
//!
//! One word for each rank, in a line of its own that the rank writes and its
//! senders read after each commit:
//!
//! | state      | by       | to        | when |
//! |------------|----------|-----------|------|
//! | `AWAKE`    | sleeper  | `ASLEEP`  | about to sleep; then the barrier, then a last look |
//! | `ASLEEP`   | sleeper  | `AWAKE`   | the last look found something, or it woke |
//! | `ASLEEP`   | sender   | `AWAKE`   | a record was committed; then it wakes the sleeper |
//!
//! Nothing else is allowed: a sender never sets `ASLEEP`.
//!
//! Invariant: a sender that commits after the sleeper's barrier sees `ASLEEP`; a
//! record committed before it is seen by the sleeper's last look.

pub mod bells;
#[cfg(not(loom))]
pub mod membarrier;

use crate::atomic::{AtomicU32, Ordering};

/// The rank polls.
pub const AWAKE: u32 = 0;

/// The rank sleeps, or is about to, until the word changes.
pub const ASLEEP: u32 = 1;

/// Announces that the rank is going to sleep. The caller runs the barrier next, then
/// looks for records once more, and either calls [`cancel`] or waits on the word.
pub fn announce(word: &AtomicU32) {
    word.store(ASLEEP, Ordering::Relaxed);
}

/// Takes the announcement back, or notes that the rank has woken.
pub fn cancel(word: &AtomicU32) {
    word.store(AWAKE, Ordering::Relaxed);
}

/// After a commit: whether the target must be woken by the caller. At most one of
/// several senders gets true.
#[inline(always)]
pub fn must_wake(word: &AtomicU32) -> bool {
    word.load(Ordering::Relaxed) == ASLEEP && claim(word)
}

#[cold]
fn claim(word: &AtomicU32) -> bool {
    word.swap(AWAKE, Ordering::AcqRel) == ASLEEP
}

/// Blocks while the word is [`ASLEEP`], at most `limit_ns` nanoseconds if one is given.
/// May return early; the caller looks for itself.
#[cfg(not(loom))]
pub fn wait(word: &AtomicU32, limit_ns: Option<u64>) {
    let limit = limit_ns.map(|ns| libc::timespec {
        tv_sec: (ns / 1_000_000_000) as libc::time_t,
        tv_nsec: (ns % 1_000_000_000) as libc::c_long,
    });
    let limit = limit.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: the word is a live, aligned 32-bit atomic; the time limit is null or a
    // live timespec. Not FUTEX_PRIVATE: the word is shared between processes.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAIT,
            ASLEEP,
            limit,
        )
    };
}

/// One word of several, as `futex_waitv` takes it.
#[cfg(not(loom))]
#[repr(C)]
struct Waiter {
    value: u64,
    address: u64,
    flags: u32,
    reserved: u32,
}

/// Words that [`wait_any`] can wait on at once.
#[cfg(not(loom))]
pub const MOST_WORDS: usize = 128;

/// Blocks while all of the words are [`ASLEEP`], at most until `deadline` on the monotonic clock.
/// May return early; false if the kernel has no such call (Linux has it since 5.16), or there are
/// more than [`MOST_WORDS`] words.
#[cfg(not(loom))]
pub fn wait_any(words: &[&AtomicU32], deadline: Option<libc::timespec>) -> bool {
    const SIZE_32_BITS: u32 = 2;
    if words.len() > MOST_WORDS {
        return false;
    }
    let waiters: Vec<Waiter> = words
        .iter()
        .map(|word| Waiter {
            value: ASLEEP.into(),
            address: word.as_ptr() as u64,
            flags: SIZE_32_BITS,
            reserved: 0,
        })
        .collect();
    let deadline = deadline
        .as_ref()
        .map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: the array and the words are live during the call; the deadline is null or a live
    // timespec. Words of a segment are shared between processes, so the futexes are not private.
    let outcome = unsafe {
        libc::syscall(
            libc::SYS_futex_waitv,
            waiters.as_ptr(),
            waiters.len(),
            0,
            deadline,
            libc::CLOCK_MONOTONIC,
        )
    };
    let error = std::io::Error::last_os_error().raw_os_error();
    outcome >= 0 || !matches!(error, Some(libc::ENOSYS | libc::EPERM | libc::EINVAL))
}

/// After a commit: wakes the target, if it sleeps or is about to.
#[cfg(not(loom))]
#[inline(always)]
pub fn wake_if_asleep(word: &AtomicU32) {
    if must_wake(word) {
        wake(word);
    }
}

/// Wakes the rank that waits on the word.
#[cfg(not(loom))]
#[cold]
#[inline(never)]
pub fn wake(word: &AtomicU32) {
    // SAFETY: the word is a live, aligned 32-bit atomic shared between processes.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, 1) };
}

#[cfg(all(test, loom))]
mod tests {
    use super::*;
    use crate::atomic::{AtomicU64, fence};
    use loom::sync::Arc;

    /// The membarrier is modelled as what it does: a full fence on both sides.
    #[test]
    fn loom_no_wake_up_is_lost() {
        loom::model(|| {
            let state = Arc::new((AtomicU32::new(AWAKE), AtomicU64::new(0)));
            let shared = state.clone();
            let sender = loom::thread::spawn(move || {
                shared.1.store(1, Ordering::Release);
                fence(Ordering::SeqCst);
                must_wake(&shared.0)
            });
            announce(&state.0);
            fence(Ordering::SeqCst);
            let sleeps = state.1.load(Ordering::Acquire) == 0;
            let woken = sender.join().unwrap();
            assert!(
                !sleeps || woken,
                "asleep with a message that nobody will announce"
            );
        });
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_sleeper_is_woken_once() {
        let word = AtomicU32::new(AWAKE);
        assert!(!must_wake(&word));
        announce(&word);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while word.load(Ordering::Acquire) == ASLEEP {
                    wait(&word, None);
                }
            });
            assert!(must_wake(&word));
            wake(&word);
        });
        assert!(!must_wake(&word));
    }

    #[test]
    fn any_of_several_words_ends_the_wait() {
        let words = [AtomicU32::new(ASLEEP), AtomicU32::new(ASLEEP)];
        let started = AtomicU32::new(0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                started.store(1, Ordering::Release);
                while words[1].load(Ordering::Acquire) == ASLEEP {
                    assert!(wait_any(&[&words[0], &words[1]], None));
                }
            });
            while started.load(Ordering::Acquire) == 0 {
                std::hint::spin_loop();
            }
            assert!(must_wake(&words[1]));
            wake(&words[1]);
        });
        assert!(!wait_any(&[&words[0]; MOST_WORDS + 1], None));
    }

    #[test]
    fn a_time_limit_ends_the_wait() {
        let word = AtomicU32::new(ASLEEP);
        wait(&word, Some(1_000_000));
        cancel(&word);
        wait(&word, None);
    }
}
