//! What C hands in: lists of attributes, and marks of the objects behind handles.
//!
//! Before: a C call. After: the rooms above have checked values. A new kind of argument that needs a check
//! goes here, with the check.

pub mod attributes;
pub mod mark;
