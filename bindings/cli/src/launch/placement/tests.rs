//! Placements on machines of any shape, alone and beside other jobs.

use super::super::arguments::{Invocation, parse};
use super::super::request::Program;
use super::*;
use pamir_driver::binding::MapBy;

fn launch(ranks: usize) -> Launch {
    let program = Program {
        ranks,
        command: vec!["a".into()],
        ..Program::default()
    };
    Launch {
        programs: vec![program],
        ..Launch::default()
    }
}

#[test]
fn idle_cores_are_shared_out_evenly() {
    // Two nodes of four cores, each of two processors.
    let machine = || Machine::from_description("numa:2 core:4 pu:2").unwrap();
    let spare = |ranks, bind_to: Option<BindTo>| {
        let launch = Launch {
            bind_to,
            ..launch(ranks)
        };
        Placement::on(machine(), &launch)
            .unwrap()
            .spare_processors()
    };
    for (ranks, each) in [(2, 3), (3, 1), (8, 0), (11, 0)] {
        let found = spare(ranks, Some(BindTo::Core));
        assert!(found.iter().all(|own| own.len() == each), "{found:?}");
        let mut all: Vec<u32> = found.concat();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), ranks * each, "{found:?}");
    }
    assert_eq!(spare(2, Some(BindTo::None)), [[0; 0], [0; 0]]);
}

#[test]
fn ranks_can_be_moved_between_the_places_they_are_bound_to() {
    let machine = || Machine::from_description("numa:1 core:2 pu:2").unwrap();
    let places = |bind_to| {
        let launch = Launch {
            bind_to: Some(bind_to),
            ..launch(3)
        };
        Placement::on(machine(), &launch).unwrap().places()
    };
    let cores = places(BindTo::Core).unwrap();
    assert_eq!(cores.units.len(), 2);
    assert_eq!(cores.seats, [0, 1, 1]);
    assert_eq!(places(BindTo::HwThread).unwrap().units.len(), 4);
    assert_eq!((places(BindTo::None), places(BindTo::Numa)), (None, None));
}

#[test]
fn hardware_threads_are_bound_to_when_mapped_by() {
    let launch = Launch {
        map_by: Some(MapBy::HwThread),
        ..launch(1)
    };
    assert_eq!(policies(&launch), (MapBy::HwThread, BindTo::HwThread));
    assert_eq!(policies(&Launch::default()), (MapBy::Core, BindTo::Core));
}

#[test]
fn ranks_keep_to_a_processor_only_when_bound_to_a_core() {
    let placement =
        Placement::on(Machine::from_sysfs().unwrap(), &launch(3)).expect("this machine");
    assert!(placement.processing_units().iter().all(Option::is_some));
    assert!((0..3).all(|rank| placement.processors(rank).is_some()));
    let unbound = Launch {
        bind_to: Some(BindTo::None),
        ..launch(2)
    };
    let placement = Placement::on(Machine::from_sysfs().unwrap(), &unbound).expect("this machine");
    assert_eq!(placement.processing_units(), [None, None]);
    assert_eq!(placement.processors(0), None);
}

#[test]
fn oversubscription_is_refused_when_forbidden() {
    let launch = Launch {
        refuse_oversubscription: true,
        ..launch(100_000)
    };
    let error = Placement::on(Machine::from_sysfs().unwrap(), &launch)
        .expect_err("no machine is that large");
    assert!(matches!(
        error,
        PlacementError::Binding(BindingError::TooManyRanks { ranks: 100_000, .. })
    ));
}

fn asked(line: &str) -> Launch {
    let line = format!("-genv OMP_NUM_THREADS none {line} a");
    let words: Vec<_> = line.split_whitespace().map(Into::into).collect();
    match parse(&words) {
        Ok(Invocation::Run(launch)) => *launch,
        other => panic!("{line}: {other:?}"),
    }
}

const FOUR: &str = "core:4 pu:1";

fn beside(line: &str, taken: &[u32]) -> Placement {
    let machine = Machine::from_description(FOUR).unwrap();
    Placement::beside(machine, &asked(line), taken).unwrap()
}

/// The processors that each rank is bound to.
fn bound(placement: &Placement) -> Vec<Option<&[u32]>> {
    let ranks = 0..placement.ranks;
    ranks.map(|rank| placement.processors(rank)).collect()
}

#[test]
fn ranks_keep_off_what_other_jobs_have() {
    let placement = beside("-n 2 --bind-to core", &[0, 2]);
    assert_eq!(bound(&placement), [Some(&[1][..]), Some(&[3])]);
    assert!(!placement.is_oversubscribed());
    let placement = beside("-n 1", &[0]);
    assert_eq!(bound(&placement), [Some(&[1, 2, 3][..])]);
    assert_eq!(beside("-n 1", &[]).claimed(), [0]);
    assert_eq!(beside("-n 1 -x OMP_NUM_THREADS=2", &[]).claimed(), [0, 1]);
    assert_eq!(beside("-n 2 --bind-to none", &[]).claimed(), [0; 0]);
}

#[test]
fn where_too_little_is_free_ranks_are_not_bound_and_yield() {
    for line in ["-n 2", "-n 5", "-n 2 --map-by package"] {
        let placement = beside(line, &[0, 1, 3]);
        assert!(bound(&placement).iter().all(Option::is_none), "{line}");
        assert!(placement.is_oversubscribed(), "{line}");
        assert!(placement.claimed().is_empty());
        assert!(placement.report()[0].contains("3 processors") || line == "-n 5");
    }
    // What is demanded is done.
    for line in [
        "-n 2 --bind-to core",
        "-n 2 --cpus-per-rank 2",
        "-n 2 --bind-to list:0,1",
    ] {
        let placement = beside(line, &[0, 1, 3]);
        assert!(bound(&placement).iter().all(Option::is_some), "{line}");
        assert!(placement.is_oversubscribed(), "{line}");
    }
    let apart = beside("-n 2 --bind-to list:1,2", &[0]);
    assert!(!apart.is_oversubscribed());
}

#[test]
fn cores_of_a_share_are_spare_unless_threads_were_asked_for() {
    let spare = |line: &str| beside(line, &[]).spare_processors();
    assert_eq!(spare("-n 2"), [[1], [3]]);
    assert_eq!(spare("-n 2 -x OMP_NUM_THREADS=2"), [[0; 0], [0; 0]]);
    assert_eq!(spare("-n 1 -x OMP_NUM_THREADS=2"), [[2, 3]]);
    // What another job has is not spare.
    let narrow = beside("-n 1 --bind-to core", &[1]);
    assert_eq!(narrow.spare_processors(), [[2, 3]]);
}

#[test]
fn a_job_can_be_confined_to_processors() {
    let placement = beside("-n 2 --cpu-set 1-2 --bind-to core", &[]);
    assert_eq!(bound(&placement), [Some(&[1][..]), Some(&[2])]);
    let machine = Machine::from_description(FOUR).unwrap();
    let refused = Placement::on(machine, &asked("-n 1 --cpu-set 9")).unwrap_err();
    assert!(refused.to_string().contains("it may use 0-"), "{refused}");
}

#[test]
fn mappings_may_count_the_ranks() {
    let count = |line: &str| {
        let mut launch = asked(line);
        let machine = || Machine::from_description("package:2 core:4 pu:1");
        count_ranks(&mut launch, machine).map(|()| launch.ranks())
    };
    assert_eq!(count("--map-by ppr:2:package").unwrap(), 4);
    assert_eq!(count("--map-by ppr:3:node").unwrap(), 3);
    assert_eq!(count("--nodes 2 --pernode").unwrap(), 2);
    assert_eq!(count("-n 1 --npersocket 2").unwrap(), 1);
    assert_eq!(count("-n 2").unwrap(), 2);
    assert!(count("--map-by ppr:2:l3cache").is_err());
}
