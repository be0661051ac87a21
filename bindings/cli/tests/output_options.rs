//! Options of `mpiexec` that say where ranks' output goes, and who reads standard input.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A job, ended by its own time limit if by nothing else.
fn mpiexec(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mpiexec"));
    command.args(["--timeout", "60"]).args(arguments);
    command
}

fn run(arguments: &[&str]) -> Output {
    mpiexec(arguments).stdin(Stdio::null()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn sorted(bytes: &[u8]) -> Vec<String> {
    let mut lines: Vec<String> = text(bytes).lines().map(String::from).collect();
    lines.sort();
    lines
}

/// A directory of a test's own, which goes with it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let name = format!("pamir-output-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn at(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_string()
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const BOTH: &str = "echo out $PAMIR_RANK; echo err $PAMIR_RANK >&2";

#[test]
fn patterns_give_each_rank_its_files() {
    let folder = Folder::new("patterns");
    // What was there before is no output of this job.
    std::fs::write(
        folder.at("o.1"),
        "something old, and longer than the new text",
    )
    .unwrap();
    let (output, error) = (folder.at("o.%r"), folder.at("e.%r.%g.%p"));
    let options = ["-outfile-pattern", &output, "-errfile-pattern", &error];
    let ended = run(&[&options[..], &["-n", "2", "sh", "-c", BOTH]].concat());
    assert_eq!(ended.status.code(), Some(0));
    assert_eq!(text(&ended.stdout) + &text(&ended.stderr), "");
    for rank in 0..2 {
        assert_eq!(folder.read(&format!("o.{rank}")), format!("out {rank}\n"));
        assert_eq!(
            folder.read(&format!("e.{rank}.0.0")),
            format!("err {rank}\n")
        );
    }
}

#[test]
fn lines_in_one_file_of_all_ranks_stay_whole_and_are_tagged() {
    let folder = Folder::new("shared");
    let output = folder.at("all");
    let script = "printf 'rank '; sleep 0.1; echo $PAMIR_RANK";
    let ended = run(&[
        "-l",
        "-outfile-pattern",
        &output,
        "-n",
        "3",
        "sh",
        "-c",
        script,
    ]);
    assert_eq!(ended.status.code(), Some(0));
    let expected: Vec<_> = (0..3).map(|rank| format!("[{rank}] rank {rank}")).collect();
    assert_eq!(sorted(folder.read("all").as_bytes()), expected);
}

#[test]
fn a_name_gives_files_for_both_and_makes_directories() {
    let folder = Folder::new("name");
    let name = folder.at("deep/er/job");
    let ended = run(&["--output-filename", &name, "-n", "11", "sh", "-c", BOTH]);
    assert_eq!(ended.status.code(), Some(0));
    assert_eq!(text(&ended.stdout) + &text(&ended.stderr), "");
    assert_eq!(folder.read("deep/er/job.03.out"), "out 3\n");
    assert_eq!(folder.read("deep/er/job.10.err"), "err 10\n");
    let copied = folder.at("copied:copy");
    let ended = run(&["--output-filename", &copied, "-n", "1", "sh", "-c", BOTH]);
    assert_eq!(text(&ended.stdout), "out 0\n");
    assert_eq!(text(&ended.stderr), "err 0\n");
    assert_eq!(folder.read("copied.0.out"), "out 0\n");
}

#[test]
fn errors_can_go_where_output_goes() {
    let ended = run(&["--merge-stderr-to-stdout", "-n", "2", "sh", "-c", BOTH]);
    let expected = ["err 0", "err 1", "out 0", "out 1"];
    assert_eq!(sorted(&ended.stdout), expected);
    assert_eq!(text(&ended.stderr), "");
    let folder = Folder::new("merged");
    let name = folder.at("job");
    let options = ["--merge-stderr-to-stdout", "--output-filename", &name];
    run(&[&options[..], &["-n", "1", "sh", "-c", BOTH]].concat());
    assert_eq!(
        sorted(folder.read("job.0.out").as_bytes()),
        ["err 0", "out 0"]
    );
    assert!(!Path::new(&folder.at("job.0.err")).exists());
}

#[test]
fn lines_can_begin_with_a_pattern_and_the_time() {
    let options = ["--timestamp-output", "-prepend-pattern", "%r of %%: "];
    let ended = run(&[&options[..], &["-n", "1", "sh", "-c", "echo a; echo b"]].concat());
    let digits = |one: char| if one.is_ascii_digit() { '0' } else { one };
    let shape: String = text(&ended.stdout).chars().map(digits).collect();
    let stamp = "[0000-00-00 00:00:00] 0 of %: ";
    assert_eq!(shape, format!("{stamp}a\n{stamp}b\n"));
}

#[test]
fn files_that_cannot_be_written_are_refused_or_told() {
    let folder = Folder::new("refused");
    let there = folder.at("nowhere/out.%r");
    let mark = folder.at("started");
    let ended = run(&["-outfile-pattern", &there, "-n", "2", "touch", &mark]);
    assert_eq!(ended.status.code(), Some(1));
    let said = text(&ended.stderr);
    assert!(said.contains(&folder.at("nowhere/out.0")), "{said}");
    assert!(!Path::new(&mark).exists());
    // More than a pipe holds: the ranks are read on.
    let script = "head -c 200000 /dev/zero; echo done >&2";
    let options = ["-outfile-pattern", "/dev/full", "-n", "2"];
    let ended = run(&[&options[..], &["sh", "-c", script]].concat());
    assert_eq!(ended.status.code(), Some(1));
    let said = text(&ended.stderr);
    assert_eq!(
        said.matches("(/dev/full): No space left").count(),
        1,
        "{said}"
    );
    assert_eq!(said.matches("done\n").count(), 2, "{said}");
}

/// What a job prints that is given this input through a pipe.
fn given(input: &[u8], arguments: &[&str]) -> Output {
    let mut command = mpiexec(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let input = input.to_vec();
    // A job that reads nothing ends the pipe.
    let writing = std::thread::spawn(move || drop(pipe.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writing.join().unwrap();
    output
}

#[test]
fn standard_input_goes_where_it_is_told_to() {
    let count = "echo $PAMIR_RANK: $(wc -c)";
    let lines = |to: &str| {
        let arguments = ["--stdin", to, "-n", "3", "sh", "-c", count];
        sorted(&given(b"four", &arguments).stdout)
    };
    assert_eq!(lines("1"), ["0: 0", "1: 4", "2: 0"]);
    assert_eq!(lines("all"), ["0: 4", "1: 4", "2: 4"]);
    assert_eq!(lines("none"), ["0: 0", "1: 0", "2: 0"]);
    for (to, said) in [("3", "from 0 on"), ("some", "neither")] {
        let refused = run(&["--stdin", to, "-n", "3", "true"]);
        assert_eq!(refused.status.code(), Some(2));
        assert!(text(&refused.stderr).contains(said));
    }
}

#[test]
fn all_ranks_get_all_of_a_long_input_though_one_reads_late_and_one_never() {
    let input: Vec<u8> = (0..3_000_000_u32).map(|at| (at % 251) as u8).collect();
    let script = "case $PAMIR_RANK in 1) sleep 0.5;; 2) exit 0;; esac; cksum";
    let arguments = ["--stdin", "all", "-n", "3", "sh", "-c", script];
    let ended = given(&input, &arguments);
    assert_eq!(ended.status.code(), Some(0));
    let lines = sorted(&ended.stdout);
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0], lines[1]);
    assert!(lines[0].ends_with(" 3000000"), "{lines:?}");
    // A file, too.
    let folder = Folder::new("input");
    std::fs::write(folder.at("file"), &input).unwrap();
    let file = std::fs::File::open(folder.at("file")).unwrap();
    let ended = mpiexec(&arguments).stdin(file).output().unwrap();
    assert_eq!(sorted(&ended.stdout), lines);
}
