//! `pamir simulate-balance`: what balancing would bring a job of thousands of ranks.
//!
//! What: runs each policy of [`pamir_transport::balance::simulation`] on the same simulated job and
//! prints a table.
//! Why: laws, receivers and thresholds can be tried without the machine that the job needs.
//! Step before: [`super::main`]. Step after: the reader chooses a policy and its parameters.
//! Invariant: all but the cost of a decision follows from the arguments, seed included.

use std::path::PathBuf;
use std::time::Instant;

use pamir_transport::balance::decision::controller::Settings;
use pamir_transport::balance::decision::policy::{Policy, PolicyError};
use pamir_transport::balance::partition::PartitionError;
use pamir_transport::balance::record::{Record, RecordError};
use pamir_transport::balance::simulation::policy::POLICIES;
use pamir_transport::balance::simulation::shape::Shape;
use pamir_transport::balance::simulation::trace::Trace;
use pamir_transport::balance::simulation::{Costs, Job, Outcome, simulate};

use crate::command::number::whole;
use crate::results;

/// The load balance whose first cycle is told.
const TARGET: f64 = 0.95;

/// Arguments of `pamir simulate-balance`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Take ranks and costs from a recorded run (mpiexec --balance-record), again and again.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["ranks", "shape"])]
    replay: Option<PathBuf>,
    /// Ranks of the job.
    #[arg(long, default_value_t = 1000, value_parser = whole::<u32>(2..=1_000_000))]
    ranks: u32,
    /// Items of each rank at first.
    #[arg(long, default_value_t = 10_000, value_parser = whole::<u64>(1..=1_000_000))]
    items: u64,
    /// Cycles, each from one synchronisation to the next.
    #[arg(long, default_value_t = 20, value_parser = whole::<u64>(1..=100_000))]
    cycles: u64,
    /// Which ranks are slow: even, step, linear, random or moving-hotspot.
    ///
    /// With step the last quarter takes half as long again.
    #[arg(long, default_value = "step", value_parser = shape)]
    shape: Shape,
    /// By which share items weigh more or less than others; no policy knows of it.
    #[arg(long, default_value_t = 0.0, value_parser = |text: &str| number(text, 0.0, 0.9))]
    weights: f64,
    /// By which power of its load a rank's time grows.
    #[arg(long, default_value_t = 1.0, value_parser = |text: &str| number(text, 0.1, 5.0))]
    slope: f64,
    /// By which share times vary at random, up or down.
    #[arg(long, default_value_t = 0.0, value_parser = |text: &str| number(text, 0.0, 0.5))]
    noise: f64,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1, value_parser = whole::<u64>(0..=u64::MAX))]
    seed: u64,
    /// Ranks on one node, which lend each other processors.
    #[arg(long, default_value_t = 8, value_name = "N", value_parser = whole::<u32>(1..=u64::from(u32::MAX)))]
    ranks_per_node: u32,
    /// The policy of the row "balanced", as programs and PAMIR_BALANCE_POLICY name it.
    ///
    /// The options below change what it says.
    #[arg(long, value_name = "TEXT")]
    policy: Option<String>,
    /// How much to move: data-per-time, linear:ITEMS_PER_US[+ITEMS], or table:NS=ITEMS,NS=ITEMS.
    #[arg(long)]
    law: Option<String>,
    /// To how many each giver gives: a number, over:NS,NS for one more at each difference, or
    /// needed for as many as it takes (default; 1 where law, shares or givers are given).
    #[arg(long)]
    receivers: Option<String>,
    /// In which parts: even, rank-order or relative-time (default).
    #[arg(long)]
    shares: Option<String>,
    /// How many of the slowest give in a cycle (default: half of the ranks).
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=u64::from(u32::MAX)))]
    givers: Option<u32>,
    /// Divide by the last costs, even where they can be seen to wander or grow.
    ///
    /// Otherwise costs that grew or wandered over the ranks, and would have been foretold in the last
    /// cycle, are met where they will be.
    #[arg(long)]
    no_forecast: bool,
    /// The least difference that is balanced, as a share of the slowest's time (default: 0.01).
    #[arg(long, value_parser = |text: &str| number(text, 0.0, 1.0))]
    threshold: Option<f64>,
    /// Nanoseconds that moving costs once, to be won back within ten cycles.
    #[arg(long, default_value_t = 0, value_name = "NS", value_parser = whole::<u64>(0..=u64::MAX))]
    moving_cost: u64,
}

/// Why nothing was simulated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimulateBalanceError {
    /// The policy is none.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// The policy moves nothing.
    #[error(
        "the policy {policy:?} moves nothing: the row \"static\" of each table shows that; give one that moves"
    )]
    Static {
        /// As it was given.
        policy: String,
    },
    /// The record to be replayed cannot be read.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The record has nothing to replay.
    #[error("{path} has no cycle in which every rank called and somebody was busy")]
    NothingToReplay {
        /// The file.
        path: PathBuf,
    },
    /// The items cannot be divided.
    #[error(transparent)]
    Partition(#[from] PartitionError),
}

/// Simulates and prints; the exit code.
pub fn run(arguments: &Arguments) -> u8 {
    results::conclude("pamir simulate-balance", simulate_all(arguments), 1)
}

/// The table, a line for each policy.
fn simulate_all(arguments: &Arguments) -> Result<String, SimulateBalanceError> {
    let job = job(arguments)?;
    let mut table = format!(
        "{} ranks, {} items each, {} cycles, shape {}, weights {}, slope {}, noise {}, seed {}\n\n",
        job.ranks,
        job.items_each,
        job.cycles,
        job.costs.name(),
        job.weights,
        job.slope,
        job.noise,
        job.seed,
    );
    table.push_str(&format!(
        "{:<18}{:>8}{:>8}{:>8}{:>12}{:>12}{:>12}{:>14}{:>12}\n",
        "policy",
        "first",
        "last",
        "cycle",
        "time ms",
        "wait s",
        "hidden ms",
        "items moved",
        "decision ns"
    ));
    let begin = Instant::now();
    let mut clock_ns = || begin.elapsed().as_nanos() as u64;
    for policy in &POLICIES {
        let outcome = simulate(&job, policy.maker, &mut clock_ns)?;
        table.push_str(&line(policy.name, &outcome));
    }
    table.push_str(
        "\nfirst, last: load balance (average/maximum of busy time) of the first and last cycle; \
         cycle: the\nfirst with 0.95 or more; hidden: set-up that others' computing can hide; \
         ideal: costs are known ahead and\nnoise is not, so no policy is better.\n",
    );
    Ok(table)
}

/// A policy's line.
fn line(name: &str, outcome: &Outcome) -> String {
    let reached = outcome.reached(TARGET);
    let reached = reached.map_or("-".to_string(), |cycle| cycle.to_string());
    let first = outcome.load_balance.first().copied().unwrap_or(1.0);
    format!(
        "{name:<18}{first:>8.3}{:>8.3}{reached:>8}{:>12.3}{:>12.3}{:>12.3}{:>14}{:>12}\n",
        outcome.last(),
        outcome.time_ns as f64 / 1e6,
        outcome.wait_ns as f64 / 1e9,
        outcome.hidden_ns as f64 / 1e6,
        outcome.moved_items,
        outcome.decision_ns,
    )
}

/// The job that the arguments describe.
fn job(arguments: &Arguments) -> Result<Job, SimulateBalanceError> {
    let settings = settings(arguments)?;
    let (ranks, costs) = costs(arguments)?;
    Ok(Job {
        ranks,
        items_each: arguments.items,
        cycles: arguments.cycles,
        costs,
        weights: arguments.weights,
        slope: arguments.slope,
        noise: arguments.noise,
        seed: arguments.seed,
        ranks_per_node: arguments.ranks_per_node as usize,
        settings,
    })
}

/// What the policy and the options say, as the library reads a program's policy.
fn settings(arguments: &Arguments) -> Result<Settings, SimulateBalanceError> {
    let moving_cost = Some(arguments.moving_cost).filter(|cost| *cost > 0);
    let options = [
        ("law", arguments.law.clone()),
        ("receivers", arguments.receivers.clone()),
        ("shares", arguments.shares.clone()),
        ("givers", arguments.givers.map(|givers| givers.to_string())),
        (
            "threshold",
            arguments.threshold.map(|share| share.to_string()),
        ),
        ("moving-ns", moving_cost.map(|cost| cost.to_string())),
        ("forecast", arguments.no_forecast.then(|| "off".to_owned())),
    ];
    let mut text = arguments.policy.clone().unwrap_or_default();
    for (name, value) in options {
        if let Some(value) = value {
            text += &format!(" {name}={value}");
        }
    }
    let policy: Policy = text.parse()?;
    policy
        .settings
        .ok_or(SimulateBalanceError::Static { policy: text })
}

/// How many ranks, and what items cost them.
fn costs(arguments: &Arguments) -> Result<(usize, Costs), SimulateBalanceError> {
    let Some(path) = &arguments.replay else {
        return Ok((arguments.ranks as usize, Costs::Shape(arguments.shape)));
    };
    let record = Record::read(path)?;
    let trace = Trace::of(&record);
    let trace =
        trace.ok_or_else(|| SimulateBalanceError::NothingToReplay { path: path.clone() })?;
    Ok((record.ranks, Costs::Trace(trace)))
}

/// Reads a shape.
fn shape(text: &str) -> Result<Shape, String> {
    named(text, &Shape::ALL, Shape::name)
}

/// The one of `all` that is named `text`.
fn named<T: Copy>(text: &str, all: &[T], name: fn(T) -> &'static str) -> Result<T, String> {
    let found = all.iter().find(|one| name(**one) == text);
    let names: Vec<_> = all.iter().map(|one| name(*one)).collect();
    found
        .copied()
        .ok_or_else(|| format!("there are {}", names.join(", ")))
}

/// Reads a number between two others.
fn number(text: &str, least: f64, most: f64) -> Result<f64, String> {
    let number = text.parse::<f64>().ok();
    number
        .filter(|number| (least..=most).contains(number))
        .ok_or_else(|| format!("give a number from {least} to {most}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn settings_of(words: &[&str]) -> Settings {
        let command = Command::parse_from([&["simulate-balance"], words].concat());
        settings(&command.arguments).unwrap()
    }

    #[test]
    fn what_is_simulated_is_what_programs_get() {
        let programs = |text: &str| text.parse::<Policy>().unwrap().settings.unwrap();
        assert_eq!(settings_of(&[]), programs(""));
        for policy in ["document", "receivers=2 forecast=off", "shares=even"] {
            assert_eq!(settings_of(&["--policy", policy]), programs(policy));
        }
        let options = ["--receivers", "2", "--givers", "3", "--no-forecast"];
        assert_eq!(
            settings_of(&options),
            programs("receivers=2 givers=3 forecast=off")
        );
    }
}
