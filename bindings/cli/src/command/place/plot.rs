//! The picture of `pamir place --plot`: both matrices and the mapping, as SVG.
//!
//! ```text
//!  traffic by rank       costs by place        traffic by place (after mapping)
//!  ┌──────────┐          ┌──────────┐          ┌──────────┐
//!  │ .  #     │          │ #.       │          │ ##       │      dark: much, far
//!  └──────────┘          └──────────┘          └──────────┘
//!  rank 0 1 2 3 ...      one line from each rank to its place
//! ```
//!
//! What: a cell a pair; large matrices are drawn in blocks whose sum is shown. Shades are
//! logarithmic, as traffic differs by orders of magnitude.
//! Step before: a mapping. Step after: a file for a browser.

use std::fmt::Write as _;

use pamir_transport::placement::{Mapping, Problem};

use crate::svg;

/// Cells along a side at most.
const CELLS: usize = 128;
/// Length of a side in the picture.
const SIDE: f64 = 300.0;
/// Space around.
const MARGIN: f64 = 40.0;

/// The picture's text.
pub fn draw(problem: &Problem, mapping: &Mapping) -> String {
    let size = problem.size();
    let places = mapping.places();
    let by_rank = problem
        .edges()
        .iter()
        .map(|edge| (edge.from, edge.to, edge.weight));
    let by_place = by_rank
        .clone()
        .map(|(from, to, weight)| (places[from as usize], places[to as usize], weight));
    // Of large machines only as many costs are drawn as there are cells.
    let stride = size.div_ceil(CELLS).max(1);
    let drawn = (0..size).step_by(stride);
    let costs = drawn
        .clone()
        .flat_map(|one| drawn.clone().map(move |other| (one, other)));
    let costs = costs.map(|(one, other)| {
        (
            one as u32,
            other as u32,
            problem.topology().cost(one, other),
        )
    });

    let width = 3.0 * (SIDE + MARGIN) + MARGIN;
    let height = 2.0 * SIDE + 3.0 * MARGIN;
    let mut svg = svg::begin(width, height);
    let column = |number: f64| MARGIN + number * (SIDE + MARGIN);
    matrix(&mut svg, column(0.0), "traffic by rank", size, by_rank);
    matrix(&mut svg, column(1.0), "cost by place", size, costs);
    matrix(&mut svg, column(2.0), "traffic by place", size, by_place);
    lines(&mut svg, problem, places, width);
    svg.push_str("</svg>\n");
    svg
}

/// A matrix at the top, `left` from the edge.
fn matrix(
    svg: &mut String,
    left: f64,
    title: &str,
    size: usize,
    values: impl Iterator<Item = (u32, u32, f64)>,
) {
    let cells = size.clamp(1, CELLS);
    let mut sums = vec![0.0f64; cells * cells];
    for (row, column, value) in values {
        sums[row as usize * cells / size * cells + column as usize * cells / size] += value;
    }
    let most = sums.iter().copied().fold(0.0, f64::max);
    let side = SIDE / cells as f64;
    let _ = writeln!(
        svg,
        "<text x=\"{left}\" y=\"{}\">{title}</text>",
        MARGIN - 8.0
    );
    let _ = writeln!(
        svg,
        "<rect x=\"{left}\" y=\"{MARGIN}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"none\" stroke=\"#999\"/>"
    );
    for (at, &sum) in sums.iter().enumerate().filter(|(_, sum)| **sum > 0.0) {
        let _ = writeln!(
            svg,
            "<rect x=\"{:.2}\" y=\"{:.2}\" width=\"{side:.2}\" height=\"{side:.2}\" fill=\"#124\" fill-opacity=\"{:.2}\"/>",
            left + (at % cells) as f64 * side,
            MARGIN + (at / cells) as f64 * side,
            shade(sum, most)
        );
    }
}

/// From faint to full over four orders of magnitude.
fn shade(value: f64, most: f64) -> f64 {
    (1.0 + (value / most).log10() / 4.0).clamp(0.08, 1.0)
}

/// A line from each rank, above, to its place, below; dummies are left out.
fn lines(svg: &mut String, problem: &Problem, places: &[u32], width: f64) {
    let (top, bottom) = (SIDE + 2.5 * MARGIN, 2.0 * SIDE + 1.5 * MARGIN);
    let step = (width - 2.0 * MARGIN) / problem.size() as f64;
    let x = |at: usize| MARGIN + (at as f64 + 0.5) * step;
    let labelled = problem.size() <= 64;
    let _ = writeln!(
        svg,
        "<text x=\"{MARGIN}\" y=\"{}\">ranks, and the processing units they go to</text>",
        top - 24.0
    );
    for (rank, &place) in places.iter().enumerate().take(problem.ranks()) {
        let _ = writeln!(
            svg,
            "<line x1=\"{:.1}\" y1=\"{top:.1}\" x2=\"{:.1}\" y2=\"{bottom:.1}\" stroke=\"#146\" stroke-opacity=\"0.6\"/>",
            x(rank),
            x(place as usize)
        );
        if labelled {
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{rank}</text>",
                x(rank),
                top - 5.0
            );
        }
    }
    if labelled {
        for (place, name) in problem.topology().names().iter().enumerate() {
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{name}</text>",
                x(place),
                bottom + 14.0
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pamir_transport::placement::problem::Edge;
    use pamir_transport::placement::{EdgeFunction, TopologyGraph};

    fn picture(size: usize) -> String {
        let edges = (1..size as u32).map(|rank| Edge {
            from: rank - 1,
            to: rank,
            weight: 1.0,
        });
        let topology = TopologyGraph::uniform(&[size], &[2.0, 1.0]).unwrap();
        let problem =
            Problem::from_edges(size, edges.collect(), &topology, EdgeFunction::PRODUCT).unwrap();
        draw(&problem, &Mapping::identity(size))
    }

    #[test]
    fn every_edge_and_every_rank_is_drawn() {
        let svg = picture(4);
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
        assert_eq!(svg.matches("<line").count(), 4);
        // Background and three frames, 3 + 3 edges, 16 costs.
        assert_eq!(svg.matches("<rect").count(), 1 + 3 + 3 + 3 + 16);
    }

    #[test]
    fn large_matrices_are_drawn_in_blocks() {
        let svg = picture(1000);
        assert!(svg.matches("<rect").count() < 3 * CELLS * CELLS);
        assert!(svg.len() < 4_000_000);
    }

    #[test]
    fn shades_are_logarithmic() {
        assert_eq!(shade(5.0, 5.0), 1.0);
        assert_eq!(shade(0.05, 5.0), 0.5);
        assert_eq!(shade(1e-9, 5.0), 0.08);
    }
}
