//! Active messages, protocols, tagged messages and collectives over the messaging unit.
//!
//! A [`context::Context`] is a rank's threading point: it owns the messaging unit, and
//! everything moves when it is advanced. [`tagged`] messages carry an envelope and are
//! matched at the target; [`active`] messages go to a handler there, and [`one_sided`]
//! transfers to its memory, [`one_sided::scattered`] ones too; [`gather_scatter`] moves data that does not lie together;
//! [`protocol`] says how their bytes travel, by size, and [`selection`] which algorithm
//! serves which size; [`operation`] combines the elements of reductions;
//! `collective` holds the algorithms of whole groups. A [`client::Client`] is who
//! communicates: it has contexts of its own, and [`context::endpoint`]s to name others' by.
//!
//! ```text
//! mpi ─▶ tagged::send ─▶ protocol::table ─▶ driver … driver ─▶ tagged::receive::arrival ─▶ mpi
//! ```

pub mod active;
pub mod balance;
pub mod client;
pub mod collective;
pub mod context;
pub mod gather_scatter;
pub mod one_sided;
pub mod operation;
pub mod placement;
pub mod protocol;
pub mod selection;
pub mod striping;
pub mod tagged;
mod waiting;
