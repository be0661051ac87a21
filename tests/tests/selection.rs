//! Every algorithm can be asked for by name, is taken then, and gives the right results; what is
//! asked for wrongly is refused before the program begins.

use std::path::{Path, PathBuf};
use std::process::Command;

use pamir_tests::installation::compile;
use pamir_tests::run::{Outcome, Run, mpiexec};
use pamir_transport::selection::{KINDS, Kind, Situation};

/// A run of one kind of instruction, whose errors tell which algorithms were taken.
fn run(program: &Path, kind: &str, ranks: usize, variables: &[(&str, &str)]) -> Outcome {
    Run::whole(command(program, kind, ranks, variables))
}

fn command(program: &Path, kind: &str, ranks: usize, variables: &[(&str, &str)]) -> Command {
    let mut command = mpiexec(ranks, program);
    command
        .arg(kind)
        .env("PAMIR_SELECTION_FILE", "")
        .env("PAMIR_SELECTION_REPORT", "1")
        .envs(variables.iter().copied());
    command
}

/// The algorithms that the report names for a kind.
fn taken(outcome: &Outcome, kind: &str) -> Vec<String> {
    let beginning = format!("pamir: {kind}: ");
    let mut lines = outcome.errors.lines();
    let line = lines.find_map(|line| line.strip_prefix(&beginning));
    let words = line.unwrap_or("").split(", ");
    words
        .filter_map(|word| Some(word.split_once(' ')?.0.to_string()))
        .collect()
}

/// Runs every algorithm of a kind with numbers of ranks that are a power of two, and not.
fn every_algorithm_of(program: &Path, kind: &dyn Kind) {
    for (algorithm, needs) in kind.algorithms() {
        for ranks in [3, 4]
            .into_iter()
            .filter(|ranks| needs.met(Situation::new(*ranks, true)))
        {
            let (name, variable) = (kind.name(), kind.variable());
            let outcome = run(program, name, ranks, &[(&variable, algorithm)]);
            assert_eq!(outcome.success(), format!("right {name} {ranks}\n"));
            let found = taken(&outcome, name);
            assert!(
                found.contains(&algorithm.to_string()),
                "{name} {algorithm}: {found:?}"
            );
        }
    }
}

#[test]
fn every_algorithm_of_a_collective_gives_the_right_results_when_asked_for() {
    let program = compile("selection");
    let messages = ["send", "stripes", "scattered_stripes", "put", "get"];
    for kind in KINDS.iter().filter(|kind| !messages.contains(&kind.name())) {
        every_algorithm_of(&program, *kind);
    }
}

#[test]
fn every_protocol_of_a_send_delivers_when_asked_for() {
    let program = compile("selection");
    for protocol in [
        "eager",
        "eager_measured",
        "rendezvous",
        "rendezvous_together",
        "rendezvous_measured",
        "rendezvous_packets",
        "rendezvous_copy",
        "striped",
    ] {
        // Ranks that share processors, and ranks that do not, fetch data differently.
        for ranks in [2, 5] {
            let outcome = run(&program, "send", ranks, &[("PAMIR_SEND", protocol)]);
            assert_eq!(outcome.success(), format!("right send {ranks}\n"));
            let found = taken(&outcome, "send");
            assert!(
                found.contains(&protocol.to_string()),
                "{protocol}: {found:?}"
            );
            let refused = [("PAMIR_SEND", protocol), ("PAMIR_NO_KERNEL_COPY", "1")];
            let outcome = run(&program, "send", ranks, &refused);
            assert_eq!(outcome.success(), format!("right send {ranks}\n"));
        }
    }
}

#[test]
fn sizes_and_ranks_decide() {
    let program = compile("selection");
    let rows = [("PAMIR_ALLREDUCE", "ring:65536-,recursive_doubling")];
    let outcome = run(&program, "allreduce", 3, &rows);
    outcome.success();
    assert_eq!(taken(&outcome, "allreduce"), ["recursive_doubling", "ring"]);
    let rows = [("PAMIR_ALLREDUCE", "ring@4-,reduce_broadcast")];
    let outcome = run(&program, "allreduce", 3, &rows);
    outcome.success();
    assert_eq!(taken(&outcome, "allreduce"), ["reduce_broadcast"]);
    let outcome = run(&program, "send", 2, &[("PAMIR_SEND", "eager:-1M")]);
    outcome.success();
    assert_eq!(taken(&outcome, "allreduce"), Vec::<String>::new());
    assert!(!taken(&outcome, "send").contains(&"rendezvous_copy".to_string()));
}

fn file(name: &str, text: &str) -> PathBuf {
    let directory = std::env::temp_dir().join(format!("pamir-{}-{name}", std::process::id()));
    std::fs::create_dir_all(directory.join("pamir")).expect("a temporary directory");
    let file = directory.join("pamir/selection.toml");
    std::fs::write(&file, text).expect("a temporary file");
    file
}

#[test]
fn a_file_decides_wherever_it_lies() {
    let program = compile("selection");
    let file = file("file", "[[scan]]\nalgorithm = \"linear\"\n");
    let path = file.to_str().expect("a plain path");
    let named = run(&program, "scan", 3, &[("PAMIR_SELECTION_FILE", path)]);
    named.success();
    assert_eq!(taken(&named, "scan"), ["linear"]);
    let directory = file.parent().and_then(Path::parent).expect("it has one");
    let mut found = command(&program, "scan", 3, &[]);
    found
        .env_remove("PAMIR_SELECTION_FILE")
        .env("XDG_CONFIG_HOME", directory);
    let found = Run::whole(found);
    found.success();
    assert_eq!(taken(&found, "scan"), ["linear"]);
    // A variable comes first.
    let variables = [
        ("PAMIR_SELECTION_FILE", path),
        ("PAMIR_SCAN", "recursive_doubling"),
    ];
    let outcome = run(&program, "scan", 3, &variables);
    outcome.success();
    assert_eq!(taken(&outcome, "scan"), ["recursive_doubling"]);
    std::fs::remove_dir_all(directory).expect("it is ours");
}

fn refused(variables: &[(&str, &str)]) -> String {
    let outcome = run(&compile("selection"), "scan", 2, variables);
    assert!(!outcome.status.success(), "{}", outcome.output);
    assert_eq!(outcome.output, "");
    outcome.errors
}

#[test]
fn bad_tables_are_refused_with_line_and_reason() {
    let file = file("bad", "# measured\n\n[[scan]]\nalgorithm = \"lineal\"\n");
    let path = file.to_str().expect("a plain path");
    let errors = refused(&[("PAMIR_SELECTION_FILE", path)]);
    let expected = format!(
        "selection file {path}, line 3: scan has no algorithm \"lineal\"; there are linear, \
         recursive_doubling"
    );
    assert!(errors.contains(&expected), "{errors}");
    let errors = refused(&[("PAMIR_SCAN", "linear:5-,liner")]);
    let expected = "PAMIR_SCAN=\"linear:5-,liner\", item 2: scan has no algorithm \"liner\"";
    assert!(errors.contains(expected), "{errors}");
    let errors = refused(&[("PAMIR_SELECTION_FILE", "/nowhere/selection.toml")]);
    assert!(
        errors.contains("cannot read the selection file /nowhere"),
        "{errors}"
    );
}

/// How often the report says that an algorithm of reductions was taken.
fn reductions(errors: &str) -> Vec<(String, u64)> {
    let beginning = "pamir: allreduce: ";
    let line = errors.lines().find_map(|line| line.strip_prefix(beginning));
    let one = |text: &str| {
        let (name, times) = text.split_once(' ').expect("a name and a number");
        (name.to_string(), times.parse().expect("a number"))
    };
    line.map_or(Vec::new(), |line| line.split(", ").map(one).collect())
}

/// Three ranks that reduce so many bytes, one after the other, by a table.
fn sized(bytes: &[usize], variable: (&str, &str)) -> Vec<(String, u64)> {
    let mut command = mpiexec(3, &compile("sized"));
    command
        .args(bytes.iter().map(usize::to_string))
        .env("PAMIR_SELECTION_FILE", "")
        .env("PAMIR_SELECTION_REPORT", "1")
        .envs([variable]);
    let outcome = Run::whole(command);
    assert_eq!(outcome.success(), format!("{} right\n", bytes.len()));
    let mut taken = reductions(&outcome.errors);
    taken.sort();
    taken
}

#[test]
fn a_range_ends_at_its_upper_bound() {
    let bounds = "recursive_doubling:-100,reduce_broadcast:101-1000,ring:1001-";
    let taken = |bytes: &[usize]| sized(bytes, ("PAMIR_ALLREDUCE", bounds));
    let one = |name: &str, times| vec![(name.to_string(), times)];
    // The last range has no end.
    assert_eq!(taken(&[0, 1, 50, 100]), one("recursive_doubling", 4));
    assert_eq!(taken(&[101, 500, 1000]), one("reduce_broadcast", 3));
    assert_eq!(taken(&[1001, 5000, 10000, 10001]), one("ring", 4));
}

#[test]
fn a_hundred_ranges_serve_a_size_each() {
    const NAMES: [&str; 3] = ["recursive_doubling", "reduce_broadcast", "ring"];
    let row = |range: usize| format!("{}:{}-{}", NAMES[range % 3], 8 * range + 1, 8 * range + 8);
    let rows: Vec<String> = (0..117).map(row).collect();
    // The last size of each range and the first one.
    let bytes: Vec<usize> = (0..117)
        .flat_map(|range| [8 * range + 1, 8 * range + 8])
        .collect();
    let taken = sized(&bytes, ("PAMIR_ALLREDUCE", &rows.join(",")));
    let expected = NAMES.map(|name| (name.to_string(), 78));
    assert_eq!(taken, expected);
    // One range alone.
    let taken = sized(&bytes[6..8], ("PAMIR_ALLREDUCE", &rows.join(",")));
    assert_eq!(taken, [(NAMES[0].to_string(), 2)]);
}
