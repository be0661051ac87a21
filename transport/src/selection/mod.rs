//! Algorithm selection by message size: one mechanism for every kind of instruction.
//!
//! Each kind (send, put, get, every collective) has algorithms and a table that associates them
//! with ranges of sizes ("Parallel active messages with algorithm selection by message size"):
//!
//! ```text
//!  PAMIR_<KIND>  selection.toml  built in       ranks, commutative, oversubscribed     bytes
//!       └───────────────┴───────────┘                      │                      │
//!   configuration ─▶ kind ─▶ table: rows in order ─▶ ranges (kept) ─▶ sum of (bytes > bound)
//!   at start, once                                                            │
//!                                                                         algorithm
//! ```
//!
//! [`configuration`] finds and checks the tables when the process's first client is opened,
//! [`table`] makes ranges of their [`row`]s, and [`ranges`] adds up comparisons.

pub mod choice;
pub mod configuration;
pub mod file;
pub mod grammar;
pub mod kind;
mod prefix;
pub mod ranges;
pub mod report;
pub mod row;
pub mod table;

pub(crate) use choice::choices;
pub use configuration::{Configuration, SelectionError};
pub use kind::{KINDS, Kind};
pub use ranges::Ranges;
pub use row::{Needs, Row, Situation};
pub use table::{Choice, MOST_RANGES, Table, TableError};
