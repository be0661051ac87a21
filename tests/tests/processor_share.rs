//! Programs that know nothing of balancing: moved between cores, recorded, and their gaps filled.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use pamir_driver::topology::{Level, Machine};
use pamir_tests::installation::{command, compile_from};
use pamir_tests::run::{Outcome, Run};
use pamir_transport::balance::record::metrics::{CycleMetrics, RunMetrics};
use pamir_transport::balance::record::{Deed, Record};

fn temporary(name: &str) -> PathBuf {
    let file = format!("pamir-share-{}-{name}", std::process::id());
    std::env::temp_dir().join(file)
}

/// The first processors of two cores, where the machine has two.
fn two_processors() -> Option<String> {
    let machine = Machine::from_sysfs().expect("this machine");
    let allowed = machine.allowed();
    let cores = machine.groups(Level::Core)?.into_iter();
    let first = |core: Vec<u32>| core.into_iter().find(|unit| allowed.contains(unit));
    let units: Vec<String> = cores
        .filter_map(first)
        .take(2)
        .map(|unit| unit.to_string())
        .collect();
    (units.len() == 2).then(|| units.join(","))
}

/// mpiexec on some processors, bound by nobody before.
fn on(processors: &str) -> Command {
    let mut run = Command::new("taskset");
    run.args(["-c", processors]).arg(command("mpiexec"));
    run
}

/// Ranks that run a script of the shell's on two cores, with a report of what was balanced.
fn balanced_scripts(processors: &str, ranks: &str, script: &str) -> Outcome {
    let mut run = on(processors);
    run.args(["-n", ranks, "--balance", "--balance-report"]);
    run.args(["sh", "-c", script]);
    let outcome = Run::whole(run);
    outcome.success();
    outcome
}

/// mpiexec on two cores, with ranks that have 3, 1, 1 and 1 parts of work: as they are dealt out, one
/// core has twice as much as the other.
fn uneven(processors: &str, options: &[&str], cycles: u32) -> Command {
    let mut run = on(processors);
    run.args(["-n", "4"]).args(options);
    run.arg(compile_from("tests/benchmarks", "uneven", &[]));
    run.args([&cycles.to_string(), "15", "3,1,1,1"]);
    run.env_remove("PAMIR_BALANCE");
    run
}

#[test]
fn the_heavy_rank_gets_a_core_of_its_own_within_a_few_cycles() {
    let Some(processors) = two_processors() else {
        return;
    };
    let file = temporary("moved");
    let path = file.to_str().expect("a path of letters");
    let options = ["--balance", "--balance-report", "--balance-record", path];
    let outcome = Run::whole(uneven(&processors, &options, 15));
    outcome.success();
    let record = Record::read(&file).expect("the record was written");
    std::fs::remove_file(&file).expect("it is there");
    assert_eq!(record.ranks, 4);
    let sharing = |cycle: &pamir_transport::balance::record::RecordedCycle| {
        let heavy = cycle.calls[0].place;
        cycle
            .calls
            .iter()
            .filter(|call| call.place == heavy)
            .count()
    };
    let moved = |(_, deed): &(u64, Deed)| matches!(deed, Deed::Sat { .. });
    assert!(record.deeds.iter().any(moved), "{record:?}");
    // What a core did is what its ranks ran, however busy the machine is beside them.
    let balance = |cycle| CycleMetrics::of(cycle, 4).map_or(0.0, |cycle| cycle.load_balance());
    let mut cycles = record.cycles.iter();
    let dealt = cycles.find(|cycle| sharing(cycle) == 2 && balance(cycle) < 0.85);
    assert!(dealt.is_some(), "{record:?}");
    let even = cycles.find(|cycle| sharing(cycle) == 1 && balance(cycle) >= 0.95);
    assert!(even.is_some(), "{record:?}");
    assert!(
        outcome.errors.contains("goes from processor") && outcome.errors.contains("load balance"),
        "{outcome:?}"
    );
}

/// Four ranks that compute, two to a core; those of the first core end long before the others.
#[test]
fn the_core_of_ranks_that_have_ended_is_given_to_the_others() {
    let Some(processors) = two_processors() else {
        return;
    };
    let script = "i=0; n=3000000; case $PAMIR_RANK in 0|3) n=150000;; esac; \
                  while [ $i -lt $n ]; do i=$((i+1)); done";
    let outcome = balanced_scripts(&processors, "4", script);
    let ended = |rank: usize| format!("rank {rank} has ended");
    assert!(
        outcome.errors.contains(&ended(0)) && outcome.errors.contains(&ended(3)),
        "{outcome:?}"
    );
    // Whether at once or after the next window: one of those two goes.
    let moved = |rank: usize| format!("rank {rank} goes from processor");
    assert!(
        outcome.errors.contains(&moved(1)) || outcome.errors.contains(&moved(2)),
        "{outcome:?}"
    );
}

#[test]
fn a_priority_that_somebody_sets_is_an_occasion() {
    let Some(processors) = two_processors() else {
        return;
    };
    let script = "sleep 0.5; [ $PAMIR_RANK = 1 ] && renice -n 3 -p $$ >/dev/null; sleep 1";
    let outcome = balanced_scripts(&processors, "2", script);
    assert!(
        outcome.errors.contains("rank 1 has another priority"),
        "{outcome:?}"
    );
}

#[test]
fn a_recorded_run_is_reported_and_replayed() {
    let Some(processors) = two_processors() else {
        return;
    };
    let (file, picture) = (temporary("recorded"), temporary("picture.svg"));
    let path = file.to_str().expect("a path of letters");
    Run::whole(uneven(&processors, &["--balance-record", path], 6)).success();
    let record = Record::read(&file).expect("the record was written");
    let metrics = RunMetrics::of(&record);
    assert!(
        metrics.cycles.len() >= 6 && metrics.unmeasured == 0,
        "{record:?}"
    );
    // Nothing moves where only a record was asked for.
    let still = |(_, deed): &(u64, Deed)| !matches!(deed, Deed::Sat { .. });
    assert!(record.deeds.iter().all(still), "{record:?}");
    let pamir = |arguments: &[&str]| {
        let mut run = Command::new(command("pamir"));
        run.args(arguments);
        Run::whole(run).success().to_string()
    };
    let plot = picture.to_str().expect("a path of letters");
    let report = pamir(&["report", path, "--plot", plot]);
    assert!(
        report.contains("load balance") && report.contains("4 ranks"),
        "{report}"
    );
    let svg = std::fs::read_to_string(&picture).expect("it was drawn");
    assert!(
        svg.starts_with("<svg") && svg.contains("rank 1, cycle"),
        "{svg}"
    );
    let table = pamir(&["simulate-balance", "--replay", path]);
    assert!(
        table.contains("4 ranks") && table.contains("shape recorded"),
        "{table}"
    );
    for file in [file, picture] {
        std::fs::remove_file(file).expect("it is there");
    }
}

#[test]
fn a_second_program_runs_beside_the_job_and_ends_with_it() {
    let Some(processors) = two_processors() else {
        return;
    };
    let marker = "the-gap-is-filled";
    let fill = format!("echo {marker}; exec sleep 1000");
    let options = ["--balance-report", "--fill-idle", &fill];
    let outcome = Run::whole(uneven(&processors, &options, 12));
    let output = outcome.success();
    assert!(output.contains(marker), "{outcome:?}");
    assert!(
        outcome.errors.contains("the second program ran in"),
        "{outcome:?}"
    );
}

/// Whether a process is stopped; none that is gone is.
fn is_stopped(process: &str) -> bool {
    let file = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    file.rsplit(") ")
        .next()
        .is_some_and(|fields| fields.starts_with('T'))
}

#[test]
fn a_second_program_is_stopped_but_for_the_gaps_where_that_is_asked_for() {
    let Some(processors) = two_processors() else {
        return;
    };
    let options = [
        "--fill-by",
        "gaps",
        "--fill-idle",
        "echo second $$; exec sleep 1000",
    ];
    let mut run = Run::start(uneven(&processors, &options, 100_000));
    let lines = run.lines("second", 1);
    let second = lines[0].trim_start_matches("second").trim().to_string();
    // Stopped, continued, and stopped again, however long cycles are on a busy machine.
    let watchdog = Instant::now() + Duration::from_secs(120);
    for stopped in [true, false, true] {
        while is_stopped(&second) != stopped {
            assert!(Instant::now() < watchdog, "{stopped} was never seen");
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    let launcher = nix::unistd::Pid::from_raw(run.launcher());
    nix::sys::signal::kill(launcher, nix::sys::signal::Signal::SIGTERM).expect("it runs");
    assert!(!run.finish().status.success());
}

#[test]
fn a_second_program_does_not_outlive_a_launcher_that_is_killed() {
    let Some(processors) = two_processors() else {
        return;
    };
    let mut run = Run::start(uneven(
        &processors,
        &["--fill-idle", "echo begun; exec sleep 1000"],
        100_000,
    ));
    run.lines("begun", 1);
    let launcher = nix::unistd::Pid::from_raw(run.launcher());
    // taskset has become mpiexec.
    nix::sys::signal::kill(launcher, nix::sys::signal::Signal::SIGKILL).expect("it runs");
    // Which waits until nothing of the run is left.
    assert!(!run.finish().status.success());
}

#[test]
fn where_no_share_can_be_moved_it_is_said_what_to_do() {
    let mut run = Command::new(command("mpiexec"));
    run.args(["-n", "1", "--balance", "--balance-report", "true"]);
    let outcome = Run::whole(run);
    let told = |words: &str| outcome.errors.contains(words);
    assert!(
        told("no share can be moved: start more ranks"),
        "{outcome:?}"
    );
    assert!(told("pamir_partition_create"), "{outcome:?}");
}

#[test]
fn ranks_that_are_not_bound_to_cores_cannot_be_balanced() {
    let mut run = Command::new(command("mpiexec"));
    run.args(["-n", "2", "--bind-to", "none", "--balance", "true"]);
    let outcome = Run::whole(run);
    assert!(!outcome.status.success());
    assert!(
        outcome
            .errors
            .contains("--balance moves ranks between cores"),
        "{outcome:?}"
    );
}
