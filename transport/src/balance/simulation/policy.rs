//! The policies that a simulation compares, each behind one trait, all in one table.
//!
//! Before: [`super::simulate`] has the calls of a cycle. After: the loads of the next one.
//!
//! | policy | what it does |
//! |---|---|
//! | static | nothing: equal portions |
//! | balanced | [`crate::balance::decision::controller`]: ranges move from slower to faster |
//! | leveled | [`super::super::leveler`]: more subtasks, for data that must stay |
//! | lend-when-idle | processors of ranks that wait help those of their node, ideally |
//! | greedy-migration | equal chunks, each to the rank that would end it first |
//! | ideal | divides by what items will cost; times still vary by chance |
//!
//! Lending is simulated at its best: a lent processor is as good as an own one and comes at once.
//! A migrated chunk counts as moved only where a rank has more of them than before. The ideal knows
//! costs, weights and slope, of this cycle and not of the last one, but not the noise to come: no
//! policy can be better, so what it misses is the noise's.
//!
//! Invariant: the loads of a policy always add up to the job's items.

use super::super::history::Arrival;
use super::super::leveler::{Leveler, split};
use super::super::partition::{Partition, PartitionError};
use super::job::Job;
use crate::balance::decision::controller::Controller;
use crate::balance::decision::evaluation::Reaction;
use crate::balance::decision::receivers::apportion;

/// Chunks a rank that the greedy migration moves.
const CHUNKS_EACH: u64 = 16;

/// What a decision brought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// How many items changed their owner.
    pub moved_items: u64,
    /// From prepare until all had called, summed over those that prepared, in nanoseconds.
    pub hidden_ns: u64,
}

/// What balances a simulated job.
pub trait Policy {
    /// Items of each rank in the next cycle.
    fn loads(&self) -> Vec<u64>;

    /// How long each processor is busy where the ranks' work takes `work_ns`.
    fn busy_ns(&self, work_ns: &[u64]) -> Vec<u64> {
        work_ns.to_vec()
    }

    /// Decides after cycle `number`, whose calls come in order of time.
    ///
    /// # Errors
    ///
    /// [`PartitionError`] if a move were impossible.
    fn learn(&mut self, number: u64, calls: &[Arrival]) -> Result<Effect, PartitionError>;
}

/// Makes a policy for a job.
pub type Maker = fn(&Job) -> Result<Box<dyn Policy>, PartitionError>;

/// A row of the table.
pub struct Row {
    /// Its name in tables.
    pub name: &'static str,
    /// What makes it.
    pub maker: Maker,
}

/// All policies.
pub const POLICIES: [Row; 6] = [
    Row {
        name: "static",
        maker: |job| Ok(Box::new(Static(equal(job)?))),
    },
    Row {
        name: "balanced",
        maker: |job| {
            let controller = Controller::new(job.settings.clone(), job.items(), job.ranks)?;
            Ok(Box::new(Balanced(controller)))
        },
    },
    Row {
        name: "leveled",
        maker: |job| {
            let leveler = Leveler::new(job.settings.law.clone(), equal(job)?.len());
            let items = job.items();
            Ok(Box::new(Leveled { leveler, items }))
        },
    },
    Row {
        name: "lend-when-idle",
        maker: |job| {
            Ok(Box::new(Lending {
                loads: equal(job)?,
                ranks_per_node: job.ranks_per_node.max(1),
            }))
        },
    },
    Row {
        name: "greedy-migration",
        maker: |job| Ok(Box::new(Greedy { loads: equal(job)? })),
    },
    Row {
        name: "ideal",
        maker: |job| {
            let job = job.clone();
            let partition = Ideal::divide(&job, 1)?;
            Ok(Box::new(Ideal { job, partition }))
        },
    },
];

/// Equal portions.
fn equal(job: &Job) -> Result<Vec<u64>, PartitionError> {
    Ok(Partition::equal(job.items(), job.ranks)?.sizes())
}

/// Nothing is done.
struct Static(Vec<u64>);

impl Policy for Static {
    fn loads(&self) -> Vec<u64> {
        self.0.clone()
    }

    fn learn(&mut self, _: u64, _: &[Arrival]) -> Result<Effect, PartitionError> {
        Ok(Effect::default())
    }
}

/// The controller.
struct Balanced(Controller);

impl Policy for Balanced {
    fn loads(&self) -> Vec<u64> {
        self.0.partition().sizes()
    }

    fn learn(&mut self, number: u64, calls: &[Arrival]) -> Result<Effect, PartitionError> {
        let mut hidden_ns = 0;
        let last = calls.last();
        for (position, call) in calls.iter().enumerate() {
            // One controller stands for all of them: first for the fastest, then for the slowest.
            let own = if position == 0 { Some(call) } else { last };
            let own = own.map_or(0, |call| call.member);
            if self.0.note(number, *call, own) != Reaction::None {
                hidden_ns += last.map_or(0, |last| last.arrived_ns - call.arrived_ns);
            }
        }
        let before = self.0.partition().clone();
        self.0.decide(number)?;
        Ok(Effect {
            moved_items: self.0.partition().fetched_since(&before),
            hidden_ns,
        })
    }
}

/// The load leveler: data stays, queues change.
struct Leveled {
    leveler: Leveler,
    items: u64,
}

impl Policy for Leveled {
    fn loads(&self) -> Vec<u64> {
        apportion(self.items, self.leveler.queues())
    }

    fn learn(&mut self, _: u64, calls: &[Arrival]) -> Result<Effect, PartitionError> {
        self.leveler.level(&by_member(calls));
        Ok(Effect::default())
    }
}

/// Processors help the others of their node while their own rank waits.
struct Lending {
    loads: Vec<u64>,
    ranks_per_node: usize,
}

impl Policy for Lending {
    fn loads(&self) -> Vec<u64> {
        self.loads.clone()
    }

    fn busy_ns(&self, work_ns: &[u64]) -> Vec<u64> {
        let node = |node: &[u64]| {
            let ranks = node.len();
            let mean_ns = node.iter().sum::<u64>() / ranks as u64;
            std::iter::repeat_n(mean_ns, ranks)
        };
        work_ns.chunks(self.ranks_per_node).flat_map(node).collect()
    }

    fn learn(&mut self, _: u64, _: &[Arrival]) -> Result<Effect, PartitionError> {
        Ok(Effect::default())
    }
}

/// Every cycle all chunks are given out anew.
struct Greedy {
    loads: Vec<u64>,
}

impl Policy for Greedy {
    fn loads(&self) -> Vec<u64> {
        self.loads.clone()
    }

    fn learn(&mut self, _: u64, calls: &[Arrival]) -> Result<Effect, PartitionError> {
        let unit_ns = |call: &Arrival| call.busy_ns() as f64 / call.load.max(1) as f64;
        // The heap of the leveler orders whole numbers: large ones keep the differences.
        let unit_ns: Vec<f64> = by_member(calls).iter().map(|c| unit_ns(c) * 1e6).collect();
        let chunks = split(&unit_ns, (CHUNKS_EACH - 1) * calls.len() as u64);
        let loads = apportion(self.loads.iter().sum(), &chunks);
        let gained = loads.iter().zip(&self.loads);
        let moved_items = gained.map(|(new, old)| new.saturating_sub(*old)).sum();
        self.loads = loads;
        Ok(Effect {
            moved_items,
            hidden_ns: 0,
        })
    }
}

/// Divides by the costs as they will be.
struct Ideal {
    job: Job,
    partition: Partition,
}

impl Ideal {
    /// All ranks end at once in cycle `number`: a rank's weight is what it does in that time.
    fn divide(job: &Job, number: u64) -> Result<Partition, PartitionError> {
        let costs = job.costs(number);
        let speed = |cost: &f64| cost.recip().powf(job.slope.recip());
        let (items, whole) = (job.items(), costs.iter().map(speed).sum::<f64>());
        let (mut before, mut start) = (0.0, 0);
        let size = |cost: &f64| {
            before += speed(cost);
            let weight = before / whole * items as f64;
            let end = job.item_behind(weight).max(start);
            end - std::mem::replace(&mut start, end)
        };
        let mut sizes: Vec<u64> = costs.iter().map(size).collect();
        if let Some(last) = sizes.last_mut() {
            // What rounding has left over.
            *last += items - start;
        }
        Partition::of(&sizes)
    }
}

impl Policy for Ideal {
    fn loads(&self) -> Vec<u64> {
        self.partition.sizes()
    }

    fn learn(&mut self, number: u64, _: &[Arrival]) -> Result<Effect, PartitionError> {
        let after = Self::divide(&self.job, number + 1)?;
        let before = std::mem::replace(&mut self.partition, after);
        Ok(Effect {
            moved_items: self.partition.fetched_since(&before),
            hidden_ns: 0,
        })
    }
}

/// The calls by member.
fn by_member(calls: &[Arrival]) -> Vec<Arrival> {
    let mut calls = calls.to_vec();
    calls.sort_unstable_by_key(|call| call.member);
    calls
}
