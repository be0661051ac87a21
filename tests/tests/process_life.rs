//! The life of a rank's process: where it is, what it forks, what it leaves, and what runs after it.

use std::path::Path;
use std::process::{Command, Stdio};

use pamir_tests::installation::{command, compile, compile_from};
use pamir_tests::run::{Outcome, Run, mpiexec};

/// `mpiexec -n RANKS` and what each rank starts.
fn job(ranks: usize, words: &[&str]) -> Command {
    let mut job = Command::new(command("mpiexec"));
    job.args(["-n", &ranks.to_string()]).args(words);
    job
}

fn text(path: &Path) -> &str {
    path.to_str().expect("the sources lie at a path of text")
}

/// Whether a tool does what it is needed for; says so if it does not.
fn can(words: &[&str], what: &str) -> bool {
    let mut tool = Command::new(words[0]);
    tool.args(&words[1..])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let can = tool.status().is_ok_and(|status| status.success());
    if !can {
        eprintln!("skipped: {what} ({} does not work here)", words.join(" "));
    }
    can
}

#[test]
fn ranks_in_pid_namespaces_of_their_own_exchange_the_right_bytes() {
    let program = compile_from("tests/programs", "every_byte", &["-fno-pie", "-no-pie"]);
    let ways: [&[&str]; 4] = [
        &["unshare", "--pid", "--fork"],
        &["unshare", "--pid", "--fork", "--mount-proc"],
        &["unshare", "--user", "--map-root-user", "--pid", "--fork"],
        &["unshare", "--user", "--map-root-user"],
    ];
    for way in ways {
        // Without random addresses, what is at an address is as much another rank's.
        let fixed: Vec<&str> = way.iter().copied().chain(["setarch", "-R"]).collect();
        let probe: Vec<&str> = fixed.iter().copied().chain(["true"]).collect();
        if !can(&probe, "ranks in namespaces") {
            continue;
        }
        for options in [&[][..], &["--shared-heap"]] {
            let mut words = options.to_vec();
            words.extend(&fixed);
            words.push(text(&program));
            let outcome = Run::whole(job(3, &words));
            assert_eq!(
                outcome.success(),
                "0 messages of 3 ranks wrong\n",
                "{words:?}"
            );
        }
    }
}

#[test]
fn one_rank_apart_and_two_together_exchange_the_right_bytes() {
    let program = compile_from("tests/programs", "every_byte", &["-fno-pie", "-no-pie"]);
    if !can(
        &["unshare", "--pid", "--fork", "true"],
        "a rank in a namespace",
    ) {
        return;
    }
    let script =
        "if [ $PAMIR_RANK = 1 ]; then exec unshare --pid --fork \"$0\"; else exec \"$0\"; fi";
    let outcome = Run::whole(job(3, &["sh", "-c", script, text(&program)]));
    assert_eq!(outcome.success(), "0 messages of 3 ranks wrong\n");
}

/// Runs the program with forked children that do something, with and without an engine thread.
fn with_children(what: &str) -> Vec<Outcome> {
    let program = compile("forked");
    let run = |engine: bool| {
        let mut job = mpiexec(2, &program);
        job.arg(what);
        if engine {
            job.env("PAMIR_ENGINE", "thread");
        }
        Run::whole(job)
    };
    vec![run(false), run(true)]
}

#[test]
fn a_forked_child_is_refused_mpi_and_its_parent_loses_nothing() {
    for what in ["send", "receive", "allreduce", "init"] {
        for outcome in with_children(what) {
            let mut lines: Vec<_> = outcome.success().lines().collect();
            lines.sort_unstable();
            // MPI_ERR_OTHER's code is the exit code, since errors are fatal.
            assert!(
                lines[..3].iter().all(|line| line.starts_with("child ")),
                "{lines:?}"
            );
            assert!(
                !lines[..3]
                    .iter()
                    .any(|line| matches!(*line, "child 0" | "child 8")),
                "{lines:?}"
            );
            assert_eq!(lines[3..], ["wrong 0", "wrong 0"], "{what}");
            let told = outcome
                .errors
                .matches("this process was made by fork")
                .count();
            assert_eq!(told, 3, "{what}: {}", outcome.errors);
        }
    }
}

#[test]
fn a_forked_child_ends_quietly_and_returns_errors_as_its_parent_does() {
    for (what, code) in [
        ("exit", "child 3"),
        ("quiet", "child 0"),
        ("returns", "child 0"),
    ] {
        for outcome in with_children(what) {
            let mut lines: Vec<_> = outcome.success().lines().collect();
            lines.sort_unstable();
            assert_eq!(lines, [code, code, code, "wrong 0", "wrong 0"]);
            assert_eq!(outcome.errors, "");
        }
    }
}

#[test]
fn a_forked_child_that_aborts_ends_the_job() {
    for outcome in with_children("abort") {
        assert_eq!(outcome.status.code(), Some(42), "{}", outcome.errors);
        assert!(outcome.errors.contains("rank 1"), "{}", outcome.errors);
        assert!(outcome.errors.contains("MPI_Abort"), "{}", outcome.errors);
    }
}

#[test]
fn a_forked_child_is_refused_pami() {
    let program = compile_from("tests/programs", "pami_forked", &["-lpami"]);
    assert_eq!(
        Run::whole(mpiexec(2, &program)).success(),
        "child 0\nchild 0\n"
    );
}

#[test]
fn nothing_counts_as_leaked_in_a_sanitized_program() {
    let probe = [
        "sh",
        "-c",
        "echo 'int main(void){return 0;}' | cc -fsanitize=address -x c - -o /dev/null",
    ];
    if !can(&probe, "a program with AddressSanitizer") {
        return;
    }
    let program = compile_from(
        "tests/programs",
        "memory_sanitized",
        &["-fsanitize=address"],
    );
    for kernel in [true, false] {
        let mut job = mpiexec(2, &program);
        if !kernel {
            job.env("PAMIR_NO_KERNEL_COPY", "1");
        }
        let outcome = Run::whole(job);
        assert_eq!(outcome.success(), "0 wrong\n");
        assert_eq!(outcome.errors, "");
    }
}

#[test]
fn memcheck_reports_nothing_of_a_correct_program() {
    if !can(&["valgrind", "--version"], "a program under valgrind") {
        return;
    }
    let program = compile("memory_checked");
    let checked = [
        "valgrind",
        "-q",
        "--leak-check=full",
        "--errors-for-leak-kinds=definite,indirect,possible",
        "--error-exitcode=77",
        text(&program),
    ];
    for kernel in [true, false] {
        let mut job = job(2, &checked);
        if !kernel {
            job.env("PAMIR_NO_KERNEL_COPY", "1");
        }
        let outcome = Run::whole(job);
        assert_eq!(outcome.success(), "0 wrong\n", "{}", outcome.errors);
    }
}

#[test]
fn programs_run_one_after_another_in_each_rank() {
    let program = compile("one_of_several");
    let script = "for i in 1 2 3 4; do \"$0\" $i || exit; done";
    for engine in [false, true] {
        let mut several = job(3, &["sh", "-c", script, text(&program)]);
        if engine {
            several.env("PAMIR_ENGINE", "thread");
        }
        let outcome = Run::whole(several);
        let expected = ["1: 0 wrong", "2: 0 wrong", "3: 0 wrong", "4: 0 wrong"];
        assert_eq!(outcome.success().lines().collect::<Vec<_>>(), expected);
    }
}

#[test]
fn the_next_program_may_come_while_the_last_one_still_ends() {
    let program = compile("one_of_several");
    let finalized = program.with_extension(std::process::id().to_string());
    // The first one goes on for a while after MPI_Finalize, beside the second.
    let script =
        "\"$0\" 1 \"$1\" & until [ -e \"$1.$PAMIR_RANK\" ]; do sleep 0.01; done; \"$0\" 2 && wait";
    let words = ["sh", "-c", script, text(&program), text(&finalized)];
    let outcome = Run::whole(job(2, &words));
    let mut lines: Vec<_> = outcome.success().lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["1: 0 wrong", "2: 0 wrong"]);
}

#[test]
fn two_programs_at_once_in_one_rank_are_refused() {
    let program = compile("exchange");
    let script = "\"$0\" & sleep 0.5; \"$0\"; code=$?; kill -9 $!; exit $code";
    let outcome = Run::whole(job(2, &["sh", "-c", script, text(&program)]));
    assert!(
        outcome
            .errors
            .contains("a rank may initialise MPI in one process at a time"),
        "{}",
        outcome.errors
    );
}
