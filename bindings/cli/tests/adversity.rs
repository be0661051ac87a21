//! Commands whose output goes nowhere, whose readers stall, and whose limits are low: nothing is
//! lost without a word, and nothing hangs.
//!
//! Every run has a limit of its own: a launcher that hangs fails its test instead of the suite.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

const MPIEXEC: &str = env!("CARGO_BIN_EXE_mpiexec");

/// Longer than any of these jobs may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

fn mpiexec(arguments: &[&str]) -> Command {
    let mut command = Command::new(MPIEXEC);
    command.args(arguments).stdin(Stdio::null());
    command
}

/// `mpiexec`, run by a shell after `first`, with the arguments in `words`.
fn after(first: &str, words: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{first}; exec {MPIEXEC} {words}")]);
    command.stdin(Stdio::null());
    command
}

/// `mpiexec`, started with SIGCHLD ignored, which a shell's `trap` does not hand on.
fn ignoring_ends(arguments: &[&str]) -> Command {
    let mut command = Command::new("env");
    command.args(["--ignore-signal=CHLD", MPIEXEC]);
    command.args(arguments).stdin(Stdio::null());
    command
}

fn full() -> File {
    File::options().write(true).open("/dev/full").unwrap()
}

/// Waits with patience; a command that does not end is killed, and fails its test.
fn end(child: &mut Child) -> ExitStatus {
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    panic!("it did not end");
}

/// The exit code and what was said on standard error.
fn outcome(command: &mut Command) -> (Option<i32>, String) {
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut said = String::new();
    let mut reader = child.stderr.take().unwrap();
    let saying = std::thread::spawn(move || reader.read_to_string(&mut said).map(|_| said));
    let status = end(&mut child);
    assert_eq!(status.signal(), None);
    (status.code(), saying.join().unwrap().unwrap())
}

fn signal(child: &Child, name: &str) {
    let number = child.id().to_string();
    let sent = Command::new("kill").args(["-s", name, &number]).status();
    assert!(sent.unwrap().success());
}

fn temporary(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("pamir-adversity-{}-{name}", std::process::id()))
}

#[test]
fn output_without_room_is_told_once_and_is_no_success() {
    // More than a pipe holds: ranks that were not read would hang, or end by SIGPIPE.
    let script = "i=0; while [ $i -lt 20000 ]; do echo result $i; i=$((i+1)); done";
    let mut command = mpiexec(&["-n", "2", "sh", "-c", script]);
    let (code, said) = outcome(command.stdout(full()));
    assert_eq!(code, Some(1), "{said}");
    assert_eq!(said.matches("No space left").count(), 1, "{said}");
    assert!(said.contains("standard output (/dev/full)"), "{said}");
    assert!(!said.contains("rank "), "{said}");
}

#[test]
fn a_job_that_fails_keeps_its_code_without_room() {
    let mut command = mpiexec(&["-n", "1", "sh", "-c", "echo result; sleep 0.2; exit 7"]);
    let (code, said) = outcome(command.stdout(full()));
    assert_eq!(code, Some(7), "{said}");
    assert!(said.contains("No space left"), "{said}");
}

#[test]
fn errors_without_room_are_no_success() {
    let script = "echo trouble >&2";
    for output in [Stdio::null(), full().into()] {
        let mut command = mpiexec(&["-n", "1", "sh", "-c", script]);
        let mut child = command.stdout(output).stderr(full()).spawn().unwrap();
        assert_eq!(end(&mut child).code(), Some(1));
    }
    let mut command = mpiexec(&["-n", "1", "no-such-program"]);
    let mut child = command.stderr(full()).spawn().unwrap();
    assert_eq!(end(&mut child).code(), Some(127));
}

#[test]
fn texts_without_room_are_no_success() {
    let pamir = env!("CARGO_BIN_EXE_pamir");
    for command in [
        &[MPIEXEC, "--help"][..],
        &[MPIEXEC, "--version"],
        &[MPIEXEC, "--dry-run", "-n", "2", "true"],
        &[pamir, "--help"],
        &[pamir, "info", "--help"],
        &[pamir, "--version"],
        &[pamir, "info"],
        &[pamir, "explain-type", "double"],
        &[pamir, "pin", "--dry-run"],
        &[pamir, "simulate-balance", "--cycles", "3"],
        &[env!("CARGO_BIN_EXE_mpicc"), "-show", "x.c"],
    ] {
        let (code, said) = outcome(Command::new(command[0]).args(&command[1..]).stdout(full()));
        assert_eq!(code, Some(1), "{command:?}: {said}");
        assert!(said.contains("No space left"), "{command:?}: {said}");
        // A reader that has left wanted no more.
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let (code, said) = outcome(Command::new(command[0]).args(&command[1..]).stdout(writer));
        assert_eq!((code, &*said), (Some(0), ""), "{command:?}");
    }
}

#[test]
fn output_beyond_the_file_limit_is_told() {
    let file = temporary("limited");
    // The file begins where the limit is (in blocks of 512 bytes).
    let blocks = 1_000_000;
    let limited = File::create(&file).unwrap();
    limited.set_len(blocks * 512).unwrap();
    let append = File::options().append(true).open(&file).unwrap();
    let mut command = after(&format!("ulimit -f {blocks}"), "-n 2 echo result");
    let (code, said) = outcome(command.stdout(append));
    std::fs::remove_file(&file).unwrap();
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("File too large"), "{said}");
}

#[test]
fn ranks_get_the_default_of_signals_that_the_launcher_needs() {
    let ask = [
        "-n",
        "1",
        "grep",
        "-E",
        "SigIgn|SigBlk",
        "/proc/self/status",
    ];
    let output = ignoring_ends(&ask).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let (xfsz, chld) = (1_u64 << 24, 1_u64 << 16);
    for line in text.lines() {
        let mask = line.split_whitespace().nth(1).unwrap();
        let mask = u64::from_str_radix(mask, 16).unwrap();
        assert_eq!(mask & (xfsz | chld), 0, "{text}");
    }
    assert_eq!(text.lines().count(), 2, "{text}");
}

#[test]
fn memory_under_a_file_limit_is_smaller_or_refused_with_the_limit() {
    let (code, said) = outcome(&mut after("ulimit -f 1000000", "-n 2 true"));
    assert_eq!((code, &*said), (Some(0), ""));
    let (code, said) = outcome(&mut after("ulimit -f 1000", "-n 2 true"));
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("512000 (ulimit -f)"), "{said}");
}

#[test]
fn a_job_ends_where_the_launcher_ignores_the_ends_of_children() {
    let (code, said) = outcome(&mut ignoring_ends(&["-n", "2", "sh", "-c", "exit 3"]));
    assert_eq!(code, Some(3), "{said}");
}

/// Starts a job that prints without end, and waits until nothing more is taken.
fn stalled(arguments: &[&str], output: OwnedFd) -> Child {
    let arguments = [arguments, &["-n", "1", "yes"]].concat();
    let mut command = mpiexec(&arguments);
    let child = command.stdout(output).stderr(Stdio::piped()).spawn();
    std::thread::sleep(Duration::from_millis(300));
    child.unwrap()
}

/// Sees that a stalled job ends with this code, and tells of what it has lost.
fn ends_with_loss(mut child: Child, code: i32) {
    assert_eq!(end(&mut child).code(), Some(code));
    let mut said = String::new();
    let mut errors = child.stderr.take().unwrap();
    errors.read_to_string(&mut said).unwrap();
    assert!(said.contains("bytes of output are lost"), "{said}");
}

#[test]
fn a_reader_that_stalls_holds_up_neither_signals_nor_time() {
    let (_reader, writer) = std::io::pipe().unwrap();
    let child = stalled(&[], writer.into());
    signal(&child, "TERM");
    ends_with_loss(child, 128 + 15);

    let (_reader, writer) = std::io::pipe().unwrap();
    ends_with_loss(stalled(&["--timeout", "0.5"], writer.into()), 124);

    let (_reader, writer) = UnixStream::pair().unwrap();
    let child = stalled(&[], writer.into());
    signal(&child, "TERM");
    ends_with_loss(child, 128 + 15);

    let (_reader, writer) = UnixStream::pair().unwrap();
    ends_with_loss(stalled(&["--timeout", "0.5"], writer.into()), 124);
}

#[test]
fn a_terminal_that_is_stopped_holds_up_no_signal() {
    use nix::sys::termios::{FlowArg, tcflow};
    let terminal = nix::pty::openpty(None, None).unwrap();
    tcflow(&terminal.slave, FlowArg::TCOOFF).unwrap();
    let child = stalled(&[], terminal.slave.try_clone().unwrap());
    signal(&child, "TERM");
    ends_with_loss(child, 128 + 15);
}

/// Prints more than a pipe holds, and says so on standard error before it ends.
const MUCH: &str = "head -c 300000 /dev/zero; echo all >&2; exit $CODE";

#[test]
fn a_job_that_went_well_waits_for_its_reader() {
    let (mut reader, writer) = std::io::pipe().unwrap();
    let mut command = mpiexec(&["-n", "1", "sh", "-c", MUCH]);
    let mut child = command.env("CODE", "0").stdout(writer).spawn().unwrap();
    drop(command);
    // Longer than the grace of a job that failed.
    std::thread::sleep(Duration::from_millis(1500));
    let mut text = Vec::new();
    reader.read_to_end(&mut text).unwrap();
    assert_eq!(end(&mut child).code(), Some(0));
    assert_eq!(text.len(), 300_000);
}

#[test]
fn a_slow_reader_gets_all_of_a_job_that_failed() {
    let (mut reader, writer) = std::io::pipe().unwrap();
    let mut command = mpiexec(&["-n", "1", "sh", "-c", MUCH]);
    let mut child = command.env("CODE", "9").stdout(writer).spawn().unwrap();
    drop(command);
    let (mut all, mut buffer) = (0, [0; 32 << 10]);
    loop {
        let count = reader.read(&mut buffer).unwrap();
        if count == 0 {
            break;
        }
        all += count;
        std::thread::sleep(Duration::from_millis(200));
    }
    assert_eq!(end(&mut child).code(), Some(9));
    assert_eq!(all, 300_000);
}

#[test]
fn the_time_limit_holds_for_a_reader_too() {
    let (_reader, writer) = std::io::pipe().unwrap();
    let arguments = ["--timeout", "2", "-n", "1", "sh", "-c", MUCH];
    let mut command = mpiexec(&arguments);
    let (code, said) = outcome(command.env("CODE", "0").stdout(writer));
    assert_eq!(code, Some(124), "{said}");
    assert!(said.contains("bytes of output are lost"), "{said}");
}

#[test]
fn a_pipe_that_nobody_reads_takes_no_profile() {
    let fifo = temporary("fifo");
    nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let name = fifo.to_str().unwrap();
    for option in ["--profile-comm", "--balance-record"] {
        let (code, said) = outcome(&mut mpiexec(&[option, name, "-n", "2", "true"]));
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains(name), "{said}");
    }
    std::fs::remove_file(&fifo).unwrap();
}

#[test]
fn a_record_without_room_is_no_success() {
    let arguments = ["--balance-record", "/dev/full", "-n", "2", "true"];
    let (code, said) = outcome(&mut mpiexec(&arguments));
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("/dev/full"), "{said}");
}

#[test]
fn many_nodes_need_no_higher_limit_of_open_files() {
    let words = "-n 12 --nodes 12 sh -c 'ulimit -Sn'";
    let output = after("ulimit -Sn 64", words).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    // The launcher has raised its own alone.
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "64\n".repeat(12));
    let (code, said) = outcome(&mut after("ulimit -n 64", "-n 12 --nodes 12 true"));
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("the limit is 64"), "{said}");
}
