//! Geometries: endpoints that communicate collectively, in the order of their ranks.
//!
//! Before: a program names tasks or endpoints (`functions/geometry.rs`). After: [`crate::collective`] runs
//! operations between them, by an algorithm that [`algorithms`] has listed.
//!
//! ```text
//! rank           0        1        2        3
//! endpoint     (0, 0)   (0, 1)   (1, 0)   (1, 1)     (task, context offset)
//!              └── here, in task 0 ─┘
//! ```
//!
//! Usually a task has one endpoint in a geometry, and may have more; each counts its operations by
//! itself, and all members start the same ones in the same order. The geometry's id is the context
//! id of its messages, the operation's number their tag.
//!
//! | from      | to        | by |
//! |-----------|-----------|----|
//! |           | living    | `PAMI_Geometry_create_...`; the world's: `PAMI_Geometry_world` |
//! | living    | destroyed | `PAMI_Geometry_destroy`, once its operations have ended |
//!
//! Operations hold the geometry itself, so one that is destroyed ends when the last of them does.
//!
//! | file | what |
//! |---|---|
//! | `members.rs` | a geometry: its endpoints and their ranks |
//! | `attributes.rs` | what can be asked of it |
//! | `object.rs` | the objects behind handles, and where they are found |
//! | `create.rs` | making one |
//! | `algorithms.rs`, `metadata.rs` | the algorithms that a program may choose from, and what it is told of them |
//!
//! What a geometry does goes to [`crate::collective`]; here is what it is.

pub mod algorithms;
pub mod attributes;
pub mod create;
mod members;
pub mod metadata;
mod object;

pub use members::{Geometry, MEETING};
pub use object::{GeometryObject, WORLD, add, by_id, end_all, geometry_at, remove, world};
