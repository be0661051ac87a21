//! What carries a collective operation's messages: the transport's channel, as long as members stay.
//!
//! Before: an algorithm. After: tagged messages between the members' contexts. A receive from a
//! member that has left ends with an error instead of waiting for ever.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use pamir_transport::collective::geometry::{Channel, Members};
use pamir_transport::collective::shape::torus::Torus;
use pamir_transport::collective::{Exchange, ExchangeError};
use pamir_transport::context::Context;

/// One operation's channel.
pub struct MemberChannel<'g, M>(Channel<&'g Context, &'g M>);

impl<'g, M: Members> MemberChannel<'g, M> {
    /// The channel of operation `tag` of the geometry with id `context_id`, for its member `rank`.
    pub fn new(
        context: &'g Context,
        members: &'g M,
        rank: usize,
        context_id: u32,
        tag: i32,
    ) -> Self {
        Self(Channel {
            context,
            members,
            rank,
            context_id,
            tag,
            board: None,
            blocking: true,
        })
    }

    fn lost(&self, rank: usize) -> Option<ExchangeError> {
        match self.0.context.has_left(self.0.members.task(rank)) {
            Ok(false) => None,
            Ok(true) => Some(ExchangeError::Left { rank }),
            Err(_) => Some(ExchangeError::Corrupt { rank }),
        }
    }
}

impl<M: Members> Exchange for MemberChannel<'_, M> {
    fn rank(&self) -> usize {
        self.0.rank()
    }

    fn size(&self) -> usize {
        self.0.size()
    }

    fn torus(&self) -> Torus {
        self.0.torus()
    }

    fn is_oversubscribed(&self) -> bool {
        self.0.is_oversubscribed()
    }

    fn send(&self, to: usize, bytes: &[u8]) -> impl Future<Output = Result<(), ExchangeError>> {
        self.0.send(to, bytes)
    }

    async fn receive(&self, from: usize, bytes: &mut [u8]) -> Result<usize, ExchangeError> {
        let mut receive = pin!(self.0.receive(from, bytes));
        poll_fn(|context| match receive.as_mut().poll(context) {
            Poll::Pending => self
                .lost(from)
                .map_or(Poll::Pending, |error| Poll::Ready(Err(error))),
            ready => ready,
        })
        .await
    }
}
