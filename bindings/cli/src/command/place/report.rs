//! What `pamir place` tells: cost before and after, improvement, and what would help more.
//!
//! Step before: a [`Solution`]. Step after: standard output.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use pamir_transport::placement::what_if::{
    cost_by_edge, cost_by_level, gain_by_link, gain_by_unit,
};
use pamir_transport::placement::{CommunicationGraph, Problem, Solution};

/// Lines of a table: more would hide the point.
const LINES: usize = 8;

/// What was searched, and what it brought.
pub fn summary(
    problem: &Problem,
    graph: Option<&CommunicationGraph>,
    algorithm: &str,
    solution: &Solution,
) -> String {
    let mut text = String::new();
    let pairs = problem.edges().len();
    let _ = writeln!(
        text,
        "ranks         {} ({pairs} pairs that communicate)",
        problem.ranks()
    );
    if let Some(graph) = graph {
        let total = graph.total();
        let _ = writeln!(
            text,
            "traffic       {} bytes in {} messages",
            total.bytes, total.messages
        );
    }
    let _ = writeln!(text, "places        {}", problem.size());
    let progress = &solution.progress;
    let _ = writeln!(
        text,
        "search        {algorithm}: {} steps from {} mappings in {:.2} s",
        progress.steps,
        progress.starts,
        progress.elapsed.as_secs_f64()
    );
    let _ = writeln!(
        text,
        "cost before   {} (default order)",
        number(solution.cost_before)
    );
    let _ = writeln!(text, "cost after    {}", number(solution.cost));
    let _ = writeln!(
        text,
        "improvement   {:.1} %",
        improvement(solution.cost_before, solution.cost)
    );
    text
}

/// Calls of a trace that count for nothing, by name.
pub fn left_out(calls: &BTreeMap<String, u64>) -> String {
    if calls.is_empty() {
        return String::new();
    }
    let names: Vec<String> = calls
        .iter()
        .map(|(name, count)| format!("{name} {count}"))
        .collect();
    format!(
        "left out      {} (the trace does not say what they move between whom)\n",
        names.join(", ")
    )
}

/// By how much the cost fell, in percent of what it was.
fn improvement(before: f64, after: f64) -> f64 {
    if before > 0.0 {
        (before - after) / before * 100.0
    } else {
        0.0
    }
}

/// Whole numbers as such, others with three digits.
fn number(value: f64) -> String {
    if value.fract() == 0.0 {
        format!("{value:.0}")
    } else {
        format!("{value:.3}")
    }
}

/// The cost by level and edge, and which links and units would help most.
pub fn what_if(problem: &Problem, solution: &Solution) -> String {
    let mut text = String::new();
    for table in [costs_by_level, dearest_edges, helpful_links] {
        table(&mut text, problem, solution);
    }
    text
}

/// A figure of cost with its share of the whole.
fn with_share(cost: f64, solution: &Solution) -> String {
    let share = if solution.cost > 0.0 {
        cost / solution.cost * 100.0
    } else {
        0.0
    };
    format!("{:>16}  {share:5.1} %", number(cost))
}

fn costs_by_level(text: &mut String, problem: &Problem, solution: &Solution) {
    let Some(tree) = problem.topology().tree() else {
        return;
    };
    text.push_str("\ncost by the innermost that both ends share\n");
    let levels = cost_by_level(problem, solution.mapping.places());
    for (shared, cost) in levels.iter().enumerate() {
        let name = tree.level_name(shared);
        let _ = writeln!(text, "  {name:<12}{}", with_share(*cost, solution));
    }
}

fn dearest_edges(text: &mut String, problem: &Problem, solution: &Solution) {
    let places = solution.mapping.places();
    let name = |place: u32| problem.topology().names()[place as usize];
    text.push_str("\nthe dearest edges\n");
    for edge in cost_by_edge(problem, places).iter().take(LINES) {
        let _ = writeln!(
            text,
            "  ranks {} and {} on units {} and {}  {}",
            edge.ranks.0,
            edge.ranks.1,
            name(edge.places.0),
            name(edge.places.1),
            with_share(edge.cost, solution)
        );
    }
}

fn helpful_links(text: &mut String, problem: &Problem, solution: &Solution) {
    text.push_str("\nlinks that would help most if they were as fast as the fastest\n");
    let links = gain_by_link(problem, solution.mapping.places());
    let helpful = links.iter().filter(|link| link.saved > 0.0);
    let helpful: Vec<_> = helpful.take(LINES).collect();
    if helpful.is_empty() {
        text.push_str("  none: all traffic is on the fastest links already\n");
        return;
    }
    for link in helpful {
        let (one, other) = link.units;
        let saved = with_share(link.saved, solution);
        let _ = writeln!(text, "  units {one} and {other}  saves {saved}");
    }
    text.push_str("\nunits that would help most if all their links were\n");
    let units = gain_by_unit(&links);
    for unit in units.iter().filter(|unit| unit.saved > 0.0).take(LINES) {
        let saved = with_share(unit.saved, solution);
        let _ = writeln!(text, "  unit {}  saves {saved}", unit.unit);
    }
}

/// What the job repeated would cost, beside what it costs now.
pub fn more_processes(ranks: usize, solution: &Solution, more: &[(usize, f64)]) -> String {
    let mut text = String::from("\nmore processes of the same pattern\n");
    let now = [(ranks, solution.cost)];
    for (ranks, cost) in now.iter().chain(more) {
        let a_rank = cost / (*ranks as f64);
        let _ = writeln!(
            text,
            "  {ranks} ranks  {:>16}  ({} a rank)",
            number(*cost),
            number(a_rank)
        );
    }
    text
}

/// What a mapping costs after a change, and what the best one found does.
pub struct Changed {
    /// What was changed.
    pub name: String,
    /// The cost of the mapping that was found before.
    pub kept: f64,
    /// The cost of a mapping for what was changed.
    pub found: f64,
}

/// The costs after a change, beside what the mapping costs now.
pub fn changed(solution: &Solution, changed: &Changed) -> String {
    let mut text = format!("\nwhat if {}\n", changed.name);
    let mut line = |what: &str, cost: f64| {
        let less = improvement(solution.cost, cost);
        let word = if less < 0.0 { "more" } else { "less" };
        let cost = number(cost);
        let _ = writeln!(text, "  {what:<14}{cost:>16}  {:.1} % {word}", less.abs());
    };
    line("same mapping", changed.kept);
    line("new mapping", changed.found);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn improvement_is_in_percent_of_what_it_was() {
        assert_eq!(improvement(200.0, 50.0), 75.0);
        assert_eq!(improvement(0.0, 0.0), 0.0);
        assert_eq!(number(3.0), "3");
        assert_eq!(number(2.5), "2.500");
    }
}
