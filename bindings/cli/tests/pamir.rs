//! `pamir` as a command: what it measures is read again by jobs, and what is wrong is told.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::PathBuf;
use std::process::{Command, Output};

use pamir_transport::selection::KINDS;

fn pamir(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pamir"));
    command.args(arguments).env("PAMIR_SELECTION_FILE", "");
    command.envs(variables.iter().copied()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn temporary(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("pamir-test-{}-{name}.toml", std::process::id()))
}

#[test]
fn what_tune_measures_is_in_force_when_its_file_is_named() {
    let file = temporary("tuned");
    let path = file.to_str().unwrap();
    let quick = ["--ranks", "2", "--sizes", "8,2048", "--rounds", "1"];
    let kinds: Vec<&str> = KINDS.iter().map(|kind| kind.name()).collect();
    let kinds = kinds.join(",");
    let options = ["tune", "--kinds", &kinds, "--output", path];
    let output = pamir(&[&options[..], &quick[..]].concat(), &[]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let written = std::fs::read_to_string(&file).unwrap();
    for kind in KINDS {
        assert!(
            written.contains(&format!("[[{}]]", kind.name())),
            "{written}"
        );
    }
    let output = pamir(&["info", "--selection"], &[("PAMIR_SELECTION_FILE", path)]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(
        text(&output.stdout).contains(path),
        "{}",
        text(&output.stdout)
    );
    std::fs::remove_file(file).unwrap();
}

#[test]
fn a_variable_shows_in_the_tables_in_force() {
    let rows = [("PAMIR_ALLREDUCE", "ring:64K-,reduce_broadcast")];
    let output = pamir(&["info", "--selection", "--ranks", "6"], &rows);
    let shown = text(&output.stdout);
    assert!(shown.contains("variables  PAMIR_ALLREDUCE"), "{shown}");
    let begin = shown.find("\nallreduce (").unwrap();
    let expected = "\n  up to 65535      reduce_broadcast\n  above            ring\n";
    assert!(shown[begin..].contains(expected), "{shown}");
}

/// Ranks of one machine share boards, so their rows are those that serve.
#[test]
fn tables_in_force_are_those_of_ranks_that_share_boards() {
    for (setting, shares) in [("0", true), ("1", false)] {
        let output = pamir(
            &["info", "--selection", "--ranks", "7"],
            &[("PAMIR_NO_BOARDS", setting)],
        );
        let shown = text(&output.stdout);
        let begin = shown.find("\nallgather (").unwrap();
        let ranges = shown[begin..].split("  all:").next().unwrap();
        assert_eq!(ranges.contains("posted"), shares, "{ranges}");
    }
}

#[test]
fn bad_tables_and_bad_arguments_are_told() {
    let file = temporary("bad");
    std::fs::write(&file, "[[scan]]\n").unwrap();
    let path = file.to_str().unwrap();
    let output = pamir(&["info", "--selection"], &[("PAMIR_SELECTION_FILE", path)]);
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(
        errors.contains("line 1: missing field `algorithm`"),
        "{errors}"
    );
    std::fs::remove_file(file).unwrap();
    for (arguments, expected) in [
        (
            ["tune", "--kinds", "teleport"],
            "there is no kind of instruction \"teleport\"",
        ),
        (
            ["tune", "--ranks", "1"],
            "'--ranks <RANKS>': give a whole number from 2 to 1024",
        ),
        (
            ["tune", "--rounds", "0"],
            "'--rounds <ROUNDS>': give a whole number from 1 to 1000000",
        ),
    ] {
        let errors = text(&pamir(&arguments, &[]).stderr);
        assert!(errors.contains(expected), "{errors}");
    }
}

/// Eight ranks in two groups that talk inside, numbered in turn: 0 2 4 6 and 1 3 5 7.
const TWO_GROUPS: &str = "ranks 8\nportion work\n0 2 1 90\n2 4 1 90\n4 6 1 90\n6 0 1 90\n1 3 1 90\n\
                          3 5 1 90\n5 7 1 90\n7 1 1 90\nportion end\n0 1 1 1\n";

fn write(name: &str, content: &str) -> String {
    let path = temporary(name);
    std::fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_string()
}

#[test]
fn a_mapping_puts_groups_that_talk_under_one_cache_and_is_read_by_mpiexec() {
    let profile = write("profile", TWO_GROUPS);
    let mapping = temporary("mapping");
    let mapping = mapping.to_str().unwrap();
    let picture = temporary("picture");
    let picture = picture.to_str().unwrap();
    let synthetic = [
        "--synthetic",
        "package:2 l3cache:2 core:4 pu:2",
        "--steps",
        "20000",
    ];
    let options = [
        "place",
        &profile,
        "--weight",
        "bytes",
        "--output",
        mapping,
        "--plot",
        picture,
        "--what-if",
    ];
    let output = pamir(&[&options[..], &synthetic[..]].concat(), &[]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let report = text(&output.stdout);
    assert!(
        report.contains("traffic       721 bytes in 9 messages"),
        "{report}"
    );
    assert!(
        report.contains("the dearest edges")
            && report.contains("\n  l3cache ")
            && report.contains("16 ranks"),
        "{report}"
    );
    let line = |name: &str| {
        let line = report.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace()
            .nth(2)
            .unwrap()
            .parse::<f64>()
            .unwrap()
    };
    // Every heavy edge inside a cache costs 6 hops; the light one reaches over caches or packages.
    let (least, most) = (8.0 * 90.0 * 6.0 + 8.0, 8.0 * 90.0 * 6.0 + 12.0);
    assert!((least..=most).contains(&line("cost after")), "{report}");
    assert!(line("cost before") > line("cost after"));
    assert!(
        std::fs::read_to_string(picture)
            .unwrap()
            .starts_with("<svg")
    );

    // Both readers of the mapping agree on where ranks go, and each group has a cache of its own.
    let written = std::fs::read_to_string(mapping).unwrap();
    let units: Vec<usize> = written
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split(' ').nth(1).unwrap().parse().unwrap())
        .collect();
    assert_eq!(units.len(), 8);
    for rank in 0..8 {
        assert_eq!(units[rank] / 8 == units[0] / 8, rank % 2 == 0, "{written}");
    }
    let by_file = format!("file:{mapping}");
    let machine = ("HWLOC_SYNTHETIC", "package:2 l3cache:2 core:4 pu:2");
    let mut mpiexec = Command::new(env!("CARGO_BIN_EXE_mpiexec"));
    mpiexec
        .args(["-n", "8", "--map-by", &by_file, "--dry-run", "x"])
        .env(machine.0, machine.1);
    let planned = text(&mpiexec.output().unwrap().stdout);
    let pinned = pamir(&["pin", "--policy", &by_file, "--dry-run"], &[machine]);
    let pinned = text(&pinned.stdout);
    for (rank, unit) in units.iter().enumerate() {
        let bound = format!("(processor {unit}-{})", unit + 1);
        assert!(
            planned.lines().nth(rank).unwrap().contains(&bound),
            "{planned}"
        );
        assert!(pinned.contains(&format!("{unit}=r{rank} ")), "{pinned}");
    }
    for file in [profile.as_str(), mapping, picture] {
        std::fs::remove_file(file).unwrap();
    }
}

#[test]
fn profiles_are_added_up_and_saved_as_text_or_matrix() {
    let one = write(
        "save-one",
        "ranks 3\nportion a\n0 1 2 100\nportion b\n1 2 1 7\n",
    );
    let other = write(
        "save-other",
        "ranks 3\nportion a\n0 1 3 50\nportion b\n2 0 1 9\n",
    );
    let saved = temporary("saved");
    let matrix = saved.with_extension("mtx");
    let save = |path: &PathBuf, more: &[&str]| {
        let path = path.to_str().unwrap();
        let options = ["place", &one, &other, "--save-profile", path];
        let output = pamir(&[&options[..], more].concat(), &[]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        std::fs::read_to_string(path).unwrap()
    };
    let expected = "# pamir communication 1\nranks 3\nportion a\n0 1 5 150\n";
    assert_eq!(save(&saved, &["--portion", "a"]), expected);
    let expected = "# pamir communication 1\nranks 3\n0 1 5 150\n1 2 1 7\n2 0 1 9\n";
    assert_eq!(save(&saved, &[]), expected);
    let written = save(&matrix, &["--weight", "bytes"]);
    let (banner, values) = written.split_once('\n').unwrap();
    assert_eq!(banner, "%%MatrixMarket matrix coordinate real general");
    assert_eq!(values, "3 3 3\n1 2 150\n2 3 7\n3 1 9\n");
    // What was saved is a profile.
    let matrix = matrix.to_str().unwrap();
    assert!(pamir(&["place", matrix], &[]).status.success());
    for file in [&one, &other, matrix, saved.to_str().unwrap()] {
        std::fs::remove_file(file).unwrap();
    }
}

#[test]
fn an_interrupted_search_answers_with_its_best() {
    // Far more than can be searched in ten minutes.
    let edges: String = (0..120)
        .map(|rank| format!("{rank} {} 1 {}\n", rank * 7 % 120, 90 + rank))
        .collect();
    let profile = write("interrupted", &format!("ranks 120\n{edges}"));
    let mapping = temporary("interrupted-mapping");
    let search = Command::new(env!("CARGO_BIN_EXE_pamir"))
        .args(["place", &profile, "--tree", "30:4", "--distances", "9:1"])
        .args(["--algorithm", "memetic", "--time", "600", "--output"])
        .arg(&mapping)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // Only a command that watches for signals survives the first.
    let process = nix::unistd::Pid::from_raw(search.id() as i32);
    let caught = || {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
        let blocked = status.lines().find_map(|line| line.strip_prefix("SigBlk:"));
        let blocked = blocked.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        blocked.is_some_and(|mask| mask >> 14 & 1 == 1)
    };
    let looks = (0..6000).take_while(|_| {
        std::thread::sleep(std::time::Duration::from_millis(5));
        !caught()
    });
    assert!(looks.count() < 6000, "it watches for no signals");
    nix::sys::signal::kill(process, nix::sys::signal::Signal::SIGTERM).unwrap();
    let output = search.wait_with_output().unwrap();
    assert!(output.status.success());
    let report = text(&output.stdout);
    assert!(
        report.contains("\ninterrupted   this is the best"),
        "{report}"
    );
    let lines = std::fs::read_to_string(&mapping).unwrap();
    assert_eq!(
        lines.lines().filter(|line| !line.starts_with('#')).count(),
        120
    );
    std::fs::remove_file(mapping).unwrap();
    std::fs::remove_file(profile).unwrap();
}

#[test]
fn a_mapping_for_other_ranks_and_bad_profiles_are_refused() {
    let mapping = write("two", "0 0\n1 0\n");
    let mut mpiexec = Command::new(env!("CARGO_BIN_EXE_mpiexec"));
    let by_file = format!("file:{mapping}");
    mpiexec.args(["-n", "3", "--map-by", &by_file, "true"]);
    let errors = text(&mpiexec.output().unwrap().stderr);
    assert!(
        errors.contains("places 2 ranks, and the job has 3"),
        "{errors}"
    );
    std::fs::remove_file(&mapping).unwrap();
    let bad = write("bad-profile", "ranks 2\n0 5 1 8\n");
    for (arguments, expected) in [
        (vec!["place", &bad], "line 2: rank 5 is not below 2"),
        (vec!["place"], "name a profile"),
        (
            vec!["place", "/nonexistent/profile"],
            "/nonexistent/profile",
        ),
        (
            vec!["place", &bad, "--function", "cube"],
            "there is no edge function \"cube\"",
        ),
        (
            vec!["place", "--measure", "--synthetic", "core:2 pu:1"],
            "only this machine can be measured",
        ),
        (
            vec!["place", "/nonexistent", "--output", "-", "--try", "true"],
            "--try needs the mapping in a file",
        ),
        (vec!["pin"], "no command to run"),
        (
            vec!["pin", "--policy", "sideways", "true"],
            "there is no policy",
        ),
    ] {
        let output = pamir(&arguments, &[]);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert!(errors.contains(expected), "{errors}");
    }
    std::fs::remove_file(bad).unwrap();
}

#[test]
fn a_tree_and_a_matrix_are_machines_too() {
    let profile = write("tree-profile", TWO_GROUPS);
    let matrix = write(
        "matrix",
        "%%MatrixMarket matrix array integer symmetric\n2 2\n1\n9\n1\n",
    );
    for options in [
        ["--tree", "2:4", "--distances", "10:1"],
        ["--machine", &matrix, "--ranks-per-place", "4"],
    ] {
        let arguments = [
            &["place", &profile, "--portion", "work", "--output", "-"][..],
            &options[..],
        ]
        .concat();
        let output = pamir(&arguments, &[]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let lines = text(&output.stdout);
        let units: Vec<&str> = lines
            .lines()
            .skip(2)
            .map(|line| line.split(' ').nth(1).unwrap())
            .collect();
        assert_eq!(units.len(), 8, "{lines}");
        // Nothing crosses: the cost is that of eight edges inside, one each.
        let report = text(&output.stderr);
        assert!(report.contains("improvement"), "{report}");
        assert!(report.contains("cost after    8720"), "{report}");
    }
    for file in [profile, matrix] {
        std::fs::remove_file(file).unwrap();
    }
}

#[test]
fn the_machine_is_drawn_with_who_sits_where() {
    let machine = ("HWLOC_SYNTHETIC", "package:2 l3cache:4 core:8 pu:2");
    let drawn = text(&pamir(&["info", "--topology"], &[machine]).stdout);
    assert_eq!(drawn.matches("package ").count(), 2, "{drawn}");
    assert_eq!(drawn.matches("L3 cache ").count(), 8, "{drawn}");
    assert!(
        drawn.contains("    L3 cache 7   [112 113] [114 115]"),
        "{drawn}"
    );
    let seated = |policy: &str, ranks: &str| {
        let arguments = ["pin", "--policy", policy, "--ranks", ranks, "--dry-run"];
        text(&pamir(&arguments, &[machine]).stdout)
    };
    assert!(seated("compact", "3").contains("[0=r0 1] [2=r1 3] [4=r2 5]"));
    let scattered = seated("scatter", "3");
    assert!(
        scattered.contains("L3 cache 4   [64=r1 65]") && scattered.contains("[16=r2 17]"),
        "{scattered}"
    );
    let caches = seated("l3", "2");
    assert!(
        caches.contains("rank 1 on") && caches.contains("(processor 16-31)"),
        "{caches}"
    );
}

#[test]
fn a_pinned_command_runs_where_it_was_told() {
    let allowed = |variables: &[(&str, &str)], policy: &str| {
        let script = "grep Cpus_allowed_list /proc/self/status";
        let output = pamir(&["pin", "--policy", policy, "sh", "-c", script], variables);
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
            .split_whitespace()
            .nth(1)
            .unwrap()
            .to_string()
    };
    let machine = pamir_driver::topology::Machine::from_sysfs().unwrap();
    let units = machine.allowed();
    let last = units[units.len() - 1].to_string();
    assert_eq!(allowed(&[], &format!("list:{last}")), last);
    let both = format!("list:{},{last}", units[0]);
    for variable in [
        "PAMIR_RANK",
        "OMPI_COMM_WORLD_LOCAL_RANK",
        "MPI_LOCALRANKID",
        "PMI_RANK",
        "SLURM_LOCALID",
    ] {
        // Rank 1 takes the second entry of the list, rank 0 the first.
        assert_eq!(allowed(&[(variable, "1")], &both), last, "{variable}");
        assert_eq!(
            allowed(&[(variable, "0")], &both),
            units[0].to_string(),
            "{variable}"
        );
    }
    let status = pamir(&["pin", "/nonexistent/command"], &[]).status;
    assert_eq!(status.code(), Some(127));
}

#[test]
fn the_machine_is_measured_by_ping_pong() {
    let output = pamir(&["place", "--measure"], &[]);
    let cores = pamir_driver::topology::Machine::from_sysfs().unwrap();
    let cores = cores
        .groups(pamir_driver::topology::Level::Core)
        .unwrap()
        .len();
    if cores < 2 {
        assert!(text(&output.stderr).contains("only one processing unit"));
        return;
    }
    assert!(output.status.success(), "{}", text(&output.stderr));
    let measured = write("measured", &text(&output.stdout));
    let profile = write("measured-profile", "ranks 2\n0 1 1 8\n");
    let placed = pamir(&["place", &profile, "--machine", &measured], &[]);
    assert!(placed.status.success(), "{}", text(&placed.stderr));
    assert!(text(&placed.stdout).contains(&format!("places        {cores}")));
    for file in [measured, profile] {
        std::fs::remove_file(file).unwrap();
    }
}

/// Column `index` of a policy's line.
fn column(table: &str, policy: &str, index: usize) -> f64 {
    let line = table.lines().find(|line| line.starts_with(policy));
    let line = line.unwrap_or_else(|| panic!("no {policy}: {table}"));
    line.split_whitespace().nth(index).unwrap().parse().unwrap()
}

#[test]
fn simulated_balancing_brings_a_thousand_ranks_to_95_parts_in_100() {
    let document = ["--ranks", "4", "--cycles", "1"];
    for (shape, options) in [
        ("step", &[][..]),
        ("linear", &["--slope", "3"]),
        ("random", &["--slope", "0.5", "--noise", "0.01"]),
    ] {
        let arguments = ["simulate-balance", "--ranks", "1000", "--shape", shape];
        let output = pamir(&[&arguments[..], options].concat(), &[]);
        let table = text(&output.stdout);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(column(&table, "balanced", 2) >= 0.95, "{table}");
        assert!(column(&table, "static", 2) < 0.9, "{table}");
        let wait = |policy| column(&table, policy, 5);
        assert!(wait("balanced") < wait("static") / 2.0, "{table}");
        assert!(column(&table, "balanced", 7) > 0.0, "{table}");
        for policy in ["leveled", "lend-when-idle", "greedy-migration"] {
            assert!((0.0..=1.0).contains(&column(&table, policy, 2)), "{table}");
        }
    }
    let output = pamir(&[&["simulate-balance"][..], &document].concat(), &[]);
    // The document's 1000, 1000, 1000, 1500.
    assert_eq!(column(&text(&output.stdout), "static", 1), 0.75);
}

#[test]
fn laws_and_receivers_of_a_simulation_are_chosen_and_bad_ones_are_told() {
    let few = ["simulate-balance", "--ranks", "16", "--cycles", "40"];
    for options in [
        ["--law", "linear:0.2", "--receivers", "2"],
        ["--law", "table:100000=50,1000000=500", "--shares", "even"],
        ["--receivers", "over:1000,2000", "--givers", "2"],
    ] {
        let table = text(&pamir(&[&few[..], &options].concat(), &[]).stdout);
        let balanced = column(&table, "balanced", 2);
        assert!(balanced > column(&table, "static", 2) + 0.05, "{table}");
    }
    // A wait of 5 ms is worth 50 ms in ten cycles, and not 51.
    for (cost, moves) in [("49000000", true), ("51000000", false)] {
        let table = text(&pamir(&[&few[..], &["--moving-cost", cost]].concat(), &[]).stdout);
        assert_eq!(column(&table, "balanced", 7) > 0.0, moves, "{table}");
    }
    for (options, expected) in [
        (["--law", "guess"], "there is no law \"guess\""),
        (["--law", "table:5=1,5=2"], "in ascending order"),
        (["--shape", "round"], "moving-hotspot"),
        (["--receivers", "0"], "neither a number from 1 on"),
        (["--slope", "NaN"], "give a number from 0.1 to 5"),
    ] {
        let output = pamir(&[&few[..], &options].concat(), &[]);
        let errors = text(&output.stderr);
        assert!(
            !output.status.success() && errors.contains(expected),
            "{errors}"
        );
    }
}

#[test]
fn a_datatype_is_explained() {
    let output = pamir(&["explain-type", "vector(1024,1,4096,double)"], &[]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    for expected in [
        "size         8192 bytes\n",
        "extent       33521672 bytes, from 0 to 33521672",
        "8192 bytes in 1024 blocks",
        "loop 1024 { copy 8, skip 32760 }",
        "moved by: the loop for 8-byte blocks, 32768 apart",
        "one element, 8192 bytes, among 2 ranks by: immediate, in one piece",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    // What means the same bytes compiles to the same program.
    let nested = "hvector(32,1,1048576,hvector(32,1,32768,double))";
    let program = |said: &str| said[said.find("program").unwrap()..].to_owned();
    let other = pamir(&["explain-type", nested], &[]);
    assert_eq!(program(&text(&other.stdout)), program(&said));
}

#[test]
fn tables_and_workers_decide_how_an_explained_datatype_is_sent() {
    let vector = ["explain-type", "vector(131072,1,2,double)"];
    let sent = |options: &[&str], variables: &[(&str, &str)]| {
        let output = pamir(&[&vector[..], options].concat(), variables);
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout).lines().last().unwrap().to_owned()
    };
    assert!(sent(&[], &[]).ends_with("among 2 ranks by: rendezvous, in one piece"));
    let workers = sent(&["--workers", "1", "--count", "4"], &[]);
    assert!(
        workers.contains("all elements, 4194304 bytes")
            && workers.ends_with("in 2 stripes, by a worker and the sender's thread"),
        "{workers}"
    );
    let eager = sent(&["--ranks", "8"], &[("PAMIR_SEND", "eager:-2M")]);
    assert!(
        eager.ends_with("among 8 ranks by: eager, in one piece"),
        "{eager}"
    );
}

#[test]
fn what_is_no_datatype_is_refused_with_its_place() {
    for (datatype, reason) in [
        ("vector(1,2", "byte 10: here should be ',' or ')'"),
        ("vector(1,2,3)", "vector(count,blocklength,stride,type)"),
        ("contiguous(-1,int)", "byte 0: "),
    ] {
        let output = pamir(&["explain-type", datatype], &[]);
        assert_eq!(output.status.code(), Some(2));
        assert!(
            text(&output.stderr).contains(reason),
            "{}",
            text(&output.stderr)
        );
    }
    let help = text(&pamir(&["explain-type", "--help"], &[]).stdout);
    assert!(
        help.contains("subarray([sizes],[subsizes],[starts],c|fortran,type)"),
        "{help}"
    );
}
