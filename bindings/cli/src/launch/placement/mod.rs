//! Which rank goes where, as the command line and the machine have it.
//!
//! What: [`Placement::of`] reads the machine from the kernel's files and plans a binding for each
//! rank.
//! Why: two ranks that meet on one core, or a rank that wanders between cores, cost more than any
//! protocol can win back; a machine whose files cannot be read (no /sys in a container) shall run
//! unbound jobs all the same.
//! [`request`] has the words that ask for it, [`mod@seats`] plans, [`claims`] tells what other jobs of the user
//! have; ranks keep off that as long as there is enough else, and where there is not are not bound, and yield.
//! Step before: [`super::arguments`]. Step after: [`super::process::start`] binds each rank as it starts,
//! and the job's memory learns which ranks share a processor.
//! Invariant: a rank is bound only to processors that the launcher itself may use.

pub mod claims;
mod error;
mod policy;
pub mod rank_file;
pub mod request;
pub mod seats;

use pamir_driver::binding::{BindTo, BindingError, RankBinding, bind_memory, plan, report_line};
use pamir_driver::job::{Job, JobError};
use pamir_driver::topology::{Level, Machine, TopologyError};

use super::request::Launch;
use super::request::layout::Layout;
use claims::Claims;
pub use error::PlacementError;
use policy::policies;
use seats::{Seats, seats};

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
    /// Whether ranks have more cores than they asked for.
    lent: bool,
    /// Processors of other jobs.
    taken: Vec<u32>,
    /// Whether there were too few beside them.
    oversubscribed: bool,
    /// Held as long as the job runs.
    claims: Option<Claims>,
}

impl Placement {
    /// Places the ranks on this machine, beside other jobs.
    pub fn of(launch: &Launch) -> Result<Placement, PlacementError> {
        let machine = match Machine::from_sysfs() {
            Ok(machine) => machine,
            Err(error) => return Self::unknown(launch, error),
        };
        let Some(claims) = Claims::open() else {
            return Self::on(machine, launch);
        };
        let taken = claims.taken(&machine.allowed());
        let mut placement = Self::beside(machine, launch, &taken)?;
        if !launch.dry_run {
            claims.claim(&placement.claimed());
        }
        claims.end_turn();
        placement.claims = Some(claims);
        Ok(placement)
    }

    /// No placement, which serves if none was asked for.
    fn unknown(launch: &Launch, error: TopologyError) -> Result<Placement, PlacementError> {
        let (_, bind_to) = policies(launch);
        let asked = launch.map_by.is_some()
            || launch.mapping.is_some()
            || launch.layout != Layout::default()
            || !matches!(launch.bind_to, None | Some(BindTo::None))
            || launch.refuse_oversubscription;
        if asked {
            return Err(error.into());
        }
        Ok(Placement {
            ranks: launch.ranks(),
            bind_to,
            machine: None,
            bindings: Vec::new(),
            mapped: false,
            lent: false,
            taken: Vec::new(),
            oversubscribed: false,
            claims: None,
        })
    }

    /// Places the ranks on a machine; only to look at, if it is not this one.
    pub fn on(machine: Machine, launch: &Launch) -> Result<Placement, PlacementError> {
        Self::beside(machine, launch, &[])
    }

    /// Places the ranks on a machine where other jobs have some processors.
    pub fn beside(
        machine: Machine,
        launch: &Launch,
        taken: &[u32],
    ) -> Result<Placement, PlacementError> {
        let machine = match &launch.layout.processors {
            Some(processors) => restricted(&machine, processors)?,
            None => machine,
        };
        let (seats, oversubscribed) = choose(&machine, launch, taken)?;
        Ok(Placement {
            ranks: launch.ranks(),
            bind_to: seats.bind_to,
            machine: Some(machine),
            bindings: seats.bindings,
            mapped: launch.mapping.is_some() || launch.layout.rank_file.is_some(),
            lent: seats.lent,
            taken: taken.to_vec(),
            oversubscribed,
            claims: None,
        })
    }

    /// Whether other jobs have processors that ranks of this one run on: who waits yields.
    pub fn is_oversubscribed(&self) -> bool {
        self.oversubscribed
    }

    /// The processors that other jobs should keep off: those that ranks have to themselves, and of a
    /// share that nobody asked for, or a larger object, the core that the rank begins on.
    fn claimed(&self) -> Vec<u32> {
        let Some(machine) = &self.machine else {
            return Vec::new();
        };
        let cores = machine.groups(Level::Core).unwrap_or_default();
        let own = |binding: &RankBinding| -> Vec<u32> {
            match self.bind_to {
                BindTo::None => Vec::new(),
                BindTo::Core | BindTo::HwThread | BindTo::List(_) if !self.lent => {
                    binding.processing_units.clone()
                }
                _ => {
                    let around = |core: &&Vec<u32>| core.contains(&binding.primary);
                    cores.iter().find(around).cloned().unwrap_or_default()
                }
            }
        };
        let mut claimed: Vec<u32> = self.bindings.iter().flat_map(own).collect();
        claimed.sort_unstable();
        claimed.dedup();
        claimed
    }

    /// The processors this rank is to be bound to, if any.
    pub fn processors(&self, rank: usize) -> Option<&[u32]> {
        let binding = self.bindings.get(rank)?;
        (self.bind_to != BindTo::None).then_some(&*binding.processing_units)
    }

    /// For each rank processors for threads that help it, one of a core, as many for every rank: the
    /// other cores of a share that nobody asked for, then those that no rank is bound to, those of its
    /// NUMA node first. None where ranks are not bound.
    pub fn spare_processors(&self) -> Vec<Vec<u32>> {
        let mut spare = vec![Vec::new(); self.ranks];
        let Some(machine) = self
            .machine
            .as_ref()
            .filter(|_| self.bind_to != BindTo::None)
        else {
            return spare;
        };
        let mut idle = idle_processors(&free(machine, &self.taken), &self.bindings);
        let each = idle.len() / self.ranks.max(1);
        for (own, binding) in spare.iter_mut().zip(&self.bindings) {
            if self.lent {
                own.extend(other_cores(machine, binding));
            }
            for _ in 0..each {
                let node = |unit: &u32| machine.processing_unit(*unit).map(|unit| unit.numa_node);
                let near = idle
                    .iter()
                    .position(|unit| node(unit) == Some(binding.numa_node));
                own.push(idle.remove(near.unwrap_or(0)));
            }
        }
        let least = spare.iter().map(Vec::len).min().unwrap_or(0);
        for own in &mut spare {
            own.truncate(least);
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
        let wide =
            |binding: &RankBinding| self.lent || other_cores(machine, binding).next().is_some();
        if self.bindings.iter().any(wide) {
            return None;
        }
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
        if self.is_oversubscribed() {
            let left = if self.bind_to == BindTo::None {
                "ranks are not bound, and yield while they wait"
            } else {
                "ranks share them, and yield while they wait"
            };
            let taken = self.taken.len();
            let plural = if taken == 1 { "" } else { "s" };
            lines.push(format!(
                "other jobs have {taken} processor{plural}, and there are too few besides: {left}"
            ));
        }
        for (rank, binding) in self.bindings.iter().enumerate() {
            lines.push(report_line(machine, rank, binding));
        }
        lines
    }
}

/// The machine with these processors alone, which a command line lists.
fn restricted(machine: &Machine, processors: &[u32]) -> Result<Machine, PlacementError> {
    let allowed = machine.allowed();
    if processors.iter().any(|one| allowed.contains(one)) {
        return Ok(machine.restricted_to(processors));
    }
    Err(PlacementError::NoProcessor { allowed })
}

/// Seats beside other jobs' processors, and whether there are too few for that.
fn choose(
    machine: &Machine,
    launch: &Launch,
    taken: &[u32],
) -> Result<(Seats, bool), PlacementError> {
    // Where each rank goes is said one by one.
    let told = launch.mapping.is_some()
        || launch.layout.rank_file.is_some()
        || matches!(launch.bind_to, Some(BindTo::List(_)));
    if !told
        && !taken.is_empty()
        && let Ok(seats) = seats(&free(machine, taken), launch, false)
    {
        return Ok((seats, false));
    }
    let asked = seats(machine, launch, !launch.refuse_oversubscription)?;
    let meets = |binding: &RankBinding| taken.contains(&binding.primary);
    let oversubscribed = if told {
        asked.bindings.iter().any(meets)
    } else {
        !taken.is_empty()
    };
    let demanded =
        launch.bind_to.is_some() || launch.layout.width.is_some() || launch.balance.is_any();
    if told || demanded || !oversubscribed {
        return Ok((asked, oversubscribed));
    }
    let (map_by, _) = policies(launch);
    let unbound = Seats {
        bindings: plan(machine, launch.ranks(), map_by, &BindTo::None, true)?,
        bind_to: BindTo::None,
        lent: false,
    };
    Ok((unbound, true))
}

/// Counts the ranks where the command line leaves that to the mapping: of the only program, without `-n`.
pub fn count_ranks(
    launch: &mut Launch,
    machine: impl FnOnce() -> Result<Machine, TopologyError>,
) -> Result<(), PlacementError> {
    let nodes = launch.nodes.count();
    let [program] = &mut launch.programs[..] else {
        return Ok(());
    };
    if program.counted {
        return Ok(());
    }
    if let Some(file) = &launch.layout.rank_file {
        program.ranks = rank_file::ranks(file)?.max(1);
    } else if let Some((each, level)) = launch.layout.per_object {
        let objects = match level {
            Level::Machine => nodes,
            _ => {
                let groups = machine()?.groups(level);
                groups.ok_or(BindingError::NoSuchLevel { level })?.len()
            }
        };
        program.ranks = each.saturating_mul(objects.max(1));
    }
    Ok(())
}

/// The machine without the cores of these processors.
fn free(machine: &Machine, taken: &[u32]) -> Machine {
    let cores = machine.groups(Level::Core).unwrap_or_default();
    let untouched = |core: &Vec<u32>| !core.iter().any(|unit| taken.contains(unit));
    let units: Vec<u32> = cores.into_iter().filter(untouched).flatten().collect();
    machine.restricted_to(&units)
}

/// The first processor of each core that a rank is bound to, but that of its primary one.
fn other_cores<'a>(
    machine: &'a Machine,
    binding: &'a RankBinding,
) -> impl Iterator<Item = u32> + 'a {
    let core = |unit: u32| machine.processing_unit(unit).map(|unit| unit.core);
    let mut seen = vec![core(binding.primary)];
    let units = binding.processing_units.iter().copied();
    units.filter(move |unit| {
        let known = seen.contains(&core(*unit));
        seen.push(core(*unit));
        !known
    })
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

#[cfg(test)]
mod tests;
