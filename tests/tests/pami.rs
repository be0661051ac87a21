//! Programs of PAMI: the examples, every call, other libraries beside it, threads, killed tasks.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use pamir_tests::installation::{compile_from, prefix, sources};
use pamir_tests::random::Random;
use pamir_tests::run::{Outcome, Run, mpiexec};

/// From a task's death to its launcher's end.
const REPORTED_WITHIN: Duration = Duration::from_secs(10);

fn example(name: &str) -> PathBuf {
    compile_from("bindings/pami/examples", name, &["-lpami"])
}

fn program(name: &str) -> PathBuf {
    compile_from("tests/programs", name, &["-lpami", "-lpthread"])
}

/// Runs a program on 1, 2 and 4 tasks; its lines, in alphabetical order, are those of `expected`.
fn expect_lines(program: &Path, expected: impl Fn(usize) -> Vec<String>) {
    for tasks in [1, 2, 4] {
        let outcome = Run::whole(mpiexec(tasks, program));
        let mut lines: Vec<_> = outcome.success().lines().collect();
        lines.sort_unstable();
        assert_eq!(lines, expected(tasks), "{tasks} tasks");
    }
}

fn each(tasks: usize, line: impl Fn(usize) -> String) -> Vec<String> {
    (0..tasks).map(line).collect()
}

#[test]
fn every_task_says_hello() {
    expect_lines(&example("hello"), |tasks| {
        each(tasks, |task| format!("hello from task {task} of {tasks}"))
    });
}

#[test]
fn callbacks_play_ping_pong() {
    expect_lines(&example("ping_pong"), |tasks| {
        each(tasks, |task| format!("task {task}: played"))
    });
}

#[test]
fn numbers_are_put_and_got() {
    expect_lines(&example("put_get"), |tasks| {
        each(tasks, |task| format!("task {task}: put and got"))
    });
}

#[test]
fn clients_do_not_hear_each_other() {
    expect_lines(&example("clients"), |tasks| {
        let words = 4 * tasks;
        let lines = ["monitor", "solver"].map(|name| format!("{name}: {words} words, 0 wrong"));
        lines
            .into_iter()
            .flat_map(|line| vec![line; tasks])
            .collect()
    });
}

fn expect_no_failures(name: &str) {
    expect_lines(&program(name), |tasks| {
        each(tasks, |task| format!("task {task} of {tasks}: 0 failures"))
    });
}

#[test]
fn every_call_does_what_it_says() {
    expect_no_failures("pami_calls");
}

#[test]
fn every_collective_is_right_by_every_algorithm() {
    expect_no_failures("pami_collectives");
}

#[test]
fn active_collectives_call_and_tell_whom_they_should() {
    expect_no_failures("pami_active_collectives");
}

#[test]
fn types_of_the_program_are_moved_and_combined_by_every_algorithm() {
    expect_no_failures("pami_collective_types");
}

#[test]
fn extensions_of_other_machines_do_what_they_say() {
    expect_no_failures("pami_extensions");
}

#[test]
fn a_process_is_in_several_domains_with_other_tasks_in_each() {
    let table = "left=tasks:2+0,contexts:2,slots:16,path:packets;\
                 right=tasks:1-3,contexts:1,slots:8,criterion:drained,engine:node";
    let run = |tasks| {
        let mut command = mpiexec(tasks, &program("pami_domains"));
        command.env("PAMIR_CLIENTS", table);
        command.env("PAMIR_DRIVER_REPORT", "1");
        Run::whole(command)
    };
    let outcome = run(4);
    let mut lines: Vec<_> = outcome.success().lines().collect();
    lines.sort_unstable();
    let domains = [2, 2, 3, 2];
    let line = |task: usize| format!("task {task} in {} domains: 0 failures", domains[task]);
    assert_eq!(lines, each(4, line));
    // What each client has shows in what it did: packets that waited, criteria, and whose puts were moved.
    for shown in [
        "(16 slots, memory-fifo",
        "(8 slots, drained",
        "moved 3 transfers, 3145728 bytes",
    ] {
        assert!(outcome.errors.contains(shown), "{shown}: {outcome:?}");
    }
    let outcome = run(3);
    assert!(!outcome.status.success(), "{outcome:?}");
    assert!(
        outcome.errors.contains("there is no task 3 in a job of 3"),
        "{outcome:?}"
    );
}

#[test]
fn algorithms_are_measured_kept_in_a_file_and_advised() {
    let name = format!("pamir-selection-{}", std::process::id());
    let directory = std::env::temp_dir().join(name);
    for tasks in [1, 2, 4] {
        std::fs::create_dir_all(&directory).unwrap();
        let mut command = mpiexec(tasks, &program("pami_selection"));
        command.args(["own.toml", "measured.toml"].map(|file| directory.join(file)));
        let outcome = Run::whole(command);
        assert_eq!(outcome.success().matches(": 0 failures").count(), tasks);
        std::fs::remove_dir_all(&directory).unwrap();
    }
}

#[test]
fn messages_that_come_early_are_kept_for_who_receives_them() {
    expect_no_failures("pami_early");
}

#[test]
fn puts_and_gets_tell_the_other_task_when_it_advances() {
    expect_no_failures("pami_notify");
}

#[test]
fn collectives_are_right_in_a_torus_of_the_programs_shape() {
    for (shape, tasks) in [("2x2", 4), ("3", 3), ("2", 4)] {
        let mut command = mpiexec(tasks, &program("pami_collectives"));
        command.env("PAMIR_TORUS", shape);
        let outcome = Run::whole(command);
        let mut lines: Vec<_> = outcome.success().lines().collect();
        lines.sort_unstable();
        let expected = each(tasks, |task| format!("task {task} of {tasks}: 0 failures"));
        assert_eq!(lines, expected, "{shape}");
    }
}

#[test]
fn a_torus_without_a_shape_is_refused() {
    let mut command = mpiexec(2, &example("hello"));
    command.env("PAMIR_TORUS", "2xtwo");
    let outcome = Run::whole(command);
    assert!(!outcome.status.success(), "{outcome:?}");
    assert!(
        outcome
            .errors
            .contains(r#"PAMIR_TORUS="2xtwo" is no shape"#),
        "{outcome:?}"
    );
}

#[test]
fn collective_calls_combine_overlap_refuse_and_end() {
    expect_no_failures("pami_collective_calls");
}

#[test]
fn all_tasks_sum_their_squares() {
    let program = example("collective");
    for tasks in [1, 2, 4] {
        let outcome = Run::whole(mpiexec(tasks, &program));
        let (sums, mut algorithms): (Vec<_>, Vec<_>) = outcome
            .success()
            .lines()
            .partition(|line| line.starts_with("task "));
        let sum: usize = (0..tasks).map(|task| task * task).sum();
        for task in 0..tasks {
            let line = format!("task {task}: sum {sum}");
            assert!(sums.contains(&line.as_str()), "{sums:?}");
        }
        assert_eq!(algorithms.remove(0), "Pamir:ALLREDUCE:selected");
        assert!(algorithms.contains(&"Pamir:ALLREDUCE:rabenseifner"));
        assert!(algorithms.contains(&"Pamir:ALLREDUCE:torus (commutative functions only)"));
        assert!(algorithms.contains(&"Pamir:ALLREDUCE:ring (commutative functions only)"));
    }
}

#[test]
fn every_call_works_where_the_kernel_copies_nothing() {
    let mut command = mpiexec(2, &program("pami_calls"));
    command.env("PAMIR_NO_KERNEL_COPY", "1");
    let outcome = Run::whole(command);
    assert_eq!(outcome.success().matches(": 0 failures").count(), 2);
}

#[test]
fn types_describe_what_every_transfer_moves() {
    expect_lines(&program("pami_types"), |tasks| {
        each(tasks, |task| format!("task {task} of {tasks}: 0 failures"))
    });
}

#[test]
fn types_work_where_the_kernel_copies_nothing() {
    let mut command = mpiexec(2, &program("pami_types"));
    command.env("PAMIR_NO_KERNEL_COPY", "1");
    let outcome = Run::whole(command);
    assert_eq!(outcome.success().matches(": 0 failures").count(), 2);
}

#[test]
fn addresses_without_memory_are_told_and_kill_nobody() {
    expect_no_failures("pami_addresses");
    let mut command = mpiexec(2, &program("pami_addresses"));
    command.env("PAMIR_NO_KERNEL_COPY", "1");
    let outcome = Run::whole(command);
    assert_eq!(outcome.success().matches(": 0 failures").count(), 2);
}

#[test]
fn threads_share_contexts() {
    expect_lines(&program("pami_threads"), |tasks| {
        each(tasks, |task| format!("task {task}: all once"))
    });
}

#[test]
fn threads_with_contexts_of_their_own_need_no_lock() {
    expect_lines(&program("pami_contexts"), |tasks| {
        each(tasks, |task| format!("task {task}: 0 wrong"))
    });
}

#[test]
fn mpi_works_beside_it_whoever_comes_first() {
    for first in [false, true] {
        for tasks in [1, 2, 4] {
            let mut command = mpiexec(tasks, &program("pami_beside_mpi"));
            command.args(first.then_some("first"));
            let outcome = Run::whole(command);
            assert_eq!(
                outcome.success(),
                format!("beside MPI {tasks}: 0 failures\n")
            );
        }
    }
}

#[test]
fn a_program_without_a_launcher_is_one_task() {
    let outcome = Run::whole(Command::new(example("hello")));
    assert_eq!(outcome.success(), "hello from task 0 of 1\n");
}

#[test]
fn the_number_of_contexts_is_configured_by_the_clients_name() {
    let mut command = mpiexec(2, &program("pami_calls"));
    command.env("PAMIR_CONTEXTS", "other=5,calls=2");
    Run::whole(command).success();
    let mut command = mpiexec(1, &program("pami_calls"));
    command.env("PAMIR_CONTEXTS", "calls=1");
    // It makes two.
    assert!(!Run::whole(command).status.success());
}

/// Kills a task of a job that exchanges messages, at some moment.
fn kill_a_task(
    tasks: usize,
    engine: &str,
    collectively: bool,
    random: &mut Random,
) -> (Outcome, Duration) {
    let mut command = mpiexec(tasks, &program("pami_endless"));
    command.env("PAMIR_ENGINE", engine);
    command.args(collectively.then_some("collectively"));
    let mut run = Run::start(command);
    let lines = run.lines("process ", tasks);
    run.lines("exchanging ", tasks);
    std::thread::sleep(Duration::from_micros(random.below(30_000)));
    let line = &lines[random.below(tasks as u64) as usize];
    let process = line.rsplit(' ').next().and_then(|word| word.parse().ok());
    let killed = Instant::now();
    let process = process.expect("the line ends with a process id");
    kill(Pid::from_raw(process), Signal::SIGKILL).expect("the process runs");
    let outcome = run.finish();
    let took = outcome.ended.duration_since(killed);
    (outcome, took)
}

#[test]
fn a_killed_task_ends_the_job() {
    end_jobs(false);
}

#[test]
fn a_task_killed_in_a_collective_operation_ends_the_job() {
    end_jobs(true);
}

#[test]
fn what_comes_is_added_to_what_is_there() {
    for tasks in [1, 2, 4] {
        for no_kernel_copy in [false, true] {
            let mut command = mpiexec(tasks, &program("pami_accumulate"));
            if no_kernel_copy {
                command.env("PAMIR_NO_KERNEL_COPY", "1");
            }
            assert_eq!(Run::whole(command).success(), "added\n");
        }
    }
}

#[test]
fn one_engine_of_the_node_moves_the_puts_and_gets_of_all_tasks() {
    for tasks in [2, 4] {
        for name in ["pami_calls", "pami_types"] {
            let mut command = mpiexec(tasks, &program(name));
            command.env("PAMIR_ENGINE", "node");
            Run::whole(command).success();
        }
        let mut command = mpiexec(tasks, &example("put_get"));
        command.env("PAMIR_ENGINE", "node");
        let outcome = Run::whole(command);
        let mut lines: Vec<_> = outcome.success().lines().collect();
        lines.sort_unstable();
        assert_eq!(
            lines,
            each(tasks, |task| format!("task {task}: put and got"))
        );
    }
}

#[test]
fn whoever_waits_for_the_engine_of_a_node_that_is_killed_ends() {
    let mut random = Random::seeded();
    for tasks in [2, 4] {
        let (outcome, took) = kill_a_task(tasks, "node", false, &mut random);
        assert!(took < REPORTED_WITHIN, "{took:?}: {outcome:?}");
        assert_eq!(outcome.status.code(), Some(128 + 9), "{outcome:?}");
    }
}

#[test]
fn tasks_have_neighbours_in_a_torus() {
    for (shape, tasks, line) in [
        ("2x2", 4, "around"),
        ("3x2", 6, "around"),
        ("2", 4, "around"),
        // The most even one.
        ("", 1, "around"),
        ("", 2, "around"),
        ("", 4, "around"),
    ] {
        let mut command = mpiexec(tasks, &program("pami_torus"));
        command.env("PAMIR_TORUS", shape);
        let outcome = Run::whole(command);
        let mut lines: Vec<_> = outcome.success().lines().collect();
        lines.sort_unstable();
        let expected = each(tasks, |task| format!("task {task}: {line}"));
        assert_eq!(lines, expected, "{shape}");
    }
}

#[test]
fn a_torus_that_the_job_does_not_fill_is_refused() {
    let mut command = mpiexec(4, &program("pami_torus"));
    command.env("PAMIR_TORUS", "3");
    let outcome = Run::whole(command);
    let said = "PAMIR_TORUS is \"3\", which has 3 places";
    assert!(
        !outcome.status.success() && outcome.errors.contains(said),
        "{outcome:?}"
    );
}

/// The program in which one task waits for another that is gone.
const DEPARTED: &str = "pami_peer_failure";

#[test]
fn whoever_waits_for_a_task_that_has_left_is_told() {
    for no_kernel_copy in [false, true] {
        let mut command = mpiexec(2, &program(DEPARTED));
        command.arg("left");
        if no_kernel_copy {
            command.env("PAMIR_NO_KERNEL_COPY", "1");
        }
        assert_eq!(Run::whole(command).success(), "told 9\n");
    }
}

#[test]
fn whoever_waits_for_a_killed_task_is_told() {
    let mut command = mpiexec(2, &program(DEPARTED));
    command.arg("killed");
    let mut run = Run::start(command);
    let line = run.lines("process ", 1);
    let process = line[0]
        .rsplit(' ')
        .next()
        .and_then(|word| word.parse().ok());
    let process = process.expect("the line ends with a process id");
    kill(Pid::from_raw(process), Signal::SIGKILL).expect("the process runs");
    let outcome = run.finish();
    assert!(outcome.output.contains("told 9\n"), "{outcome:?}");
    assert_eq!(outcome.status.code(), Some(128 + 9), "{outcome:?}");
}

fn end_jobs(collectively: bool) {
    let mut random = Random::seeded();
    for tasks in [2, 4, 2, 4, 2, 4] {
        let (outcome, took) = kill_a_task(tasks, "", collectively, &mut random);
        assert!(
            took < REPORTED_WITHIN,
            "{took:?} after the kill: {outcome:?}"
        );
        assert_eq!(outcome.status.code(), Some(128 + 9), "{outcome:?}");
        assert!(outcome.errors.contains("SIGKILL"), "{outcome:?}");
    }
}

/// What `nm` says the library exports.
fn exported() -> BTreeSet<String> {
    let output = Command::new("nm")
        .args(["-D", "--defined-only", "--format=posix"])
        .arg(prefix().join("lib/libpami.so"))
        .output()
        .expect("binutils are installed");
    let text = String::from_utf8(output.stdout).expect("names are ASCII");
    let names = text.lines().filter_map(|line| line.split(' ').next());
    names
        .filter(|name| name.starts_with("PAMI"))
        .map(String::from)
        .collect()
}

#[test]
fn the_header_declares_what_the_library_exports() {
    let header = std::fs::read_to_string(sources().join("bindings/pami/include/pami.h")).unwrap();
    let exported = exported();
    assert!(exported.len() > 50, "{exported:?}");
    let declared: BTreeSet<_> = header
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .filter(|word| word.starts_with("PAMI_"))
        .filter(|word| {
            let function = [" ", "*"].map(|before| format!("{before}{word}("));
            let variable = format!(" {word};");
            let lines = header.lines().filter(|line| line.starts_with("extern "));
            function.iter().any(|text| header.contains(text))
                || lines.into_iter().any(|line| line.contains(&variable))
        })
        .map(String::from)
        .collect();
    assert_eq!(declared, exported);
}

#[test]
fn pkg_config_finds_it() {
    let output = Command::new("pkg-config")
        .env("PKG_CONFIG_PATH", prefix().join("lib/pkgconfig"))
        .args(["--cflags", "--libs", "pami"])
        .output()
        .unwrap();
    let flags = String::from_utf8(output.stdout).unwrap();
    assert!(
        flags.contains("-lpami") && flags.contains("/include"),
        "{flags}"
    );
}
