//! The options of `mpiexec`, one table.
//!
//! What: every option with its spellings, its values and its sentence of help.
//! Why: options are typed the way MPICH and Open MPI taught people (`-np 4`, `--bind-to core`,
//! `-genv NAME VALUE`), with one dash or two, which no argument library parses; one table drives
//! the parser, `--help` and the manual page.
//! Where ranks go is in `placement`; options of other launchers that have nothing to do here in `foreign`.
//! Step before: none. Step after: [`crate::launch::arguments`] walks the command line with it.
//! Invariant: no spelling occurs twice (tested).

mod foreign;
mod help;
mod option;
mod placement;
mod table;

pub use help::help;
pub use option::{Action, LaunchOption, OptionGroup};
pub use table::{OPTION_GROUPS, all, dashed, find, nearest};

#[cfg(test)]
mod tests;
