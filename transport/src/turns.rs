//! Which of two ways the next of many like things goes, when only measuring tells which is the faster.
//!
//! Before: a message or an operation that could go either way. After: it goes one of them, and how long it took is
//! noted. The usual way comes first, then both in turn, then the faster, with trials of the other one.

/// Turns of a trial in a row: a way is only as fast as it can be when it was taken just before, because data still
/// lies in a cache from which the other way drives it out.
const RUN: u32 = 4;

/// Turns of the usual way in the beginning.
const FIRST_TURNS: u32 = 4;

/// The turn up to which trials are frequent.
const FIRST_TRIALS: u32 = 128;

/// Turns from a trial to the next one while they are frequent, and later.
const PERIODS: [u32; 2] = [32, 512];

/// Turns from one that is timed to the next, later: clocks take a part of short ones.
const TIMED_PERIOD: u32 = 8;

/// A way that takes so many times as long as the other is not tried often, once it has been tried again.
const CLEAR: f32 = 1.5;

/// What the way that is not taken must be shorter by to be taken, in parts of the other's time.
const MARGIN: f32 = 1.0 / 16.0;

/// How many turns there were.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Turns(u32);

impl Turns {
    /// Whether the next one is worth timing: the first ones, trials and what comes behind them, and some of all others.
    pub(crate) fn next_is_timed(self) -> bool {
        let turn = self.0;
        turn < FIRST_TRIALS || turn % PERIODS[1] < 2 * RUN || turn.is_multiple_of(TIMED_PERIOD)
    }

    /// Whether the next one begins the run of the usual way behind the first trial: what was measured of that way before
    /// included what is only done once.
    pub(crate) fn next_begins_anew(self) -> bool {
        self.0 == FIRST_TURNS + RUN
    }

    /// Whether the next one takes the way that is not the usual one. Behind the first trial the usual one has a run of
    /// its own, and then it takes a turn of the other to agree on which one is faster. That may be clear.
    pub(crate) fn next_is_other(&mut self, (other_is_faster, is_clear): (bool, bool)) -> bool {
        let turn = self.0;
        self.0 = turn.wrapping_add(1);
        if turn < FIRST_TURNS {
            return false;
        }
        if turn <= FIRST_TURNS + 2 * RUN {
            return turn < FIRST_TURNS + RUN || turn == FIRST_TURNS + 2 * RUN;
        }
        let is_rare = turn >= FIRST_TRIALS || is_clear && turn >= 2 * PERIODS[0];
        let period = PERIODS[usize::from(is_rare)];
        other_is_faster != (turn % period < RUN)
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

/// Whether one way takes much longer than the other.
pub(crate) fn is_clear(usual: f32, other: f32) -> bool {
    usual > other * CLEAR || other > usual * CLEAR
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

    fn others(other_is_faster: bool, turns: usize) -> Vec<usize> {
        let mut count = Turns::default();
        let next = (0..turns).map(|_| count.next_is_other((other_is_faster, false)));
        let others = next.enumerate().filter(|(_, other)| *other);
        others.map(|(turn, _)| turn).collect()
    }

    #[test]
    fn trials_come_in_runs() {
        let runs = [4..8, 12..13, 32..36, 64..68, 96..100, 512..516];
        let runs: Vec<usize> = runs.into_iter().flatten().collect();
        assert_eq!(others(false, 1000), runs);
        assert_eq!(others(true, 1024).len(), 4 + 1012 - 16);
        let mut count = Turns::default();
        let usual: Vec<u32> = (0..516)
            .filter(|_| !count.next_is_other((true, true)))
            .collect();
        let runs = [0..4, 8..12, 32..36, 512..516];
        assert_eq!(usual, runs.into_iter().flatten().collect::<Vec<u32>>());
    }

    #[test]
    fn a_way_is_left_for_one_that_is_clearly_faster() {
        assert!(!takes_other(false, 1.0, 0.95) && takes_other(false, 1.0, 0.9));
        assert!(takes_other(true, 0.95, 1.0) && !takes_other(true, 0.9, 1.0));
        assert!(!takes_other(false, f32::NAN, 1.0) && !takes_other(true, f32::NAN, 1.0));
        assert!(is_clear(1.6, 1.0) && is_clear(1.0, 1.6) && !is_clear(1.0, 1.4));
    }
}
