//! Processes: how one is started, kept from outliving the launcher, and given what it inherits.
//!
//! Before: the programs and the places of their ranks are known. After: they run, and [`super::supervise`] waits for them.

pub mod child;
pub mod guard;
pub mod open_files;
pub mod signals;
pub mod spawn;
pub mod start;
