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

mod error;
mod failures;
mod frame;
pub mod network;
mod receiver;
mod sender;
mod shared;
#[cfg(test)]
mod tests;
mod window;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle};

use pamir_shm::atomic::{AtomicU32, Ordering};
use pamir_shm::sleep::{self, membarrier};

use crate::job::Job;
pub use error::BridgeError;
pub use failures::Failures;
use network::{Link, Stream};
use receiver::Receiver;
use sender::Sender;
use shared::Shared;

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
