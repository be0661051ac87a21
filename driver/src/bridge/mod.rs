//! Bridges: how ranks of different nodes reach each other.
//!
//! Before: a job's ranks are on several nodes, each with a segment of its own (`mpiexec --nodes`,
//! [`crate::job::Job::set_nodes`]), and the nodes are joined ([`network`]). After: what a rank puts
//! into the lane to a rank of another node arrives in that rank's lane there.
//!
//! ```text
//! node 0's segment                                           node 1's segment
//! rank 0 ─▶ lane 0→2 ─▶ sender ═══ record, socket ═══▶ receiver ─▶ lane 0→2 ─▶ rank 2
//!                       sender ◀── credit ───────────  receiver
//! ```
//!
//! A bridge is two threads a node. The *sender* is the target of all lanes that lead to other
//! nodes, and sleeps on the sleep words of their ranks, as those would (`sender.rs`). The
//! *receiver* is the origin of all lanes that come from there (`receiver.rs`). So ranks do not
//! know that there are bridges: not one instruction of theirs is there for them. What needs the
//! other one's memory asks [`crate::job::Job::shares_memory`] first.
//!
//! | a rank's block at other nodes | becomes | when |
//! |---|---|---|
//! | absent | finalized, aborted | the rank has left or its process has ended, and all that it sent before is in its target's lane |
//!
//! Invariants: records of a lane arrive in order and once; a target that reads nothing stops only
//! its own lanes (`window.rs`); nothing that a peer says is used unchecked; whatever goes wrong
//! is told to the launcher ([`Failures`]), which ends the job.

mod frame;
pub mod network;
mod receiver;
mod sender;
#[cfg(test)]
mod tests;
mod window;

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};

use pamir_shm::atomic::{AtomicU32, Ordering};
use pamir_shm::lane::LaneError;
use pamir_shm::segment::SegmentError;
use pamir_shm::{membarrier, sleep};

use crate::announcement;
use crate::client_table::ClientWords;
use crate::interrupt::{InterruptError, Signal};
use crate::job::{Job, JobError};
use frame::{Frame, LaneName};
use network::{Link, Network, Stream};
use receiver::Receiver;
use sender::Sender;

/// Why nodes cannot talk to each other.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BridgeError {
    /// A node has no address.
    #[error("cannot listen for other nodes by {network}: {source}; choose another --network")]
    Listen {
        /// By what.
        network: Network,
        /// What the system said.
        source: io::Error,
    },
    /// Nodes on one machine cannot be joined.
    #[error("cannot join the nodes by pairs of sockets: {source}")]
    Pair {
        /// What the system said.
        source: io::Error,
    },
    /// There is no key for the job.
    #[error("cannot make a key for the connections between nodes: {0}")]
    Key(#[source] io::Error),
    /// Nodes do not come together.
    #[error("node {node} cannot join {peer}: {source}")]
    Join {
        /// This node.
        node: usize,
        /// The other one.
        peer: String,
        /// What the system said.
        source: io::Error,
    },
    /// The threads of a bridge cannot be started.
    #[error("cannot start the bridge of node {node}: {source}")]
    Start {
        /// The node.
        node: usize,
        /// What the system said.
        source: io::Error,
    },
    /// A connection has broken.
    #[error("node {node} has lost its connection to node {peer}: {source}")]
    Lost {
        /// This node.
        node: usize,
        /// The other one.
        peer: usize,
        /// What the system said.
        source: io::Error,
    },
    /// A node says what cannot be.
    #[error("node {node} does not understand node {peer}: {reason}")]
    Nonsense {
        /// This node.
        node: usize,
        /// The other one.
        peer: usize,
        /// What is wrong.
        reason: &'static str,
    },
    /// A lane of this node makes no sense.
    #[error("the lane from rank {origin} to rank {target}: {source}")]
    Lane {
        /// Its origin.
        origin: usize,
        /// Its target.
        target: usize,
        /// What is wrong.
        source: LaneError,
    },
    /// A node's memory cannot be reached.
    #[error(transparent)]
    Job(#[from] JobError),
    /// A node's memory makes no sense.
    #[error(transparent)]
    Segment(#[from] SegmentError),
    /// Failures cannot be told.
    #[error(transparent)]
    Interrupt(#[from] InterruptError),
}

impl BridgeError {
    fn of_lane(lane: LaneName, source: LaneError) -> Self {
        let LaneName { origin, target, .. } = lane;
        Self::Lane {
            origin,
            target,
            source,
        }
    }
}

/// Where bridges say that they have failed: readable once one has.
#[derive(Debug)]
pub struct Failures {
    signal: Signal,
    first: Mutex<Option<BridgeError>>,
}

impl Failures {
    /// Nothing has failed.
    ///
    /// # Errors
    ///
    /// [`BridgeError::Interrupt`] if the kernel makes no eventfd.
    pub fn new() -> Result<Self, BridgeError> {
        Ok(Self {
            signal: Signal::new()?,
            first: Mutex::default(),
        })
    }

    /// The first failure that nobody has taken.
    pub fn take(&self) -> Option<BridgeError> {
        self.signal.take();
        self.first().take()
    }

    fn tell(&self, error: BridgeError) {
        self.first().get_or_insert(error);
        self.signal.raise();
    }

    fn first(&self) -> MutexGuard<'_, Option<BridgeError>> {
        // It is put in or taken out, so a panic leaves it whole.
        self.first.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AsFd for Failures {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.signal.as_fd()
    }
}

/// What a bridge's receiver has for its sender.
#[derive(Debug, Default)]
struct Mail {
    /// Lines that may be sent again, and the node that says so.
    credits: Vec<(usize, LaneName, u64)>,
    /// Frames for other nodes.
    frames: Vec<(usize, Frame)>,
    /// Clients that tasks of other nodes ask for, and the node.
    wanted: Vec<(usize, ClientWords)>,
}

impl Mail {
    fn is_empty(&self) -> bool {
        self.credits.is_empty() && self.frames.is_empty() && self.wanted.is_empty()
    }
}

/// What both threads of a bridge know.
#[derive(Debug)]
struct Shared {
    job: Job,
    node: usize,
    /// The sender sleeps on it, besides the words of its lanes.
    bell: AtomicU32,
    mail: Mutex<Mail>,
    stopping: AtomicBool,
    failures: Arc<Failures>,
}

impl Shared {
    fn mail(&self) -> MutexGuard<'_, Mail> {
        // Its lists are only added to or taken whole.
        self.mail.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ring(&self) {
        announcement::ring(&self.bell);
    }

    fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Acquire)
    }

    fn lost(&self, peer: usize, source: io::Error) -> BridgeError {
        let node = self.node;
        BridgeError::Lost { node, peer, source }
    }

    fn nonsense(&self, peer: usize, reason: &'static str) -> BridgeError {
        let node = self.node;
        BridgeError::Nonsense { node, peer, reason }
    }

    /// A thread has ended; what has stopped it is nobody's fault once the bridge is stopped.
    fn ended(&self, outcome: Result<(), BridgeError>) {
        if let Err(error) = outcome
            && !self.is_stopping()
        {
            self.failures.tell(error);
        }
    }
}

/// The bridge of one node; it stops when it is dropped.
#[derive(Debug)]
pub struct Bridge {
    shared: Arc<Shared>,
    streams: Vec<Stream>,
    threads: Vec<JoinHandle<()>>,
}

impl Bridge {
    /// Starts carrying what the ranks of `node` and of the nodes behind `links` send each other;
    /// `job` is the memory of this node.
    ///
    /// # Errors
    ///
    /// [`BridgeError`] if the threads or the lanes cannot be had.
    pub fn start(
        job: Job,
        node: usize,
        links: Vec<Link>,
        failures: Arc<Failures>,
    ) -> Result<Self, BridgeError> {
        // Those who sleep make this process's stores be seen by their last look.
        membarrier::register();
        let shared = Arc::new(Shared {
            job,
            node,
            bell: AtomicU32::new(sleep::AWAKE),
            mail: Mutex::default(),
            stopping: AtomicBool::new(false),
            failures,
        });
        let streams = links.iter().map(|link| link.stream.clone()).collect();
        let share = |link: &Link| Link {
            stream: link.stream.clone(),
            ..*link
        };
        let to_write = links.iter().map(share).collect();
        let mut bridge = Self {
            shared: Arc::clone(&shared),
            streams,
            threads: Vec::new(),
        };
        let (sending, receiving) = (Arc::clone(&shared), shared);
        bridge.thread(format!("node {node} sends"), move || {
            let outcome = Sender::new(Arc::clone(&sending), to_write).and_then(Sender::run);
            sending.ended(outcome);
        })?;
        bridge.thread(format!("node {node} takes"), move || {
            let outcome = Receiver::new(Arc::clone(&receiving), links).and_then(Receiver::run);
            receiving.ended(outcome);
        })?;
        Ok(bridge)
    }

    fn thread(
        &mut self,
        name: String,
        work: impl FnOnce() + Send + 'static,
    ) -> Result<(), BridgeError> {
        let node = self.shared.node;
        let thread = Builder::new().name(name).spawn(work);
        let thread = thread.map_err(|source| BridgeError::Start { node, source })?;
        self.threads.push(thread);
        Ok(())
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::Release);
        self.streams.iter().for_each(Stream::shut_down);
        self.shared.ring();
        for thread in self.threads.drain(..) {
            // A panic has been said on standard error.
            let _ = thread.join();
        }
    }
}
