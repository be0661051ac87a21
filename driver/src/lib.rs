//! The emulated messaging unit, and the machine it stands on.

pub mod binding;
pub mod machine_limits;
pub mod topology;
