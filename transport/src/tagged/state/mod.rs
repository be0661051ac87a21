//! What a context keeps of tagged messages: requests, the queues in which they match, and messages that are coming.
//!
//! Before: a context is made. After: [`super::send`] and [`super::receive`] begin messages and end them. Nothing here knows a
//! context.

pub mod incoming;
pub(super) mod kept;
pub mod posted;
pub mod request;
pub(crate) mod timed_state;
pub mod unexpected;
pub mod unexpected_message;
pub(crate) mod withdrawn;

use std::cell::{Cell, OnceCell};

use crate::protocol::explain::SendLog;
use crate::tagged::transfer::under_way::Transfers;
use incoming::IncomingMessages;
use posted::PostedQueue;
use request::Requests;
use timed_state::TimedMessages;
use unexpected::UnexpectedQueue;
use unexpected_message::{EarlyOffers, Unexpected};
use withdrawn::Withdrawals;

/// The state of a context's tagged messages.
pub(crate) struct TaggedMessages {
    pub(crate) requests: Requests,
    pub(crate) posted: PostedQueue,
    pub(crate) unexpected: UnexpectedQueue<Unexpected>,
    pub(crate) incoming: IncomingMessages,
    pub(crate) transfers: Transfers,
    pub(crate) timed_messages: TimedMessages,
    /// Routes of sends, where somebody asks for them.
    pub(crate) send_log: OnceCell<Box<SendLog>>,
    /// What is known of the processor settles ways without trials.
    pub(crate) trusts_processor: Cell<bool>,
    pub(crate) early_offers: EarlyOffers,
    pub(crate) withdrawals: Withdrawals,
}

impl TaggedMessages {
    /// Of a context that has `units` peers.
    pub(crate) fn new(units: usize) -> Self {
        Self {
            requests: Requests::default(),
            posted: PostedQueue::default(),
            unexpected: UnexpectedQueue::default(),
            incoming: IncomingMessages::new(units),
            transfers: Transfers::default(),
            timed_messages: TimedMessages::default(),
            send_log: OnceCell::new(),
            trusts_processor: Cell::new(!pamir_settings::MEASURE_ALL.value()),
            early_offers: EarlyOffers::default(),
            withdrawals: Withdrawals::default(),
        }
    }
}
