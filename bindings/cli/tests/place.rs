//! `pamir place` as a user meets it: other machines, other links and counts, traces, and searches that end.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::PathBuf;
use std::process::{Command, Output};

use pamir_driver::topology::{Fingerprint, Machine};

fn pamir(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pamir"));
    command.args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What `pamir place` tells; it succeeds.
fn report(arguments: &[&str]) -> String {
    let output = pamir(&[&["place"], arguments].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

/// Files that are gone when it is.
struct Files(PathBuf);

impl Files {
    fn new(name: &str) -> Files {
        let folder = format!("pamir-place-{}-{name}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        Files(folder)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_string()
    }

    fn write(&self, name: &str, content: &str) -> String {
        let path = self.path(name);
        std::fs::write(&path, content).unwrap();
        path
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Ranks 0 and 1, and 2 and 3, send each other 1,000 bytes.
const PAIRS: &str = "ranks 4\n0 1 1 1000\n2 3 1 1000\n";

#[test]
fn a_profile_and_a_mapping_of_another_machine_are_told() {
    let files = Files::new("machines");
    let machine = |text| Machine::from_description(text).unwrap().fingerprint();
    let profile = format!("ranks 4\n{}0 1 1 8\n", machine("core:4 pu:1").line());
    let profile = files.write("job.profile", &profile);
    let mapping = files.path("job.mapping");
    let place = |cores| report(&[&profile, "--synthetic", cores, "--output", &mapping]);
    let same = place("core:4 pu:1");
    assert!(same.contains("\nmachine       "), "{same}");
    assert!(!same.contains("of another one"), "{same}");
    let other = place("core:2 pu:2");
    assert!(other.contains("job.profile is of another one, "), "{other}");

    // The mapping names the machine that it was made for, and the launcher compares.
    let written = std::fs::read_to_string(&mapping).unwrap();
    let made_for = Fingerprint::in_text(&written).expect("it names one");
    assert!(made_for.has_shape_of(&machine("core:2 pu:2")), "{written}");
    let here = Machine::from_sysfs().unwrap();
    let unit = here.allowed()[0];
    for (machine, is_told) in [
        (here.fingerprint().line(), false),
        (machine("package:7 core:3 pu:1").line(), true),
        (String::new(), false),
    ] {
        let mapping = format!("# pamir mapping 1\n{machine}0 {unit}\n");
        let by_file = format!("file:{}", files.write("other.mapping", &mapping));
        let mut mpiexec = Command::new(env!("CARGO_BIN_EXE_mpiexec"));
        mpiexec.args(["-n", "1", "--map-by", &by_file, "--dry-run", "true"]);
        let output = mpiexec.output().unwrap();
        let errors = text(&output.stderr);
        assert!(output.status.success(), "{errors}");
        let told = errors.contains("the mapping was made for another machine");
        assert_eq!(told, is_told, "{machine}: {errors}");
    }
}

#[test]
fn measured_costs_say_under_what_and_that_they_are_another_machines() {
    let files = Files::new("costs");
    let profile = files.write("job.profile", "ranks 2\n0 1 1 8\n");
    let here = Machine::from_sysfs().unwrap().fingerprint();
    let other = Machine::from_description("package:5 core:3 pu:1").unwrap();
    for (machine, is_told) in [(here, false), (other.fingerprint(), true)] {
        let costs = format!(
            "# pamir machine 1\n{}# measured pairs at once, load 0.25 on 2 units\nunits 0 1\n0 1 100 10 5\n",
            machine.line()
        );
        let costs = files.write("costs", &costs);
        let told = report(&[&profile, "--machine", &costs]);
        let measured = "\ncosts         measured: pairs at once, load 0.25 on 2 units\n";
        assert!(told.contains(measured), "{told}");
        assert_eq!(
            told.contains("of another machine than this"),
            is_told,
            "{told}"
        );
    }
    // What is measured here says so.
    let output = pamir(&["place", "--measure"]);
    if output.status.success() {
        let measured = text(&output.stdout);
        assert!(
            measured.contains("\n# measured pairs at once, load "),
            "{measured}"
        );
        let here = Machine::from_sysfs().unwrap().fingerprint();
        assert_eq!(Fingerprint::in_text(&measured), Some(here), "{measured}");
    }
}

#[test]
fn other_links_and_counts_cost_something_else() {
    let files = Files::new("changes");
    let profile = files.write("job.profile", PAIRS);
    let costs = |change: &str| {
        let change = format!("--what-if={change}");
        let options = ["--tree", "2:2", "--distances", "10:1", "--weight", "bytes"];
        let told = report(&[&[profile.as_str(), &change], &options[..]].concat());
        let (_, changed) = told.split_once("\nwhat if ").expect("it is told");
        let cost = |name: &str| {
            let line = changed.lines().find(|line| line.starts_with(name)).unwrap();
            line.split_whitespace()
                .nth(2)
                .unwrap()
                .parse::<f64>()
                .unwrap()
        };
        (cost("  same mapping"), cost("  new mapping"))
    };
    // Both pairs are beside each other, where a kilobyte costs 1,000.
    assert_eq!(costs("bytes:0-1=x3"), (4000.0, 4000.0));
    assert_eq!(costs("level:level 1=4"), (8000.0, 8000.0));
    // The pair on units 0 and 1 moves when that link becomes dear, and two others far apart become near.
    assert_eq!(
        costs("link:0-1=50,link:0-2=1,link:1-3=1"),
        (51_000.0, 2000.0)
    );
    // More of what crosses: rank 1 sends rank 2 much.
    assert_eq!(costs("traffic:1-2=5000"), (102_000.0, 30_000.0));
    for (change, expected) in [
        ("links=4", "is no change: use link:ONE-OTHER=AMOUNT"),
        ("bytes:0-9=4", "rank 9 does not exist"),
        ("link:0-9=4", "there is no processing unit \"9\""),
    ] {
        let change = format!("--what-if={change}");
        let options = ["--tree", "2:2", "--distances", "10:1"];
        let output = pamir(&[&["place", profile.as_str(), &change], &options[..]].concat());
        let errors = text(&output.stderr);
        assert!(
            !output.status.success() && errors.contains(expected),
            "{errors}"
        );
    }
}

#[test]
fn a_search_ends_when_its_restarts_find_nothing_new() {
    let files = Files::new("restarts");
    let profile = files.write("job.profile", PAIRS);
    for algorithm in ["document", "exchange"] {
        let tree = ["--tree", "2:2", "--distances", "10:1", "--time", "600"];
        let told = report(&[&[profile.as_str(), "--algorithm", algorithm], &tree[..]].concat());
        let (_, starts) = told.split_once(" steps from ").expect("it is told");
        let starts: u64 = starts.split(' ').next().unwrap().parse().unwrap();
        assert!((20..2000).contains(&starts), "{told}");
    }
}

#[test]
fn a_trace_is_a_profile_too() {
    let files = Files::new("trace");
    let call = |function: &str, lines: &str| {
        let line =
            |word| format!("{function} {word} at walltime 1.5, cputime 0.1 seconds in thread 0.\n");
        format!("{}{lines}{}", line("entering"), line("returning"))
    };
    let send = |to: usize| {
        let lines = format!(
            "int count=100\nMPI_Datatype datatype=2 (MPI_DOUBLE)\nint dest={to}\nint tag=0\n\
             MPI_Comm comm=2 (MPI_COMM_WORLD)\n"
        );
        call("MPI_Send", &lines)
    };
    // Ranks 0 and 2 are partners, and 1 and 3.
    let texts = (0..4).map(|rank| {
        let reduced = call("MPI_Allreduce", "int count=1\n");
        files.write(
            &format!("trace-{rank:04}.txt"),
            &format!("{}{reduced}", send((rank + 2) % 4)),
        )
    });
    let texts: Vec<String> = texts.collect();
    let mapping = files.path("mapping");
    let machine = ["--tree", "2:2", "--distances", "10:1", "--output", &mapping];
    let mut arguments = vec!["--trace"];
    arguments.extend(texts.iter().map(String::as_str));
    let told = report(&[&arguments[..], &machine[..]].concat());
    assert!(
        told.contains("traffic       3200 bytes in 4 messages\n"),
        "{told}"
    );
    assert!(told.contains("left out      MPI_Allreduce 4 ("), "{told}");
    let written = std::fs::read_to_string(&mapping).unwrap();
    let units: Vec<u32> = written
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split(' ').nth(1).unwrap().parse().unwrap())
        .collect();
    assert_eq!(units[0] / 2, units[2] / 2, "{written}");
    assert_eq!(units[1] / 2, units[3] / 2, "{written}");
    let output = pamir(&["place", "--trace", &texts[1]]);
    let errors = text(&output.stderr);
    assert!(
        errors.contains("is no text of another rank of 1"),
        "{errors}"
    );
}
