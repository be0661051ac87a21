//! The report in words and columns.
//!
//! What: the run's measures, a line a rank, a line a cycle with what was done after it.
//! Step before: [`super`]. Step after: standard output.
//! Invariant: of a long run, the cycles after which something was done are shown first, and the
//! others evenly spread.

use std::fmt::Write as _;

use pamir_transport::balance::record::metrics::{CycleMetrics, RunMetrics};
use pamir_transport::balance::record::{Deed, Record};

/// Ranks that get a line; of more, those that waited longest.
const RANKS: usize = 64;

/// The whole text.
pub fn describe(record: &Record, metrics: &RunMetrics, cycles: usize) -> String {
    let mut text = run(record, metrics);
    text += &ranks(metrics);
    text += &table(record, metrics, cycles);
    text
}

fn ms(ns: u64) -> f64 {
    ns as f64 / 1e6
}

fn run(record: &Record, metrics: &RunMetrics) -> String {
    let count = metrics.cycles.len();
    let mut text = format!(
        "{} ranks, {count} cycles in {:.3} s",
        record.ranks,
        metrics.length_ns as f64 / 1e9
    );
    if metrics.unmeasured > 0 {
        let _ = write!(
            text,
            "; {} more, in which a rank is missing, are left out",
            metrics.unmeasured
        );
    }
    let waited: u64 = metrics.waits_ns.iter().sum();
    let all = metrics.length_ns as f64 * record.ranks as f64;
    let _ = write!(
        text,
        "\n\n\
         load balance              {:>8.3}   average / maximum of busy times\n\
         communication efficiency  {:>8.3}   longest busy times / length\n\
         parallel efficiency       {:>8.3}   the product of both\n\
         wait sum                {:>8.1} ms   {:.1} % of the ranks' time\n",
        metrics.load_balance,
        metrics.communication_efficiency,
        metrics.parallel_efficiency(),
        ms(waited),
        100.0 * waited as f64 / all.max(1.0)
    );
    text
}

fn ranks(metrics: &RunMetrics) -> String {
    let mut order: Vec<usize> = (0..metrics.waits_ns.len()).collect();
    order.sort_by_key(|&rank| (std::cmp::Reverse(metrics.waits_ns[rank]), rank));
    order.truncate(RANKS);
    order.sort_unstable();
    let mut text = format!("\n{:>6}{:>14}{:>10}\n", "rank", "waited ms", "share");
    for rank in order {
        let waited = metrics.waits_ns[rank];
        let share = 100.0 * waited as f64 / metrics.length_ns.max(1) as f64;
        let _ = writeln!(text, "{rank:>6}{:>14.3}{share:>8.1} %", ms(waited));
    }
    text
}

fn table(record: &Record, metrics: &RunMetrics, most: usize) -> String {
    let chosen = chosen(record, &metrics.cycles, most);
    let mut text = format!(
        "\n{:>8}{:>12}{:>10}{:>14}   {}\n",
        "cycle", "length ms", "balance", "wait ms", "then"
    );
    for cycle in chosen {
        let longest = cycle.waits_ns.iter().copied().max().unwrap_or(0);
        let deeds = record
            .deeds
            .iter()
            .filter(|(number, _)| *number == cycle.number);
        let deeds: Vec<String> = deeds.filter_map(|(_, deed)| describe_deed(deed)).collect();
        let _ = writeln!(
            text,
            "{:>8}{:>12.3}{:>10.3}{:>14.3}   {}",
            cycle.number,
            ms(cycle.length_ns),
            cycle.load_balance(),
            ms(longest),
            deeds.join(", ")
        );
    }
    text += "\nwait: the longest of the cycle\n";
    text
}

/// The cycles to show, in order.
fn chosen<'a>(record: &Record, cycles: &'a [CycleMetrics], most: usize) -> Vec<&'a CycleMetrics> {
    let acted = |cycle: &CycleMetrics| {
        record
            .deeds
            .iter()
            .any(|(number, _)| *number == cycle.number)
    };
    let (mut chosen, others): (Vec<&CycleMetrics>, Vec<_>) =
        cycles.iter().partition(|one| acted(one));
    chosen.truncate(most);
    let room = most - chosen.len();
    let stride = others.len().div_ceil(room.max(1)).max(1);
    chosen.extend(others.into_iter().step_by(stride).take(room));
    chosen.sort_by_key(|cycle| cycle.number);
    chosen
}

/// What was done, for people; what was only said stands for itself where nothing was done.
fn describe_deed(deed: &Deed) -> Option<String> {
    let place =
        |place: &Option<usize>| place.map_or("everywhere".into(), |place| place.to_string());
    match deed {
        Deed::Gave {
            giver,
            receiver,
            amount,
        } => Some(format!("rank {giver} gave {amount} to rank {receiver}")),
        Deed::Sat { rank, from, to } => Some(format!(
            "rank {rank} moved: {} > {}",
            place(from),
            place(to)
        )),
        Deed::Said(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::record;
    use super::*;

    #[test]
    fn the_report_says_who_waited_and_what_moved() {
        let record = record();
        let metrics = RunMetrics::of(&record);
        let text = describe(&record, &metrics, 20);
        for wanted in [
            "3 ranks, 2 cycles in 0.070 s; 1 more, in which a rank is missing, are left out",
            // Cores: 40 and 10 in the first cycle, 30 and 20 in the second.
            "load balance                 0.714",
            "communication efficiency     1.000",
            "wait sum                    50.0 ms   23.8 % of the ranks' time",
            "     1        40.000    57.1 %",
            "       1      40.000     0.625        30.000   rank 2 moved: 0 > 1\n",
            "       2      30.000     0.833        10.000   rank 0 gave 5 to rank 1\n",
        ] {
            assert!(text.contains(wanted), "{wanted}\n{text}");
        }
    }

    #[test]
    fn of_many_cycles_those_with_deeds_come_first() {
        let mut record = record();
        let cycle = record.cycles[0].clone();
        record.cycles = (1..=100)
            .map(|number| {
                let mut cycle = cycle.clone();
                cycle.number = number;
                cycle
            })
            .collect();
        record.deeds = vec![(77, Deed::Said("so".into()))];
        let metrics = RunMetrics::of(&record);
        let shown = chosen(&record, &metrics.cycles, 5);
        assert_eq!(shown.len(), 5);
        assert!(shown.iter().any(|cycle| cycle.number == 77));
        assert!(shown.is_sorted_by_key(|cycle| cycle.number));
        assert!(chosen(&record, &metrics.cycles, 0).is_empty());
    }
}
