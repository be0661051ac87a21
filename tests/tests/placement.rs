//! Placement end to end: a profile of a run, a mapping from it, topologies with reordering.

use std::process::Command;

use pamir_driver::topology::{Level, Machine};
use pamir_tests::installation::{command, compile};
use pamir_tests::run::{Run, mpiexec};

fn temporary(name: &str) -> String {
    let file = format!("pamir-placement-{}-{name}", std::process::id());
    std::env::temp_dir()
        .join(file)
        .to_str()
        .expect("a path of letters")
        .to_string()
}

/// Runs a program of four ranks under the profiler; the profile's text.
fn profile(file: &str) -> String {
    let mut run = Command::new(command("mpiexec"));
    run.args(["-n", "4", "--profile-comm", file])
        .arg(compile("profiled"));
    Run::whole(run).success();
    std::fs::read_to_string(file).expect("the profile was written")
}

#[test]
fn a_profile_has_what_was_sent_by_portion() {
    let file = temporary("portions");
    let text = profile(&file);
    assert!(
        text.starts_with("# pamir communication 1\nranks 4\n"),
        "{text}"
    );
    let mut portion = "";
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines().skip(2) {
        match line.strip_prefix("portion ") {
            Some(name) => portion = name,
            None => lines.push(format!("{portion}: {line}")),
        }
    }
    lines.sort();
    let expected = [
        "level 5: 0 1 3 3000",
        "level 5: 1 0 2 600000",
        "run: 0 1 10 80",
        "run: 2 0 4 0",
    ];
    assert_eq!(lines, expected);
    std::fs::remove_file(file).expect("it is there");
}

#[test]
fn a_profile_becomes_a_mapping_that_is_tried() {
    let (file, mapping) = (temporary("profile"), temporary("mapping"));
    profile(&file);
    let mut place = Command::new(command("pamir"));
    place.args([
        "place", &file, "--steps", "2000", "--output", &mapping, "--try",
    ]);
    place.arg(compile("profiled"));
    let outcome = Run::whole(place);
    let report = outcome.success();
    assert!(
        report.contains("time before") && report.contains("% of the time"),
        "{report}"
    );
    // Both ends of the heavy pair share a core where there are fewer cores than ranks.
    let machine = Machine::from_sysfs().expect("this machine");
    let cores = machine.groups(Level::Core).map_or(0, |cores| cores.len());
    let text = std::fs::read_to_string(&mapping).expect("the mapping was written");
    let units: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split(' ').nth(1))
        .collect();
    assert_eq!(units.len(), 4, "{text}");
    if cores == 2 {
        assert_eq!(units[0], units[1], "{text}");
    }
    for file in [file, mapping] {
        std::fs::remove_file(file).expect("it is there");
    }
}

#[test]
fn neighbours_stay_right_when_ranks_are_reordered() {
    for ranks in [1, 2, 3, 4, 6, 8] {
        let outcome = Run::whole(mpiexec(ranks, &compile("reordered")));
        let output = outcome.success();
        let moved: usize = output
            .trim()
            .strip_prefix("moved ")
            .expect("it tells")
            .parse()
            .expect("a number");
        assert!(moved <= ranks);
        let machine = Machine::from_sysfs().expect("this machine");
        let cores = machine.groups(Level::Core).map_or(0, |cores| cores.len());
        // Two rings of four vertices, whose ranks were dealt to two cores in turn.
        if cores == 2 && ranks == 8 {
            assert!(moved > 0, "nothing was reordered");
        }
    }
}
