//! The picture of `pamir report --plot`: a row a rank, time to the right.
//!
//! ```text
//! rank 0 ▇▇▇▇▇▇▇▇▇│▇▇▇▇▇▇▇▇▇│      dark: computing, light: waiting for the last
//! rank 1 ▇▇▇░░░░░░│▇▇▇▇▇▇▇░░│      a line where something was moved
//! 1.0    ────╱‾‾‾‾‾‾‾‾‾‾‾‾‾‾      load balance of each cycle
//! ```
//!
//! Of runs with more bars than a picture can show, rows and columns are evenly chosen cycles and
//! ranks, each drawn as wide as the others.
//!
//! Step before: [`super`]. Step after: a file for a browser.

use pamir_transport::balance::record::metrics::{CycleMetrics, RunMetrics};
use pamir_transport::balance::record::{Deed, Record};

use crate::svg::Svg;

/// Rows at most.
const ROWS: usize = 64;
/// Cycles that are drawn at most.
const COLUMNS: usize = 200;
/// Width of the time axis.
const WIDTH: f64 = 1000.0;
/// Height of a row.
const ROW: f64 = 14.0;
/// Height of the curve.
const CURVE: f64 = 120.0;
/// Space around.
const MARGIN: f64 = 60.0;

/// The picture's text.
pub fn draw(record: &Record, metrics: &RunMetrics) -> String {
    let ranks: Vec<usize> = (0..record.ranks).collect();
    let ranks = spread(&ranks, ROWS);
    let cycles = spread(&metrics.cycles, COLUMNS);
    let bottom = MARGIN + ranks.len() as f64 * ROW;
    let mut svg = Svg::new(WIDTH + 2.0 * MARGIN, bottom + CURVE + 2.0 * MARGIN);
    let title = format!(
        "load balance {:.3}, parallel efficiency {:.3}; dark: computing, light: waiting",
        metrics.load_balance,
        metrics.parallel_efficiency()
    );
    svg.label((MARGIN, MARGIN - 20.0), "start", &title);
    for (row, rank) in ranks.iter().enumerate() {
        let y = MARGIN + (row as f64 + 0.8) * ROW;
        svg.label((MARGIN - 6.0, y), "end", &format!("{rank}"));
    }
    let mut left = MARGIN;
    let scale = WIDTH / cycles.iter().map(weight).sum::<f64>().max(1.0);
    let mut balance = Vec::with_capacity(cycles.len());
    for cycle in &cycles {
        let width = weight(cycle) * scale;
        bars(&mut svg, cycle, &ranks, left, width);
        deeds(&mut svg, record, cycle, left + width, bottom);
        let y = bottom + 30.0 + (1.0 - cycle.load_balance()) * CURVE;
        balance.push((left + width / 2.0, y));
        left += width;
    }
    axis(&mut svg, bottom + 30.0);
    svg.curve(balance.into_iter(), "#a30");
    svg.finish()
}

/// Evenly chosen ones, where there are more than `most`.
fn spread<T: Clone>(all: &[T], most: usize) -> Vec<T> {
    let stride = all.len().div_ceil(most).max(1);
    all.iter().step_by(stride).cloned().collect()
}

/// How wide a cycle is, before it is scaled; one that took no time is seen as well.
fn weight(cycle: &CycleMetrics) -> f64 {
    cycle.length_ns.max(1) as f64
}

/// A cycle's bars: for each rank what it computed, and what it waited.
fn bars(svg: &mut Svg, cycle: &CycleMetrics, ranks: &[usize], left: f64, width: f64) {
    for (row, &rank) in ranks.iter().enumerate() {
        let wait_ns = cycle.waits_ns.get(rank).copied().unwrap_or(0);
        let waited = wait_ns as f64 / weight(cycle) * width;
        let corner = (left, MARGIN + row as f64 * ROW + 1.0);
        let height = ROW - 2.0;
        svg.bar(corner, (width - waited, height), "#146", "");
        if wait_ns > 0 {
            let title = format!(
                "rank {rank}, cycle {}: waited {:.3} ms",
                cycle.number,
                wait_ns as f64 / 1e6
            );
            let corner = (corner.0 + width - waited, corner.1);
            svg.bar(corner, (waited, height), "#cde", &title);
        }
    }
}

/// A mark where something was moved after a cycle.
fn deeds(svg: &mut Svg, record: &Record, cycle: &CycleMetrics, x: f64, bottom: f64) {
    let deeds = record
        .deeds
        .iter()
        .filter(|(number, _)| *number == cycle.number);
    let moved = deeds
        .filter(|(_, deed)| !matches!(deed, Deed::Said(_)))
        .count();
    if moved > 0 {
        svg.line((x, MARGIN - 8.0), (x, bottom + 8.0), "#a30");
        svg.label((x, MARGIN - 8.0), "middle", &format!("{moved} moved"));
    }
}

/// The frame of the curve.
fn axis(svg: &mut Svg, top: f64) {
    for share in [1.0, 0.95, 0.5, 0.0] {
        let y = top + (1.0 - share) * CURVE;
        svg.line((MARGIN, y), (MARGIN + WIDTH, y), "#ccc");
        // 0.95 would stand on 1.
        let text = if share == 0.95 {
            String::new()
        } else {
            format!("{share:.1}")
        };
        svg.label((MARGIN - 6.0, y + 4.0), "end", &text);
    }
    svg.label(
        (MARGIN, top + CURVE + 20.0),
        "start",
        "load balance of each cycle; 0.95 is marked",
    );
}

#[cfg(test)]
mod tests {
    use super::super::tests::record;
    use super::*;

    #[test]
    fn every_rank_every_wait_and_every_move_is_drawn() {
        let record = record();
        let svg = draw(&record, &RunMetrics::of(&record));
        // The ground, 3 ranks in 2 cycles, and the 3 waits.
        assert_eq!(svg.matches("<rect").count(), 1 + 3 * 2 + 3, "{svg}");
        assert!(svg.contains("rank 1, cycle 1: waited 30.000 ms"));
        assert_eq!(svg.matches("1 moved").count(), 2);
        assert_eq!(svg.matches("<polyline").count(), 1);
    }

    #[test]
    fn long_runs_of_many_ranks_stay_small() {
        let mut record = record();
        let calls = &record.cycles[0].calls;
        let calls: Vec<_> = (0..1000)
            .map(|member| {
                let mut call = calls[member % 3];
                call.arrival.member = member;
                call
            })
            .collect();
        record.ranks = 1000;
        record.cycles = (1..=2000)
            .map(|number| pamir_transport::balance::record::RecordedCycle {
                number,
                calls: calls.clone(),
            })
            .collect();
        let svg = draw(&record, &RunMetrics::of(&record));
        assert!(svg.len() < 6_000_000, "{}", svg.len());
        assert!(svg.matches("<rect").count() <= 1 + 2 * ROWS * COLUMNS);
    }
}
