//! Measuring: every algorithm of each kind, in geometries of several sizes.
//!
//! Before: all tasks of a client have called `Collsel_table_generate_fn`. After: task 0 has written the table, and all tasks
//! know whether that went well.
//!
//! ```text
//! task 0: parameters ─▶ plan ─ shared ─▶ all: for each number of members, kind, size, algorithm: trial ─▶ task 0: table, file
//! ```
//!
//! An algorithm whose result is wrong at any member has no place in the table.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use pamir_transport::collective::geometry::Members;

use crate::collective::Call;
use crate::collective::meeting::Meeting;
use crate::collective::trial::{Trial, all_agree, share};
use crate::context::Held;
use crate::extension::collsel::objects::Advisor;
use crate::extension::collsel::parameters::Parameters;
use crate::extension::collsel::plan::Plan;
use crate::extension::collsel::table::Table;
use crate::geometry::algorithms::{Algorithm, lists};
use crate::geometry::attributes::Attributes;
use crate::geometry::create::{create, endpoints_of};
use crate::geometry::{Geometry, GeometryObject, remove, world};
use crate::refusal::Refusal;
use crate::structures::Code;
use crate::structures::kind::TransferKind;

/// Ids of geometries for measuring begin here; a program that uses them itself is told.
const FIRST_ID: u32 = 0xC011_5E10;

/// Bytes that the operations of a trial move together, about; two operations in any case.
const TRIAL_BYTES: usize = 16 << 20;

/// What task 0 alone has.
struct Writer {
    plan: Plan,
    path: PathBuf,
    table: Table,
}

fn refused(reason: impl Into<String>) -> Refusal {
    let reason = reason.into();
    Refusal::Advisor { reason }
}

impl Writer {
    /// Looks at what task 0 was given.
    fn of(
        path: Option<&Path>,
        parameters: Option<&Parameters>,
        mode: i32,
        tasks: usize,
    ) -> Result<Self, Refusal> {
        let path = path.ok_or(Refusal::Null {
            argument: "filename",
        })?;
        let argument = "advisor_params";
        let plan = Plan::of(parameters.ok_or(Refusal::Null { argument })?, tasks)?;
        let table = match mode {
            0 => load(path)?,
            1 => Table::default(),
            _ => {
                return Err(refused(format!(
                    "mode {mode} is neither 0, update, nor 1, create"
                )));
            }
        };
        let writer = Self {
            plan,
            path: path.to_owned(),
            table,
        };
        // Nobody measures for an hour to learn then that the file cannot be written.
        writer.write()?;
        Ok(writer)
    }

    fn write(&self) -> Result<(), Refusal> {
        let mut beside = self.path.clone().into_os_string();
        beside.push(".new");
        let written = std::fs::write(&beside, self.table.to_text())
            .and_then(|()| std::fs::rename(&beside, &self.path));
        written.map_err(|error| {
            refused(format!(
                "{} cannot be written: {error}",
                self.path.display()
            ))
        })
    }
}

/// The table in a file.
///
/// # Errors
///
/// [`Refusal::Advisor`] says what is wrong with the file.
pub(super) fn load(path: &Path) -> Result<Table, Refusal> {
    let shown = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| refused(format!("{shown} cannot be read: {error}")))?;
    Table::of_text(&text).map_err(|reason| refused(format!("{shown}: {reason}")))
}

/// Measures with all tasks of the advisor's client, and writes the table into task 0's file.
///
/// # Errors
///
/// At all tasks, if task 0 refuses or cannot write; a context that another thread has locked.
pub(super) fn generate(
    advisor: &Advisor,
    path: Option<&Path>,
    parameters: Option<&Parameters>,
    mode: i32,
) -> Result<(), Refusal> {
    let measured = advisor.context.try_locked(|held| {
        let tasks = advisor.client.client().tasks();
        let first = advisor.client.client().task() == 0;
        let own = first.then(|| Writer::of(path, parameters, mode, tasks));
        measure(advisor, held, own)
    });
    measured.unwrap_or(Err(refused(
        "the advisor's context is locked by another thread",
    )))
}

fn measure(
    advisor: &Advisor,
    held: Held,
    own: Option<Result<Writer, Refusal>>,
) -> Result<(), Refusal> {
    let world = world(advisor.client)?.geometry()?;
    let said = match &own {
        Some(Ok(writer)) => writer.plan.to_bytes(),
        _ => Vec::new(),
    };
    let plan = share(Call::of(held, Arc::clone(&world))?, said)?;
    let mut own = own.transpose()?;
    let plan = Plan::of_bytes(&plan).ok_or_else(|| refused("task 0 has refused its parameters"))?;
    let mut outcome = Ok(());
    for (index, members) in plan.members.iter().enumerate() {
        if advisor.client.client().task() < *members {
            let table = measure_among(advisor, held, &plan, *members, FIRST_ID + index as u32)?;
            if let Some(writer) = &mut own {
                writer.table.take(table);
                if plan.writes_early {
                    outcome = outcome.and(writer.write());
                }
            }
        }
    }
    if let Some(writer) = &own {
        outcome = outcome.and(writer.write());
    }
    let written = all_agree(Call::of(held, world)?, outcome.is_ok())?;
    outcome?;
    if written {
        Ok(())
    } else {
        Err(refused("task 0 cannot write the table"))
    }
}

/// Measures in a geometry of the first tasks.
fn measure_among(
    advisor: &Advisor,
    held: Held,
    plan: &Plan,
    members: usize,
    id: u32,
) -> Result<Table, Refusal> {
    let client = advisor.client;
    let endpoints = endpoints_of(client, 0, 0..members as u32)?;
    let made = create(client, id, endpoints, Attributes::of_client(client), None)?;
    let geometry = made.geometry()?;
    Meeting::of_new(&geometry)?.start(held, None);
    while geometry.under_way.load(Ordering::Acquire) > 0 {
        if !matches!(
            held.advance(held.context(), 1000),
            Code::Success | Code::Again
        ) {
            return Err(Refusal::NotAdvanced);
        }
    }
    let mut table = Table::default();
    let mut outcome = Ok(());
    for kind in &plan.kinds {
        for bytes in plan.sizes(*kind) {
            let times = measure_size(held, made, plan, *kind, bytes);
            match times {
                Ok(times) => table.add(*kind, members, bytes, &times),
                Err(refusal) => outcome = outcome.and(Err(refusal)),
            }
        }
    }
    made.end();
    remove(client, id);
    outcome.map(|()| table)
}

/// The nanoseconds of each algorithm of a kind at a size.
fn measure_size(
    held: Held,
    made: &GeometryObject,
    plan: &Plan,
    kind: TransferKind,
    bytes: usize,
) -> Result<Vec<(&'static str, f64)>, Refusal> {
    let geometry: Arc<Geometry> = made.geometry()?;
    let members = geometry.size();
    let most = (TRIAL_BYTES / (bytes * members).max(1)).max(2);
    let trial = Trial {
        kind,
        bytes,
        operations: plan.operations.clamp(1, most),
    };
    let mut times = Vec::new();
    for listed in lists(&geometry, kind).iter().flatten() {
        let Some(name) = listed.name else { continue };
        let chosen = Algorithm::listed(made, kind, listed).chosen;
        let found = trial.run(Call::of(held, Arc::clone(&geometry))?, chosen)?;
        let is_right = all_agree(Call::of(held, Arc::clone(&geometry))?, found.is_right)?;
        if plan.is_verbose && geometry.member(&held)?.rank == 0 {
            let (kind, time) = (kind.name(), found.nanoseconds);
            let verdict = if is_right { "" } else { ", and is wrong" };
            eprintln!("{kind} {name}, {members} members, {bytes} bytes: {time:.0} ns{verdict}");
        }
        if is_right {
            times.push((name, found.nanoseconds));
        }
    }
    Ok(times)
}
