//! `pamir info --selection`: the tables of algorithms that a job started here would use.
//!
//! What: where the rows come from, and for each kind of instruction the ranges of sizes with
//! their algorithms, for some number of ranks, or all algorithms there are.
//! Why: which file was found, and what a variable changed, is seen before a job runs.
//! Step before: [`super`]. Step after: standard output.

use std::fmt::Write as _;

use pamir_transport::selection::{Configuration, KINDS, Kind, SelectionError, Situation};

/// The tables in force for `ranks` ranks.
pub fn describe(ranks: usize) -> Result<String, SelectionError> {
    let configuration = Configuration::from_environment()?;
    configuration.install()?;
    let mut text = String::from("Selection of algorithms\n");
    let file = configuration.file().map(|file| file.display().to_string());
    let _ = writeln!(
        text,
        "  file       {}",
        file.unwrap_or("none: built-in tables".into())
    );
    let variables = configuration.variables().join(", ");
    let variables = if variables.is_empty() {
        "none"
    } else {
        &variables
    };
    let _ = writeln!(text, "  variables  {variables}");
    for kind in KINDS {
        describe_kind(&mut text, kind, ranks);
    }
    Ok(text)
}

/// Ranks of one machine share a board unless a setting forbids it.
fn describe_kind(text: &mut String, kind: &dyn Kind, ranks: usize) {
    let size = kind.size().unwrap_or("no size decides");
    let _ = writeln!(text, "\n{} ({size}; {ranks} ranks)", kind.name());
    let board = !pamir_settings::NO_BOARDS.value();
    let situation = |commutative| Situation::new(ranks, commutative).board(board);
    let commutative = kind.ranges(situation(true));
    let ordered = kind.ranges(situation(false));
    let oversubscribed = kind.ranges(situation(true).oversubscribed(true));
    describe_ranges(text, &commutative);
    if oversubscribed != commutative {
        let _ = writeln!(text, "  where ranks share their cores:");
        describe_ranges(text, &oversubscribed);
    }
    if ordered != commutative {
        let _ = writeln!(text, "  where the operation is not commutative:");
        describe_ranges(text, &ordered);
    }
    let names: Vec<String> = kind.algorithms().iter().map(algorithm).collect();
    let _ = writeln!(text, "  all: {}", names.join(", "));
}

fn algorithm((name, needs): &(&'static str, pamir_transport::selection::Needs)) -> String {
    match needs.words() {
        "nothing" => (*name).to_owned(),
        words => format!("{name} (needs {words})"),
    }
}

fn describe_ranges(text: &mut String, ranges: &[(usize, &'static str)]) {
    for (bound, name) in ranges {
        let bound = match *bound {
            usize::MAX if ranges.len() == 1 => "any size".to_owned(),
            usize::MAX => "above".to_owned(),
            bound => format!("up to {bound}"),
        };
        let _ = writeln!(text, "  {bound:<16} {name}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_and_algorithm_is_shown() {
        let text = describe(4).expect("nothing is configured for tests");
        for kind in KINDS {
            assert!(text.contains(&format!("\n{} (", kind.name())), "{text}");
            for (name, _) in kind.algorithms() {
                assert!(text.contains(name), "{name}: {text}");
            }
        }
        assert!(
            text.contains(
                "share their cores:\n  up to 2048       posted\n  above            posted_slices"
            ),
            "{text}"
        );
        assert!(
            text.contains("binomial (needs a commutative operation)"),
            "{text}"
        );
    }
}
