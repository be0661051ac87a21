//! Placement end to end: a profile of a run, a mapping from it, topologies with reordering.

use std::process::Command;

use pamir_driver::topology::{Fingerprint, Level, Machine};
use pamir_tests::installation::{command, compile, compile_from};
use pamir_tests::run::{Run, mpiexec};
use pamir_transport::placement::communication::Entry;
use pamir_transport::placement::format::communication::Portions;

fn temporary(name: &str) -> String {
    let file = format!("pamir-placement-{}-{name}", std::process::id());
    std::env::temp_dir()
        .join(file)
        .to_str()
        .expect("a path of letters")
        .to_string()
}

/// What a profiled run of eight ranks has sent, and how much of it between cores, by what each
/// rank says of where it ran.
fn bytes_across_cores(options: &[&str], program: &str, arguments: &[&str], portion: &str) -> u64 {
    let file = temporary(program);
    let mut run = Command::new(command("mpiexec"));
    run.args(["-n", "8", "--profile-comm", &file]).args(options);
    run.arg(compile(program)).args(arguments);
    let outcome = Run::whole(run);
    let mut units = [u32::MAX; 8];
    for line in outcome.success().lines() {
        if let ["rank", rank, "unit", unit] = line.split(' ').collect::<Vec<_>>()[..] {
            let rank: usize = rank.parse().expect("a rank");
            units[rank] = unit.parse().expect("a unit");
        }
    }
    let text = std::fs::read_to_string(&file).expect("the profile was written");
    let graph = Portions::from_text(&text, &file).expect("it is a profile");
    let graph = graph.graph(Some(portion)).expect("it was counted");
    let machine = Machine::from_sysfs().expect("this machine");
    let unit = |rank: u32| units[rank as usize];
    let apart = |one, other| machine.sharing(unit(one), unit(other)) > Level::Core;
    let across = graph.entries().iter();
    let across = across.filter(|entry| apart(entry.origin, entry.target));
    std::fs::remove_file(file).expect("it is there");
    across.map(|entry| entry.traffic.bytes).sum()
}

fn cores() -> usize {
    let machine = Machine::from_sysfs().expect("this machine");
    machine.groups(Level::Core).map_or(0, |cores| cores.len())
}

#[test]
fn groups_that_talk_much_come_together() {
    let (file, mapping) = (temporary("groups-profile"), temporary("groups-mapping"));
    let mut run = Command::new(command("mpiexec"));
    run.args(["-n", "8", "--profile-comm", &file])
        .arg(compile("groups"));
    Run::whole(run).success();
    let mut place = Command::new(command("pamir"));
    place.args(["place", &file, "--steps", "20000", "--output", &mapping]);
    Run::whole(place).success();
    let by_mapping = ["--map-by", &format!("file:{mapping}")];
    let before = bytes_across_cores(&[], "groups", &[], "run");
    let after = bytes_across_cores(&by_mapping, "groups", &[], "run");
    assert!(after <= before, "{before} bytes became {after}");
    if cores() == 2 {
        // Eight ranks send eight bytes each to the other group; all else stays.
        assert_eq!(after, 8 * 8, "{before} bytes before");
        assert!(before > 8 * 10_000, "the default order was good already");
    }
    for file in [file, mapping] {
        std::fs::remove_file(file).expect("it is there");
    }
}

/// Whether both ranks are of the same group of that program.
fn in_a_group(entry: &Entry) -> bool {
    let group = |rank: u32| (rank ^ rank >> 2) & 1;
    group(entry.origin) == group(entry.target)
}

/// A profile of a run of the groups that communicate by collective operations alone, with these variables.
fn profile_of_collectives(file: &str, variables: &[(&str, &str)]) -> Portions {
    let mut run = Command::new(command("mpiexec"));
    run.args(["-n", "8", "--profile-comm", file])
        .envs(variables.iter().copied())
        .arg(compile("collective_groups"));
    Run::whole(run).success();
    let text = std::fs::read_to_string(file).expect("the profile was written");
    Portions::from_text(&text, file).expect("it is a profile")
}

#[test]
fn collectives_of_every_form_count_for_who_takes_what_from_whom() {
    let file = temporary("collectives");
    let posted = [
        ("PAMIR_ALLREDUCE", "posted"),
        ("PAMIR_ALLTOALL", "posted"),
        ("PAMIR_ALLGATHER", "posted"),
    ];
    let read = posted.map(|(kind, _)| (kind, "read"));
    let sent = [
        ("PAMIR_NO_BOARDS", "1"),
        ("PAMIR_ALLREDUCE", "recursive_doubling"),
        ("PAMIR_ALLTOALL", "linear"),
        ("PAMIR_ALLGATHER", "ring"),
    ];
    for variables in [&posted[..], &read, &sent] {
        let portions = profile_of_collectives(&file, variables);
        for (level, form) in [(4, "nonblocking"), (5, "persistent")] {
            let graph = portions
                .graph(Some(&format!("level {level}")))
                .expect("it was counted");
            // Each gets one block a round of each of the three others of its group, from them or passed on.
            let bytes = graph.total().bytes;
            assert_eq!(bytes, 8 * 3 * 10 * 512, "{form} with {variables:?}");
            assert!(graph.entries().iter().all(in_a_group), "{form}");
            let each = |entry: &Entry| entry.traffic.messages == 10 && entry.traffic.bytes == 5120;
            if level == 4 {
                assert_eq!(graph.entries().len(), 8 * 3, "with {variables:?}");
                assert!(graph.entries().iter().all(each), "with {variables:?}");
            }
        }
        let ring = portions
            .graph(Some("level 6"))
            .expect("neighbours communicate");
        // The first one agrees on a board too, in a few short messages.
        let more = ring.total().bytes.checked_sub(8 * 2 * 10 * 512);
        assert!(more.is_some_and(|more| more < 512), "with {variables:?}");
        let reduced = portions.graph(Some("level 3")).expect("it was counted");
        let least = 8 * 10 * 512;
        assert!(
            reduced.total().bytes >= least,
            "{} bytes with {variables:?}",
            reduced.total().bytes
        );
        assert!(reduced.entries().iter().all(in_a_group));
    }
    std::fs::remove_file(file).expect("it is there");
}

#[test]
fn groups_that_communicate_by_collectives_come_together() {
    let (file, mapping) = (
        temporary("collective-groups-profile"),
        temporary("collective-groups-mapping"),
    );
    profile_of_collectives(&file, &[]);
    let mut place = Command::new(command("pamir"));
    place.args(["place", &file, "--steps", "20000", "--output", &mapping]);
    Run::whole(place).success();
    let by_mapping = ["--map-by", &format!("file:{mapping}")];
    for level in 3..=6 {
        let portion = format!("level {level}");
        let before = bytes_across_cores(&[], "collective_groups", &[], &portion);
        let after = bytes_across_cores(&by_mapping, "collective_groups", &[], &portion);
        assert!(after <= before, "{portion}: {before} bytes became {after}");
        if cores() == 2 {
            assert!(before > 0, "{portion}: the default order was good already");
            assert_eq!(after, 0, "{portion}: {before} bytes before");
        }
    }
    for file in [file, mapping] {
        std::fs::remove_file(file).expect("it is there");
    }
}

#[test]
fn a_halo_crosses_fewer_cores_when_it_is_reordered() {
    let before = bytes_across_cores(&[], "halo", &["0"], "level 3");
    let after = bytes_across_cores(&[], "halo", &["1"], "level 3");
    assert!(after <= before, "{before} bytes became {after}");
    if cores() == 2 {
        // A cut between the second and the third of the four rows: two edges, both ways.
        assert_eq!(after, 2 * 2 * 20 * 10_000, "{before} bytes before");
    }
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
    assert!(Fingerprint::in_text(&text).is_some(), "{text}");
    for line in text.lines().skip(2).filter(|line| !line.starts_with('#')) {
        match line.strip_prefix("portion ") {
            Some(name) => portion = name,
            None => lines.push(format!("{portion}: {line}")),
        }
    }
    lines.sort();
    let expected = [
        "level 5: 0 1 3 3000",
        "level 5: 1 0 2 600000",
        "level 7: 0 3 2 320",
        "run: 0 1 10 80",
        "run: 2 0 4 0",
    ];
    assert_eq!(lines, expected);
    std::fs::remove_file(file).expect("it is there");
}

#[test]
fn a_range_of_iterations_counts_apart() {
    let file = temporary("iterations");
    let mut run = Command::new(command("mpiexec"));
    run.args(["-n", "4", "--profile-comm", &file]);
    run.args(["--profile-iterations", "allreduce:1-2"]);
    run.arg(compile("iterations"));
    Run::whole(run).success();
    let text = std::fs::read_to_string(&file).expect("the profile was written");
    let graph = Portions::from_text(&text, &file).expect("it is a profile");
    // Collective operations send some bytes too.
    for (portion, kilobytes) in [("iterations 1-2", 10 + 100), ("run", 1 + 1000)] {
        let graph = graph.graph(Some(portion)).expect("it was counted");
        let more = graph.traffic(0, 1).bytes.checked_sub(1000 * kilobytes);
        assert!(more.is_some_and(|more| more < 9_000), "{portion}: {text}");
    }
    std::fs::remove_file(file).expect("it is there");
}

#[test]
fn active_messages_puts_gets_and_modifications_count_too() {
    let file = temporary("active");
    let example = compile_from("bindings/pami/examples", "put_get", &["-lpami"]);
    let mut run = Command::new(command("mpiexec"));
    run.args(["-n", "4", "--profile-comm", &file]).arg(example);
    Run::whole(run).success();
    let text = std::fs::read_to_string(&file).expect("the profile was written");
    let graph = Portions::from_text(&text, &file).expect("it is a profile");
    let graph = graph.graph(Some("run")).expect("there is one portion");
    let sent = |origin, target| {
        let traffic = graph.traffic(origin, target);
        (traffic.messages, traffic.bytes)
    };
    // Every task sends every task two messages; all else is eight bytes each.
    let (messages, two) = sent(0, 2);
    assert!(messages == 2 && two > 16, "{text}");
    assert_eq!(sent(0, 1), (3, two + 8), "a put: {text}");
    assert_eq!(sent(2, 0), (3, two + 8), "an addition: {text}");
    assert_eq!(sent(0, 0), (3, two + 8), "its own addition: {text}");
    assert_eq!(sent(2, 1), (3, two + 8), "what 1 gets from 2: {text}");
    assert_eq!(sent(3, 0), (4, two + 16), "a put and an addition: {text}");
    assert_eq!(
        sent(1, 0),
        (4, two + 16),
        "what 0 gets, an addition: {text}"
    );
    std::fs::remove_file(file).expect("it is there");
}

#[test]
fn collectives_of_pami_count_too() {
    let file = temporary("pami-collective");
    let example = compile_from("bindings/pami/examples", "collective", &["-lpami"]);
    let mut run = Command::new(command("mpiexec"));
    run.args(["-n", "4", "--profile-comm", &file])
        .env("PAMIR_ALLREDUCE", "recursive_doubling")
        .arg(example);
    Run::whole(run).success();
    let text = std::fs::read_to_string(&file).expect("the profile was written");
    let graph = Portions::from_text(&text, &file).expect("it is a profile");
    let graph = graph.graph(Some("run")).expect("there is one portion");
    // Two rounds of partners, each of which gets the eight bytes of a sum.
    for (one, partner) in [(0, 1), (0, 2), (1, 3), (2, 3)] {
        for (origin, target) in [(one, partner), (partner, one)] {
            assert!(graph.traffic(origin, target).bytes >= 8, "{text}");
        }
    }
    assert_eq!(graph.total().bytes, 4 * 2 * 8, "{text}");
    std::fs::remove_file(file).expect("it is there");
}

#[test]
fn a_profile_becomes_a_mapping_that_is_tried() {
    let (file, mapping) = (temporary("profile"), temporary("mapping"));
    profile(&file);
    let mut place = Command::new(command("pamir"));
    place.args([
        "place", &file, "--steps", "2000", "--output", &mapping, "--rate", "MB/s", "--try",
    ]);
    place.arg(compile("groups"));
    let outcome = Run::whole(place);
    let report = outcome.success();
    assert!(
        report.contains("time before") && report.contains("% of the rate"),
        "{report}"
    );
    // Both ends of the heavy pair share a core where there are fewer cores than ranks.
    let text = std::fs::read_to_string(&mapping).expect("the mapping was written");
    let units: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split(' ').nth(1))
        .collect();
    assert_eq!(units.len(), 4, "{text}");
    if cores() == 2 {
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
        // Two rings of four vertices, whose ranks were dealt out to both cores.
        if cores() == 2 && ranks == 8 {
            assert!(moved > 0, "nothing was reordered");
        }
    }
}
