//! From times to rows: which algorithm is the fastest where.
//!
//! What: [`rows`] makes the rows of a kind from the times of its algorithms, by ranks and size.
//! Why it stands apart: it is pure, so that it can be tested with times that nobody measured.
//! Step before: [`super::measure`] has printed times. Step after: the selection file.
//!
//! ```text
//!   ranks 2: 8 B a, 32 B a, 128 B b        a up to 64 bytes for 0 to 3 ranks, then b
//!   ranks 4: 8 B b, 32 B b, 128 B b        b for 4 ranks and more
//! ```
//!
//! An algorithm is changed for another from one size to the next only where that is faster by
//! `WORTH`: noise must not make rows. Between two sizes the bound is their geometric mean.
//! An algorithm that needs something (a power of two of ranks) has one behind it that does not.

use std::collections::BTreeMap;

use pamir_transport::selection::{Needs, Row};

/// How much faster an algorithm must be than the one before it to be taken instead.
const WORTH: f64 = 1.07;

/// Nanoseconds by number of ranks, algorithm, and size.
pub type Times = BTreeMap<usize, BTreeMap<&'static str, BTreeMap<usize, f64>>>;

/// The rows of a kind. `ordered` has its algorithms, the one that serves now first.
pub fn rows(times: &Times, ordered: &[(&'static str, Needs)]) -> Vec<Row<&'static str>> {
    let counts: Vec<usize> = times.keys().copied().collect();
    let mut rows = Vec::new();
    for (index, (_, measured)) in times.iter().enumerate() {
        let least = if index == 0 { 0 } else { counts[index] };
        let most = counts.get(index + 1).map_or(usize::MAX, |next| next - 1);
        let with = |row: Row<&'static str>| row.ranks(least, most);
        let any = |_: &(&'static str, Needs)| true;
        rows.extend(winners(measured, ordered, any).into_iter().map(with));
        if rows.iter().any(|row| is_needy(row.algorithm, ordered)) {
            let free = |one: &(&'static str, Needs)| one.1 == Needs::Nothing;
            rows.extend(winners(measured, ordered, free).into_iter().map(with));
        }
    }
    without_covered(rows, ordered)
}

fn is_needy(algorithm: &str, ordered: &[(&'static str, Needs)]) -> bool {
    let found = ordered.iter().find(|one| one.0 == algorithm);
    found.is_some_and(|one| one.1 != Needs::Nothing)
}

/// Leaves out rows that can never be taken, which a file must not have.
fn without_covered(
    rows: Vec<Row<&'static str>>,
    ordered: &[(&'static str, Needs)],
) -> Vec<Row<&'static str>> {
    let mut kept: Vec<Row<&'static str>> = Vec::new();
    for row in rows {
        let covered = |earlier: &Row<&'static str>| {
            let same = earlier.algorithm == row.algorithm;
            earlier.covers(&row) && (same || !is_needy(earlier.algorithm, ordered))
        };
        if !kept.iter().any(covered) {
            kept.push(row);
        }
    }
    kept
}

/// The fastest algorithm of each range of sizes, among those that `may` serve.
fn winners(
    measured: &BTreeMap<&'static str, BTreeMap<usize, f64>>,
    ordered: &[(&'static str, Needs)],
    may: impl Fn(&(&'static str, Needs)) -> bool,
) -> Vec<Row<&'static str>> {
    let able: Vec<&'static str> = ordered
        .iter()
        .filter(|one| may(one))
        .map(|one| one.0)
        .collect();
    let mut sizes: Vec<usize> = measured
        .values()
        .flat_map(|times| times.keys().copied())
        .collect();
    sizes.sort_unstable();
    sizes.dedup();
    let mut rows: Vec<Row<&'static str>> = Vec::new();
    let mut current = able.first().copied();
    let mut before = None;
    for size in sizes {
        let time = |name: &'static str| measured.get(name)?.get(&size).copied();
        let timed = able.iter().filter_map(|name| Some((time(name)?, *name)));
        let Some((best, name)) = timed.min_by(|one, other| one.0.total_cmp(&other.0)) else {
            continue;
        };
        let own = current.and_then(time);
        if own.is_none_or(|own| own > best * WORTH) {
            current = Some(name);
        }
        let Some(taken) = current else { continue };
        match rows.last_mut() {
            Some(last) if last.algorithm == taken => {}
            Some(last) => {
                last.up_to_bytes = between(before.unwrap_or(size), size);
                let from = last.up_to_bytes.saturating_add(1);
                rows.push(Row::new(taken).from(from));
            }
            None => rows.push(Row::new(taken)),
        }
        before = Some(size);
    }
    rows
}

/// The geometric mean of two sizes, rounded down.
fn between(smaller: usize, larger: usize) -> usize {
    let mean = (smaller.max(1) as f64 * larger as f64).sqrt();
    (mean as usize).clamp(smaller, larger.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: [(&str, Needs); 3] = [
        ("steady", Needs::Nothing),
        ("quick", Needs::Nothing),
        ("even", Needs::PowerOfTwo),
    ];

    /// An algorithm's figures, by size.
    type Figures<'a> = (&'static str, &'a [f64]);

    fn times(ranks: &[(usize, &[Figures<'_>])]) -> Times {
        let sizes = [16, 64, 256];
        let mut times = Times::new();
        for (count, algorithms) in ranks {
            for (name, figures) in *algorithms {
                let figures = sizes.into_iter().zip(figures.iter().copied()).collect();
                times.entry(*count).or_default().insert(name, figures);
            }
        }
        times
    }

    #[test]
    fn the_fastest_is_taken_where_it_is_worth_it() {
        let times = times(&[(
            2,
            &[
                ("steady", &[100.0, 100.0, 400.0]),
                ("quick", &[99.0, 101.0, 200.0]),
            ],
        )]);
        let expected = [Row::new("steady").up_to(128), Row::new("quick").from(129)];
        assert_eq!(rows(&times, &KIND), expected);
    }

    #[test]
    fn rows_are_for_ranks_up_to_the_next_that_were_measured() {
        let found = rows(
            &times(&[
                (2, &[("steady", &[9.0; 3]), ("quick", &[1.0; 3])]),
                (4, &[("steady", &[1.0; 3]), ("quick", &[9.0; 3])]),
            ]),
            &KIND,
        );
        let expected = [
            Row::new("quick").ranks(0, 3),
            Row::new("steady").ranks(4, usize::MAX),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn behind_what_needs_something_stands_what_does_not() {
        let found = rows(
            &times(&[(
                4,
                &[
                    ("steady", &[9.0; 3]),
                    ("quick", &[5.0; 3]),
                    ("even", &[1.0; 3]),
                ],
            )]),
            &KIND,
        );
        assert_eq!(found, [Row::new("even"), Row::new("quick")]);
    }

    #[test]
    fn nothing_measured_makes_no_row() {
        assert_eq!(rows(&Times::new(), &KIND), []);
        assert_eq!(rows(&times(&[(2, &[])]), &KIND), []);
    }

    #[test]
    fn bounds_lie_between_sizes() {
        assert_eq!(between(16, 64), 32);
        assert_eq!(between(0, 1), 0);
        assert_eq!(between(8, 9), 8);
    }
}
