//! The tree along which data spreads from a root through a torus, one dimension after another.
//!
//! Before: [`crate::collective::moving::broadcast::torus`] and [`crate::collective::combining::reduce::torus`]. After: whom a member hears
//! from, and whom it tells: neighbours all of them.
//!
//! Data goes both ways around the root's line in dimension 0, half of it each; every member of that
//! line sends it both ways along dimension 1, and so on. So a member is reached by the shortest way
//! that corrects its coordinates in the order of dimensions:
//!
//! ```text
//!   3x4 from 0      0 ── 1 ── 2        root 0, dimension 0 down, then dimension 1 across;
//!                   │    └ 3 is behind 0, around the ring
//!                   ├ 4 ── 5 ── 6  (and 7)
//!                   └ 8 ── 9 ── 10 (and 11)
//! ```
//!
//! Invariants: each member but the root has one parent, who has it among its children; parent and
//! child differ by one step in one dimension; the depth is the sum of half the dimensions' sizes.

use crate::collective::shape::torus::Torus;

/// The way in which a ring is gone around.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Up,
    Down,
}

/// A member's place in the tree.
#[derive(Debug)]
pub struct Branch {
    /// Whom it hears from; nobody for the root.
    pub parent: Option<usize>,
    /// Whom it tells, those first who have the longest way behind them.
    pub children: Vec<usize>,
}

/// How far, and which way, the data goes in a dimension from the root to a coordinate.
fn way(size: usize, root: usize, at: usize) -> Option<(Way, usize)> {
    let up = (at + size - root) % size;
    match up {
        0 => None,
        _ if up <= size / 2 => Some((Way::Up, up)),
        _ => Some((Way::Down, size - up)),
    }
}

/// How far the data goes each way of a ring.
fn reach(size: usize, way: Way) -> usize {
    match way {
        Way::Up => size / 2,
        Way::Down => (size - 1) / 2,
    }
}

impl Branch {
    /// Where `member` stands in the tree of `root`.
    pub fn of(torus: &Torus, root: usize, member: usize) -> Self {
        let dimensions = torus.sizes().len();
        let way_in = |dimension| {
            let at = |one| torus.coordinate(one, dimension);
            way(torus.sizes()[dimension], at(root), at(member))
        };
        let ways = (0..dimensions)
            .rev()
            .map(|dimension| (dimension, way_in(dimension)));
        let last = ways.filter_map(|(dimension, way)| way.map(|way| (dimension, way)));
        let Some((dimension, (way, distance))) = last.into_iter().next() else {
            return Self {
                parent: None,
                children: around(torus, member, 0),
            };
        };
        let mut children = Vec::with_capacity(1 + 2 * (dimensions - dimension));
        if distance < reach(torus.sizes()[dimension], way) {
            children.push(step(torus, member, dimension, way));
        }
        children.extend(around(torus, member, dimension + 1));
        let back = if way == Way::Up { Way::Down } else { Way::Up };
        Self {
            parent: Some(step(torus, member, dimension, back)),
            children,
        }
    }
}

/// The neighbours of `member` in `dimension` and those behind it.
fn around(torus: &Torus, member: usize, dimension: usize) -> Vec<usize> {
    let dimensions = dimension..torus.sizes().len();
    let both = dimensions.flat_map(|dimension| [(dimension, Way::Up), (dimension, Way::Down)]);
    let reached = both.filter(|(dimension, way)| reach(torus.sizes()[*dimension], *way) > 0);
    let neighbours = reached.map(|(dimension, way)| step(torus, member, dimension, way));
    neighbours.collect()
}

/// The neighbour one way along a dimension.
fn step(torus: &Torus, member: usize, dimension: usize, way: Way) -> usize {
    let (size, at) = (
        torus.sizes()[dimension],
        torus.coordinate(member, dimension),
    );
    let there = match way {
        Way::Up => (at + 1) % size,
        Way::Down => (at + size - 1) % size,
    };
    torus.beside(member, dimension, there)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_goes_along_one_dimension_after_another() {
        let torus = Torus::of("3x4", 12).unwrap();
        let branch = |member| Branch::of(&torus, 0, member);
        assert_eq!(branch(0).children, [4, 8, 1, 3]);
        assert_eq!(
            (branch(4).parent, branch(4).children),
            (Some(0), vec![5, 7])
        );
        assert_eq!((branch(1).parent, branch(1).children), (Some(0), vec![2]));
        assert_eq!((branch(10).parent, branch(10).children), (Some(9), vec![]));
        assert_eq!((branch(11).parent, branch(11).children), (Some(8), vec![]));
    }

    fn depth(torus: &Torus, root: usize, member: usize) -> usize {
        let parent = Branch::of(torus, root, member).parent;
        parent.map_or(0, |parent| 1 + depth(torus, root, parent))
    }

    #[test]
    fn everybody_hears_once_and_from_a_neighbour() {
        for (shape, members) in [
            ("1", 1),
            ("5", 5),
            ("3x3x3", 27),
            ("2x4", 24),
            ("2x2x2x2x2", 32),
        ] {
            let torus = Torus::of(shape, members).unwrap();
            let deepest: usize = torus.sizes().iter().map(|size| size / 2).sum();
            for root in 0..members {
                let mut told = vec![0; members];
                for member in 0..members {
                    for child in Branch::of(&torus, root, member).children {
                        told[child] += 1;
                        assert_eq!(Branch::of(&torus, root, child).parent, Some(member));
                    }
                }
                let once = |member: usize| usize::from(member != root);
                assert!(
                    (0..members).all(|member| told[member] == once(member)),
                    "{shape}"
                );
                let depths = (0..members).map(|member| depth(&torus, root, member));
                assert_eq!(depths.max(), Some(deepest), "{shape} from {root}");
            }
        }
    }
}
