//! The status of running jobs: `pamir jobs`, and the socket that it asks.

use std::io::{Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use pamir_tests::installation::{command, compile};
use pamir_tests::run::{Outcome, PATIENCE, Run, mpiexec};
use serde_json::Value;

/// A folder for the sockets of one test alone; the launcher makes it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static SERIAL: AtomicUsize = AtomicUsize::new(0);
        let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
        let name = format!("pamir-test-status-{}-{serial}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    /// Starts a job whose socket is here.
    fn start(&self, mut command: Command) -> Run {
        Run::start({
            command.env("PAMIR_STATUS", &self.0);
            command
        })
    }

    fn sockets(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(&self.0).into_iter().flatten();
        entries
            .map(|entry| entry.expect("it is read").path())
            .collect()
    }

    /// `pamir jobs` with arguments.
    fn jobs(&self, arguments: &[&str]) -> Output {
        let mut pamir = Command::new(command("pamir"));
        pamir
            .arg("jobs")
            .args(arguments)
            .env("PAMIR_STATUS", &self.0);
        pamir.output().expect("pamir is installed")
    }

    fn text(&self, arguments: &[&str]) -> String {
        let output = self.jobs(arguments);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).expect("text")
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let text = self.text(arguments);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// What the only job's socket answers.
    fn ask(&self, request: &[u8]) -> Option<Value> {
        let mut stream = UnixStream::connect(self.sockets().first()?).ok()?;
        stream.write_all(request).ok()?;
        stream.shutdown(Shutdown::Write).ok()?;
        let mut text = String::new();
        stream.read_to_string(&mut text).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// Asks until the job is so.
    fn await_job(&self, is_so: impl Fn(&Value) -> bool) -> Value {
        let begin = Instant::now();
        loop {
            let job = self.ask(b"status\n");
            match job {
                Some(job) if is_so(&job) => return job,
                job => assert!(begin.elapsed() < PATIENCE, "{job:?}"),
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The states of all ranks.
fn states(job: &Value) -> Vec<&str> {
    let ranks = job["ranks"].as_array().expect("a list");
    ranks
        .iter()
        .map(|rank| rank["state"].as_str().unwrap_or("?"))
        .collect()
}

fn pid(job: &Value, rank: usize) -> Pid {
    let number = job["ranks"][rank]["pid"].as_i64().expect("a number");
    Pid::from_raw(i32::try_from(number).expect("a process's"))
}

fn end(run: Run) -> Outcome {
    kill(Pid::from_raw(run.launcher()), Signal::SIGTERM).expect("it runs");
    run.finish()
}

#[test]
fn a_job_is_listed_while_it_runs() {
    let folder = Folder::new();
    assert_eq!(folder.text(&[]), "no job of this user runs here\n");
    assert_eq!(folder.json(&["--json"]), serde_json::json!([]));
    let mut command = mpiexec(4, &compile("wait"));
    command.arg("with argument");
    let mut run = folder.start(command);
    run.lines("waiting ", 4);
    folder.await_job(|job| states(job) == ["running", "waiting", "waiting", "waiting"]);
    let listed = folder.json(&["--json"]);
    assert_eq!(listed.as_array().map(Vec::len), Some(1));
    let job = &listed[0];
    assert_eq!(
        (&job["job"], &job["state"]),
        (&run.launcher().into(), &"running".into())
    );
    let words = job["command"].as_array().expect("a list");
    assert_eq!(words.last(), Some(&Value::from("with argument")));
    let processes = run.processes();
    for rank in 0..4 {
        assert!(processes.contains(&pid(job, rank).as_raw()), "{job}");
        let known = &job["ranks"][rank];
        assert_eq!((&known["rank"], &known["node"]), (&rank.into(), &0.into()));
        assert!(
            known["processors"]
                .as_array()
                .is_some_and(|all| !all.is_empty()),
            "{job}"
        );
        assert!(known["resident_bytes"].as_u64() > Some(100_000), "{job}");
    }
    let id = run.launcher().to_string();
    assert_eq!(folder.json(&[&id, "--json"])["job"], job["job"]);
    let table = folder.text(&[]);
    assert!(table.starts_with("ID") && table.contains(&id), "{table}");
    assert!(
        table.contains("running") && table.contains("'with argument'"),
        "{table}"
    );
    let table = folder.text(&[&id]);
    let rows = table
        .lines()
        .filter(|line| line.contains("waiting"))
        .count();
    assert_eq!(rows, 3, "{table}");
    let other = folder.jobs(&["1"]);
    assert_eq!(other.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&other.stderr).contains("no job of this user has the number 1")
    );
    let path = folder.sockets().remove(0);
    let mode = folder
        .0
        .metadata()
        .expect("the folder is there")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o700);
    end(run);
    assert!(!path.exists() && !folder.0.exists());
}

#[test]
fn ranks_are_seen_in_their_states_until_the_job_has_ended() {
    let folder = Folder::new();
    let mut run = folder.start(mpiexec(4, &compile("watched")));
    run.lines("here ", 4);
    let job = folder.await_job(|job| states(job) == ["running", "waiting", "starting", "exited"]);
    assert_eq!(job["ranks"][3]["exit_code"], 0);
    assert_eq!(job["ranks"][3]["processors"], Value::Null);
    let stopped = pid(&job, 0);
    kill(stopped, Signal::SIGSTOP).expect("it runs");
    folder.await_job(|job| states(job)[0] == "stopped");
    kill(stopped, Signal::SIGCONT).expect("it runs");
    folder.await_job(|job| states(job)[0] == "running");
    kill(pid(&job, 2), Signal::SIGKILL).expect("it runs");
    // The others do not hear that they shall end, and have a second.
    let job = folder.await_job(|job| states(job)[2] == "killed");
    assert_eq!(
        (&job["state"], &job["exit_code"]),
        (&"ending".into(), &137.into()),
        "{job}"
    );
    let killed = &job["ranks"][2];
    assert_eq!(
        (&killed["signal"], &killed["signal_name"]),
        (&9.into(), &"SIGKILL".into())
    );
    assert_eq!(run.finish().status.code(), Some(137));
    assert!(!folder.0.exists());
}

#[test]
fn the_ranks_of_all_nodes_are_shown() {
    let folder = Folder::new();
    let mut command = Command::new(command("mpiexec"));
    command
        .args(["-n", "4", "--nodes", "2"])
        .arg(compile("wait"));
    let mut run = folder.start(command);
    run.lines("waiting ", 4);
    let job = folder.await_job(|job| states(job) == ["running", "waiting", "waiting", "waiting"]);
    let ranks = job["ranks"].as_array().expect("a list");
    let nodes: Vec<_> = ranks
        .iter()
        .filter_map(|rank| rank["node"].as_u64())
        .collect();
    assert_eq!((nodes, &job["nodes"]), (vec![0, 0, 1, 1], &2.into()));
    assert!(folder.text(&[&run.launcher().to_string()]).contains("NODE"));
    end(run);
}

#[test]
fn interrupts_and_what_went_through_lanes_are_counted() {
    let folder = Folder::new();
    let mut run = folder.start(mpiexec(2, &compile("counted")));
    run.lines("received", 1);
    // A quarter of a ring may not have been published.
    let job = folder.await_job(|job| {
        let counters = &job["ranks"][1]["counters"];
        counters["lane_bytes_received"].as_u64() > Some(5_000_000)
    });
    let sender = &job["ranks"][0]["counters"];
    assert!(sender["interrupts"].as_u64() > Some(0), "{job}");
    assert!(
        sender["descriptors_moved"].as_u64() > sender["interrupts"].as_u64(),
        "{job}"
    );
    assert!(
        sender["lane_bytes_sent"].as_u64() > Some(5_000_000),
        "{job}"
    );
    assert_eq!(job["ranks"][1]["counters"]["interrupts"], 0, "{job}");
    end(run);
}

#[test]
fn clients_that_say_nothing_or_nonsense_change_nothing() {
    let folder = Folder::new();
    let mut run = folder.start(mpiexec(1, &compile("wait")));
    run.lines("waiting ", 1);
    let path = folder.await_job(|_| true);
    assert_eq!(path["ranks"][0]["state"], "running");
    let socket = folder.sockets().remove(0);
    let _silent: Vec<_> = (0..8)
        .map(|_| UnixStream::connect(&socket).expect("it listens"))
        .collect();
    for nonsense in [
        &b"\n"[..],
        b"",
        b"\0\xff\n",
        b"GET / HTTP/1.1\r\n\r\n",
        &[b'x'; 900],
    ] {
        let refusal = folder.ask(nonsense).expect("an answer");
        let error = refusal["error"].as_str().expect("a refusal");
        assert!(error.contains("\"status\""), "{refusal}");
    }
    assert!(folder.ask(b"status").is_some());
    let began = Instant::now();
    end(run);
    assert!(began.elapsed() < PATIENCE && !folder.0.exists());
}

/// The guard of a launcher: its child of that name, which it gives itself once it runs.
fn guard_of(launcher: i32) -> Pid {
    let is_guard = |process: &str| {
        let name = std::fs::read_to_string(format!("/proc/{process}/comm"));
        name.is_ok_and(|name| name.trim() == "mpiexec-guard")
    };
    let begin = Instant::now();
    loop {
        let children = format!("/proc/{launcher}/task/{launcher}/children");
        let children = std::fs::read_to_string(children).expect("it runs");
        let guard = children
            .split_whitespace()
            .find(|process| is_guard(process));
        if let Some(guard) = guard.and_then(|guard| guard.parse().ok()) {
            return Pid::from_raw(guard);
        }
        assert!(
            begin.elapsed() < PATIENCE,
            "there is no guard among {children}"
        );
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn kill_launcher(run: Run) {
    kill(Pid::from_raw(run.launcher()), Signal::SIGKILL).expect("it runs");
    run.finish();
}

fn waiting(folder: &Folder, program: &Path) -> Run {
    let mut run = folder.start(mpiexec(2, program));
    run.lines("waiting ", 2);
    folder.await_job(|job| job["state"] == "running");
    run
}

#[test]
fn the_socket_of_a_killed_launcher_is_removed() {
    let (folder, program) = (Folder::new(), compile("wait"));
    let run = waiting(&folder, &program);
    kill_launcher(run);
    let begin = Instant::now();
    while !folder.sockets().is_empty() {
        assert!(begin.elapsed() < PATIENCE, "its guard has left it");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn sockets_that_nobody_removed_are_swept() {
    let (folder, program) = (Folder::new(), compile("wait"));
    let leave_one = || {
        let run = waiting(&folder, &program);
        kill(guard_of(run.launcher()), Signal::SIGKILL).expect("it runs");
        kill_launcher(run);
        assert_eq!(folder.sockets().len(), 1);
        folder.sockets().remove(0)
    };
    let left = leave_one();
    assert_eq!(folder.text(&[]), "no job of this user runs here\n");
    assert!(!left.exists());
    // The next launcher looks, too.
    let left = leave_one();
    let run = waiting(&folder, &program);
    assert!(!left.exists() && folder.sockets().len() == 1);
    end(run);
    assert!(!folder.0.exists());
}

#[test]
fn a_job_runs_without_a_socket_as_well() {
    let folder = Folder::new();
    std::fs::create_dir(&folder.0).expect("there is room");
    std::fs::set_permissions(&folder.0, PermissionsExt::from_mode(0o755)).expect("it is ours");
    let (program, words) = (compile("sum"), "the job has no status for `pamir jobs`");
    let run = |option: Option<&str>| {
        let mut command = Command::new(command("mpiexec"));
        command.args(option).args(["-n", "2"]).arg(&program);
        let outcome = folder.start(command).finish();
        outcome.success();
        outcome.errors.matches(words).count()
    };
    assert_eq!((run(None), run(Some("--verbose"))), (0, 1));
    assert!(folder.sockets().is_empty());
    let output = folder.jobs(&[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("mode 0700"),
        "{output:?}"
    );
    let mut off = Command::new(command("pamir"));
    let output = off.arg("jobs").env("PAMIR_STATUS", "off").output();
    assert_eq!(output.expect("pamir is installed").status.code(), Some(1));
}
