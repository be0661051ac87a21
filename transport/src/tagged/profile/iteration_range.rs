//! A range of a run's iterations, for profiles of programs that name no portions themselves.
//!
//! What: iterations are counted by a kind of call in which all ranks meet, such as the allreduce
//! of a residual: iteration 1 lies between the first such call and the end of the second. A text
//! such as `allreduce:100-199` names a range.
//! Why: what a program sends while it sets up says little about the loop it then runs for hours.
//!
//! Step before: `mpiexec --profile-iterations`. Step after: [`super::traffic`].

use std::str::FromStr;

use pamir_settings::PROFILE_ITERATIONS;

use crate::balance::announcement::Synchronization;

/// From one iteration to another, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IterationRange {
    call: Synchronization,
    first: u64,
    last: u64,
}

/// A text is no range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} is no range of iterations: it is a call that ends them (barrier, allreduce, \
     allgather, alltoall or reduce-scatter), a colon, and numbers from 0 such as 10-19, 10- or 7"
)]
pub struct IterationRangeError {
    text: String,
}

impl IterationRange {
    /// The range that the launcher asks for, if any.
    ///
    /// # Errors
    ///
    /// [`IterationRangeError`] if the variable holds something else.
    pub fn from_environment() -> Result<Option<IterationRange>, IterationRangeError> {
        PROFILE_ITERATIONS.parsed()
    }

    /// Whether calls of this kind end iterations.
    pub fn is_counted_by(&self, call: Synchronization) -> bool {
        self.call == call
    }

    /// Whether an iteration lies in the range; what is before the first call is iteration 0.
    pub fn contains(&self, iteration: u64) -> bool {
        (self.first..=self.last).contains(&iteration)
    }

    /// The name of its portion.
    pub fn portion(&self) -> String {
        match self.last {
            u64::MAX => format!("iterations {}-", self.first),
            last => format!("iterations {}-{last}", self.first),
        }
    }
}

impl FromStr for IterationRange {
    type Err = IterationRangeError;

    fn from_str(text: &str) -> Result<IterationRange, IterationRangeError> {
        let parse = || {
            let (call, range) = text.split_once(':')?;
            let call = Synchronization::ALL
                .into_iter()
                .find(|known| known.name() == call.trim())?;
            let range = range.trim();
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let first = first.parse().ok()?;
            let last = match last {
                "" => u64::MAX,
                last => last.parse().ok()?,
            };
            (first <= last).then_some(IterationRange { call, first, last })
        };
        parse().ok_or_else(|| IterationRangeError {
            text: text.to_string(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_from_text() {
        let range: IterationRange = "allreduce:10-19".parse().unwrap();
        assert!(range.is_counted_by(Synchronization::Allreduce));
        assert!(!range.is_counted_by(Synchronization::Barrier));
        let inside: Vec<u64> = (0..30).filter(|&at| range.contains(at)).collect();
        assert_eq!(inside, (10..20).collect::<Vec<_>>());
        assert_eq!(range.portion(), "iterations 10-19");
        let open: IterationRange = "reduce-scatter:3-".parse().unwrap();
        assert!(open.contains(u64::MAX) && !open.contains(2));
        assert_eq!(open.portion(), "iterations 3-");
        let one: IterationRange = "barrier: 7".parse().unwrap();
        assert!(one.contains(7) && !one.contains(6) && !one.contains(8));
    }

    #[test]
    fn what_is_no_range_is_told() {
        for text in [
            "",
            "10-19",
            "gather:1-2",
            "barrier:",
            "barrier:5-4",
            "barrier:-3",
            "barrier:x",
        ] {
            let error = text.parse::<IterationRange>().unwrap_err().to_string();
            assert!(error.contains(&format!("{text:?} is no range")), "{error}");
        }
    }
}
