//! What makes the launcher level by itself: a rank's end, another job's coming and end, priorities.
//!
//! What: [`Occasions`] looks at the ranks' processes and at what other programs use of the job's
//! cores (`/proc/stat`, less what the ranks used), and says what has changed.
//! Why: a seating that was the best, or that was tried and taken back, need not be so any longer.
//! Step before: [`super::Balancing`] looks at the job. Step after: the share controller seats the
//! ranks that are left, or forgets its caution.
//!
//! | seen | occasion | then |
//! |---|---|---|
//! | a rank's process has ended | its share is free | the others are seated again at once |
//! | others use a fifth of a core more or less than before | a job has come, or ended | caution is forgotten |
//! | a rank has another nice value than it was given | somebody has set its priority | caution is forgotten |
//! | the second program has ended | its gaps are free | caution is forgotten |
//!
//! Invariant: what the kernel does not tell is no occasion.

use std::collections::BTreeMap;

use nix::unistd::Pid;

use super::{clocks, priority};

/// Between two looks at processes, in nanoseconds.
const LOOK_NS: u64 = 20_000_000;

/// A tick of /proc/stat (USER_HZ), in nanoseconds.
const TICK_NS: u64 = 10_000_000;

/// The shortest span over which others are measured, in nanoseconds: fifty ticks.
const SPAN_NS: u64 = 500_000_000;

/// By which part of a core the time of others must change.
const CHANGE: f64 = 0.2;

/// Columns of a line of /proc/stat in which a processor is idle: idle, and waiting for a device.
const IDLE: [usize; 2] = [3, 4];

/// How many columns there are whose sum is all of the time; guests' time is in users' already.
const COLUMNS: usize = 8;

/// Something that has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// This rank has ended.
    RankEnded(usize),
    /// Others use less of the core whose first processor this is.
    OthersEnded(u32),
    /// They use more.
    OthersCame(u32),
    /// This rank has another nice value than it was given.
    Priority(usize),
    /// The second program has ended.
    FillerEnded,
}

impl std::fmt::Display for Occasion {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::RankEnded(rank) => write!(formatter, "rank {rank} has ended"),
            Self::OthersEnded(unit) => {
                write!(formatter, "other programs leave processor {unit}")
            }
            Self::OthersCame(unit) => write!(formatter, "other programs use processor {unit}"),
            Self::Priority(rank) => write!(formatter, "rank {rank} has another priority"),
            Self::FillerEnded => formatter.write_str("the second program has ended"),
        }
    }
}

/// What a core's processors and ranks have used up to now.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Used {
    busy_ns: u64,
    own_ns: u64,
}

/// What is known of a rank's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Runs,
    Seen,
    Told,
}

/// Where the ranks are, for what others use of the cores.
#[derive(Clone, Copy, Debug)]
pub struct Cores<'a> {
    /// The processors of each core.
    pub units: &'a [Vec<u32>],
    /// The core of each rank.
    pub seats: &'a [usize],
}

/// Watches what the launcher cannot know ahead.
#[derive(Debug, Default)]
pub struct Occasions {
    ended: Vec<End>,
    next_ns: u64,
    nice: Vec<Option<i32>>,
    /// When the span began, and what was used by then.
    began: Option<(u64, Vec<Used>)>,
    /// Which part of each core others used when that was an occasion last.
    others: Option<Vec<f64>>,
    filler_ended: bool,
}

impl Occasions {
    /// Whether it is time to look; then the next look is 20 ms later.
    pub fn is_due(&mut self, now_ns: u64) -> bool {
        let due = now_ns >= self.next_ns;
        if due {
            self.next_ns = now_ns + LOOK_NS;
        }
        due
    }

    /// Ranks that had ended at the last look already, by what `has_ended` says of each now: where
    /// the whole job ends, all do between two looks.
    pub fn ended(&mut self, ranks: usize, has_ended: impl Fn(usize) -> bool) -> Vec<usize> {
        self.ended.resize(ranks, End::Runs);
        let mut outlasted = Vec::new();
        for (rank, end) in self.ended.iter_mut().enumerate() {
            *end = match *end {
                End::Runs if has_ended(rank) => End::Seen,
                End::Runs => End::Runs,
                End::Seen => {
                    outlasted.push(rank);
                    End::Told
                }
                End::Told => End::Told,
            };
        }
        outlasted
    }

    /// The second program has ended; an occasion the first time.
    pub fn filler_ended(&mut self) -> Option<Occasion> {
        let known = std::mem::replace(&mut self.filler_ended, true);
        (!known).then_some(Occasion::FillerEnded)
    }

    /// The launcher itself has moved ranks, or given them other priorities.
    pub fn forget(&mut self) {
        self.nice.clear();
        self.began = None;
    }

    /// Ranks whose nice value is another than at the last look.
    pub fn priorities(&mut self, processes: &[Pid]) -> Vec<Occasion> {
        let nice = processes
            .iter()
            .map(|process| priority::nice(*process).ok());
        let nice: Vec<Option<i32>> = nice.collect();
        let pairs = self.nice.iter().zip(&nice).enumerate();
        let other = |(_, (before, now)): &(usize, (&Option<i32>, &Option<i32>))| {
            before.is_some() && now.is_some() && before != now
        };
        let changed = pairs.filter(other);
        let changed = changed.map(|(rank, _)| Occasion::Priority(rank)).collect();
        self.nice = nice;
        changed
    }

    /// Cores of which others use much more or less than before, once a span is over.
    pub fn others(&mut self, processes: &[Pid], cores: Cores<'_>, now_ns: u64) -> Vec<Occasion> {
        let span_ns = self
            .began
            .as_ref()
            .map(|(began, _)| now_ns.saturating_sub(*began));
        if span_ns.is_some_and(|span| span < SPAN_NS) {
            return Vec::new();
        }
        let Some(used) = used_now(processes, cores) else {
            return Vec::new();
        };
        let before = self.began.replace((now_ns, used.clone()));
        let (Some(span_ns), Some((_, before))) = (span_ns, before) else {
            return Vec::new();
        };
        let parts = others_parts(&before, &used, cores.units, span_ns);
        self.changed(parts, cores.units)
    }

    fn changed(&mut self, parts: Vec<f64>, units: &[Vec<u32>]) -> Vec<Occasion> {
        let Some(known) = self
            .others
            .as_mut()
            .filter(|known| known.len() == parts.len())
        else {
            self.others = Some(parts);
            return Vec::new();
        };
        let mut occasions = Vec::new();
        for (core, (known, part)) in known.iter_mut().zip(parts).enumerate() {
            let unit = units[core].first().copied().unwrap_or(0);
            if (part - *known).abs() >= CHANGE {
                occasions.push(if part < *known {
                    Occasion::OthersEnded(unit)
                } else {
                    Occasion::OthersCame(unit)
                });
                *known = part;
            }
        }
        occasions
    }
}

/// What each core's processors and ranks have used; nothing where the kernel does not tell.
fn used_now(processes: &[Pid], cores: Cores<'_>) -> Option<Vec<Used>> {
    let busy = busy_ns(&std::fs::read_to_string("/proc/stat").ok()?);
    let mut used = vec![Used::default(); cores.units.len()];
    for (core, units) in cores.units.iter().enumerate() {
        for unit in units {
            used[core].busy_ns += busy.get(unit)?;
        }
    }
    for (process, seat) in processes.iter().zip(cores.seats) {
        // A rank that is gone has used what it used in the span before.
        used[*seat].own_ns += clocks::processor_ns(*process).unwrap_or(0);
    }
    Some(used)
}

/// For how long each processor has been busy since the system was started.
fn busy_ns(stat: &str) -> BTreeMap<u32, u64> {
    let line = |line: &str| {
        let mut words = line.strip_prefix("cpu")?.split(' ');
        let unit = words.next()?.parse().ok()?;
        let times: Vec<u64> = words.map_while(|word| word.parse().ok()).collect();
        let all: u64 = times.iter().take(COLUMNS).sum();
        let idle: u64 = IDLE.iter().filter_map(|column| times.get(*column)).sum();
        Some((unit, (all - idle) * TICK_NS))
    };
    stat.lines().filter_map(line).collect()
}

/// Which part of each core others used between two readings.
fn others_parts(before: &[Used], now: &[Used], units: &[Vec<u32>], span_ns: u64) -> Vec<f64> {
    let pairs = before.iter().zip(now).zip(units);
    let part = |((before, now), units): ((&Used, &Used), &Vec<u32>)| {
        let busy_ns = now.busy_ns.saturating_sub(before.busy_ns);
        let others_ns = busy_ns.saturating_sub(now.own_ns.saturating_sub(before.own_ns));
        others_ns as f64 / (span_ns.max(1) * units.len().max(1) as u64) as f64
    };
    pairs.map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_rank_ends_once() {
        let mut occasions = Occasions::default();
        assert!(occasions.ended(3, |_| false).is_empty());
        assert!(occasions.ended(3, |rank| rank != 1).is_empty());
        assert_eq!(occasions.ended(3, |_| true), [0, 2]);
        assert_eq!(occasions.ended(3, |_| true), [1]);
        assert!(occasions.ended(3, |_| true).is_empty());
        assert!(occasions.is_due(5) && !occasions.is_due(6) && occasions.is_due(5 + LOOK_NS));
        assert_eq!(occasions.filler_ended(), Some(Occasion::FillerEnded));
        assert_eq!(occasions.filler_ended(), None);
    }

    #[test]
    fn a_priority_that_somebody_sets_is_seen() {
        let mut child = Command::new("sleep").arg("10").spawn().unwrap();
        let process = Pid::from_raw(child.id() as i32);
        let mut occasions = Occasions::default();
        let quiet = [
            occasions.priorities(&[process]),
            occasions.priorities(&[process]),
        ];
        let nice = priority::nice(process).unwrap();
        priority::set_nice(process, nice + 2).unwrap();
        let seen = occasions.priorities(&[process]);
        priority::set_nice(process, nice + 4).unwrap();
        occasions.forget();
        let own = occasions.priorities(&[process]);
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(quiet, [vec![], vec![]]);
        assert_eq!(seen, [Occasion::Priority(0)]);
        assert_eq!(own, []);
        assert_eq!(occasions.priorities(&[process]), [], "a rank that is gone");
    }

    #[test]
    fn what_others_use_is_what_is_busy_less_what_the_ranks_used() {
        let stat =
            "cpu  9 9 9 9\ncpu0 100 10 20 500 30 1 2 3 40 0\ncpu3 1 0 0 9 0 0 0 0 0 0\nintr 5\n";
        let busy = busy_ns(stat);
        assert_eq!(
            busy.into_iter().collect::<Vec<_>>(),
            [(0, 136 * TICK_NS), (3, TICK_NS)]
        );
        let used = |busy_ns: u64, own_ns: u64| vec![Used { busy_ns, own_ns }];
        let units = [vec![0, 1]];
        assert_eq!(
            others_parts(&used(10, 4), &used(90, 24), &units, 100),
            [0.3]
        );
        assert_eq!(
            others_parts(&used(10, 4), &used(20, 24), &units, 100),
            [0.0]
        );
    }

    #[test]
    fn another_jobs_coming_and_end_are_occasions() {
        let units = [vec![4], vec![6, 7]];
        let mut occasions = Occasions::default();
        assert_eq!(occasions.changed(vec![0.0, 0.9], &units), []);
        assert_eq!(occasions.changed(vec![0.1, 0.8], &units), []);
        let both = [Occasion::OthersCame(4), Occasion::OthersEnded(6)];
        assert_eq!(occasions.changed(vec![0.5, 0.0], &units), both);
        assert_eq!(occasions.changed(vec![0.45, 0.1], &units), []);
    }

    #[test]
    fn this_machine_tells_what_its_processors_did() {
        let units = pamir_driver::topology::AffinityMask::of_current_thread().unwrap();
        let units: Vec<Vec<u32>> = units
            .processing_units()
            .into_iter()
            .map(|unit| vec![unit])
            .collect();
        let cores = Cores {
            units: &units,
            seats: &[0],
        };
        let mut occasions = Occasions::default();
        let now = [Pid::this()];
        assert_eq!(occasions.others(&now, cores, 0), []);
        assert_eq!(occasions.others(&now, cores, SPAN_NS - 1), []);
        assert_eq!(occasions.others(&now, cores, SPAN_NS), []);
        assert_eq!(occasions.others.map(|parts| parts.len()), Some(units.len()));
    }
}
