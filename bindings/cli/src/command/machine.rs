//! How a subcommand gets to know the machine.
//!
//! Before: the program that was started is linked with hwloc, or is not. After: a subcommand reads the machine so.

use pamir_driver::topology::{Machine, TopologyError};

/// How the program reads the machine: with hwloc or without.
pub type MachineReader = fn() -> Result<Machine, TopologyError>;
