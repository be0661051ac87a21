//! Moving ranks between cores: binding, priority, and the job's words on the ranks that share a core.
//!
//! What: [`Seats`] carries out what [`pamir_transport::balance::share`] decides. Why the job must
//! know: a rank alone on its core spins while it waits, one that shares it must not.
//! Step before: [`super::Balancing`]. Step after: the kernel's scheduler; the waiting ladder of
//! each rank, which looks at its sharers when it begins to wait.
//!
//! Threads that bound themselves elsewhere (an engine's, a program's own) are left alone: only
//! those move whose processors are the ones that the launcher gave.
//!
//! Invariants: a rank goes only to processors that the launcher may use; nice values are raised
//! only where they can be taken back, and are taken back when ranks get seats again.

use nix::errno::Errno;
use nix::unistd::{Pid, getpgid};
use pamir_driver::binding::BindingError;
use pamir_driver::job::{Job, JobError};
use pamir_driver::topology::AffinityMask;
use pamir_transport::balance::share::controller::Seating;
use pamir_transport::balance::share::priority::steps;

use super::occasions::Cores;
use super::priority;
use crate::launch::placement::Places;
use crate::launch::process::start::RankProcess;

/// Why a rank was not moved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SeatError {
    /// The kernel refuses the processors.
    #[error("rank {rank} cannot move: {source}")]
    Binding {
        /// The rank.
        rank: usize,
        /// The kernel's answer.
        source: BindingError,
    },
    /// Its processors cannot be read.
    #[error("the processors of rank {rank} cannot be read: {source}")]
    Unreadable {
        /// The rank.
        rank: usize,
        /// The system's answer.
        source: std::io::Error,
    },
    /// The kernel refuses a nice value.
    #[error("the priority of rank {rank} cannot be set: {}", errno.desc())]
    Priority {
        /// The rank.
        rank: usize,
        /// The kernel's answer.
        errno: Errno,
    },
    /// The job's memory has no such rank.
    #[error(transparent)]
    Job(#[from] JobError),
}

/// The process that computes for a rank: the one that attached, if it is of the rank's group, as
/// a program may be started by a script; else the one that the launcher started.
pub fn computing_process(job: &Job, rank: usize, started: Pid) -> Pid {
    let attached = job.process(rank).filter(|process| *process > 0);
    let own = |process: &Pid| getpgid(Some(*process)) == Ok(started);
    attached.map(Pid::from_raw).filter(own).unwrap_or(started)
}

/// Where the ranks are.
#[derive(Debug)]
pub struct Seats {
    places: Places,
    /// Nice values that were changed, by rank, as they were before.
    nice: Vec<Option<i32>>,
    /// Ranks that have ended, by rank.
    ended: Vec<bool>,
    roaming: bool,
}

impl Seats {
    /// As the ranks were started.
    pub fn new(places: Places) -> Self {
        let nice = vec![None; places.seats.len()];
        let ended = vec![false; places.seats.len()];
        Self {
            places,
            nice,
            ended,
            roaming: false,
        }
    }

    /// The cores and who is on which; nothing while ranks roam.
    pub fn seated(&self) -> Option<Cores<'_>> {
        (!self.roaming).then_some(Cores {
            units: &self.places.units,
            seats: &self.places.seats,
        })
    }

    /// A rank has ended: who shared its core with it shares with one less.
    ///
    /// # Errors
    ///
    /// [`SeatError::Job`] if the job has no such rank.
    pub fn leave(&mut self, rank: usize, job: &Job) -> Result<(), SeatError> {
        if let Some(ended) = self.ended.get_mut(rank) {
            *ended = true;
        }
        Ok(self.tell(job)?)
    }

    /// How many cores there are.
    pub fn cores(&self) -> usize {
        self.places.units.len()
    }

    /// The core of a rank, if it keeps to one.
    pub fn place(&self, rank: usize) -> Option<usize> {
        let seat = self.places.seats.get(rank).copied();
        seat.filter(|_| !self.roaming)
    }

    /// All processors, as a list for a second program.
    pub fn all_units(&self) -> Vec<u32> {
        let mut units = self.places.units.concat();
        units.sort_unstable();
        units
    }

    /// The first processor of a core, for people.
    pub fn name(&self, core: usize) -> u32 {
        self.places.units[core][0]
    }

    fn units(&self, rank: usize) -> Vec<u32> {
        if self.roaming {
            return self.all_units();
        }
        self.places.units[self.places.seats[rank]].clone()
    }

    /// Seats the ranks anew; `work` says who gets how much of a core where they roam. A rank that
    /// has ended in the meantime is no error.
    ///
    /// # Errors
    ///
    /// [`SeatError`] for the first rank that stays where it was; the others move.
    pub fn take(
        &mut self,
        seating: &Seating,
        work: &[f64],
        job: &Job,
        ranks: &[RankProcess],
    ) -> Result<(), SeatError> {
        let before: Vec<Vec<u32>> = (0..ranks.len()).map(|rank| self.units(rank)).collect();
        self.roaming = *seating == Seating::Roaming;
        if let Seating::Seated(seats) = seating {
            self.places.seats.clone_from(seats);
        }
        // Before they move: nobody shall spin who is about to share.
        self.tell(job)?;
        let mut outcome = Ok(());
        for (rank, process) in ranks.iter().enumerate() {
            let units = self.units(rank);
            if units != before[rank] && !self.ended[rank] {
                let process = computing_process(job, rank, process.process);
                let moved = move_threads(rank, process, &before[rank], &units);
                outcome = outcome.and(moved);
            }
        }
        outcome.and(self.share_out(work, job, ranks))
    }

    /// Says in the job who shares which processor.
    fn tell(&self, job: &Job) -> Result<(), JobError> {
        let running = self.ended.iter().filter(|ended| !**ended).count();
        for (rank, seat) in self.places.seats.iter().enumerate() {
            let others = self.places.seats.iter().zip(&self.ended);
            let same = others.filter(|(other, ended)| *other == seat && !**ended);
            let (unit, sharers) = if self.roaming {
                (None, running.div_ceil(self.cores()))
            } else {
                (Some(self.places.units[*seat][0]), same.count())
            };
            job.move_rank(rank, unit, sharers as u64)?;
        }
        Ok(())
    }

    /// Gives ranks that roam shares by their work, and takes them back from those that sit.
    fn share_out(
        &mut self,
        work: &[f64],
        job: &Job,
        ranks: &[RankProcess],
    ) -> Result<(), SeatError> {
        let steps = if self.roaming {
            steps(work)
        } else {
            vec![0; ranks.len()]
        };
        for (rank, (process, steps)) in ranks.iter().zip(steps).enumerate() {
            let process = computing_process(job, rank, process.process);
            let Some(before) = self.nice[rank].or_else(|| priority::nice(process).ok()) else {
                continue;
            };
            if self.nice[rank].is_none() && (steps == 0 || !priority::may_take_back(before)) {
                continue;
            }
            self.nice[rank] = (steps > 0).then_some(before);
            for thread in threads(process) {
                match priority::set_nice(thread, before + steps) {
                    Ok(()) | Err(Errno::ESRCH) => {}
                    Err(errno) => return Err(SeatError::Priority { rank, errno }),
                }
            }
        }
        Ok(())
    }

    /// Whether any rank has another priority than it was started with.
    pub fn has_priorities(&self) -> bool {
        self.nice.iter().any(Option::is_some)
    }
}

/// The threads of a process; none once it is gone.
fn threads(process: Pid) -> Vec<Pid> {
    let entries = std::fs::read_dir(format!("/proc/{process}/task"));
    let names = entries.into_iter().flatten().flatten();
    let number = |entry: std::fs::DirEntry| entry.file_name().to_str()?.parse().ok();
    names.filter_map(number).map(Pid::from_raw).collect()
}

/// Binds the threads of a rank that may run on `before` to `units`.
fn move_threads(rank: usize, process: Pid, before: &[u32], units: &[u32]) -> Result<(), SeatError> {
    let gone = |error: &std::io::Error| error.raw_os_error() == Some(libc::ESRCH);
    for thread in threads(process) {
        match AffinityMask::of_process(thread.as_raw()) {
            Ok(mask) if mask.processing_units() == before => {}
            Ok(_) => continue,
            Err(error) if gone(&error) => continue,
            Err(source) => return Err(SeatError::Unreadable { rank, source }),
        }
        match pamir_driver::binding::bind_process(thread.as_raw(), units) {
            Ok(()) => {}
            Err(BindingError::Refused { source, .. }) if gone(&source) => {}
            Err(source) => return Err(SeatError::Binding { rank, source }),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pamir_driver::job::JobSpecification;
    use std::process::{Child, Command};

    fn sleeper() -> (Child, RankProcess) {
        let child = Command::new("sleep").arg("10").spawn().unwrap();
        let process = Pid::from_raw(child.id() as i32);
        let rank = RankProcess {
            process,
            program: 0,
        };
        (child, rank)
    }

    /// Two ranks on the machine's first processor; the second then goes to the last.
    #[test]
    fn a_rank_moves_and_the_job_knows_who_shares() {
        let units = AffinityMask::of_current_thread()
            .unwrap()
            .processing_units();
        let (first, last) = (units[0], *units.last().unwrap());
        let (mut children, ranks): (Vec<Child>, Vec<RankProcess>) =
            (0..2).map(|_| sleeper()).unzip();
        for rank in &ranks {
            pamir_driver::binding::bind_process(rank.process.as_raw(), &[first]).unwrap();
        }
        let job = Job::create(&JobSpecification {
            ranks: 2,
            processing_units: vec![Some(first); 2],
        })
        .unwrap();
        let mut seats = Seats::new(Places {
            units: vec![vec![first], vec![last]],
            seats: vec![0, 0],
        });
        let sharers = || [0, 1].map(|rank| job.sharers(rank).unwrap());
        let mask = |rank: usize| {
            let mask = AffinityMask::of_process(ranks[rank].process.as_raw());
            mask.unwrap().processing_units()
        };
        let before = sharers();
        let seated = seats.take(&Seating::Seated(vec![0, 1]), &[0.5; 2], &job, &ranks);
        let (after, masks) = (sharers(), [mask(0), mask(1)]);
        let roamed = seats.take(&Seating::Roaming, &[0.9, 0.1], &job, &ranks);
        let (roaming, roaming_mask) = (sharers(), mask(1));
        let nice = [0, 1].map(|rank: usize| priority::nice(ranks[rank].process));
        let prioritised = seats.has_priorities();
        let back = seats.take(&Seating::Seated(vec![0, 0]), &[0.5; 2], &job, &ranks);
        let nice_after = priority::nice(ranks[1].process);
        let place = seats.place(1);
        for child in &mut children {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        seated.unwrap();
        roamed.unwrap();
        back.unwrap();
        assert_eq!((before, after, roaming), ([2, 2], [1, 1], [1, 1]));
        assert_eq!(masks, [vec![first], vec![last]]);
        let mut both = vec![first, last];
        both.dedup();
        assert_eq!(roaming_mask, if first == last { vec![first] } else { both });
        if priority::may_take_back(0) {
            assert!(
                prioritised && nice[1].unwrap() > nice[0].unwrap(),
                "{nice:?}"
            );
        } else {
            assert_eq!(nice[0], nice[1]);
        }
        assert_eq!((nice_after, place), (nice[0], Some(0)));
        // Both have ended: there is nothing to move any more, and that is no error.
        let again = seats.take(&Seating::Seated(vec![1, 1]), &[0.5; 2], &job, &ranks);
        assert!(again.is_ok() && sharers() == [2, 2]);
    }
}
