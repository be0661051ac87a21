//! Targets that leave, or are killed, while something of theirs is under way.
//!
//! Before: an advance has found nothing, and operations wait. After: those that wait for a target
//! that has left are over: whoever waits for them is told [`TransferError::Left`].
//!
//! | operation | with the one that has left as | becomes |
//! |-----------|-------------------------------|---------|
//! | message, put, get, modification | target | over, `Left` |
//! | message that is coming          | origin | over, `Left` |
//! | transfer by the kernel          | target | is left alone: the kernel refuses it, or has done it |
//! | anything in the injection FIFO  | target | vanishes when the lane is full |
//!
//! Invariant: what a target had sent before it left is received first.

use std::collections::BTreeSet;

use pamir_driver::unit::UnitError;

use crate::active::{Operation, TransferError};
use crate::context::Context;

impl Context {
    /// Ends what waits for contexts that have left, or whose process has ended; how many operations
    /// that were. To be called where an advance has found nothing; it looks at most once a
    /// millisecond, and only while something waits.
    #[inline]
    pub fn end_failed_peers(&self) -> Result<usize, UnitError> {
        if self.active.operations.len() == 0 && !self.unit.has_backlog() {
            return Ok(0);
        }
        self.look_for_peer_failures()
    }

    #[cold]
    fn look_for_peer_failures(&self) -> Result<usize, UnitError> {
        if !self.active.peer_failures.is_due() {
            return Ok(0);
        }
        let waited_for = self.active.operations.peers();
        let blocked = (0..self.unit.ranks()).filter(|unit| self.unit.backlog_to(*unit) > 0);
        let peers: BTreeSet<usize> = waited_for.into_iter().chain(blocked).collect();
        let mut ended = 0;
        for peer in peers {
            // Its state first: what it sent before is seen by the look behind it.
            if self.job().has_ended(peer) && !self.unit.has_arrived(peer)? {
                self.unit.forget(peer);
                ended += self.end_all_with(peer);
            }
        }
        Ok(ended)
    }

    /// Ends the operations whose other end is `peer`.
    fn end_all_with(&self, peer: usize) -> usize {
        let words = self.active.operations.with_peer(peer);
        let ended = words.into_iter().filter(|word| self.end_failed(*word));
        ended.count()
    }

    /// Ends an operation, unless it is one that the kernel ends.
    fn end_failed(&self, word: u64) -> bool {
        let operations = &self.active.operations;
        let by_kernel = |operation: &mut Operation| matches!(operation, Operation::Direct(_));
        if operations.with(word, by_kernel) != Some(false) {
            return false;
        }
        let left = TransferError::Left;
        match operations.take(word) {
            Some(Operation::Send(send)) => self.abandon([send.local, send.remote], left),
            Some(Operation::Receive(receipt)) => {
                self.active.interrupted(receipt.origin, word);
                self.complete(receipt.done, Err(left));
            }
            Some(Operation::Get(transfer) | Operation::ByEngine { transfer, .. }) => {
                self.abandon(transfer.into_completions(), left)
            }
            Some(Operation::Scattered(transfer)) => self.abandon(transfer.into_completions(), left),
            Some(Operation::ReadModifyWrite(asked)) => asked.fail(self, left),
            Some(Operation::Direct(_)) | None => return false,
        }
        true
    }
}
