//! How much to move: laws that turn a difference in time into an amount of load.
//!
//! Before: [`super::evaluation`] has found the slowest and the fastest. After:
//! [`super::receivers`] divides the amount.
//!
//! | law | amount |
//! |---|---|
//! | linear function | load a nanosecond x difference, plus a constant |
//! | lookup table | the entry of the greatest difference that is met or exceeded |
//! | data per time | difference / (what a unit of load costs giver and receiver) |
//!
//! The last one needs no tuning: moving `a` units makes the giver faster by `a` times its own cost
//! of a unit and the receiver slower by `a` times its, so both end together.

/// A law.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Law {
    /// A linear function of the difference.
    Linear {
        /// Units of load for each nanosecond of difference.
        load_per_ns: f64,
        /// Units of load at no difference.
        constant: f64,
    },
    /// Entries of (least difference in nanoseconds, units of load), in ascending order.
    Table(Vec<(u64, u64)>),
    /// From what a unit of load was measured to cost.
    DataPerTime,
}

/// Why a table of differences is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LawError {
    /// Two entries are not in order.
    #[error(
        "entry {position} of the table of amounts is for {ns} ns, which is not more than the entry before it: give differences in ascending order"
    )]
    Order {
        /// Which entry, 0 being the first.
        position: usize,
        /// Its difference in nanoseconds.
        ns: u64,
    },
    /// The law is not known, or not complete.
    #[error(
        "there is no law {text:?}; there are data-per-time, linear:ITEMS_PER_US[+ITEMS] and table:NS=ITEMS,NS=ITEMS"
    )]
    Unknown {
        /// What was asked for.
        text: String,
    },
    /// There is no entry.
    #[error("the table of amounts is empty: give at least one entry NANOSECONDS:LOAD")]
    Empty,
}

impl Law {
    /// The lookup table with these entries.
    ///
    /// # Errors
    ///
    /// [`LawError`] if there are none, or they are not in ascending order.
    pub fn table(entries: Vec<(u64, u64)>) -> Result<Self, LawError> {
        if entries.is_empty() {
            return Err(LawError::Empty);
        }
        let unordered = entries.windows(2).position(|pair| pair[1].0 <= pair[0].0);
        if let Some(before) = unordered {
            let (position, ns) = (before + 1, entries[before + 1].0);
            return Err(LawError::Order { position, ns });
        }
        Ok(Self::Table(entries))
    }

    /// Units of load to move for `difference_ns`, where one more unit costs the giver and the
    /// receivers `unit_ns` (giver, receiver) nanoseconds.
    pub fn amount(&self, difference_ns: u64, unit_ns: (f64, f64)) -> f64 {
        let amount = match self {
            Self::Linear {
                load_per_ns,
                constant,
            } => load_per_ns * difference_ns as f64 + constant,
            Self::Table(entries) => {
                let met = entries.partition_point(|entry| entry.0 <= difference_ns);
                met.checked_sub(1)
                    .map_or(0.0, |last| entries[last].1 as f64)
            }
            Self::DataPerTime => difference_ns as f64 / (unit_ns.0 + unit_ns.1),
        };
        if amount.is_finite() {
            amount.max(0.0)
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_law_gives_its_amount() {
        let linear = Law::Linear {
            load_per_ns: 0.5,
            constant: -10.0,
        };
        assert_eq!(linear.amount(500, (1.0, 1.0)), 240.0);
        assert_eq!(linear.amount(10, (1.0, 1.0)), 0.0);
        let table = Law::table(vec![(100, 10), (400, 80)]).unwrap();
        let amounts = [99, 100, 399, 400, 9000].map(|ns| table.amount(ns, (1.0, 1.0)));
        assert_eq!(amounts, [0.0, 10.0, 10.0, 80.0, 80.0]);
        // 1500 and 1000 ns for 1000 units each: 200 units make it 1200 and 1200.
        assert_eq!(Law::DataPerTime.amount(500, (1.5, 1.0)), 200.0);
        assert_eq!(Law::DataPerTime.amount(500, (0.0, 0.0)), 0.0);
    }

    #[test]
    fn tables_ascend() {
        assert_eq!(Law::table(vec![]), Err(LawError::Empty));
        assert_eq!(
            Law::table(vec![(5, 1), (5, 2)]),
            Err(LawError::Order { position: 1, ns: 5 })
        );
    }
}
