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

use super::Communicator;

/// A communicator's board, once its members have agreed on it.
#[derive(Debug, Default)]
pub(super) struct CommonBoard {
    asked: Cell<bool>,
    settled: OnceCell<Option<Board>>,
}

impl Communicator {
    /// The board, or none, if that is settled.
    #[inline(always)]
    pub fn settled_board(&self) -> Option<Option<&Board>> {
        self.board.settled.get().map(Option::as_ref)
    }

    /// The board that all members share, or none for all. `number` is that of the operation that
    /// asks; the members of one group have one between them.
    pub async fn common_board<C: Deref<Target = Context>>(
        &self,
        context: C,
        number: i32,
    ) -> Result<Option<&Board>, CollectiveError> {
        if self.board.asked.replace(true) {
            let settled = |_: &mut std::task::Context<'_>| match self.settled_board() {
                Some(board) => Poll::Ready(board),
                None => Poll::Pending,
            };
            return Ok(poll_fn(settled).await);
        }
        let channel: Channel<C, _> = Channel {
            context,
            members: self.group(),
            rank: self.rank(),
            context_id: self.collective_context_id(),
            tag: number,
            board: None,
            blocking: true,
        };
        let board = Board::agree(&channel).await;
        // An error is this operation's; those that wait go on without a board.
        let (board, failed) = match board {
            Ok(board) => (board, None),
            Err(error) => (None, Some(error)),
        };
        let board = self.board.settled.get_or_init(|| board).as_ref();
        failed.map_or(Ok(board), Err)
    }
}
