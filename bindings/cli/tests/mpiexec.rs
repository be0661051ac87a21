//! `mpiexec` on programs without MPI: exit codes, signals, output, input, ends.
//!
//! Every run has a watchdog: a launcher that hangs fails its test instead of the whole suite.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Longer than any of these jobs may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

fn mpiexec(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mpiexec"));
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Waits with patience; kills a launcher that does not end.
fn outcome(mut child: Child) -> Output {
    let begin = Instant::now();
    let id = child.id();
    let watchdog = std::thread::spawn(move || {
        while begin.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(20));
            if !std::path::Path::new(&format!("/proc/{id}")).exists() {
                return false;
            }
        }
        Command::new("kill")
            .args(["-KILL", &id.to_string()])
            .status()
            .unwrap();
        true
    });
    drop(child.stdin.take());
    let output = child.wait_with_output().unwrap();
    if begin.elapsed() >= PATIENCE {
        assert!(!watchdog.join().unwrap(), "mpiexec did not end");
    }
    output
}

fn run(arguments: &[&str]) -> Output {
    outcome(mpiexec(arguments).spawn().unwrap())
}

fn shell(options: &[&str], script: &str) -> Output {
    run(&[options, &["sh", "-c", script]].concat())
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn sorted_lines(output: &Output) -> Vec<String> {
    let mut lines: Vec<String> = stdout(output).lines().map(String::from).collect();
    lines.sort();
    lines
}

/// Whether a process runs whose arguments hold this word.
fn runs(word: &str) -> bool {
    let own = std::process::id().to_string();
    std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let name = entry.file_name().into_string().unwrap_or_default();
        let words = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        name != own
            && name.starts_with(|digit: char| digit.is_ascii_digit())
            && words
                .windows(word.len())
                .any(|window| window == word.as_bytes())
    })
}

fn eventually(what: &str, holds: impl Fn() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < PATIENCE, "never: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn success_is_zero_and_silent() {
    let output = run(&["-n", "3", "true"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(stdout(&output) + &stderr(&output), "");
}

#[test]
fn the_first_failing_rank_gives_the_exit_code() {
    let output = shell(&["-n", "2"], "[ $PAMIR_RANK = 0 ] && exec sleep 30; exit 7");
    assert_eq!(output.status.code(), Some(7));
    let said = stderr(&output);
    assert!(
        said.contains("rank 1 of 2 on ") && said.contains("exited with code 7"),
        "{said}"
    );
    assert!(said.contains("(pid ") && said.contains(", sh)"), "{said}");
    assert!(said.contains("ending the other rank"), "{said}");
}

#[test]
fn a_signal_gives_128_and_its_number() {
    let output = shell(
        &["-n", "2"],
        "[ $PAMIR_RANK = 1 ] && kill -SEGV $$; exec sleep 30",
    );
    assert_eq!(output.status.code(), Some(128 + 11));
    assert!(
        stderr(&output).contains("rank 1 of 2"),
        "{}",
        stderr(&output)
    );
    assert!(stderr(&output).contains("SIGSEGV"), "{}", stderr(&output));
}

#[test]
fn ranks_that_ignore_sigterm_are_killed_soon() {
    let begin = Instant::now();
    let script =
        "[ $PAMIR_RANK = 1 ] && sleep 0.2 && exit 3; trap '' TERM; sleep 30 & wait; sleep 30";
    let output = shell(&["-n", "2"], script);
    assert_eq!(output.status.code(), Some(3));
    assert!(
        begin.elapsed() < Duration::from_secs(20),
        "{:?}",
        begin.elapsed()
    );
}

#[test]
fn programs_that_cannot_run_have_a_shells_exit_code() {
    let output = run(&["-n", "2", "no-such-program-here"]);
    assert_eq!(output.status.code(), Some(127));
    assert!(stderr(&output).contains("no-such-program-here"));
    assert_eq!(run(&["/etc/passwd"]).status.code(), Some(126));
    assert_eq!(run(&["/"]).status.code(), Some(126));
    assert_eq!(
        run(&["-wdir", "/no/such/place", "true"]).status.code(),
        Some(1)
    );
    assert_eq!(run(&["--no-such-option", "true"]).status.code(), Some(2));
    assert_eq!(
        run(&["--host", "elsewhere.example", "true"]).status.code(),
        Some(2)
    );
    assert_eq!(
        run(&["--nooversubscribe", "-n", "1024", "true"])
            .status
            .code(),
        Some(1)
    );
}

#[test]
fn a_script_without_a_first_line_runs_in_the_shell() {
    let directory = std::env::temp_dir().join(format!("pamir-script-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let script = directory.join("plain");
    // Written by another process: a file this one wrote is busy while another test forks.
    let writing = "echo 'echo plain $1' > $0 && chmod +x $0";
    Command::new("sh")
        .args(["-c", writing])
        .arg(&script)
        .status()
        .unwrap();
    let output = run(&[script.to_str().unwrap(), "words"]);
    std::fs::remove_dir_all(&directory).unwrap();
    assert_eq!(stdout(&output), "plain words\n");
}

#[test]
fn help_and_version_go_to_standard_output() {
    let help = run(&["--help"]);
    assert_eq!(help.status.code(), Some(0));
    assert!(stdout(&help).contains("--bind-to"));
    let version = run(&["-version"]);
    assert!(stdout(&version).contains(env!("CARGO_PKG_VERSION")));
}

#[test]
fn the_environment_tells_each_rank_who_it_is() {
    let script = "echo $PAMIR_RANK/$PAMIR_SIZE $MPI_LOCALRANKID/$MPI_LOCALNRANKS \
                  ${PMI_RANK-unset} $(( $PAMIR_LAUNCHER == $PPID ))";
    let mut command = mpiexec(&["-n", "2", "sh", "-c", script]);
    let output = outcome(
        command
            .env("PMI_RANK", "5")
            .env("PAMIR_RANK", "9")
            .spawn()
            .unwrap(),
    );
    assert_eq!(
        sorted_lines(&output),
        ["0/2 0/2 unset 1", "1/2 1/2 unset 1"]
    );
}

#[test]
fn the_job_descriptor_is_inherited() {
    let output = shell(&[], "readlink /proc/$$/fd/$PAMIR_JOB_FD");
    assert!(
        stdout(&output).contains("memfd:"),
        "{}{}",
        stdout(&output),
        stderr(&output)
    );
}

#[test]
fn several_programs_share_the_ranks() {
    let script = "echo $0 $PAMIR_RANK $TONE $ALL";
    let output = run(&[
        "-genv",
        "ALL",
        "yes",
        "-n",
        "1",
        "-env",
        "TONE",
        "low",
        "sh",
        "-c",
        script,
        "one",
        ":",
        "-n",
        "2",
        "-x",
        "TONE=high",
        "-wdir",
        "/",
        "sh",
        "-c",
        script,
        "two",
        ":",
        "pwd",
    ]);
    let here = std::env::current_dir().unwrap().display().to_string();
    let mut wanted = vec![
        "one 0 low yes",
        "two 1 high yes",
        "two 2 high yes",
        here.as_str(),
    ];
    wanted.sort();
    assert_eq!(sorted_lines(&output), wanted);
}

#[test]
fn variables_can_be_withheld() {
    let mut command = mpiexec(&[
        "-genvlist",
        "PATH,KEPT",
        "sh",
        "-c",
        "echo $KEPT ${LOST-unset}",
    ]);
    let output = outcome(
        command
            .env("KEPT", "kept")
            .env("LOST", "lost")
            .spawn()
            .unwrap(),
    );
    assert_eq!(stdout(&output), "kept unset\n");
}

#[test]
fn standard_input_goes_to_rank_0_alone() {
    let mut command = mpiexec(&["-l", "-n", "2", "cat"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"one\ntwo\n")
        .unwrap();
    assert_eq!(stdout(&outcome(child)), "[0] one\n[0] two\n");
}

#[test]
fn lines_are_tagged_on_both_streams() {
    let output = shell(
        &["--tag-output", "-n", "2"],
        "echo out; echo err >&2; printf open",
    );
    let mut lines = sorted_lines(&output);
    assert_eq!(lines, ["[0] open", "[0] out", "[1] open", "[1] out"]);
    lines = stderr(&output).lines().map(String::from).collect();
    lines.sort();
    assert_eq!(lines, ["[0] err", "[1] err"]);
}

#[test]
fn an_unterminated_last_line_is_kept_as_it_is() {
    assert_eq!(stdout(&run(&["printf", "no newline"])), "no newline");
}

#[test]
fn lines_written_in_pieces_stay_whole() {
    let script = "for i in 1 2 3 4 5 6 7 8; do printf a$PAMIR_RANK; sleep 0.01; \
                  printf b$PAMIR_RANK; sleep 0.01; echo c$PAMIR_RANK; done";
    let output = shell(&["-n", "4"], script);
    let lines = sorted_lines(&output);
    assert_eq!(lines.len(), 32);
    for (rank, lines) in lines.chunks(8).enumerate() {
        assert!(
            lines
                .iter()
                .all(|line| *line == format!("a{rank}b{rank}c{rank}")),
            "{lines:?}"
        );
    }
}

#[test]
fn much_output_arrives_complete() {
    let output = shell(&["-n", "2"], "seq 200000");
    let text = stdout(&output);
    assert_eq!(text.lines().count(), 400_000);
    let sum: u64 = text.lines().map(|line| line.parse::<u64>().unwrap()).sum();
    assert_eq!(sum, 2 * 200_000 * 200_001 / 2);
}

#[test]
fn a_reader_that_leaves_ends_the_job() {
    let mut child = mpiexec(&["-n", "2", "yes"]).spawn().unwrap();
    drop(child.stdout.take());
    let output = outcome(child);
    assert_eq!(output.status.code(), Some(128 + 13));
}

#[test]
fn time_is_limited() {
    let begin = Instant::now();
    let output = run(&["--timeout", "0.3", "-n", "2", "sleep", "30"]);
    assert_eq!(output.status.code(), Some(124));
    assert!(begin.elapsed() < Duration::from_secs(20));
    assert!(
        stderr(&output).contains("time is up"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn bindings_are_made_and_reported() {
    let script = "sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status";
    let output = shell(
        &["-n", "1", "--bind-to", "hwthread", "--report-bindings"],
        script,
    );
    let unit: u32 = stdout(&output).trim().parse().expect("one processor");
    let said = stderr(&output);
    assert!(said.contains("rank 0 on "), "{said}");
    assert!(said.contains(&format!("(processor {unit})")), "{said}");
    let listed = format!("list:{unit}");
    let output = shell(&["-n", "2", "--bind-to", &listed], script);
    assert_eq!(stdout(&output), format!("{unit}\n{unit}\n"));
    let whole = std::fs::read_to_string("/proc/self/status").unwrap();
    let whole = whole
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))
        .unwrap();
    let output = shell(&["-n", "1", "--bind-to", "none"], script);
    assert_eq!(stdout(&output).trim(), whole.trim());
}

#[test]
fn sixty_four_ranks_start_and_end() {
    let output = shell(&["-n", "64"], "echo $PAMIR_RANK");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(stdout(&output).lines().count(), 64);
}

/// Starts a job whose ranks print a line when they are ready; waits for all the lines.
fn started(arguments: &[&str], lines: usize) -> Child {
    use std::io::{BufRead, BufReader};
    let mut child = mpiexec(arguments).spawn().unwrap();
    let mut reader = BufReader::new(child.stdout.take().unwrap());
    for _ in 0..lines {
        let mut line = String::new();
        assert!(
            reader.read_line(&mut line).unwrap() > 0,
            "a rank did not start"
        );
    }
    child
}

fn signal(child: &Child, name: &str) {
    Command::new("kill")
        .args([&format!("-{name}"), &child.id().to_string()])
        .status()
        .unwrap();
}

#[test]
fn signals_are_passed_on() {
    for (name, code) in [("INT", 42), ("TERM", 43), ("USR1", 44)] {
        let script = format!("trap 'exit {code}' {name}; echo ready; while :; do sleep 0.05; done");
        let child = started(&["-n", "2", "sh", "-c", &script], 2);
        signal(&child, name);
        assert_eq!(outcome(child).status.code(), Some(code), "{name}");
    }
}

#[test]
fn a_terminal_sees_prompts_and_feeds_rank_0() {
    use std::io::Read;
    let terminal = nix::pty::openpty(None, None).unwrap();
    let script = "[ $PAMIR_RANK = 0 ] && { printf 'name? '; read x; echo got $x; }; true";
    // setsid makes the terminal the launcher's own, as a shell would.
    let mut command = Command::new("setsid");
    command
        .args([
            "-c",
            "-w",
            env!("CARGO_BIN_EXE_mpiexec"),
            "--timeout",
            "20",
            "-n",
            "2",
        ])
        .args(["sh", "-c", script])
        .stdin(terminal.slave.try_clone().unwrap())
        .stdout(terminal.slave.try_clone().unwrap())
        .stderr(terminal.slave);
    let child = command.spawn().unwrap();
    // The command's copies of the slave would keep the terminal from ending.
    drop(command);
    let mut master = std::fs::File::from(terminal.master);
    let (mut text, mut buffer) = (Vec::new(), [0; 256]);
    let mut answered = false;
    // The master fails (EIO) when the last process has closed the slave.
    while let Ok(count @ 1..) = master.read(&mut buffer) {
        text.extend_from_slice(&buffer[..count]);
        if !answered && text.ends_with(b"name? ") {
            master.write_all(b"bob\n").unwrap();
            answered = true;
        }
    }
    assert_eq!(outcome(child).status.code(), Some(0));
    assert!(String::from_utf8(text).unwrap().ends_with("got bob\r\n"));
}

#[test]
fn the_second_interrupt_kills() {
    let script = "trap '' INT TERM; echo ready; while :; do sleep 0.05; done";
    let child = started(&["-n", "2", "sh", "-c", script], 2);
    signal(&child, "INT");
    std::thread::sleep(Duration::from_millis(200));
    signal(&child, "INT");
    assert_eq!(outcome(child).status.code(), Some(128 + 9));
}

#[test]
fn a_killed_launcher_leaves_nothing() {
    // A number nobody else sleeps for; the ranks' children carry it, in and out of their shell.
    let word = format!("30.{}7", std::process::id());
    let script = format!("trap '' TERM INT HUP; sleep {word} & echo ready; sleep {word}; echo $!");
    let child = started(&["-n", "2", "sh", "-c", &script], 2);
    eventually("sleepers", || runs(&word));
    signal(&child, "KILL");
    assert_eq!(outcome(child).status.signal(), Some(9));
    eventually("everything gone", || !runs(&word));
}

#[test]
fn what_ranks_leave_running_is_ended() {
    let word = format!("31.{}7", std::process::id());
    let begin = Instant::now();
    let output = shell(&["-n", "2"], &format!("sleep {word} & echo started"));
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(stdout(&output), "started\nstarted\n");
    assert!(!runs(&word));
    assert!(begin.elapsed() < Duration::from_secs(20));
}

#[test]
fn what_a_failed_rank_started_is_ended() {
    let word = format!("32.{}7", std::process::id());
    let output = shell(
        &["-n", "2"],
        &format!("trap '' TERM; sleep {word} & exit 5"),
    );
    assert_eq!(output.status.code(), Some(5));
    assert!(!runs(&word));
}

#[test]
fn a_dry_run_plans_and_starts_nothing() {
    let output = run(&["--dry-run", "-n", "2", "/nonexistent/program"]);
    assert!(output.status.success(), "{output:?}");
    let text = stdout(&output);
    assert!(text.contains("rank 0") && text.contains("rank 1"), "{text}");
}

#[test]
fn another_machine_is_planned_for_and_never_bound_to() {
    let elsewhere = |arguments: &[&str]| {
        let mut command = mpiexec(arguments);
        command.env("HWLOC_SYNTHETIC", "package:2 l3cache:4 core:8 pu:2");
        outcome(command.spawn().unwrap())
    };
    let output = elsewhere(&["--dry-run", "-n", "40", "--map-by", "package", "true"]);
    assert!(output.status.success(), "{output:?}");
    let text = stdout(&output);
    assert_eq!(
        text.lines().filter(|line| line.contains("rank ")).count(),
        40,
        "{text}"
    );
    let output = elsewhere(&["-n", "2", "true"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(
        errors.contains("HWLOC_SYNTHETIC describes another machine"),
        "{errors}"
    );
    assert!(
        elsewhere(&["-n", "2", "--bind-to", "none", "true"])
            .status
            .success()
    );
}

#[test]
fn values_that_no_job_can_have_are_usage_errors_in_one_line() {
    for (words, told) in [
        (&["-n", "99999999999"][..], "1 to 1024"),
        (&["-n", "1024", "true", ":", "-n", "1"], "at most 1024"),
        (&["-outfile-pattern", "out.%q"], "h (the host)"),
        (&["--timeout", "soon"], "a number of seconds above 0"),
    ] {
        let output = run(&[words, &["true"]].concat());
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{words:?}: {errors}");
        assert_eq!(errors.lines().count(), 1, "{errors}");
        assert!(errors.contains(told), "{errors}");
    }
}
