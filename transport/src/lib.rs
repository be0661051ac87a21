//! Active messages, protocols, tagged messages and collectives over the messaging unit.
//!
//! A [`context::Context`] is a rank's threading point: it owns the messaging unit, and
//! everything moves when it is advanced. [`tagged`] messages carry an envelope and are
//! matched at the target; [`protocol`] says how their bytes travel, by size;
//! `collective` holds the algorithms of whole groups.
//!
//! ```text
//! mpi ─▶ tagged::send ─▶ protocol::select ─▶ driver … driver ─▶ tagged::arrival ─▶ mpi
//! ```

pub mod collective;
pub mod context;
pub mod geometry;
pub mod protocol;
pub mod tagged;
