//! Collective operations: `PAMI_Collective`.
//!
//! Before: an algorithm of a geometry, taken from [`crate::geometry::algorithms`], and the
//! parameters of its kind. After: the transport's algorithm runs as an [`operation::Operation`], and
//! an advance tells the program when it has ended.
//!
//! ```text
//! pami_xfer_t ──▶ Call: geometry, member, algorithm
//!                  │ kind
//!                  ├──▶ moving, blocks   data from member to member        ┐
//!                  ├──▶ reducing         data that is combined             ├──▶ Operation
//!                  └──▶ active           messages to members that call nothing
//! ```
//!
//! Invariant: what is wrong with the parameters alone is refused before the operation is counted, so
//! that a program that corrects its call stays in step with the others.
//!
//! | file | what |
//! |---|---|
//! | `call.rs` | one call: geometry, member, algorithm |
//! | `elements.rs` | what elements of a type are, and which of them are combined |
//! | `buffer.rs`, `lists.rs` | a member's data; lists of counts |
//! | `channel.rs`, `operation.rs` | what carries messages, and what goes on with each advance |
//! | `moving.rs`, `blocks.rs`, `reducing.rs` | the kinds of operations |
//! | `active/` | operations in which the others need not have called anything |
//! | `meeting.rs` | how members meet when a geometry is made |
//! | `start.rs` | the operation of each kind |
//! | `trial.rs` | operations on data of the library's own, which are timed |
//!
//! A new kind has its parameters in `structures/collective.rs`, a function in the file of its like, and an arm in
//! `start.rs`.

pub mod active;
mod blocks;
mod buffer;
mod call;
mod channel;
pub mod elements;
mod lists;
pub mod meeting;
mod moving;
mod operation;
mod reducing;
mod start;
pub mod trial;

pub use call::Call;
pub use start::start;
