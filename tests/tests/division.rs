//! Who gives how much to whom, by policies and laws: the portions and the parts of ranks that take given times.
//!
//! Ranks with items sleep for their times, and the policies compare them by the clock on the wall; differences are so large
//! that a busy machine hides none of them. Ranks with parts compute on one processor.

use std::process::Command;

use pamir_driver::topology::Machine;
use pamir_tests::installation::{self, compile};
use pamir_tests::run::{Run, mpiexec};

/// Lines of numbers.
type Rows = Vec<Vec<u64>>;

fn rows(text: &str) -> Rows {
    let row = |line: &str| {
        line.split(' ')
            .map(|word| word.parse().expect("a number"))
            .collect()
    };
    text.lines().map(row).collect()
}

/// The sizes of all ranks' portions of 240 items, before the first cycle and after each.
fn portions(policy: &str, cycles: usize, milliseconds: &[u64]) -> Rows {
    let mut command = mpiexec(milliseconds.len(), &compile("divided"));
    command
        .arg(format!("{policy} clock=monotonic"))
        .arg(cycles.to_string())
        .args(milliseconds.iter().map(u64::to_string))
        .env_remove("PAMIR_BALANCE_POLICY");
    let rows = rows(Run::whole(command).success());
    assert_eq!(rows.len(), cycles + 1);
    for row in &rows {
        assert_eq!(row.iter().sum::<u64>(), 240, "{rows:?}");
    }
    rows
}

/// How many items each rank has got in the first cycle; less than 0 if it gave some.
fn gains(policy: &str, milliseconds: &[u64]) -> Vec<i64> {
    let rows = portions(policy, 1, milliseconds);
    let pairs = rows[0].iter().zip(&rows[1]);
    pairs
        .map(|(before, after)| *after as i64 - *before as i64)
        .collect()
}

#[test]
fn portions_are_equal_at_first() {
    assert_eq!(portions("static", 1, &[1, 1, 1]), [[80; 3]; 2]);
    assert_eq!(portions("static", 0, &[1, 1, 1, 1]), [[60; 4]]);
}

#[test]
fn the_law_says_how_many_items_move() {
    let table = "document law=table:20000000=3,300000000=40";
    assert_eq!(gains(table, &[20, 150]), [3, -3]);
    assert_eq!(gains(table, &[20, 450]), [40, -40]);
    assert_eq!(
        gains("document law=linear:0.00000001+9", &[20, 150]),
        [9, -9]
    );
    // An item for ten milliseconds; sleeping takes longer on a busy machine.
    let linear = gains("document law=linear:0.0001", &[20, 420])[0];
    assert!((35..=80).contains(&linear), "{linear}");
    // Both end at once with 200 and 40; the first difference alone is not trusted.
    let both = gains("document law=data-per-time", &[60, 300])[0];
    assert!((30..=90).contains(&both), "{both}");
}

#[test]
fn the_document_moves_from_the_slowest_to_the_fastest_alone() {
    let document = "document law=table:20000000=5";
    assert_eq!(gains(document, &[150, 20, 300, 150]), [0, 5, -5, 0]);
}

#[test]
fn as_many_receive_as_the_policy_or_the_difference_says() {
    let receives = |receivers: &str| {
        let law = "balanced givers=1 law=table:20000000=12 shares=even";
        gains(
            &format!("{law} receivers={receivers}"),
            &[20, 120, 220, 420],
        )
    };
    assert_eq!(receives("1"), [12, 0, 0, -12]);
    assert_eq!(receives("2"), [6, 6, 0, -12]);
    assert_eq!(receives("3"), [4, 4, 4, -12]);
    // 400 milliseconds between the fastest and the slowest.
    assert_eq!(receives("over:200000000,4000000000"), [6, 6, 0, -12]);
    assert_eq!(receives("over:200000000,300000000"), [4, 4, 4, -12]);
}

#[test]
fn what_moves_is_divided_evenly_by_rank_or_by_time() {
    let receives = |shares: &str| {
        let law = "balanced givers=1 receivers=2 law=table:20000000=30";
        gains(&format!("{law} shares={shares}"), &[20, 220, 420])
    };
    assert_eq!(receives("even"), [15, 15, -30]);
    assert_eq!(receives("rank-order"), [20, 10, -30]);
    // 400 and 200 milliseconds before the slowest.
    let by_time = receives("relative-time");
    assert!((19..=21).contains(&by_time[0]), "{by_time:?}");
    assert_eq!(by_time[0] + by_time[1], 30);
}

#[test]
fn a_difference_below_the_threshold_moves_nothing() {
    let moves = |threshold: &str| gains(&format!("document {threshold}"), &[200, 400])[0] > 0;
    assert!(moves("threshold=0.2"));
    assert!(!moves("threshold=0.8"));
    assert!(moves("least-ns=50000000"));
    assert!(!moves("least-ns=1000000000"));
}

#[test]
fn items_move_until_the_wait_is_in_tolerance_and_stay_there() {
    // Times after each move: 40 and 400, 50 and 300, 60 and 200, 70 and 100.
    let document = "document law=table:20000000=30 least-ns=80000000";
    assert_eq!(
        portions(document, 6, &[40, 400]),
        [
            [120, 120],
            [150, 90],
            [180, 60],
            [210, 30],
            [210, 30],
            [210, 30],
            [210, 30]
        ]
    );
}

/// How many parts each rank does, before the first cycle and after each, and how many rank 0 did at once.
fn parts(law: &str, cycles: usize, milliseconds: &[&str]) -> (Rows, u64) {
    let allowed = Machine::from_sysfs().expect("this machine").allowed()[0];
    // Ranks that share a processor are compared by processor time, however busy the machine is.
    let mut command = Command::new("taskset");
    command.args(["-c", &allowed.to_string()]);
    command.arg(installation::command("mpiexec"));
    command.args(["-n", &milliseconds.len().to_string()]);
    command.arg(compile("parts"));
    command.arg(law).arg(cycles.to_string()).args(milliseconds);
    let outcome = Run::whole(command);
    let (queues, last) = outcome
        .success()
        .trim_end()
        .rsplit_once('\n')
        .expect("several lines");
    let at_once = last.strip_suffix(" at once").expect("it tells");
    (rows(queues), at_once.parse().expect("a number"))
}

#[test]
fn work_is_split_into_as_many_more_parts_as_the_law_says() {
    for (law, queues) in [
        ("table:20000000=1", [2, 1]),
        ("table:20000000=3", [4, 1]),
        ("table:20000000=1,150000000=3", [4, 1]),
        ("table:20000000=1,9000000000=3", [2, 1]),
        ("linear:0.00000001+1", [3, 1]),
    ] {
        let (rows, _) = parts(law, 1, &["20", "300"]);
        assert_eq!(rows, [[1, 1], queues], "{law}");
    }
}

#[test]
fn a_split_that_saves_nothing_is_not_made() {
    // Two of three parts would take the fast rank 4/3 of its time.
    let one_more = "table:10000000=1";
    assert_eq!(parts(one_more, 1, &["300", "350"]).0, [[1, 1], [1, 1]]);
    assert_eq!(parts(one_more, 1, &["100", "350"]).0, [[1, 1], [2, 1]]);
}

#[test]
fn queues_grow_and_shrink_as_ranks_wait() {
    // From the second cycle on they are equally fast.
    let (rows, at_once) = parts("table:20000000=3", 3, &["20/200", "400/200"]);
    assert_eq!(rows[..2], [[1, 1], [4, 1]]);
    assert!(rows[2][0] < 4, "{rows:?}");
    assert_eq!(at_once, 4);
}
