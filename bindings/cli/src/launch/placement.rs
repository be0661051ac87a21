//! Which rank goes where, as the command line and the machine have it.
//!
//! What: [`Placement::of`] reads the machine from the kernel's files and plans a binding for each
//! rank.
//! Why: two ranks that meet on one core, or a rank that wanders between cores, cost more than any
//! protocol can win back; a machine whose files cannot be read (no /sys in a container) shall run
//! unbound jobs all the same.
//! Step before: [`super::arguments`]. Step after: [`super::start`] binds each rank as it starts,
//! and the job's memory learns which ranks share a processor.
//! Invariant: a rank is bound only to processors that the launcher itself may use.

use std::path::{Path, PathBuf};

use pamir_driver::binding::{
    BindTo, BindingError, MapBy, RankBinding, bind_memory, plan, plan_on_units, report_line,
};
use pamir_driver::job::{Job, JobError};
use pamir_driver::topology::{Level, Machine, TopologyError};

use pamir_transport::placement;
use pamir_transport::placement::mapping::PlacedRanks;

use super::arguments::Launch;

/// Why ranks cannot be placed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlacementError {
    /// The policies do not fit the machine.
    #[error(transparent)]
    Binding(#[from] BindingError),
    /// The machine cannot be read, and the command line asks for a binding.
    #[error("{0}; --bind-to none starts ranks without binding them")]
    Machine(#[from] TopologyError),
    /// The mapping file cannot be read.
    #[error("--map-by file: {0}")]
    Mapping(#[from] placement::PlacementError),
    /// The mapping file is for another number of ranks.
    #[error(
        "--map-by file: {path} places {mapped} ranks, and the job has {ranks}: start as many, or make a mapping for {ranks} with pamir place"
    )]
    MappedRanks {
        /// The file.
        path: PathBuf,
        /// Ranks in it.
        mapped: usize,
        /// Ranks of the job.
        ranks: usize,
    },
    /// A variable of hwloc names another machine.
    #[error(
        "{variable} describes another machine, to which ranks cannot be bound: --dry-run shows the plan for it, --bind-to none starts ranks without binding them; or unset it"
    )]
    OtherMachine {
        /// The variable.
        variable: &'static str,
    },
    /// The program that plans for another machine is not there.
    #[error("{path} is missing, which plans for other machines: install Pamir anew")]
    NoPlanner {
        /// Where it should be.
        path: PathBuf,
    },
    /// The program that plans for another machine cannot be run.
    #[error("cannot run {path}, which plans for other machines: {source}")]
    Planner {
        /// The program.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Cores, or hardware threads, and who is on which.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The processors of each place, ascending.
    pub units: Vec<Vec<u32>>,
    /// The place of each rank.
    pub seats: Vec<usize>,
}

/// Where the ranks of a job go.
#[derive(Debug)]
pub struct Placement {
    ranks: usize,
    bind_to: BindTo,
    machine: Option<Machine>,
    bindings: Vec<RankBinding>,
    /// Whether a file said where each rank goes.
    mapped: bool,
}

impl Placement {
    /// Places the ranks on this machine.
    pub fn of(launch: &Launch) -> Result<Placement, PlacementError> {
        let machine = match Machine::from_sysfs() {
            Ok(machine) => machine,
            Err(error) => {
                let (_, bind_to) = policies(launch);
                let unasked = launch.map_by.is_none()
                    && launch.mapping.is_none()
                    && matches!(launch.bind_to, None | Some(BindTo::None))
                    && !launch.refuse_oversubscription;
                return if unasked {
                    Ok(Placement {
                        ranks: launch.ranks(),
                        bind_to,
                        machine: None,
                        bindings: Vec::new(),
                        mapped: false,
                    })
                } else {
                    Err(error.into())
                };
            }
        };
        Self::on(machine, launch)
    }

    /// Places the ranks on a machine; only to look at, if it is not this one.
    pub fn on(machine: Machine, launch: &Launch) -> Result<Placement, PlacementError> {
        let (map_by, bind_to) = policies(launch);
        let ranks = launch.ranks();
        let oversubscribe = !launch.refuse_oversubscription;
        let bindings = match &launch.mapping {
            Some(file) => {
                let units = mapped_units(file, ranks)?;
                plan_on_units(&machine, &units, &bind_to, oversubscribe)?
            }
            None => plan(&machine, ranks, map_by, &bind_to, oversubscribe)?,
        };
        Ok(Placement {
            ranks,
            bind_to,
            machine: Some(machine),
            bindings,
            mapped: launch.mapping.is_some(),
        })
    }

    /// The processors this rank is to be bound to, if any.
    pub fn processors(&self, rank: usize) -> Option<&[u32]> {
        let binding = self.bindings.get(rank)?;
        (self.bind_to != BindTo::None).then_some(&*binding.processing_units)
    }

    /// For each rank processors that no rank is bound to, one of each idle core, as many for every
    /// rank, those of its NUMA node first. None where ranks are not bound.
    pub fn spare_processors(&self) -> Vec<Vec<u32>> {
        let mut spare = vec![Vec::new(); self.ranks];
        let Some(machine) = &self.machine else {
            return spare;
        };
        let mut idle = if self.bind_to == BindTo::None {
            Vec::new()
        } else {
            idle_processors(machine, &self.bindings)
        };
        let each = idle.len() / self.ranks.max(1);
        for (own, binding) in spare.iter_mut().zip(&self.bindings) {
            for _ in 0..each {
                let node = |unit: &u32| machine.processing_unit(*unit).map(|unit| unit.numa_node);
                let near = idle
                    .iter()
                    .position(|unit| node(unit) == Some(binding.numa_node));
                own.push(idle.remove(near.unwrap_or(0)));
            }
        }
        spare
    }

    /// For each rank the processor it keeps to, where its binding is as narrow as a core.
    pub fn processing_units(&self) -> Vec<Option<u32>> {
        let unit = |binding: &RankBinding| {
            let narrow = match &self.bind_to {
                BindTo::Core | BindTo::HwThread => true,
                BindTo::List(_) => binding.processing_units.len() == 1,
                _ => false,
            };
            narrow.then_some(binding.primary)
        };
        if self.machine.is_none() {
            return vec![None; self.ranks];
        }
        self.bindings.iter().map(unit).collect()
    }

    /// The places that ranks may be moved between, and where each rank is; none where ranks are
    /// not bound each to a core or a hardware thread.
    pub fn places(&self) -> Option<Places> {
        let machine = self.machine.as_ref()?;
        let level = match self.bind_to {
            BindTo::Core => Level::Core,
            BindTo::HwThread => Level::ProcessingUnit,
            _ => return None,
        };
        let allowed = machine.allowed();
        let mut units = machine.groups(level)?;
        for place in &mut units {
            place.retain(|unit| allowed.contains(unit));
            place.sort_unstable();
        }
        units.retain(|place| !place.is_empty());
        let seat = |binding: &RankBinding| {
            let of = |place: &Vec<u32>| place.contains(&binding.primary);
            units.iter().position(of)
        };
        let seats = self.bindings.iter().map(seat).collect::<Option<_>>()?;
        Some(Places { units, seats })
    }

    /// Places each rank's lanes on its NUMA node, where the machine has several. What the kernel
    /// refuses stays where it is: placement makes a job faster, not right.
    pub fn place_memory(&self, job: &Job) -> Result<(), JobError> {
        let Some(machine) = &self.machine else {
            return Ok(());
        };
        for (rank, binding) in self.bindings.iter().enumerate() {
            let (address, bytes) = job.reception_memory(rank)?;
            let _ = bind_memory(machine, address, bytes, binding.numa_node);
        }
        Ok(())
    }

    /// The lines of `--report-bindings`.
    pub fn report(&self) -> Vec<String> {
        let Some(machine) = &self.machine else {
            return vec!["ranks are not bound: the machine cannot be read from /sys".to_string()];
        };
        let cores = machine.groups(Level::Core).map_or(0, |cores| cores.len());
        let mut lines = Vec::with_capacity(self.ranks + 1);
        if self.ranks > cores {
            let plural = if cores == 1 { "" } else { "s" };
            lines.push(format!(
                "{} ranks share {cores} core{plural}, {}",
                self.ranks,
                if self.mapped {
                    "as the mapping says"
                } else {
                    "dealt out in rounds"
                },
            ));
        }
        for (rank, binding) in self.bindings.iter().enumerate() {
            lines.push(report_line(machine, rank, binding));
        }
        lines
    }
}

/// The first processor of each core that no rank may run on.
fn idle_processors(machine: &Machine, bindings: &[RankBinding]) -> Vec<u32> {
    let allowed = machine.allowed();
    let taken = |unit: &u32| {
        bindings
            .iter()
            .any(|binding| binding.processing_units.contains(unit))
    };
    let cores = machine.groups(Level::Core).unwrap_or_default();
    let idle = cores.into_iter().filter(|core| !core.iter().any(taken));
    idle.filter_map(|core| core.into_iter().find(|unit| allowed.contains(unit)))
        .collect()
}

/// The unit of each rank, from a file that `pamir place` wrote.
fn mapped_units(file: &Path, ranks: usize) -> Result<Vec<u32>, PlacementError> {
    let placed = PlacedRanks::read(file)?;
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

/// The policies, with what the command line left open filled in.
fn policies(launch: &Launch) -> (MapBy, BindTo) {
    let map_by = launch.map_by.unwrap_or_default();
    let bind_to = launch.bind_to.clone().unwrap_or(match map_by {
        MapBy::HwThread => BindTo::HwThread,
        _ => BindTo::Core,
    });
    (map_by, bind_to)
}

#[cfg(test)]
mod tests {
    use super::super::arguments::Program;
    use super::*;

    fn launch(ranks: usize) -> Launch {
        let program = Program {
            ranks,
            command: vec!["a".into()],
            ..Program::default()
        };
        Launch {
            programs: vec![program],
            ..Launch::default()
        }
    }

    #[test]
    fn idle_cores_are_shared_out_evenly() {
        // Two nodes of four cores, each of two processors.
        let machine = || Machine::from_description("numa:2 core:4 pu:2").unwrap();
        let spare = |ranks, bind_to: Option<BindTo>| {
            let launch = Launch {
                bind_to,
                ..launch(ranks)
            };
            Placement::on(machine(), &launch)
                .unwrap()
                .spare_processors()
        };
        for (ranks, each) in [(2, 3), (3, 1), (8, 0), (11, 0)] {
            let found = spare(ranks, None);
            assert!(found.iter().all(|own| own.len() == each), "{found:?}");
            let mut all: Vec<u32> = found.concat();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), ranks * each, "{found:?}");
        }
        assert_eq!(spare(2, Some(BindTo::None)), [[0; 0], [0; 0]]);
    }

    #[test]
    fn ranks_can_be_moved_between_the_places_they_are_bound_to() {
        let machine = || Machine::from_description("numa:1 core:2 pu:2").unwrap();
        let places = |bind_to| {
            let launch = Launch {
                bind_to: Some(bind_to),
                ..launch(3)
            };
            Placement::on(machine(), &launch).unwrap().places()
        };
        let cores = places(BindTo::Core).unwrap();
        assert_eq!(cores.units.len(), 2);
        assert_eq!(cores.seats, [0, 1, 1]);
        assert_eq!(places(BindTo::HwThread).unwrap().units.len(), 4);
        assert_eq!((places(BindTo::None), places(BindTo::Numa)), (None, None));
    }

    #[test]
    fn hardware_threads_are_bound_to_when_mapped_by() {
        let launch = Launch {
            map_by: Some(MapBy::HwThread),
            ..launch(1)
        };
        assert_eq!(policies(&launch), (MapBy::HwThread, BindTo::HwThread));
        assert_eq!(policies(&Launch::default()), (MapBy::Core, BindTo::Core));
    }

    #[test]
    fn ranks_keep_to_a_processor_only_when_bound_to_a_core() {
        let placement = Placement::of(&launch(3)).expect("this machine");
        assert!(placement.processing_units().iter().all(Option::is_some));
        assert!((0..3).all(|rank| placement.processors(rank).is_some()));
        let unbound = Launch {
            bind_to: Some(BindTo::None),
            ..launch(2)
        };
        let placement = Placement::of(&unbound).expect("this machine");
        assert_eq!(placement.processing_units(), [None, None]);
        assert_eq!(placement.processors(0), None);
    }

    #[test]
    fn oversubscription_is_refused_when_forbidden() {
        let launch = Launch {
            refuse_oversubscription: true,
            ..launch(100_000)
        };
        let error = Placement::of(&launch).expect_err("no machine is that large");
        assert!(matches!(
            error,
            PlacementError::Binding(BindingError::TooManyRanks { ranks: 100_000, .. })
        ));
    }
}
