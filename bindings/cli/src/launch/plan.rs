//! `mpiexec --dry-run`: where ranks would go, on this machine or on one that hwloc describes.
//!
//! What: [`of_this_machine`] is a plan, and starts nothing; [`elsewhere`] tells whether hwloc's
//! variables name another machine, and [`hand_over`] leaves planning for it to `mpiexec-plan`,
//! whose whole work is [`main`].
//! Why two programs: loading hwloc takes longer than starting a job, and the launcher shall run
//! where hwloc is not installed.
//! Step before: [`super::arguments`]. Step after: standard output.
//! Invariant: no rank is ever bound by a plan for another machine.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use pamir_driver::topology::{Machine, foreign_machine};

use super::arguments::{self, Invocation};
use super::placement::{Placement, PlacementError, count_ranks};
use super::request::Launch;
use crate::results;

/// The launcher's program that is linked with hwloc.
pub const PLANNER: &str = "mpiexec-plan";

/// The variable of hwloc that names another machine than this one. `HWLOC_THISSYSTEM=1` says
/// that what is named is this one.
pub fn elsewhere() -> Option<&'static str> {
    let here = std::env::var_os("HWLOC_THISSYSTEM").is_some_and(|value| value == "1");
    let (variable, _) = foreign_machine()?;
    (!here).then_some(variable)
}

/// The plan for this machine.
pub fn of_this_machine(launch: &Launch) -> Result<String, PlacementError> {
    Ok(text(&Placement::of(launch)?))
}

fn text(placement: &Placement) -> String {
    let mut text = placement.report().join("\n");
    text.push('\n');
    text
}

/// Becomes the program of this name that is linked with hwloc; returns only if that cannot be run.
pub fn hand_over(name: &str, arguments: &[OsString]) -> PlacementError {
    let places: Vec<PathBuf> = places(name);
    let program = places.iter().find(|path| path.is_file());
    let Some(program) = program else {
        return PlacementError::NoPlanner {
            path: places.into_iter().next().unwrap_or_else(|| name.into()),
        };
    };
    let source = Command::new(program).args(arguments).exec();
    PlacementError::Planner {
        path: program.clone(),
        source,
    }
}

/// Where the program may be: in the installation, or in a build directory.
fn places(name: &str) -> Vec<PathBuf> {
    let own = std::env::current_exe().ok();
    let own = own.and_then(|path| path.canonicalize().ok());
    let directory = own.as_deref().and_then(|path| path.parent());
    let installed = directory.and_then(|directory| directory.parent());
    let installed = installed.map(|prefix| prefix.join("libexec/pamir").join(name));
    let built = directory.map(|directory| directory.join(name));
    installed.into_iter().chain(built).collect()
}

/// `mpiexec-plan` with mpiexec's arguments; the exit code.
pub fn main(arguments: &[OsString]) -> u8 {
    let planned = match arguments::parse(arguments) {
        Ok(Invocation::Run(mut launch)) => Machine::discover()
            .map_err(PlacementError::from)
            .and_then(|machine| {
                count_ranks(&mut launch, || Ok(machine.clone()))?;
                Placement::on(machine, &launch)
            })
            .map_err(|error| error.to_string()),
        Ok(_) => Err("it only plans: run mpiexec instead".to_string()),
        Err(error) => Err(error.to_string()),
    };
    results::conclude("mpiexec", planned.map(|placement| text(&placement)), 1)
}
