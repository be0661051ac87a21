//! Calls that complete or inquire several requests (sections 3.7.5 and 3.7.6).
//!
//! Each request is looked up once. [`all`] waits for all, or tells of all or none; [`any`] of one, [`some`] of those
//! that are complete.

mod all;
mod any;
mod arrays;
mod some;

pub use all::{request_get_status_all, startall, testall, waitall};
pub use any::{request_get_status_any, testany, waitany};
pub use some::{request_get_status_some, testsome, waitsome};
