//! The emulated messaging unit, and the machine it stands on.
