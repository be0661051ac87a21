//! Why nodes cannot talk to each other.
//!
//! Before: a system call has failed, or a peer has said what cannot be. After: the launcher is told ([`super::Failures`]),
//! and ends the job.

use std::io;

use pamir_shm::lane::LaneError;
use pamir_shm::segment::SegmentError;

use super::frame::LaneName;
use super::network::kind::Network;
use crate::interrupt::InterruptError;
use crate::job::JobError;

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
    pub(super) fn of_lane(lane: LaneName, source: LaneError) -> Self {
        let LaneName { origin, target, .. } = lane;
        Self::Lane {
            origin,
            target,
            source,
        }
    }
}
