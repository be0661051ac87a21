//! The process's engine thread: all engines, one interrupt controller.
//!
//! Before: the first engine is added. After: the last one has been removed, and the thread ends.
//!
//! ```text
//! advance every engine ─▶ one moved or yields? ──yes──▶ again
//!         ▲                      │no
//!         │           announce the doorbells of the quiet ones, look a last time
//!         └──────────  wait for signal, doorbells, the soonest limit
//! ```
//!
//! Adding and removing change the roster and raise the signal; the thread takes the roster over
//! before it advances anybody, and says so. The remover waits for that; afterwards the thread
//! knows nothing of the engine.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{JoinHandle, ThreadId};
use std::time::{Duration, Instant};

use pamir_shm::atomic::AtomicU32;
use pamir_shm::sleep;

use super::engine::{Activity, Engine, EngineThreadError};
use crate::interrupt::{self, Cause, Delivery, InterruptController, InterruptError, Signal};
use crate::unit::UnitError;
use crate::waiting::ladder::nap;

/// Yields while a target takes nothing, before the thread sleeps.
const YIELDS: u32 = 64;

/// The longest sleep where a sender may not see that the thread sleeps.
const UNORDERED: Duration = Duration::from_millis(1);

/// Going to sleep and waking takes longer than this; what comes sooner is waited for awake.
const WORTH_SLEEPING: Duration = Duration::from_micros(10);

/// The thread of this process, while it has engines.
static SERVICE: Mutex<Weak<Service>> = Mutex::new(Weak::new());

/// What was delivered by services that have ended.
static DELIVERED: [AtomicU64; 3] = [const { AtomicU64::new(0) }; 3];

/// By what the last service waited, plus one; 0 before there was one.
static DELIVERY: AtomicU64 = AtomicU64::new(0);

/// How the process's engine thread was interrupted so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeliveryStatistics {
    /// By what it waits.
    pub delivery: Delivery,
    /// Ends of a sleep by a signal of this process.
    pub signals: u64,
    /// Ends of a sleep by a sender.
    pub doorbells: u64,
    /// Ends of a sleep by a timer.
    pub timers: u64,
}

/// The figures of the process's engine thread; none if there was never one.
pub fn delivery_statistics() -> Option<DeliveryStatistics> {
    let delivery = match DELIVERY.load(Ordering::Relaxed) {
        0 => return None,
        1 => Delivery::IoUring,
        _ => Delivery::Epoll,
    };
    let [signals, doorbells, timers] = [0, 1, 2].map(|of| DELIVERED[of].load(Ordering::Relaxed));
    Some(DeliveryStatistics {
        delivery,
        signals,
        doorbells,
        timers,
    })
}

fn count(cause: Cause) {
    let of = match cause {
        Cause::Signal => 0,
        Cause::Doorbell => 1,
        Cause::Timer => 2,
    };
    DELIVERED[of].fetch_add(1, Ordering::Relaxed);
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The thread, as long as somebody has an engine with it.
#[derive(Debug)]
pub(super) struct Service {
    control: Arc<Control>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Control {
    signal: Arc<Signal>,
    roster: Mutex<Roster>,
    taken_over: Condvar,
}

/// Who is to be driven.
#[derive(Default)]
struct Roster {
    engines: Vec<Entry>,
    places: u64,
    changes: u64,
    /// How many changes the thread has taken over.
    seen: u64,
    stop: bool,
    thread: Option<ThreadId>,
}

#[derive(Clone)]
struct Entry {
    place: u64,
    engine: Arc<dyn Engine>,
    /// Advances one after the other that found it blocked, and such that found it attended.
    blocked: u32,
    attended: u32,
}

impl std::fmt::Debug for Roster {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = formatter.debug_struct("Roster");
        text.field("engines", &self.engines.len())
            .finish_non_exhaustive()
    }
}

impl Service {
    /// The process's thread, which is started if there is none.
    pub(super) fn of_process() -> Result<Arc<Self>, EngineThreadError> {
        let mut current = locked(&SERVICE);
        if let Some(service) = current.upgrade() {
            return Ok(service);
        }
        let service = Arc::new(Self::start()?);
        *current = Arc::downgrade(&service);
        Ok(service)
    }

    fn start() -> Result<Self, EngineThreadError> {
        let signal = Arc::new(Signal::new()?);
        let controller = interrupt::open(&signal)?;
        DELIVERY.store(controller.delivery() as u64 + 1, Ordering::Relaxed);
        let control = Arc::new(Control {
            signal,
            roster: Mutex::default(),
            taken_over: Condvar::new(),
        });
        let own = Arc::clone(&control);
        let builder = std::thread::Builder::new().name("pamir-engine".into());
        let thread = builder.spawn(move || own.run(controller))?;
        Ok(Self {
            control,
            thread: Some(thread),
        })
    }

    /// Adds an engine; the place that it gets.
    pub(super) fn add(&self, engine: Arc<dyn Engine>) -> u64 {
        let mut roster = locked(&self.control.roster);
        let place = roster.places;
        roster.places += 1;
        roster.changes += 1;
        roster.engines.push(Entry {
            place,
            engine,
            blocked: 0,
            attended: 0,
        });
        drop(roster);
        self.interrupt();
        place
    }

    /// Removes the engine of a place; the thread does not touch it any more.
    pub(super) fn remove(&self, place: u64) {
        let mut roster = locked(&self.control.roster);
        roster.engines.retain(|entry| entry.place != place);
        roster.changes += 1;
        let changes = roster.changes;
        // An engine that failed may end the process from the thread itself.
        if roster.thread == Some(std::thread::current().id()) {
            return;
        }
        self.interrupt();
        while roster.seen < changes {
            let waited = self.control.taken_over.wait(roster);
            roster = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Makes the thread look now.
    pub(super) fn interrupt(&self) {
        self.control.signal.raise();
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        locked(&self.control.roster).stop = true;
        self.interrupt();
        let own = self.thread.take().filter(|thread| {
            // The last engine may be dropped in the thread itself.
            thread.thread().id() != std::thread::current().id()
        });
        if let Some(thread) = own {
            // A panic there has been reported already.
            let _ = thread.join();
        }
    }
}

/// What an engine wants next.
enum Next {
    /// To be advanced at once.
    AtOnce,
    /// To be advanced after others have had the processor.
    Yield,
    /// To be advanced after so long.
    Within(Duration),
    /// To be advanced when its doorbell rings.
    Rest,
    /// To be advanced when the thread is interrupted.
    Away,
}

impl Entry {
    fn advance(&mut self) -> Result<Next, UnitError> {
        let activity = self.engine.advance()?;
        let again = |is: Activity, before: u32| (activity == is).then(|| before.saturating_add(1));
        self.blocked = again(Activity::Blocked, self.blocked).unwrap_or(0);
        self.attended = again(Activity::Attended, self.attended).unwrap_or(0);
        let oversubscribed = self.engine.is_oversubscribed();
        Ok(match activity {
            Activity::Moved => Next::AtOnce,
            Activity::Blocked if self.blocked <= YIELDS => Next::Yield,
            Activity::Blocked => Next::Within(nap(self.blocked - YIELDS - 1, oversubscribed)),
            Activity::Timed(at) => {
                let left = at.saturating_duration_since(Instant::now());
                if left < WORTH_SLEEPING {
                    Next::Yield
                } else {
                    Next::Within(left)
                }
            }
            Activity::Attended => Next::Within(self.engine.attended(self.attended - 1)),
            Activity::Quiet => Next::Rest,
            Activity::Away => Next::Away,
        })
    }
}

impl Control {
    fn run(&self, mut controller: Box<dyn InterruptController>) {
        locked(&self.roster).thread = Some(std::thread::current().id());
        let (mut engines, mut seen) = (Vec::new(), 0);
        while self.take_over(&mut engines, &mut seen) {
            let resting = self.advance(&mut engines);
            let Some((resting, limit)) = resting else {
                continue;
            };
            if let Err(error) = self.rest(&mut *controller, &mut engines, &resting, limit) {
                self.failed(&mut engines, &error);
            }
        }
    }

    /// Takes over who is to be driven; false when the thread is to end.
    fn take_over(&self, engines: &mut Vec<Entry>, seen: &mut u64) -> bool {
        let mut roster = locked(&self.roster);
        if roster.changes != *seen {
            // Given back before anybody is told.
            engines.clone_from(&roster.engines);
            *seen = roster.changes;
            roster.seen = *seen;
            self.taken_over.notify_all();
        }
        !roster.stop
    }

    /// Advances every engine: which of them may rest, and for how long at most; `None` if one
    /// of them wants to go on.
    fn advance(&self, engines: &mut Vec<Entry>) -> Option<(Vec<bool>, Option<Duration>)> {
        let (mut at_once, mut yields, mut limit) = (false, false, None::<Duration>);
        let mut resting = Vec::with_capacity(engines.len());
        engines.retain_mut(|entry| {
            let next = entry.advance().unwrap_or_else(|error| {
                entry.engine.failed(error);
                self.forget(entry.place);
                Next::Within(Duration::MAX)
            });
            match next {
                Next::AtOnce => at_once = true,
                Next::Yield => yields = true,
                Next::Within(Duration::MAX) => return false,
                Next::Within(time) => limit = Some(limit.map_or(time, |other| other.min(time))),
                Next::Rest | Next::Away => {}
            }
            resting.push(matches!(next, Next::Rest));
            true
        });
        if at_once {
            return None;
        }
        if yields {
            std::thread::yield_now();
            return None;
        }
        Some((resting, limit))
    }

    /// Sleeps until something may have come for one of the engines.
    fn rest(
        &self,
        controller: &mut dyn InterruptController,
        engines: &mut Vec<Entry>,
        resting: &[bool],
        mut limit: Option<Duration>,
    ) -> Result<(), InterruptError> {
        let mut announced = Vec::with_capacity(engines.len());
        let (mut sleeps, mut gone) = (true, Vec::new());
        for (entry, _) in engines.iter().zip(resting).filter(|(_, rests)| **rests) {
            match entry.engine.announce_sleep() {
                Ok(Some(true)) => announced.push(&entry.engine),
                Ok(Some(false)) => {
                    announced.push(&entry.engine);
                    limit = Some(limit.map_or(UNORDERED, |other| other.min(UNORDERED)));
                }
                Ok(None) => sleeps = false,
                Err(error) => {
                    sleeps = false;
                    entry.engine.failed(error);
                    self.forget(entry.place);
                    gone.push(entry.place);
                }
            }
        }
        let words: Vec<&AtomicU32> = announced.iter().map(|one| one.doorbell().word()).collect();
        // Whatever was rung or raised since is seen by the controller: in the words, and in the
        // signal, which stays until it is taken.
        let outcome = sleeps.then(|| controller.wait(&words, limit)).transpose();
        words.iter().for_each(|word| sleep::cancel(word));
        engines.retain(|entry| !gone.contains(&entry.place));
        outcome?.into_iter().for_each(count);
        Ok(())
    }

    /// Nobody can be driven any more.
    fn failed(&self, engines: &mut Vec<Entry>, error: &InterruptError) {
        for entry in engines.drain(..) {
            entry.engine.failed(error.clone().into());
            self.forget(entry.place);
        }
    }

    fn forget(&self, place: u64) {
        let mut roster = locked(&self.roster);
        roster.engines.retain(|entry| entry.place != place);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::Counting;
    use super::*;
    use crate::job::{Job, JobSpecification};

    /// The sleeps of the thread, one after the other, where an engine always says so.
    fn sleeps(always: Activity, oversubscribed: bool) -> Vec<Duration> {
        let job = Job::create(&JobSpecification::unbound(1)).unwrap();
        let mut counting = Counting::new(&job, 0);
        (counting.always, counting.oversubscribed) = (always, oversubscribed);
        let mut entry = Entry {
            place: 0,
            engine: Arc::new(counting),
            blocked: 0,
            attended: 0,
        };
        let nexts = (0..200).map(|_| entry.advance().unwrap());
        let sleeps = nexts.filter_map(|next| match next {
            Next::Within(sleep) => Some(sleep),
            _ => None,
        });
        sleeps.collect()
    }

    #[test]
    fn the_thread_does_not_wake_within_slices_where_ranks_share_processors() {
        // Somewhat longer than a slice of the kernel's.
        let slice = Duration::from_millis(4);
        for always in [Activity::Attended, Activity::Blocked] {
            let alone = sleeps(always, false);
            assert!(
                alone
                    .iter()
                    .all(|sleep| *sleep == alone[0] && *sleep < slice)
            );
            let shared = sleeps(always, true);
            assert_eq!(shared[0], alone[0]);
            assert!(shared[50..].iter().all(|sleep| *sleep > slice));
        }
    }
}
