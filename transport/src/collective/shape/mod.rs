//! The shapes that members stand in: trees, tori, and powers of two.
//!
//! Before: an algorithm asks which members are next to it. After: it sends to those. Nothing here sends, but for
//! [`torus_line`], an exchange within a line of a torus.

pub mod binary_tree;
pub mod power_of_two;
pub mod torus;
pub mod torus_line;
pub mod torus_tree;
