//! Balancing in running jobs: announced synchronisations, and partitions that move.

use std::process::Command;

use pamir_tests::installation::{self, compile};
use pamir_tests::run::{Run, mpiexec};

fn announced(ranks: usize, how: &str, variable: Option<&str>) -> String {
    let mut command = mpiexec(ranks, &compile("announced"));
    command.arg(how);
    command.env_remove("PAMIR_BALANCE");
    if let Some(kinds) = variable {
        command.env("PAMIR_BALANCE", kinds);
    }
    Run::whole(command).success().to_owned()
}

#[test]
fn announced_calls_make_one_history_at_all_ranks() {
    for (how, kinds) in [
        ("sync", None),
        ("barrier", Some("barrier")),
        ("allreduce", Some("allreduce")),
    ] {
        for ranks in [1, 2, 4, 5] {
            assert_eq!(announced(ranks, how, kinds), format!("announced {ranks}\n"));
        }
    }
}

#[test]
fn calls_that_nobody_asked_about_announce_nothing() {
    assert_eq!(announced(2, "none", None), "announced 2\n");
    assert_eq!(announced(2, "none", Some("allreduce")), "announced 2\n");
}

#[test]
fn a_variable_that_makes_no_sense_is_refused() {
    let mut command = mpiexec(2, &compile("announced"));
    command.env("PAMIR_BALANCE", "bcast");
    let outcome = Run::whole(command);
    assert!(!outcome.status.success(), "{outcome:?}");
    assert!(
        outcome.errors.contains("PAMIR_BALANCE names \"bcast\""),
        "{outcome:?}"
    );
}

fn balanced(ranks: usize, arguments: &[&str]) -> Command {
    let mut command = mpiexec(ranks, &compile("balanced"));
    // Ranks that sleep for their items have no processor time to be compared by.
    command.args(arguments).env_remove("PAMIR_BALANCE_POLICY");
    command
}

#[test]
fn a_slow_rank_gives_items_and_none_is_lost() {
    for (ranks, arguments) in [
        (1, &["clock=monotonic"][..]),
        (2, &["balanced clock=monotonic"]),
        (4, &["balanced clock=monotonic"]),
        (3, &["document clock=monotonic", "given"]),
        (2, &["shares=even clock=monotonic", "weights"]),
        (4, &["receivers=2 givers=1 clock=monotonic", "block"]),
        (3, &["clock=monotonic", "weigh"]),
        (4, &["clock=monotonic", "halves"]),
    ] {
        let outcome = Run::whole(balanced(ranks, arguments));
        let members = if arguments.contains(&"halves") {
            ranks / 2
        } else {
            ranks
        };
        let moved = if ranks == 1 { "stayed" } else { "moved" };
        let expected = format!("balanced {members} {moved}\n");
        assert_eq!(outcome.success(), expected, "{arguments:?}");
    }
}

/// The clock by which ranks of a job that share processors are compared, and which part in 100 of an
/// equal portion rank 0 has in the end, and those with the least and the most items.
fn sharing(how: &str) -> (String, [u64; 3]) {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let mut command = mpiexec(processors + 1, &compile("sharing"));
    command.arg(how).env_remove("PAMIR_BALANCE_POLICY");
    let outcome = Run::whole(command);
    let mut words = outcome.success().split_whitespace();
    let clock = words.next().expect("a clock").to_owned();
    let parts = words.map(|word| word.parse().expect("a number"));
    let parts = parts.collect::<Vec<u64>>();
    (clock, parts.try_into().expect("three parts"))
}

#[test]
fn where_ranks_share_processors_one_that_sleeps_is_slow_and_one_that_waits_for_them_is_not() {
    let (clock, [first, ..]) = sharing("sleep");
    if clock == "processor" {
        println!("skipped: this kernel does not count how long threads wait for processors");
        return;
    }
    assert_eq!(clock, "undelayed");
    assert!((30..60).contains(&first), "sleeping: {first}");
    let (_, [first, ..]) = sharing("compute");
    assert!((30..60).contains(&first), "computing: {first}");
    let (_, [_, least, most]) = sharing("even");
    assert!(least >= 80 && most <= 120, "{least} to {most}");
}

/// By how many ms the early rank was held, how often ranks prepared, and which part in 100 was hidden.
fn prepared(how: &str) -> [u64; 3] {
    let mut command = mpiexec(2, &compile("prepared"));
    command.arg(how);
    let outcome = Run::whole(command);
    let words = outcome.success().split_whitespace();
    let numbers: Vec<u64> = words.map(|word| word.parse().expect("a number")).collect();
    numbers.try_into().expect("three numbers")
}

#[test]
fn nobody_waits_for_set_up_of_the_slowest_and_what_others_waited_for_is_not_hidden() {
    let [held_ms, prepared_often, hidden] = prepared("last");
    assert!(held_ms < 60, "{held_ms} ms");
    assert!(
        prepared_often == 6 && hidden <= 20,
        "{prepared_often} times, {hidden} %"
    );
    let [held_ms, prepared_often, hidden] = prepared("first");
    assert!(held_ms < 60, "{held_ms} ms");
    assert!(
        prepared_often == 6 && hidden >= 80,
        "{prepared_often} times, {hidden} %"
    );
    let [held_ms, _, hidden] = prepared("turns");
    assert!(held_ms < 60 && hidden >= 70, "{held_ms} ms, {hidden} %");
}

fn receivers(arguments: &[&str]) -> u64 {
    let mut command = mpiexec(4, &compile("receivers"));
    command.args(arguments);
    let outcome = Run::whole(command);
    outcome.success().trim().parse().expect("a number")
}

#[test]
fn by_default_as_many_receive_as_it_takes_and_costs_that_wander_are_met_where_they_will_be() {
    assert_eq!(receivers(&["clock=monotonic"]), 3);
    assert_eq!(receivers(&["document clock=monotonic"]), 1);
    let waits = |_| {
        let foreseen_ms = receivers(&["clock=monotonic", "wanders"]);
        let behind_ms = receivers(&["clock=monotonic forecast=off", "wanders"]);
        (foreseen_ms, behind_ms)
    };
    // A cycle that something else disturbed looks as if costs had wandered otherwise.
    let waits: Vec<(u64, u64)> = (0..4).map(waits).collect();
    let foresees = |(foreseen_ms, behind_ms): &(u64, u64)| foreseen_ms * 10 < behind_ms * 7;
    assert!(waits.iter().any(foresees), "{waits:?}");
}

/// How often the last rank is told smaller, rank 0 larger, and all of them the same; and in how many
/// cycles each decided.
fn directed(policy: &str) -> ([u64; 3], Vec<u64>) {
    let mut command = mpiexec(3, &compile("directed"));
    command.arg(policy);
    let outcome = Run::whole(command);
    let words = outcome.success().split_whitespace();
    let numbers: Vec<u64> = words.map(|word| word.parse().expect("a number")).collect();
    let (told, decided) = numbers.split_at(3);
    (told.try_into().expect("three"), decided.to_vec())
}

#[test]
fn history_entries_tell_each_rank_whether_it_does_more_the_same_or_less() {
    let ([smaller, larger, same], decided) = directed("clock=monotonic");
    assert!(
        smaller >= 1 && larger >= 1 && same >= 8,
        "{smaller} {larger} {same}"
    );
    assert!(decided[2] >= 1, "the slowest decides: {decided:?}");
    assert_eq!(decided.iter().sum::<u64>(), 16);
    assert_eq!(directed("static").0, [0, 0, 48]);
}

#[test]
fn one_controller_decides_for_a_group_where_the_policy_names_it() {
    let ([smaller, larger, _], decided) = directed("controller=1 clock=monotonic");
    assert!(smaller >= 1 && larger >= 1, "{smaller} {larger}");
    assert_eq!(decided, [0, 16, 0]);
}

#[test]
fn each_rank_reads_its_own_items_from_a_file_and_what_it_gets_as_well() {
    let file = format!("pamir-tests-portions-{}", std::process::id());
    let file = std::env::temp_dir().join(file);
    for ranks in [1, 3] {
        let mut command = mpiexec(ranks, &compile("portions"));
        command.arg(&file);
        let outcome = Run::whole(command);
        let more = if ranks == 1 { "no more" } else { "more" };
        assert_eq!(outcome.success(), format!("240 items, then {more}\n"));
    }
    std::fs::remove_file(&file).expect("the program wrote it");
}

#[test]
fn a_balanced_job_gives_freed_memory_back_while_it_waits() {
    let run = |how: &[&str]| {
        let mut command = Command::new(installation::command("mpiexec"));
        command.args(["-n", "2"]).args(how).arg(compile("trimmed"));
        command.env("PAMIR_DRIVER_REPORT", "1");
        let outcome = Run::whole(command);
        let smaller_mb: i64 = outcome.success().trim().parse().expect("a number");
        (smaller_mb, outcome.errors.contains("of memory back"))
    };
    let (smaller_mb, told) = run(&["--balance"]);
    assert!(smaller_mb >= 40 && told, "{smaller_mb} MB");
    let (smaller_mb, told) = run(&[]);
    assert!(smaller_mb < 20 && !told, "{smaller_mb} MB");
}

#[test]
fn calls_that_are_announced_for_nobody_are_told_of_once() {
    let told = |how: &[&str], program: &str, arguments: &[&str]| {
        let mut command = Command::new(installation::command("mpiexec"));
        command.args(["-n", "2"]).args(how).arg(compile(program));
        command.args(arguments).env("PAMIR_BALANCE", "barrier");
        let outcome = Run::whole(command);
        outcome.success();
        let lines = outcome.errors.lines();
        lines
            .filter(|line| line.contains("PAMIR_BALANCE announced"))
            .count()
    };
    assert_eq!(told(&[], "barrier", &[]), 1);
    assert_eq!(told(&["--balance"], "barrier", &[]), 0);
    assert_eq!(told(&[], "housekeeping", &["barrier"]), 0);
}

#[test]
fn nothing_moves_where_nothing_should() {
    for policy in ["static", "least-ns=3600000000000 clock=monotonic"] {
        let outcome = Run::whole(balanced(2, &[policy]));
        assert_eq!(outcome.success(), "balanced 2 stayed\n", "{policy}");
    }
}

#[test]
fn data_moves_in_packets_where_the_kernel_does_not_copy() {
    let mut command = balanced(2, &["clock=monotonic"]);
    command.env("PAMIR_NO_KERNEL_COPY", "1");
    assert_eq!(Run::whole(command).success(), "balanced 2 moved\n");
}

#[test]
fn wrong_arguments_are_refused_with_their_class() {
    let outcome = Run::whole(mpiexec(2, &compile("balanced_wrong")));
    assert_eq!(outcome.success(), "refused\nrefused\n");
}

#[test]
fn the_environment_gives_a_policy_to_a_program_that_names_none() {
    let mut command = balanced(2, &[]);
    command.env("PAMIR_BALANCE_POLICY", "static");
    assert_eq!(Run::whole(command).success(), "balanced 2 stayed\n");
}

#[test]
fn a_rank_that_is_killed_in_a_cycle_ends_the_job() {
    let outcome = Run::whole(balanced(4, &["clock=monotonic", "kill"]));
    assert!(!outcome.status.success(), "{outcome:?}");
    assert!(outcome.errors.contains("SIGKILL"), "{outcome:?}");
}

#[test]
fn tasks_of_slow_ranks_become_smaller_and_every_part_is_done_once() {
    for (ranks, arguments, share) in [
        (1, &["1"][..], "equal"),
        (2, &["1"], "smaller"),
        (3, &["2"], "smaller"),
        (2, &["0"], "equal"),
        (2, &["0", "request"], "smaller"),
    ] {
        let mut command = mpiexec(ranks, &compile("leveled"));
        command
            .args(arguments)
            .env("PAMIR_BALANCE_OCCASIONS", "off");
        let expected = format!("leveled {ranks} {share}\n");
        assert_eq!(Run::whole(command).success(), expected, "{arguments:?}");
    }
}

#[test]
fn tasks_with_weights_and_functions_of_their_own_go_to_the_fastest_several_at_once() {
    for ranks in [1_usize, 2, 3] {
        let command = mpiexec(ranks, &compile("listed"));
        let outcome = Run::whole(command);
        let words = outcome.success().split_whitespace();
        let numbers: Vec<u64> = words.map(|word| word.parse().expect("a number")).collect();
        let (last, at_once) = (numbers[0], numbers[1]);
        assert!(at_once >= 2, "{ranks}: {at_once} at once");
        // Less than seven tenths of an equal share.
        let few = last * ranks as u64 * 10 <= 208 * 7;
        assert!(ranks == 1 || few, "{ranks}: {last} of 208");
    }
}

#[test]
fn another_priority_or_processor_levels_tasks_that_nobody_asked_to_level() {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    for occasion in ["nice", "processor"] {
        if occasion == "processor" && processors == 1 {
            continue;
        }
        for (switch, share) in [(None, "smaller"), (Some("off"), "equal")] {
            // Ranks that are bound to a core have no processor to leave.
            let mut command = Command::new(installation::command("mpiexec"));
            command.args(["-n", "2", "--bind-to", "none"]);
            command.arg(compile("leveled")).args(["0", occasion]);
            command.env_remove("PAMIR_BALANCE_OCCASIONS");
            if let Some(switch) = switch {
                command.env("PAMIR_BALANCE_OCCASIONS", switch);
            }
            let expected = format!("leveled 2 {share}\n");
            assert_eq!(
                Run::whole(command).success(),
                expected,
                "{occasion} {switch:?}"
            );
        }
    }
}

/// A directory with the files that resctrl has; the last rank leaves its group there.
fn resctrl() -> std::path::PathBuf {
    let root = format!("pamir-tests-resctrl-{}", std::process::id());
    let root = std::env::temp_dir().join(root);
    std::fs::create_dir_all(root.join("info/L3")).expect("a directory");
    std::fs::write(root.join("info/L3/min_cbm_bits"), "1\n").expect("a file");
    std::fs::write(root.join("schemata"), "L3:0=fff\n").expect("a file");
    root
}

#[test]
fn set_up_operations_change_windows_and_cache() {
    let root = resctrl();
    let mut command = mpiexec(2, &compile("resources"));
    command
        .arg("static clock=monotonic")
        .env("PAMIR_RESCTRL", &root);
    let outcome = Run::whole(command);
    let groups = std::fs::read_dir(&root).expect("it is there").flatten();
    let groups = groups.filter(|entry| entry.file_name().to_string_lossy().starts_with("pamir-"));
    let masks: Vec<String> = groups
        .map(|group| {
            std::fs::read_to_string(group.path().join("schemata")).expect("a group has it")
        })
        .collect();
    std::fs::remove_dir_all(&root).expect("it is there");
    let expected = "first: 512 slots, cache 12/12: the whole\n\
                    last: 16 slots, cache 6/12: 6 of 12 ways\n\
                    after: 64 slots, cache 0/0: switched off, by PAMIR_RESCTRL or by the policy\n";
    assert_eq!(outcome.success(), expected);
    assert_eq!(masks, ["L3:0=3f\n"]);
}

#[test]
fn set_up_operations_change_what_the_policy_names_and_what_the_machine_has() {
    let run = |policy: &str, place: &str| {
        let mut command = mpiexec(2, &compile("resources"));
        command.arg(policy).env("PAMIR_RESCTRL", place);
        let outcome = Run::whole(command);
        let lines = outcome.success().lines().take(2);
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let still = run("static set-up=memory clock=monotonic", "/nowhere");
    let off = "64 slots, cache 0/0: switched off, by PAMIR_RESCTRL or by the policy";
    assert_eq!(still, [format!("first: {off}"), format!("last: {off}")]);
    let absent = run("static clock=monotonic", "/nowhere");
    assert!(
        absent[1].starts_with("last: 16 slots, cache 0/0: no resctrl"),
        "{absent:?}"
    );
}

#[test]
fn housekeeping_runs_where_a_rank_waits_for_long() {
    for engine in ["service", "thread", "none"] {
        for how in ["cycle", "tasks", "sync", "barrier"] {
            let mut command = mpiexec(2, &compile("housekeeping"));
            command.arg(how).env("PAMIR_BALANCE", "barrier");
            command.env("PAMIR_ENGINE", engine);
            let expected = format!("{how} kept\n");
            assert_eq!(Run::whole(command).success(), expected, "{engine}");
        }
    }
}
