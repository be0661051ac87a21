//! `MPI_Comm_split_type`: communicators by what their processes share (MPI-5.0 section 7.4.2).
//!
//! Ranks of one node share memory, and a node is a machine of its own: all ranks are on one
//! unless `mpiexec --nodes` says otherwise. Below that there are the kinds of
//! hardware in [`RESOURCES`]: a process has an instance of one if it is restricted to run
//! within it, which its affinity mask says.
//!
//! A resource is asked for by info key `mpi_hw_resource_type`, by the name in the table,
//! with or without `hwloc://` before it.

use std::ffi::c_int;

use pamir_driver::topology::{Level, Machine};
use pamir_mpi::communicator::Choice;
use pamir_mpi::communicator::Communicator;
use pamir_mpi::communicator::construct::gather_numbers;
use pamir_mpi::info::Info;

use super::construct::split_by;
use crate::argument::address;
use crate::constants::*;
use crate::error::{ErrorClass, Result};
use crate::process::running;
use crate::state::State;
use crate::state::infos;
use crate::types::*;

/// Kinds of hardware, from the outside in, by their names in hwloc.
pub const RESOURCES: [(&str, Level); 7] = [
    ("Machine", Level::Machine),
    ("Package", Level::Package),
    ("NUMANode", Level::NumaNode),
    ("L3Cache", Level::L3Cache),
    ("L2Cache", Level::L2Cache),
    ("Core", Level::Core),
    ("PU", Level::ProcessingUnit),
];

/// What goes before a resource's name in its full form.
pub const SCHEME: &str = "hwloc://";

/// The instance of each of [`RESOURCES`] that this process is restricted to, if it is.
pub fn instances() -> [Option<u32>; RESOURCES.len()] {
    // Where the kernel does not say what there is, processes share the machine and no more.
    let Ok(machine) = Machine::from_sysfs() else {
        return std::array::from_fn(|index| (index == 0).then_some(0));
    };
    std::array::from_fn(|index| {
        let level = RESOURCES[index].1;
        let units = machine.processing_units().iter();
        let mut allowed = units.filter(|unit| unit.allowed);
        let first = allowed.next()?.container(level)?;
        allowed
            .all(|unit| unit.container(level) == Some(first))
            .then_some(first)
    })
}

/// The index in [`RESOURCES`] of a name.
fn resource(name: &[u8]) -> Option<usize> {
    let name = std::str::from_utf8(name).ok()?;
    let name = name.strip_prefix(SCHEME).unwrap_or(name);
    RESOURCES
        .iter()
        .position(|(known, _)| known.eq_ignore_ascii_case(name))
}

fn value<'a>(hints: &'a Info, key: &str) -> Option<&'a [u8]> {
    hints.get(key).ok().flatten()
}

/// The node that this process is on.
fn node(state: &State) -> c_int {
    let context = state.process.context();
    context.job().node(context.task()) as c_int
}

/// Instances of one kind of hardware on each node have such numbers, in order of nodes.
const MOST_INSTANCES: c_int = 1 << 16;

/// A number for an instance that no other node has.
fn of_node(node: c_int, instance: u32) -> c_int {
    node * MOST_INSTANCES + (instance as c_int).min(MOST_INSTANCES - 1)
}

/// The colour by the resource that `mpi_hw_resource_type` names.
fn by_resource(state: &State, hints: &Info) -> Option<c_int> {
    match value(hints, "mpi_hw_resource_type")? {
        b"mpi_shared_memory" => Some(node(state)),
        name => instances()[resource(name)?].map(|instance| of_node(node(state), instance)),
    }
}

/// The colour by a process set.
fn by_process_set(state: &State, hints: &Info) -> Option<c_int> {
    match value(hints, "mpi_pset_name")? {
        b"mpi://WORLD" => Some(0),
        b"mpi://SELF" => Some(state.process.context().task() as c_int),
        _ => None,
    }
}

/// The outermost resource that divides the communicator, as an index of [`RESOURCES`], and
/// this process's colour: all find the same resource.
fn unguided(state: &State, communicator: &Communicator) -> Result<Option<(usize, c_int)>> {
    let node = node(state);
    let number = |instance| i64::from(of_node(node, instance));
    let own = instances().map(|instance| instance.map_or(-1, number));
    let all = gather_numbers(&state.process, communicator, &own)?;
    let divides = |index: &usize| {
        all.iter().any(|other| other[*index] != all[0][*index])
            && all.iter().any(|other| other[*index] >= 0)
    };
    let index = (0..RESOURCES.len()).find(divides);
    Ok(index.and_then(|index| {
        let color = c_int::try_from(own[index]).ok();
        color
            .filter(|color| *color >= 0)
            .map(|color| (index, color))
    }))
}

/// `MPI_Comm_split_type`, section 7.4.2.
///
/// # Safety
///
/// `newcomm` is null or writable.
pub unsafe fn comm_split_type(
    comm: MPI_Comm,
    split_type: c_int,
    key: c_int,
    info: MPI_Info,
    newcomm: *mut MPI_Comm,
) -> Result {
    let state = running()?;
    let parent = state.communicator(comm)?;
    let hints = infos::hints(info)?;
    address(newcomm, "newcomm")?;
    // Unguided division asks all others, so those who take part in none must tell too. An
    // inter-communicator is not divided so: each group would find a division of its own.
    let color = match split_type {
        MPI_UNDEFINED => None,
        MPI_COMM_TYPE_SHARED => Some(node(&state)),
        MPI_COMM_TYPE_HW_GUIDED => by_resource(&state, &hints),
        MPI_COMM_TYPE_RESOURCE_GUIDED => {
            by_resource(&state, &hints).or_else(|| by_process_set(&state, &hints))
        }
        MPI_COMM_TYPE_HW_UNGUIDED => None,
        other => {
            return Err(ErrorClass::Arg.with(format!("{other} is no type to split by")));
        }
    };
    let mut color = color;
    if !parent.is_inter() && is_unguided(&state, &parent, split_type)? {
        let found = unguided(&state, &parent)?;
        if let Some((index, own)) = found.filter(|_| split_type == MPI_COMM_TYPE_HW_UNGUIDED) {
            color = Some(own);
            // The program learns by what it was divided.
            let name = format!("{SCHEME}{}", RESOURCES[index].0);
            infos::tell(info, "mpi_hw_resource_type", &name)?;
        }
    }
    // SAFETY: as the caller vouches.
    unsafe { split_by(&state, &parent, Choice { color, key }, newcomm) }
}

/// Whether anybody divides without a guide: some may pass `MPI_UNDEFINED` instead.
fn is_unguided(state: &State, parent: &Communicator, split_type: c_int) -> Result<bool> {
    let all = gather_numbers(&state.process, parent, &[i64::from(split_type)])?;
    Ok(all
        .iter()
        .any(|other| other[0] == i64::from(MPI_COMM_TYPE_HW_UNGUIDED)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_have_names_in_two_forms() {
        assert_eq!(resource(b"NUMANode"), Some(2));
        assert_eq!(resource(b"hwloc://numanode"), Some(2));
        assert_eq!(resource(b"socket"), None);
    }

    #[test]
    fn every_process_is_restricted_to_its_machine() {
        assert_eq!(instances()[0], Some(0));
    }
}
