//! How many workers a context has, and where they run.
//!
//! | variable | meaning |
//! |----------|---------|
//! | `PAMIR_STRIPE_WORKERS` | workers of each rank; 0 for none |
//! | `PAMIR_SPARE_PROCESSORS` | set by the launcher: processors that no rank is bound to, this rank's share |
//!
//! Unless configured, there are as many workers as spare processors, at most
//! [`MOST_BY_DEFAULT`]: where every processor has a rank, a worker would only take its time.
//!
//! Before: [`crate::client`] makes MPI's context. After: `workers`.

use pamir_driver::job::client::table::maximum_contexts;
use pamir_settings::{SPARE_PROCESSORS, STRIPE_WORKERS};

/// The most workers, unless more are asked for: a few cores fill a memory's channels.
pub const MOST_BY_DEFAULT: usize = 3;

/// Why the workers cannot be as they are configured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StripingError {
    /// Too many.
    #[error("{name} is \"{number}\": it is a whole number from 0 to {most} with {tasks} ranks")]
    Workers {
        /// The variable.
        name: &'static str,
        /// Its value.
        number: usize,
        /// The most that are possible.
        most: usize,
        /// Ranks of the job.
        tasks: usize,
    },
    /// No list of processors.
    #[error(
        "environment variable {name} is {value:?}, which is not what Pamir's mpiexec sets: unset it"
    )]
    Spare {
        /// The variable.
        name: &'static str,
        /// Its value.
        value: String,
    },
}

/// The workers of a context.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Configuration {
    /// How many; the same in all tasks.
    pub workers: usize,
    /// Processing units (the operating system's indices) that they have for themselves; where
    /// there are none, they share time with their rank.
    pub processing_units: Vec<u32>,
}

impl Configuration {
    /// What the environment asks for in a job of `tasks` tasks.
    ///
    /// # Errors
    ///
    /// [`StripingError`] if a variable makes no sense.
    pub fn from_environment(tasks: usize) -> Result<Self, StripingError> {
        let spare = SPARE_PROCESSORS.value();
        let spare = spare.map(|list| list.to_string_lossy().into_owned());
        Self::of(STRIPE_WORKERS.value(), spare, tasks)
    }

    /// What these values ask for.
    ///
    /// # Errors
    ///
    /// As for [`Self::from_environment`].
    pub fn of(
        workers: Option<usize>,
        spare: Option<String>,
        tasks: usize,
    ) -> Result<Self, StripingError> {
        let processing_units = match spare {
            None => Vec::new(),
            Some(list) => units_in(&list).ok_or(StripingError::Spare {
                name: SPARE_PROCESSORS.name(),
                value: list,
            })?,
        };
        let most = maximum_contexts(tasks);
        let workers = match workers {
            None => processing_units.len().min(MOST_BY_DEFAULT).min(most),
            Some(number) if number <= most => number,
            Some(number) => {
                return Err(StripingError::Workers {
                    name: STRIPE_WORKERS.name(),
                    number,
                    most,
                    tasks,
                });
            }
        };
        Ok(Self {
            workers,
            processing_units,
        })
    }
}

/// The numbers of a list such as `2,3`.
fn units_in(list: &str) -> Option<Vec<u32>> {
    let items = list.split(',').filter(|item| !item.is_empty());
    items.map(|item| item.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(workers: Option<usize>, spare: Option<&str>) -> Result<Configuration, StripingError> {
        Configuration::of(workers, spare.map(str::to_owned), 4)
    }

    #[test]
    fn without_spare_processors_there_are_no_workers() {
        assert_eq!(of(None, None).unwrap(), Configuration::default());
        assert_eq!(of(None, Some("")).unwrap().workers, 0);
    }

    #[test]
    fn spare_processors_become_workers() {
        let found = of(None, Some("4,5")).unwrap();
        assert_eq!((found.workers, found.processing_units), (2, vec![4, 5]));
        assert_eq!(
            of(None, Some("4,5,6,7,8")).unwrap().workers,
            MOST_BY_DEFAULT
        );
        assert_eq!(of(Some(0), Some("4,5")).unwrap().workers, 0);
        assert_eq!(of(Some(9), None).unwrap().workers, 9);
    }

    #[test]
    fn nonsense_is_refused_by_name() {
        let text = of(Some(17), None).unwrap_err().to_string();
        assert!(
            text.contains("PAMIR_STRIPE_WORKERS is \"17\"")
                && text.contains("0 to 16 with 4 ranks"),
            "{text}"
        );
        let text = of(None, Some("1,x")).unwrap_err().to_string();
        assert!(text.contains("PAMIR_SPARE_PROCESSORS"), "{text}");
    }
}
