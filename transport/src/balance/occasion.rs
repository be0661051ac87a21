//! Reasons to level besides the time between two calls: resources that became free or were taken.
//!
//! Before: a rank has looked at its processors ([`Circumstances::now`]). After: an [`Occasion`], if
//! something has changed since work was levelled last, upon which it is levelled again.
//!
//! | seen | means |
//! |---|---|
//! | more or fewer processors that the rank may run on | resources were freed or taken |
//! | more or fewer ranks on its processor | the launcher has moved ranks |
//! | another nice value | its priority was changed |
//! | it gets much more of the time that it wants to run | another job has ended |
//! | it gets much less | another job has come |
//!
//! What a rank gets is its time on a processor by that and what it stood in the scheduler's queue
//! (`/proc/thread-self/schedstat`), so it does not matter whose the other job is. Invariant: a span
//! in which the rank hardly wanted to run says nothing.

use pamir_driver::topology::AffinityMask;

/// By how much the share must change.
const SHARE_CHANGE: f64 = 0.2;

/// The shortest span that a share is taken of, in nanoseconds of wanting to run.
const LEAST_WANTED_NS: u64 = 5_000_000;

/// What a rank knows of its processors.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Circumstances {
    /// On how many processors the calling thread may run.
    pub processors: usize,
    /// How many ranks share its processor.
    pub sharers: u64,
    /// Its nice value.
    pub nice: i32,
    /// For how long it ran so far, and for how long it waited to run, in nanoseconds.
    pub queue_ns: [u64; 2],
}

/// Why to level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// The rank may use more processors, or shares its own with fewer ranks.
    Freed,
    /// It may use fewer, or shares its own with more.
    Taken,
    /// It has another priority.
    Priority,
    /// Who was in its way has gone.
    OthersEnded,
    /// Somebody has come.
    OthersCame,
}

impl Circumstances {
    /// Those of the calling thread, whose processor `sharers` ranks share.
    pub fn now(sharers: u64) -> Self {
        let mask = AffinityMask::of_current_thread();
        let queue = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
        let mut queue = queue
            .split(' ')
            .map(|number| number.trim().parse().unwrap_or(0));
        Self {
            processors: mask.map_or(0, |mask| mask.processing_units().len()),
            sharers,
            nice: own_nice().unwrap_or(0),
            queue_ns: [queue.next().unwrap_or(0), queue.next().unwrap_or(0)],
        }
    }
}

/// The nice value of the calling thread: field 19 of its line, 16 after the name and the state.
fn own_nice() -> Option<i32> {
    let line = std::fs::read_to_string("/proc/thread-self/stat").ok()?;
    let (_, fields) = line.rsplit_once(") ")?;
    fields.split(' ').nth(16)?.parse().ok()
}

/// Watches a rank's circumstances.
#[derive(Clone, Debug, Default)]
pub struct Occasions {
    last: Option<Circumstances>,
    /// The share of the time it wanted that the rank got when work was levelled last.
    share: Option<f64>,
}

impl Occasions {
    /// Takes what is so now; why to level, if anything has changed since it was taken before.
    pub fn look(&mut self, now: Circumstances) -> Option<Occasion> {
        let Some(last) = self.last else {
            self.last = Some(now);
            return None;
        };
        let share = share(last.queue_ns, now.queue_ns);
        // A span that is too short goes on.
        let queue_ns = share.map_or(last.queue_ns, |_| now.queue_ns);
        self.last = Some(Circumstances { queue_ns, ..now });
        let known = self.share;
        if known.is_none() {
            self.share = share;
        }
        let occasion = changed(&last, &now).or_else(|| share_changed(known?, share?));
        if occasion.is_some() {
            self.share = share;
        }
        occasion
    }
}

fn changed(last: &Circumstances, now: &Circumstances) -> Option<Occasion> {
    if now.processors > last.processors || now.sharers < last.sharers {
        Some(Occasion::Freed)
    } else if now.processors < last.processors || now.sharers > last.sharers {
        Some(Occasion::Taken)
    } else {
        (now.nice != last.nice).then_some(Occasion::Priority)
    }
}

/// Which part of the time that it wanted to run it ran, between two readings.
fn share(last: [u64; 2], now: [u64; 2]) -> Option<f64> {
    let [ran, waited] = [0, 1].map(|at| now[at].saturating_sub(last[at]));
    let wanted = ran.saturating_add(waited);
    (wanted >= LEAST_WANTED_NS).then(|| ran as f64 / wanted as f64)
}

fn share_changed(known: f64, share: f64) -> Option<Occasion> {
    if share - known >= SHARE_CHANGE {
        Some(Occasion::OthersEnded)
    } else {
        (known - share >= SHARE_CHANGE).then_some(Occasion::OthersCame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn base() -> Circumstances {
        Circumstances {
            processors: 2,
            sharers: 1,
            nice: 0,
            queue_ns: [0, 0],
        }
    }

    #[test]
    fn what_was_freed_or_taken_is_an_occasion_once() {
        let mut occasions = Occasions::default();
        let (one, two) = (base(), base());
        assert_eq!(occasions.look(one), None);
        assert_eq!(occasions.look(two), None);
        let more = Circumstances {
            processors: 4,
            ..base()
        };
        assert_eq!(occasions.look(more), Some(Occasion::Freed));
        assert_eq!(occasions.look(more), None);
        let shared = Circumstances { sharers: 2, ..more };
        assert_eq!(occasions.look(shared), Some(Occasion::Taken));
        let nicer = Circumstances { nice: 5, ..shared };
        assert_eq!(occasions.look(nicer), Some(Occasion::Priority));
        assert_eq!(
            occasions.look(Circumstances {
                sharers: 1,
                ..nicer
            }),
            Some(Occasion::Freed)
        );
    }

    #[test]
    fn another_jobs_coming_and_end_are_seen_in_what_the_rank_gets() {
        let mut occasions = Occasions::default();
        let mut queue_ns = [0, 0];
        let mut cycle = |ran_ms: u64, waited_ms: u64| {
            queue_ns[0] += ran_ms * MS;
            queue_ns[1] += waited_ms * MS;
            occasions.look(Circumstances { queue_ns, ..base() })
        };
        assert_eq!(cycle(10, 0), None);
        assert_eq!(cycle(10, 0), None);
        assert_eq!(cycle(10, 1), None);
        assert_eq!(cycle(10, 10), Some(Occasion::OthersCame));
        assert_eq!(cycle(10, 10), None);
        // Too short to tell, until it has lasted long enough.
        assert_eq!([cycle(2, 0), cycle(2, 0)], [None, None]);
        assert_eq!(cycle(2, 0), Some(Occasion::OthersEnded));
        assert_eq!(cycle(9, 1), None);
    }

    #[test]
    fn the_kernel_tells_what_a_thread_has() {
        let units = AffinityMask::of_current_thread()
            .unwrap()
            .processing_units();
        std::thread::spawn(move || {
            let before = Circumstances::now(3);
            assert_eq!((before.processors, before.sharers), (units.len(), 3));
            pamir_driver::binding::bind_process(0, &units[..1]).unwrap();
            while Circumstances::now(3).queue_ns[0] < before.queue_ns[0] + MS {
                std::hint::spin_loop();
            }
            assert_eq!(Circumstances::now(3).processors, 1);
            let mut occasions = Occasions::default();
            let now = Circumstances::now(3);
            assert_eq!(occasions.look(now), None);
            // SAFETY: the call takes numbers only; raising one's own nice value is always allowed.
            unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, now.nice + 1) };
            // What the thread gets may change as well, where the machine is busy.
            let nicer = Circumstances {
                queue_ns: now.queue_ns,
                ..Circumstances::now(3)
            };
            assert_eq!(occasions.look(nicer), Some(Occasion::Priority));
        })
        .join()
        .unwrap();
    }
}
