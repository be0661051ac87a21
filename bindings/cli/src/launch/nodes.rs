//! The nodes of a job: `--nodes`, `--network`.
//!
//! What: [`Nodes`] makes a segment for each node, says which ranks are there, and joins the nodes by
//! a bridge each.
//! Why: ranks that share no memory, as on several machines, need a network; here the machine is
//! divided, so that programs can be tried and tested so on one.
//! Step before: [`super::placement`]. Step after: [`super::process::start`], which gives each rank the segment
//! of its node.
//!
//! ```text
//! create: segments ─▶ join: connections ─▶ bridges ─▶ ranks start ... end ─▶ part
//! ```
//!
//! Bridges are threads of the launcher (`pamir_driver::bridge`), and know no more of each other than
//! their connections.
//!
//! Invariants: a job of one node has neither threads nor sockets; bridges live until every rank has
//! ended.

use std::sync::Arc;

use pamir_driver::bridge::network::{self, Network};
use pamir_driver::bridge::{Bridge, BridgeError, Failures};
use pamir_driver::job::{Job, JobError, JobSpecification};

use super::placement::Placement;
use super::request::Launch;

/// Threads of a bridge: one sends, one receives.
const BRIDGE_THREADS: usize = 2;

/// Why the job has no nodes.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NodeError {
    /// A node would have no rank.
    #[error("--nodes {nodes}: the job has {ranks} ranks, and each node has at least one")]
    TooMany {
        /// Nodes asked for.
        nodes: usize,
        /// Ranks of the job.
        ranks: usize,
    },
    /// Balancing reads all calls in one segment.
    #[error(
        "--nodes: balancing (--balance, --balance-record, --fill-idle) looks at the ranks' calls in memory that they share: leave one of the two out"
    )]
    Balanced,
    /// The memory of a node cannot be made.
    #[error(transparent)]
    Job(#[from] JobError),
    /// The nodes cannot reach each other.
    #[error(transparent)]
    Bridge(#[from] BridgeError),
}

/// The nodes of a job, each with its memory.
#[derive(Debug)]
pub struct Nodes {
    of_ranks: Vec<usize>,
    jobs: Vec<Job>,
    network: Network,
    bridges: Vec<Bridge>,
    failures: Option<Arc<Failures>>,
}

impl Nodes {
    /// The memory of each node.
    ///
    /// # Errors
    ///
    /// [`NodeError`].
    pub fn create(launch: &Launch, placement: &Placement) -> Result<Self, NodeError> {
        let (nodes, ranks) = (launch.nodes.count(), launch.ranks());
        if nodes > ranks {
            return Err(NodeError::TooMany { nodes, ranks });
        }
        if nodes > 1 && launch.balance.is_any() {
            return Err(NodeError::Balanced);
        }
        let specification = JobSpecification {
            ranks,
            processing_units: placement.processing_units(),
        };
        let of_ranks = launch.nodes.of_ranks(ranks);
        let job = |_| -> Result<Job, JobError> {
            let job = Job::create(&specification)?;
            job.set_nodes(&of_ranks)?;
            if placement.is_oversubscribed() || (nodes > 1 && !leaves_room(ranks, nodes)) {
                yield_at_once(&job)?;
            }
            placement.place_memory(&job)?;
            Ok(job)
        };
        Ok(Self {
            jobs: (0..nodes).map(job).collect::<Result<_, _>>()?,
            of_ranks,
            network: launch.network.unwrap_or_default(),
            bridges: Vec::new(),
            failures: None,
        })
    }

    /// Joins the nodes. Signals have to be blocked: threads start here, and none is theirs.
    ///
    /// # Errors
    ///
    /// [`NodeError`].
    pub fn join(&mut self) -> Result<(), NodeError> {
        if self.jobs.len() < 2 {
            return Ok(());
        }
        let failures = Arc::new(Failures::new()?);
        let links = network::join(self.network, self.jobs.len(), self.of_ranks.len())?;
        for (node, links) in links.into_iter().enumerate() {
            let job = self.jobs[node].clone();
            let bridge = Bridge::start(job, node, links, Arc::clone(&failures))?;
            self.bridges.push(bridge);
        }
        self.failures = Some(failures);
        Ok(())
    }

    /// The memory of the node of `rank`.
    pub fn job_of(&self, rank: usize) -> &Job {
        &self.jobs[self.of_ranks[rank]]
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.jobs.len()
    }

    /// The node of `rank`.
    pub fn node_of(&self, rank: usize) -> usize {
        self.of_ranks[rank]
    }

    /// The number of `rank` among those of its node, and how many those are.
    pub fn place(&self, rank: usize) -> (usize, usize) {
        let node = self.of_ranks[rank];
        let on_it = |ranks: &[usize]| ranks.iter().filter(|other| **other == node).count();
        (on_it(&self.of_ranks[..rank]), on_it(&self.of_ranks))
    }

    /// Where bridges tell that they have failed; nothing where there are none.
    pub fn failures(&self) -> Option<&Failures> {
        self.failures.as_deref()
    }

    /// Every rank has ended: the nodes part.
    pub fn part(&mut self) {
        self.failures = None;
        self.bridges.clear();
    }
}

/// Whether bridges find processors that no rank keeps busy while it waits.
fn leaves_room(ranks: usize, nodes: usize) -> bool {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    ranks + BRIDGE_THREADS * nodes <= processors
}

/// Has every rank yield the processor as soon as it waits: what it waits for may be in a bridge, or
/// another job may have the processor too.
fn yield_at_once(job: &Job) -> Result<(), JobError> {
    for rank in 0..job.ranks() {
        let sharers = job.sharers(rank)?.max(2);
        job.move_rank(rank, job.processing_unit(rank)?, sharers)?;
    }
    Ok(())
}
