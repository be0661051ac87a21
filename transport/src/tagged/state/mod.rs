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
