//! The emulated messaging unit, and the machine it stands on.

pub mod binding;
pub mod topology;
