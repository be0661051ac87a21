//! The board that a communicator's members share for collective operations.
//!
//! Before: a collective operation begins. After: its algorithm is chosen, and may use the board.
//!
//! | state | by | becomes |
//! |---|---|---|
//! | not asked for | the first operation, which all members call first | asked for |
//! | asked for | that operation has heard from rank 0 | settled: a board, or none |
//!
//! Operations that begin meanwhile wait, so that all members choose alike. The board goes back
//! when the communicator ends at all of its members.

use std::cell::{Cell, OnceCell};
use std::future::poll_fn;
use std::ops::Deref;
use std::task::Poll;

use pamir_transport::collective::geometry::Channel;
use pamir_transport::collective::{Board, CollectiveError};
use pamir_transport::context::Context;

use crate::group::Group;

/// A communicator's board, once its members have agreed on it.
#[derive(Debug, Default)]
pub(super) struct CommonBoard {
    asked: Cell<bool>,
    settled: OnceCell<Option<Board>>,
}

impl CommonBoard {
    /// The board, or none, if that is settled.
    #[inline(always)]
    pub(super) fn settled(&self) -> Option<Option<&Board>> {
        self.settled.get().map(Option::as_ref)
    }

    /// The board that all members share, or none for all. `channel` is the operation that asks.
    pub(super) async fn common<'a, C: Deref<Target = Context>>(
        &'a self,
        channel: impl FnOnce() -> Channel<C, &'a Group>,
    ) -> Result<Option<&'a Board>, CollectiveError> {
        if self.asked.replace(true) {
            let settled = |_: &mut std::task::Context<'_>| match self.settled() {
                Some(board) => Poll::Ready(board),
                None => Poll::Pending,
            };
            return Ok(poll_fn(settled).await);
        }
        // An error is this operation's; those that wait go on without a board.
        let (board, failed) = match Board::agree(&channel()).await {
            Ok(board) => (board, None),
            Err(error) => (None, Some(error)),
        };
        let board = self.settled.get_or_init(|| board).as_ref();
        failed.map_or(Ok(board), Err)
    }
}
