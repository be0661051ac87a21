//! Interrupts without io_uring: epoll, and futexes beside it.
//!
//! Before: [`super::open`] found no io_uring, or `PAMIR_INTERRUPTS=epoll`. After: as with io_uring.
//!
//! | doorbells announced | sleeps in | woken by |
//! |---|---|---|
//! | none | `epoll_wait` | the signal's eventfd, the timerfd |
//! | some | `futex_waitv` | a doorbell's word, the signal's word, its time limit |
//! | some, and no `futex_waitv` | `epoll_wait`, a millisecond at a time | the eventfd, the timerfd |

use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::epoll::{
    Epoll as Descriptor, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout,
};
use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};
use pamir_shm::atomic::{AtomicU32, Ordering};
use pamir_shm::sleep;

use super::controller::{Cause, Delivery, InterruptController, InterruptError};
use super::signal::Signal;
use crate::waiting::clock;

/// The longest sleep where a doorbell ends none.
const UNHEARD: Duration = Duration::from_millis(1);

/// What epoll says of the timer.
const TIMER: u64 = 1;

/// The controller.
#[derive(Debug)]
pub(super) struct Epoll {
    signal: Arc<Signal>,
    descriptor: Descriptor,
    timer: TimerFd,
    waits_for_words: bool,
}

impl Epoll {
    pub(super) fn new(signal: Arc<Signal>) -> Result<Self, InterruptError> {
        let failed = |what| move |error| InterruptError::Descriptor { what, error };
        let descriptor = Descriptor::new(EpollCreateFlags::EPOLL_CLOEXEC);
        let descriptor = descriptor.map_err(failed("an epoll descriptor"))?;
        let flags = TimerFlags::TFD_CLOEXEC | TimerFlags::TFD_NONBLOCK;
        let timer = TimerFd::new(ClockId::CLOCK_MONOTONIC, flags).map_err(failed("a timerfd"))?;
        let readable = |data| EpollEvent::new(EpollFlags::EPOLLIN, data);
        descriptor
            .add(signal.as_fd(), readable(0))
            .and_then(|()| descriptor.add(timer.as_fd(), readable(TIMER)))
            .map_err(failed("an entry of epoll"))?;
        Ok(Self {
            signal,
            descriptor,
            timer,
            waits_for_words: true,
        })
    }

    fn wait_for_descriptors(&mut self, limit: Option<Duration>) -> Result<Cause, Errno> {
        match limit {
            // A timer of zero would never expire.
            Some(limit) => {
                let limit = TimeSpec::from(limit.max(Duration::from_nanos(1)));
                let once = Expiration::OneShot(limit);
                self.timer.set(once, TimerSetTimeFlags::empty())?;
            }
            None => self.timer.unset()?,
        }
        let mut event = [EpollEvent::empty()];
        loop {
            match self.descriptor.wait(&mut event, EpollTimeout::NONE) {
                Err(Errno::EINTR) | Ok(0) => {}
                Err(error) => return Err(error),
                Ok(_) => break,
            }
        }
        // Setting or unsetting the timer the next time takes its expiry back.
        Ok(if self.signal.take() {
            Cause::Signal
        } else {
            Cause::Timer
        })
    }

    /// Waits on the words and the signal's; `None` if the kernel cannot.
    fn wait_for_words(
        &self,
        words: &[&AtomicU32],
        limit: Option<Duration>,
    ) -> Result<Option<Cause>, Errno> {
        if self.signal.announce() {
            return Ok(Some(Cause::Signal));
        }
        let deadline = limit.map(clock::deadline).transpose()?;
        let all: Vec<&AtomicU32> = words.iter().copied().chain([self.signal.word()]).collect();
        let waited = sleep::wait_any(&all, deadline);
        let signalled = self.signal.conclude();
        let rung = rung(words);
        Ok(match (signalled, rung) {
            (true, _) => Some(Cause::Signal),
            (_, true) => Some(Cause::Doorbell),
            _ if !waited => None,
            // Also a wake-up for nothing, after which the caller looks around.
            _ => Some(Cause::Timer),
        })
    }
}

/// Whether somebody has rung.
fn rung(words: &[&AtomicU32]) -> bool {
    words
        .iter()
        .any(|word| word.load(Ordering::Acquire) != sleep::ASLEEP)
}

impl InterruptController for Epoll {
    fn delivery(&self) -> Delivery {
        Delivery::Epoll
    }

    fn wait(
        &mut self,
        words: &[&AtomicU32],
        limit: Option<Duration>,
    ) -> Result<Cause, InterruptError> {
        let failed = |error| InterruptError::Wait {
            delivery: Delivery::Epoll,
            error,
        };
        if words.is_empty() {
            return self.wait_for_descriptors(limit).map_err(failed);
        }
        if self.waits_for_words {
            let cause = self.wait_for_words(words, limit).map_err(failed)?;
            if let Some(cause) = cause {
                return Ok(cause);
            }
            self.waits_for_words = false;
        }
        let limit = limit.unwrap_or(UNHEARD).min(UNHEARD);
        let cause = self.wait_for_descriptors(Some(limit)).map_err(failed)?;
        Ok(if cause == Cause::Timer && rung(words) {
            Cause::Doorbell
        } else {
            cause
        })
    }
}
