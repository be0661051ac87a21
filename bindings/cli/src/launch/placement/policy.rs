//! The policies that hold, with what the command line left open filled in.
//!
//! Before: the command line's words, and the mapping file that it names. After: [`mod@super::seats`] plans by them.

use std::path::Path;

use pamir_driver::binding::{BindTo, MapBy};
use pamir_driver::topology::Machine;
use pamir_transport::placement::mapping::PlacedRanks;

use super::error::PlacementError;
use crate::launch::request::Launch;
use crate::results;

/// The unit of each rank, from a file that `pamir place` wrote.
pub(super) fn mapped_units(
    file: &Path,
    machine: &Machine,
    ranks: usize,
) -> Result<Vec<u32>, PlacementError> {
    let placed = PlacedRanks::read(file)?;
    if let Some(reason) = elsewhere(&placed, machine) {
        results::complain(format_args!(
            "mpiexec: --map-by file:{}: {reason}",
            file.display()
        ));
    }
    let mapped = placed.units().len();
    if mapped != ranks {
        return Err(PlacementError::MappedRanks {
            path: file.to_path_buf(),
            mapped,
            ranks,
        });
    }
    Ok(placed.units().to_vec())
}

/// That a mapping was made for another machine, which may still serve here.
fn elsewhere(placed: &PlacedRanks, machine: &Machine) -> Option<String> {
    let (made_for, here) = (placed.machine()?, machine.fingerprint());
    let reason = || {
        format!(
            "the mapping was made for another machine, {made_for}, and this is {here}: make one for it with pamir place"
        )
    };
    (!made_for.has_shape_of(&here)).then(reason)
}

/// The policies, with what the command line left open filled in.
pub(super) fn policies(launch: &Launch) -> (MapBy, BindTo) {
    let map_by = launch.map_by.unwrap_or_default();
    let bind_to = launch.bind_to.clone().unwrap_or(match map_by {
        MapBy::HwThread => BindTo::HwThread,
        _ => BindTo::Core,
    });
    (map_by, bind_to)
}
