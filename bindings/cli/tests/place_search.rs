//! What `pamir place` searches for, against plain arithmetic: the cost that it tells, and where its passes end.
//!
//! The problems are random matrices of large numbers, so that no two swaps gain the same.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What exchanging two ranks gains, and which.
type Swap = (i64, usize, usize);

/// Ranks of a problem.
const RANKS: usize = 7;

/// What ranks send each other, and what it costs between places.
struct Problem {
    weights: Vec<Vec<u64>>,
    costs: Vec<Vec<u64>>,
}

/// A symmetric matrix of numbers that are random enough, and the same in every run.
fn random_matrix(state: &mut u64) -> Vec<Vec<u64>> {
    let mut next = || {
        *state = state.wrapping_mul(6_364_136_223_846_793_005);
        *state = state.wrapping_add(1_442_695_040_888_963_407);
        *state >> 54
    };
    let numbers: Vec<u64> = (0..RANKS * RANKS).map(|_| next()).collect();
    let number = |one: usize, other: usize| match one == other {
        true => 0,
        false => numbers[one.max(other) * RANKS + one.min(other)],
    };
    let row = |one: usize| (0..RANKS).map(|other| number(one, other)).collect();
    (0..RANKS).map(row).collect()
}

impl Problem {
    fn random(seed: u64) -> Problem {
        let mut state = seed;
        let (weights, costs) = (random_matrix(&mut state), random_matrix(&mut state));
        Problem { weights, costs }
    }

    /// Equation 1: what all ranks send, each times the cost between the places of both ends.
    fn cost(&self, places: &[usize]) -> u64 {
        let row = |one: usize| {
            let cost =
                |other: usize| self.weights[one][other] * self.costs[places[one]][places[other]];
            (0..places.len()).map(cost).sum::<u64>()
        };
        (0..places.len()).map(row).sum()
    }

    /// The text of a file of QAPLIB.
    fn text(&self) -> String {
        let lines = |matrix: &[Vec<u64>]| {
            let line = |row: &Vec<u64>| row.iter().map(|number| format!("{number} ")).collect();
            matrix.iter().map(line).collect::<Vec<String>>().join("\n")
        };
        format!(
            "{RANKS}\n{}\n{}\n",
            lines(&self.weights),
            lines(&self.costs)
        )
    }

    /// A pass from these places: swaps of two ranks that were not swapped yet, each the one that gains most then.
    fn pass(&self, places: &[usize]) -> Vec<Swap> {
        let mut now = places.to_vec();
        let mut free: Vec<usize> = (0..RANKS).collect();
        let mut saved = Vec::new();
        while free.len() > 1 {
            let before = self.cost(&now) as i64;
            let gain =
                |one: usize, other: usize| before - self.cost(&swapped(&now, one, other)) as i64;
            let others = |one: usize| free.iter().filter(move |other| one < **other);
            let swaps = free
                .iter()
                .flat_map(|&one| others(one).map(move |&other| (one, other)));
            let gains = swaps.map(|(one, other)| (gain(one, other), one, other));
            let best = gains.max().unwrap();
            now = swapped(&now, best.1, best.2);
            free.retain(|rank| *rank != best.1 && *rank != best.2);
            saved.push(best);
        }
        saved
    }

    /// Passes from the default order, until one lowers nothing; what is kept of a pass is told by `kept`.
    fn descent(&self, kept: fn(&[Swap]) -> &[Swap]) -> u64 {
        let mut places: Vec<usize> = (0..RANKS).collect();
        loop {
            let saved = self.pass(&places);
            let keep = |places: Vec<usize>, swap: &Swap| swapped(&places, swap.1, swap.2);
            let next = kept(&saved).iter().fold(places.clone(), keep);
            if self.cost(&next) >= self.cost(&places) {
                return self.cost(&places);
            }
            places = next;
        }
    }
}

fn swapped(places: &[usize], one: usize, other: usize) -> Vec<usize> {
    let mut places = places.to_vec();
    places.swap(one, other);
    places
}

/// The swap with the largest gain alone: the document to the letter.
fn largest(saved: &[Swap]) -> &[Swap] {
    let at = (0..saved.len()).max_by_key(|at| saved[*at].0).unwrap();
    &saved[at..=at]
}

/// The first swaps, as far as they gain most together.
fn best_prefix(saved: &[Swap]) -> &[Swap] {
    let sum = |length: usize| saved[..length].iter().map(|swap| swap.0).sum::<i64>();
    let length = (0..=saved.len()).max_by_key(|length| sum(*length)).unwrap();
    &saved[..length]
}

/// A file that is gone when it is.
struct File(PathBuf);

impl File {
    fn new(content: &str) -> File {
        static SERIAL: AtomicUsize = AtomicUsize::new(0);
        let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
        let name = format!("pamir-place-search-{}-{serial}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, content).unwrap();
        File(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// What `pamir place` tells.
fn report(arguments: &[&str]) -> String {
    let mut pamir = Command::new(env!("CARGO_BIN_EXE_pamir"));
    let output = pamir.arg("place").args(arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The number behind a name in a report.
fn number(report: &str, name: &str) -> u64 {
    let line = report.lines().find_map(|line| line.strip_prefix(name));
    let word = line.unwrap().split_whitespace().next().unwrap();
    word.parse().unwrap()
}

/// What a search of a problem of QAPLIB tells.
fn search(problem: &Problem, algorithm: &str, starts: &str) -> String {
    let file = File::new(&problem.text());
    let how = ["--algorithm", algorithm, "--starts", starts];
    report(&[&["--qaplib", file.path()], &how[..]].concat())
}

#[test]
fn a_descent_ends_where_the_documents_passes_end() {
    let mut unsound = 0;
    for seed in 1..=12 {
        let problem = Problem::random(seed);
        let ends = |algorithm| {
            let told = search(&problem, algorithm, "1");
            assert!(told.contains(" steps from 1 mappings"), "{told}");
            let order: Vec<usize> = (0..RANKS).collect();
            assert_eq!(number(&told, "cost before "), problem.cost(&order));
            number(&told, "cost after ")
        };
        let (letter, sound) = (problem.descent(largest), problem.descent(best_prefix));
        assert_eq!(ends("document"), letter, "seed {seed}");
        assert_eq!(ends("exchange"), sound, "seed {seed}");
        unsound += u32::from(letter != sound);
    }
    assert!(unsound > 2, "the two forms ended alike");
}

#[test]
fn further_random_mappings_find_what_the_first_does_not() {
    let mut better = 0;
    for seed in 1..=12 {
        let problem = Problem::random(seed);
        let cost = |algorithm, starts| {
            let told = search(&problem, algorithm, starts);
            (number(&told, "cost after "), told)
        };
        let (least, _) = cost("exhaustive", "1");
        let (first, _) = cost("document", "1");
        let (many, told) = cost("document", "60");
        assert!(least <= many && many <= first, "seed {seed}: {told}");
        better += u32::from(many < first);
    }
    assert!(better > 2, "further mappings found nothing");
}

#[test]
fn the_cost_is_that_of_the_function_that_was_asked_for() {
    let profile = File::new("ranks 3\n0 1 1 10\n0 2 1 20\n");
    let costs = "%%MatrixMarket matrix array integer symmetric\n3 3\n0\n2\n5\n0\n3\n0\n";
    let machine = File::new(costs);
    // Rank 0 in the middle is best: its neighbours are 2 and 3 away.
    for (function, before, after) in [
        ("product", 10 * 2 + 20 * 5, 10 * 3 + 20 * 2),
        ("squared-cost", 10 * 4 + 20 * 25, 10 * 9 + 20 * 4),
        ("squared-weight", 100 * 2 + 400 * 5, 100 * 3 + 400 * 2),
    ] {
        let how = ["--weight", "bytes", "--function", function];
        let told = report(&[&[profile.path(), "--machine", machine.path()], &how[..]].concat());
        assert_eq!(number(&told, "cost before "), before, "{told}");
        assert_eq!(number(&told, "cost after "), after, "{told}");
    }
}

#[test]
fn places_that_stay_empty_and_ranks_that_share_one_cost_nothing_more() {
    let pairs = File::new("ranks 4\n0 2 1 1000\n1 3 1 1000\n");
    // More places than ranks, and fewer: a pair lies beside each other, or on one place.
    for (tree, cost) in [("3:2", 2000), ("1:2", 0)] {
        let how = ["--tree", tree, "--distances", "10:1", "--weight", "bytes"];
        let told = report(&[&[pairs.path()], &how[..]].concat());
        assert!(number(&told, "cost before ") > cost, "{told}");
        assert_eq!(number(&told, "cost after "), cost, "{told}");
    }
}
