//! Engines that only count, on the process's thread.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use crate::job::{Job, JobSpecification};
use crate::unit::{Doorbell, UnitError};
use std::time::{Duration, Instant};

/// Reports `always` unless told otherwise once, and counts how often it is advanced.
pub(super) struct Counting {
    doorbell: Doorbell,
    advances: AtomicU64,
    next: Mutex<Option<Activity>>,
    pub(super) always: Activity,
    pub(super) oversubscribed: bool,
    failure: Mutex<Option<String>>,
}

impl Counting {
    pub(super) fn new(job: &Job, rank: usize) -> Self {
        Self {
            doorbell: Doorbell::new(job, rank).unwrap(),
            advances: AtomicU64::new(0),
            next: Mutex::default(),
            always: Activity::Quiet,
            oversubscribed: false,
            failure: Mutex::default(),
        }
    }

    fn advances(&self) -> u64 {
        self.advances.load(Ordering::SeqCst)
    }

    /// Waits until it has been advanced again.
    fn await_advance(&self, before: u64) {
        while self.advances() <= before {
            std::thread::yield_now();
        }
    }
}

impl Engine for Counting {
    fn advance(&self) -> Result<Activity, UnitError> {
        self.advances.fetch_add(1, Ordering::SeqCst);
        let next = self.next.lock().unwrap().take();
        Ok(next.unwrap_or(self.always))
    }

    fn announce_sleep(&self) -> Result<Option<bool>, UnitError> {
        pamir_shm::sleep::announce(self.doorbell.word());
        std::sync::atomic::fence(Ordering::SeqCst);
        Ok(Some(true))
    }

    fn is_oversubscribed(&self) -> bool {
        self.oversubscribed
    }

    fn doorbell(&self) -> &Doorbell {
        &self.doorbell
    }

    fn failed(&self, error: UnitError) {
        *self.failure.lock().unwrap() = Some(error.to_string());
    }
}

fn engines() -> [EngineThread<Counting>; 2] {
    let job = Job::create(&JobSpecification::unbound(2)).unwrap();
    [0, 1].map(|rank| EngineThread::start(Counting::new(&job, rank)).unwrap())
}

#[test]
fn one_thread_drives_all_engines_and_every_interrupt_wakes_it() {
    let engines = engines();
    let own = engines[0].engine();
    own.await_advance(0);
    engines[1].engine().await_advance(0);
    for _ in 0..50 {
        let before = own.advances();
        own.doorbell().ring();
        // A ring before the announcement wakes nobody, since the last look sees what came; these
        // engines look at nothing, so a signal follows.
        engines[0].interrupt();
        own.await_advance(before);
    }
    let before = own.advances();
    *own.next.lock().unwrap() = Some(Activity::Timed(Instant::now() + Duration::from_millis(1)));
    engines[0].interrupt();
    own.await_advance(before + 1);
    let statistics = delivery_statistics().unwrap();
    assert!(statistics.signals + statistics.timers > 0, "{statistics:?}");
}

#[test]
fn a_dropped_engine_is_not_touched_and_others_go_on() {
    let [one, other] = engines();
    one.engine().await_advance(0);
    let engine = Arc::clone(&one.engine);
    drop(one);
    assert_eq!(Arc::strong_count(&engine), 1);
    let (gone, before) = (engine.advances(), other.engine().advances());
    other.interrupt();
    other.engine().await_advance(before);
    assert_eq!(engine.advances(), gone);
    assert_eq!(*engine.failure.lock().unwrap(), None);
}
