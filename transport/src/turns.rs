//! Which of two ways the next of many like things goes, when only measuring tells which is the faster.
//!
//! Before: a message or an operation that could go either way. After: it goes one of them, and how long it took is
//! noted. The usual way comes first, then both in turn, then the faster, with trials of the other one.

/// When the way that is not taken is tried.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Schedule {
    /// Turns of a trial in a row.
    run: u32,
    /// The turn up to which trials are frequent.
    pub(crate) first_trials: u32,
    /// Turns from one trial to the next after that.
    pub(crate) period: u32,
}

/// Trials of one turn.
pub(crate) const SINGLE: Schedule = Schedule {
    run: 1,
    first_trials: 64,
    period: 256,
};

/// Trials of several turns, for a way that is only as fast as it can be when it was taken just before:
/// because data still lies in a cache from which the other way drives it out.
pub(crate) const RUNS: Schedule = Schedule {
    run: 4,
    first_trials: 128,
    period: 512,
};

/// Turns of the usual way in the beginning.
pub(crate) const FIRST_TURNS: u32 = 8;

/// Turns until then, from the first ones on, in which both ways alternate.
pub(crate) const ALTERNATING_TURNS: u32 = 16;

/// Trials of [`Schedule::run`] turns: one in so many runs, while they are frequent.
const FIRST_PERIOD: u32 = 8;

/// What the way that is not taken must be shorter by to be taken, in parts of the other's time.
const MARGIN: f32 = 1.0 / 16.0;

/// How many turns there were.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Turns(u32);

impl Turns {
    /// Whether the next one takes the way that is not the usual one.
    pub(crate) fn next_is_other(&mut self, schedule: Schedule, other_is_faster: bool) -> bool {
        let turn = self.0;
        self.0 = turn.wrapping_add(1);
        if turn < FIRST_TURNS {
            return false;
        }
        if turn < ALTERNATING_TURNS {
            return (turn / schedule.run).is_multiple_of(2);
        }
        let period = if turn < schedule.first_trials {
            FIRST_PERIOD * schedule.run
        } else {
            schedule.period
        };
        other_is_faster != (turn % period < schedule.run)
    }

    /// Whether all ways have been tried by now.
    pub(crate) fn have_tried(self) -> bool {
        self.0 >= ALTERNATING_TURNS
    }

    /// Trials may begin at once.
    pub(crate) fn skip_first(&mut self) {
        self.0 = self.0.max(FIRST_TURNS);
    }

    /// Turns so far.
    pub(crate) fn count(self) -> u32 {
        self.0
    }
}

/// One took so long, in nanoseconds a byte. Anything may make one slow, and nothing makes one
/// fast: what is faster counts as it is, what is slower for an eighth.
pub(crate) fn note(known: &mut f32, took: f32) {
    if *known == 0.0 || took < *known {
        *known = took;
    } else {
        *known += (took - *known) / 8.0;
    }
}

/// Whether the other way is to be taken from now on: one that is taken already is kept until the usual one is clearly faster.
pub(crate) fn takes_other(takes_other: bool, usual: f32, other: f32) -> bool {
    if takes_other {
        usual > other * (1.0 - MARGIN)
    } else {
        other < usual * (1.0 - MARGIN)
    }
}

/// The class of a length: lengths of the same number of binary digits are one, those below the
/// first and above the last number belong to these.
pub(crate) fn class(bytes: usize, [first, last]: [u32; 2]) -> usize {
    let digits = usize::BITS - bytes.leading_zeros();
    (digits.clamp(first, last) - first) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn others(schedule: Schedule, other_is_faster: bool, turns: usize) -> Vec<usize> {
        let mut count = Turns::default();
        let next = (0..turns).map(|_| count.next_is_other(schedule, other_is_faster));
        let others = next.enumerate().filter(|(_, other)| *other);
        others.map(|(turn, _)| turn).collect()
    }

    #[test]
    fn trials_come_one_by_one_or_in_runs() {
        let single = [8, 10, 12, 14, 16, 24, 32, 40, 48, 56, 256];
        assert_eq!(others(SINGLE, false, 500), single);
        let runs: Vec<usize> = [8, 32, 64, 96, 512]
            .into_iter()
            .flat_map(|first| first..first + 4)
            .collect();
        assert_eq!(others(RUNS, false, 1000), runs);
        assert_eq!(others(RUNS, true, 1024).len(), 4 + 1008 - 16);
    }

    #[test]
    fn a_way_is_left_for_one_that_is_clearly_faster() {
        assert!(!takes_other(false, 1.0, 0.95) && takes_other(false, 1.0, 0.9));
        assert!(takes_other(true, 0.95, 1.0) && !takes_other(true, 0.9, 1.0));
        assert!(!takes_other(false, f32::NAN, 1.0) && !takes_other(true, f32::NAN, 1.0));
    }
}
