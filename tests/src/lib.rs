//! What tests of whole programs stand on: an installation, compiled programs, watched runs.
//!
//! What: [`installation::compile`] turns a program of `tests/programs` into a binary with the
//! installed `mpicc`; [`run::Run`] starts it under the installed `mpiexec` and never waits for
//! ever; [`processes`] finds what a run left behind; [`random`] chooses moments.
//! Why: what users meet is the installation, so faults are tested there: killed ranks, killed
//! launchers, programs that close descriptors.
//! Step before: `scripts/install`. Step after: the tests in `tests/tests`.

pub mod installation;
pub mod processes;
pub mod random;
pub mod run;
pub mod supervisor;
