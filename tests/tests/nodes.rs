//! Jobs of several nodes: ranks that share no memory, and the bridges between them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use pamir_tests::installation::{compile, compile_from};
use pamir_tests::random::Random;
use pamir_tests::run::{Outcome, Run};

/// From a rank's death to its launcher's end.
const REPORTED_WITHIN: Duration = Duration::from_secs(10);

/// `mpiexec -n RANKS --nodes NODES PROGRAM`.
fn on_nodes(ranks: usize, nodes: &str, program: &Path) -> Command {
    let mut command = Command::new(pamir_tests::installation::command("mpiexec"));
    command.args(["-n", &ranks.to_string(), "--nodes", nodes]);
    command.arg(program);
    command
}

fn by_tcp(mut command: Command) -> Command {
    let program = command.get_program().to_owned();
    let arguments: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
    command = Command::new(program);
    command.args(["--network", "tcp"]).args(arguments);
    command
}

fn pami(name: &str) -> PathBuf {
    compile_from("tests/programs", name, &["-lpami", "-lpthread"])
}

fn lines(outcome: &Outcome) -> Vec<&str> {
    let mut lines: Vec<_> = outcome.success().lines().collect();
    lines.sort_unstable();
    lines
}

#[test]
fn mpi_programs_run_on_nodes_that_share_no_memory() {
    let program = compile("nodes");
    for (ranks, nodes) in [(2, "2"), (4, "2"), (4, "4"), (6, "3")] {
        let mut command = on_nodes(ranks, nodes, &program);
        command.arg(nodes);
        assert_eq!(Run::whole(command).success(), "nodes: 0 failures\n");
    }
}

#[test]
fn tcp_joins_them_as_well() {
    let mut command = by_tcp(on_nodes(4, "2", &compile("nodes")));
    command.arg("2");
    assert_eq!(Run::whole(command).success(), "nodes: 0 failures\n");
}

#[test]
fn ranks_of_different_nodes_map_nothing_in_common() {
    let mut run = Run::start(on_nodes(4, "2:cyclic", &compile("exchange")));
    let started = run.lines("process ", 4);
    run.lines("exchanging ", 4);
    let mut segments: Vec<BTreeSet<String>> = vec![BTreeSet::new(); 4];
    for line in &started {
        let words: Vec<&str> = line.split_whitespace().collect();
        let maps = std::fs::read_to_string(format!("/proc/{}/maps", words[2])).unwrap();
        // Shared mappings, by inode.
        let shared = maps.lines().filter(|line| line.contains("rw-s"));
        let inodes = shared.filter_map(|line| line.split_whitespace().nth(4));
        segments[words[1].parse::<usize>().unwrap()].extend(inodes.map(String::from));
    }
    assert!(!segments[0].is_disjoint(&segments[2]), "{segments:?}");
    assert!(!segments[1].is_disjoint(&segments[3]), "{segments:?}");
    for (one, other) in [(0, 1), (0, 3), (2, 1), (2, 3)] {
        assert!(segments[one].is_disjoint(&segments[other]), "{segments:?}");
    }
    kill(Pid::from_raw(run.launcher()), Signal::SIGTERM).unwrap();
    run.finish();
}

#[test]
fn pami_programs_run_on_nodes_that_share_no_memory() {
    for (name, line) in [
        ("hello", "hello from task T of 4"),
        ("ping_pong", "task T: played"),
        ("put_get", "task T: put and got"),
    ] {
        let program = compile_from("bindings/pami/examples", name, &["-lpami"]);
        let expected: Vec<_> = (0..4)
            .map(|task| line.replace('T', &task.to_string()))
            .collect();
        for command in [
            on_nodes(4, "2", &program),
            by_tcp(on_nodes(4, "4", &program)),
        ] {
            assert_eq!(lines(&Run::whole(command)), expected, "{name}");
        }
    }
}

#[test]
fn every_call_of_pami_is_the_same_between_nodes() {
    for name in [
        "pami_calls",
        "pami_types",
        "pami_collectives",
        "pami_collective_calls",
    ] {
        let outcome = Run::whole(on_nodes(4, "2", &pami(name)));
        let expected: Vec<_> = (0..4)
            .map(|task| format!("task {task} of 4: 0 failures"))
            .collect();
        assert_eq!(lines(&outcome), expected, "{name}");
    }
    let outcome = Run::whole(on_nodes(4, "2", &pami("pami_accumulate")));
    assert_eq!(outcome.success(), "added\n");
}

#[test]
fn clients_and_contexts_are_told_apart_between_nodes() {
    let program = compile_from("bindings/pami/examples", "clients", &["-lpami"]);
    let outcome = Run::whole(on_nodes(4, "2", &program));
    let found = lines(&outcome);
    let expected = ["monitor: 16 words, 0 wrong", "solver: 16 words, 0 wrong"];
    assert_eq!(found.len(), 8);
    assert!(
        found.iter().all(|line| expected.contains(line)),
        "{found:?}"
    );
    let outcome = Run::whole(on_nodes(4, "2", &pami("pami_contexts")));
    let expected: Vec<_> = (0..4).map(|task| format!("task {task}: 0 wrong")).collect();
    assert_eq!(lines(&outcome), expected);
    let outcome = Run::whole(on_nodes(4, "2", &pami("pami_beside_mpi")));
    assert_eq!(outcome.success(), "beside MPI 4: 0 failures\n");
}

#[test]
fn the_engine_of_a_node_leaves_other_nodes_to_packets() {
    let mut command = on_nodes(4, "2", &pami("pami_calls"));
    command.env("PAMIR_ENGINE", "node");
    Run::whole(command).success();
}

#[test]
fn a_task_of_another_node_that_has_left_is_told_of() {
    let mut command = on_nodes(2, "2", &pami("pami_peer_failure"));
    command.arg("left");
    assert_eq!(Run::whole(command).success(), "told 9\n");
}

/// Kills one process of a running job, and looks how it ends.
fn kill_one(mut run: Run, ranks: usize, random: &mut Random) {
    let started = run.lines("process ", ranks);
    run.lines("exchanging ", ranks);
    std::thread::sleep(Duration::from_micros(random.below(30_000)));
    let line = &started[random.below(ranks as u64) as usize];
    let process = line.rsplit(' ').next().and_then(|word| word.parse().ok());
    let killed = Instant::now();
    kill(
        Pid::from_raw(process.expect("a process id")),
        Signal::SIGKILL,
    )
    .expect("it runs");
    let outcome = run.finish();
    let took = outcome.ended.duration_since(killed);
    let context = format!("seed {}: {outcome:?}", random.seed());
    assert!(took < REPORTED_WITHIN, "{took:?}; {context}");
    assert_eq!(outcome.status.code(), Some(128 + 9), "{context}");
}

#[test]
fn a_rank_killed_on_any_node_ends_the_job() {
    let mut random = Random::seeded();
    for nodes in ["2", "4", "2:cyclic"] {
        let run = Run::start(on_nodes(4, nodes, &compile("exchange")));
        kill_one(run, 4, &mut random);
        let run = Run::start(by_tcp(on_nodes(4, nodes, &pami("pami_endless"))));
        kill_one(run, 4, &mut random);
    }
}

#[test]
fn a_killed_launcher_takes_all_nodes_with_it() {
    let mut run = Run::start(on_nodes(4, "2", &compile("exchange")));
    run.lines("exchanging ", 4);
    kill(Pid::from_raw(run.launcher()), Signal::SIGKILL).unwrap();
    // It asserts that no process is left.
    run.finish();
}

/// Shuts a connection between nodes down, which are the launcher's sockets: as if a cable were drawn.
fn break_connection(launcher: i32) {
    let entries = std::fs::read_dir(format!("/proc/{launcher}/fd")).expect("the launcher runs");
    let descriptors = entries.filter_map(|entry| {
        let entry = entry.ok()?;
        let link = std::fs::read_link(entry.path()).ok()?;
        let is_socket = link.to_string_lossy().starts_with("socket:");
        is_socket.then(|| entry.file_name().to_string_lossy().parse::<i32>().ok())?
    });
    // SAFETY: plain system calls with numbers; the launcher is a child of this process, which may
    // have its descriptors.
    let shut = descriptors.filter(|descriptor| unsafe {
        let process = libc::syscall(libc::SYS_pidfd_open, launcher, 0);
        let socket = libc::syscall(libc::SYS_pidfd_getfd, process, *descriptor, 0) as i32;
        // The launcher may have closed it in between.
        let error = std::io::Error::last_os_error();
        let is_closed = socket < 0 && error.raw_os_error() == Some(libc::EBADF);
        assert!(socket >= 0 || is_closed, "{error}");
        libc::shutdown(socket, libc::SHUT_RDWR) == 0
    });
    assert!(shut.count() > 0, "there is no connection to break");
}

#[test]
fn a_connection_that_breaks_ends_the_job() {
    let mut run = Run::start(by_tcp(on_nodes(4, "2", &compile("exchange"))));
    run.lines("exchanging ", 4);
    let broken = Instant::now();
    break_connection(run.launcher());
    let outcome = run.finish();
    let took = outcome.ended.duration_since(broken);
    assert!(took < REPORTED_WITHIN, "{took:?}: {outcome:?}");
    assert_eq!(outcome.status.code(), Some(1), "{outcome:?}");
    assert!(
        outcome.errors.contains("has lost its connection to node"),
        "{outcome:?}"
    );
}

#[test]
fn what_cannot_be_divided_is_refused() {
    let program = compile("sum");
    for (arguments, reason) in [
        (vec!["--nodes", "3"], "the job has 2 ranks"),
        (
            vec!["--nodes", "2", "--balance"],
            "leave one of the two out",
        ),
        (vec!["--nodes", "2:random"], "`random` is no order"),
        (
            vec!["--nodes", "2", "--network", "192.0.2.1"],
            "cannot listen",
        ),
        (vec!["--network", "smoke"], "`smoke` is no network"),
    ] {
        let mut command = Command::new(pamir_tests::installation::command("mpiexec"));
        command.args(arguments).args(["-n", "2"]).arg(&program);
        let outcome = Run::whole(command);
        assert!(!outcome.status.success(), "{outcome:?}");
        assert!(outcome.errors.contains(reason), "{reason}: {outcome:?}");
    }
}

#[test]
fn balancing_between_nodes_is_refused_and_named() {
    let outcome = Run::whole(on_nodes(2, "2", &compile("balanced")));
    assert!(!outcome.status.success(), "{outcome:?}");
    assert!(
        outcome.errors.contains("are on different nodes"),
        "{outcome:?}"
    );
    let class = "Invalid communicator";
    assert!(outcome.errors.contains(class), "{outcome:?}");
}
