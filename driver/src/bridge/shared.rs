//! What both threads of a bridge know, and what its receiver has for its sender.
//!
//! Before: a bridge is started. After: each thread has its share of this, until both have ended.

use std::io;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pamir_shm::atomic::{AtomicU32, Ordering};

use super::error::BridgeError;
use super::failures::Failures;
use super::frame::{Frame, LaneName};
use crate::job::Job;
use crate::job::client::table::ClientWords;
use crate::waiting::announcement;

/// What a bridge's receiver has for its sender.
#[derive(Debug, Default)]
pub(super) struct Mail {
    /// Lines that may be sent again, and the node that says so.
    pub(super) credits: Vec<(usize, LaneName, u64)>,
    /// Frames for other nodes.
    pub(super) frames: Vec<(usize, Frame)>,
    /// Clients that tasks of other nodes ask for, and the node.
    pub(super) wanted: Vec<(usize, ClientWords)>,
}

impl Mail {
    pub(super) fn is_empty(&self) -> bool {
        self.credits.is_empty() && self.frames.is_empty() && self.wanted.is_empty()
    }
}

/// What both threads of a bridge know.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) job: Job,
    pub(super) node: usize,
    /// The sender sleeps on it, besides the words of its lanes.
    pub(super) bell: AtomicU32,
    pub(super) mail: Mutex<Mail>,
    pub(super) stopping: AtomicBool,
    pub(super) failures: Arc<Failures>,
}

impl Shared {
    pub(super) fn mail(&self) -> MutexGuard<'_, Mail> {
        // Its lists are only added to or taken whole.
        self.mail.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn ring(&self) {
        announcement::ring(&self.bell);
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Acquire)
    }

    pub(super) fn lost(&self, peer: usize, source: io::Error) -> BridgeError {
        let node = self.node;
        BridgeError::Lost { node, peer, source }
    }

    pub(super) fn nonsense(&self, peer: usize, reason: &'static str) -> BridgeError {
        let node = self.node;
        BridgeError::Nonsense { node, peer, reason }
    }

    /// A thread has ended; what has stopped it is nobody's fault once the bridge is stopped.
    pub(super) fn ended(&self, outcome: Result<(), BridgeError>) {
        if let Err(error) = outcome
            && !self.is_stopping()
        {
            self.failures.tell(error);
        }
    }
}
