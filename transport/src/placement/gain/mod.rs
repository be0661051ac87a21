//! What every swap of two processes would change: equation 2, kept up to date.
//!
//! What: [`GainTable`] holds a mapping and, for each pair (i, j), the change of the cost if `i` and
//! `j` exchanged their places (the negative of the document's gain). Computing one such change
//! anew takes O(n), all of them O(n³); here a swap updates all in O(n²), O(1) each:
//!
//! ```text
//!  placed[i][l]   cost of process i if it stood on place l and the others stayed
//!                 a swap of r and s adds  x_i * y_l,   x_i = w(i,r) - w(i,s)
//!                                                      y_l = d(l,M(s)) - d(l,M(r))
//!  change[i][j] = placed[i][M(j)] + placed[j][M(i)] - placed[i][M(i)] - placed[j][M(j)] + correction
//!                 a swap of r and s adds  -(x_i - x_j) * (y_M(i) - y_M(j))   for i, j not r, s
//! ```
//!
//! The rows of `r` and `s` are read off `placed`. Where neither matrix is symmetric there are two
//! such products, one for each direction. Other functions than the product have no such form:
//! for them `placed` is updated by the function itself and `change` read off it.
//!
//! Step before: [`super::problem`]. Step after: the searches of [`super::algorithm`].
//! Invariants: `cost` is the sum of the first cost and all changes made; whole numbers below 2^53
//! stay exact; pairs that send and receive exactly the same (dummies) are never proposed.

mod kernel;
mod numbers;

pub use numbers::Numbers;

/// A swap and what it would add to the cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Swap {
    /// The process with the lower number.
    pub one: usize,
    /// The other one.
    pub other: usize,
    /// Change of the cost; negative is better.
    pub change: f64,
}

/// A mapping with the change of the cost by each swap.
#[derive(Debug, Clone)]
pub struct GainTable<'a> {
    numbers: &'a Numbers,
    places: Vec<u32>,
    cost: f64,
    placed: Vec<f64>,
    /// Row `one`, column `other`, where `other` is the higher number; infinite for pairs that are
    /// alike.
    change: Vec<f64>,
    /// The lowest change of each row.
    lowest: Vec<f64>,
    scratch: Scratch,
}

/// Vectors of one swap, for both directions: `x` by process, `y` by place, `z` = `y` by process.
#[derive(Debug, Clone, Default)]
struct Scratch {
    x: [Vec<f64>; 2],
    y: [Vec<f64>; 2],
    z: [Vec<f64>; 2],
}

impl<'a> GainTable<'a> {
    /// The table of a mapping; takes O(n³), less where few processes communicate.
    pub fn new(numbers: &'a Numbers, places: &[u32]) -> GainTable<'a> {
        let size = numbers.size();
        let vectors = || [vec![0.0; size], vec![0.0; size]];
        let mut table = GainTable {
            numbers,
            places: places.to_vec(),
            cost: 0.0,
            placed: vec![0.0; size * size],
            change: vec![f64::INFINITY; size * size],
            lowest: vec![f64::INFINITY; size],
            scratch: Scratch {
                x: vectors(),
                y: vectors(),
                z: vectors(),
            },
        };
        table.restart(places);
        table
    }

    /// Begins anew from another mapping.
    pub fn restart(&mut self, places: &[u32]) {
        self.places.copy_from_slice(places);
        self.cost = self.numbers.cost_of(places);
        self.numbers.fill_placed(places, &mut self.placed);
        for one in 0..self.numbers.size() {
            self.read_row(one);
            self.find_lowest(one);
        }
    }

    /// The places by process.
    pub fn places(&self) -> &[u32] {
        &self.places
    }

    /// The cost of the mapping.
    pub fn cost(&self) -> f64 {
        self.cost
    }

    /// The document's gain of a pair: how much cheaper the mapping became by swapping them.
    pub fn gain(&self, one: usize, other: usize) -> f64 {
        let change = self.change[one.min(other) * self.numbers.size() + one.max(other)];
        if change.is_finite() { -change } else { 0.0 }
    }

    /// The cheapest swap among those that are admitted; the first of equals.
    pub fn best(&self, mut admitted: impl FnMut(&Swap) -> bool) -> Option<Swap> {
        let size = self.numbers.size();
        let mut best: Option<Swap> = None;
        let mut bound = f64::INFINITY;
        for (one, &lowest) in self.lowest.iter().enumerate() {
            if lowest >= bound {
                continue;
            }
            let row = &self.change[one * size..][..size];
            for (other, &change) in row.iter().enumerate().skip(one + 1) {
                let swap = Swap { one, other, change };
                if change < bound && admitted(&swap) {
                    bound = change;
                    best = Some(swap);
                }
            }
        }
        best
    }

    /// The change of one swap, from `placed`.
    #[inline(always)]
    fn read(&self, one: usize, other: usize) -> f64 {
        if self.numbers.are_alike(one, other) {
            return f64::INFINITY;
        }
        let size = self.numbers.size();
        let (here, there) = (self.places[one] as usize, self.places[other] as usize);
        let placed = |process: usize, place: usize| self.placed[process * size + place];
        placed(one, there) + placed(other, here) - placed(one, here) - placed(other, there)
            + self.numbers.correction(one, other, here, there)
    }

    fn read_row(&mut self, one: usize) {
        let size = self.numbers.size();
        for other in one + 1..size {
            self.change[one * size + other] = self.read(one, other);
        }
    }

    fn find_lowest(&mut self, one: usize) {
        let size = self.numbers.size();
        self.lowest[one] = kernel::lowest(&self.change[one * size + one + 1..(one + 1) * size]);
    }

    /// Swaps two processes and brings every change up to date.
    pub fn swap(&mut self, one: usize, other: usize) {
        self.cost += self.read_any(one, other);
        self.numbers
            .swap_vectors(one, other, &self.places, &mut self.scratch);
        self.places.swap(one, other);
        if self.numbers.is_product() {
            self.update_by_products(one, other);
        } else {
            let (here, there) = (self.places[other] as usize, self.places[one] as usize);
            self.numbers
                .move_placed(one, other, here, there, &mut self.placed);
            for row in 0..self.numbers.size() {
                self.read_row(row);
                self.find_lowest(row);
            }
        }
    }

    /// Row after row, so that each is in the cache for all that is done with it; the rows of the
    /// two, which all others look at, come first.
    fn update_by_products(&mut self, one: usize, other: usize) {
        let size = self.numbers.size();
        self.add_to_placed(one);
        self.add_to_placed(other);
        for row in (0..size).filter(|row| *row != one && *row != other) {
            self.add_to_placed(row);
            self.add_to_row(row);
            for moved in [one, other] {
                let (low, high) = (row.min(moved), row.max(moved));
                self.change[low * size + high] = self.read(low, high);
            }
            self.find_lowest(row);
        }
        let (low, high) = (one.min(other), one.max(other));
        self.change[low * size + high] = self.read(low, high);
        self.find_lowest(one);
        self.find_lowest(other);
    }

    /// The change of a swap, 0 for those that are alike.
    fn read_any(&self, one: usize, other: usize) -> f64 {
        let change = self.read(one.min(other), one.max(other));
        if change.is_finite() { change } else { 0.0 }
    }

    #[inline(always)]
    fn add_to_placed(&mut self, process: usize) {
        let size = self.numbers.size();
        for direction in 0..self.numbers.directions() {
            let factor = self.scratch.x[direction][process];
            if factor != 0.0 {
                let row = &mut self.placed[process * size..][..size];
                kernel::add_product(row, factor, &self.scratch.y[direction]);
            }
        }
    }

    fn add_to_row(&mut self, row: usize) {
        let size = self.numbers.size();
        for direction in 0..self.numbers.directions() {
            let (x, z) = (&self.scratch.x[direction], &self.scratch.z[direction]);
            let changes = &mut self.change[row * size + row + 1..(row + 1) * size];
            kernel::subtract_products(changes, x[row], &x[row + 1..], z[row], &z[row + 1..]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::super::{EdgeFunction, Matrix, Problem, TopologyGraph};
    use super::*;
    use proptest::prelude::*;

    /// A problem with small whole numbers; `shape` says which matrices are symmetric.
    fn problem(size: usize, seed: u64, shape: u8, function: EdgeFunction) -> Problem {
        let mut random = Random::new(seed);
        let mut matrix = |symmetric: bool| {
            let mut matrix = Matrix::zero(size);
            for row in 0..size {
                for column in 0..size {
                    matrix.set(row, column, random.below(6) as f64);
                    if symmetric {
                        let value = matrix.at(row, column);
                        matrix.set(column, row, value);
                    }
                }
            }
            matrix
        };
        let (weights, costs) = (matrix(shape & 1 != 0), matrix(shape & 2 != 0));
        let topology = TopologyGraph::from_matrix((0..size as u32).collect(), costs).unwrap();
        Problem::from_matrix(&weights, &topology, function).unwrap()
    }

    fn assert_all_gains(problem: &Problem, table: &GainTable) {
        assert_eq!(table.cost(), problem.cost_of(table.places()));
        let mut lowest = f64::INFINITY;
        for one in 0..problem.size() {
            for other in one + 1..problem.size() {
                let mut swapped = table.places().to_vec();
                swapped.swap(one, other);
                // Equation 2: the cost before less the cost after.
                let gain = table.cost() - problem.cost_of(&swapped);
                assert_eq!(table.gain(one, other), gain, "{one} {other}");
                if !table.numbers.are_alike(one, other) {
                    lowest = lowest.min(-gain);
                }
            }
        }
        let best = table
            .best(|_| true)
            .map_or(f64::INFINITY, |swap| swap.change);
        assert_eq!(best, lowest);
    }

    proptest! {
        #[test]
        fn gains_are_differences_of_the_cost_after_any_swaps(
            size in 2..9usize,
            seed in any::<u64>(),
            shape in 0..4u8,
            function in 0..3usize,
        ) {
            let function = super::super::problem::EDGE_FUNCTIONS[function];
            let problem = problem(size, seed, shape, function);
            let numbers = Numbers::new(&problem).unwrap();
            let mut random = Random::new(seed);
            let mut table = GainTable::new(&numbers, &random.permutation(size));
            assert_all_gains(&problem, &table);
            for _ in 0..6 {
                let one = random.below(size - 1);
                let other = one + 1 + random.below(size - one - 1);
                table.swap(one, other);
                assert_all_gains(&problem, &table);
            }
        }
    }

    #[test]
    fn long_walks_stay_exact() {
        for shape in 0..4 {
            let problem = problem(40, 11, shape, EdgeFunction::PRODUCT);
            let numbers = Numbers::new(&problem).unwrap();
            let mut random = Random::new(5);
            let mut table = GainTable::new(&numbers, &random.permutation(40));
            for _ in 0..500 {
                let one = random.below(39);
                table.swap(one + 1, one);
            }
            assert_all_gains(&problem, &table);
        }
    }

    #[test]
    fn dummies_are_not_swapped_with_each_other() {
        let edges = vec![super::super::problem::Edge {
            from: 0,
            to: 1,
            weight: 1.0,
        }];
        let topology = TopologyGraph::uniform(&[6], &[2.0, 1.0]).unwrap();
        let problem = Problem::from_edges(2, edges, &topology, EdgeFunction::PRODUCT).unwrap();
        let numbers = Numbers::new(&problem).unwrap();
        let table = GainTable::new(&numbers, &[0, 1, 2, 3, 4, 5]);
        let mut proposed = Vec::new();
        table.best(|swap| {
            proposed.push((swap.one, swap.other));
            false
        });
        assert!(
            proposed.contains(&(0, 1)) && proposed.contains(&(1, 5)),
            "{proposed:?}"
        );
        assert!(proposed.iter().all(|&(one, _)| one < 2), "{proposed:?}");
        assert_eq!(table.gain(3, 4), 0.0);
    }
}
