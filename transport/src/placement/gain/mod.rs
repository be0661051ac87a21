//! What every swap of two processes would change: equation 2, kept up to date.
//!
//! What: [`GainTable`] holds a mapping and, for each pair (i, j), the change of the cost if `i` and
//! `j` exchanged their places (the negative of the document's gain). Computing one such change
//! again takes O(n), all of them O(n³); here a swap updates all in O(n²), O(1) each:
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
mod number;
mod numbers;

pub use kernel::Admission;
pub use number::Number;
pub use numbers::Numbers;
use numbers::Scratch;

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
pub struct GainTable<'a, T: Number = f64> {
    numbers: &'a Numbers<T>,
    /// Length of the rows of `placed` and `change`.
    length: usize,
    places: Vec<u32>,
    cost: f64,
    placed: Vec<T>,
    /// By both processes, in either order; [`Number::NEVER`] for pairs that are alike.
    change: Vec<T>,
    /// Room for the lowest change of each row.
    lowest: Vec<T>,
    scratch: Scratch<T>,
}

impl<'a, T: Number> GainTable<'a, T> {
    /// The table of a mapping; takes O(n³), less where few processes communicate.
    pub fn new(numbers: &'a Numbers<T>, places: &[u32]) -> GainTable<'a, T> {
        let size = numbers.size();
        let length = kernel::row_length(size);
        let mut table = GainTable {
            numbers,
            length,
            places: places.to_vec(),
            cost: 0.0,
            placed: vec![T::ZERO; size * length],
            change: vec![T::NEVER; size * length],
            lowest: vec![T::NEVER; size],
            scratch: Scratch::new(length),
        };
        table.restart(places);
        table
    }

    /// Begins anew from another mapping.
    pub fn restart(&mut self, places: &[u32]) {
        self.places.copy_from_slice(places);
        self.cost = self.numbers.cost_of(places);
        self.numbers
            .fill_placed(places, self.length, &mut self.placed);
        for one in 0..self.numbers.size() {
            self.read_row(one);
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
        let change = self.change[self.pair(one, other)].value();
        if change.is_finite() { -change } else { 0.0 }
    }

    /// Where a pair stands in tables of all pairs, such as that of [`GainTable::cheapest`].
    #[inline(always)]
    pub fn pair(&self, one: usize, other: usize) -> usize {
        one * self.length + self.margin() + other
    }

    /// How many numbers tables of all pairs have.
    pub fn pairs(&self) -> usize {
        self.change.len()
    }

    fn margin(&self) -> usize {
        self.length - self.places.len()
    }

    /// The cheapest swap among those that are admitted; the first of equals.
    pub fn best(&self, mut admitted: impl FnMut(&Swap) -> bool) -> Option<Swap> {
        let mut best: Option<Swap> = None;
        let mut bound = T::NEVER;
        for (one, row) in self.change.chunks_exact(self.length).enumerate() {
            let right = &row[self.margin() + one + 1..];
            if kernel::lowest(right) >= bound {
                continue;
            }
            for (at, &change) in right.iter().enumerate() {
                if change < bound {
                    let swap = swap(one, one + 1 + at, change);
                    if admitted(&swap) {
                        bound = change;
                        best = Some(swap);
                    }
                }
            }
        }
        best
    }

    /// The cheapest swap among those whose step in `allowed_at`, a table of all pairs in either
    /// order, is before `now`, or that are below the bound. Of equals in different rows the first
    /// at or after row `begin` is taken.
    pub fn cheapest(
        &mut self,
        allowed_at: &[i32],
        now: i32,
        bound: f64,
        begin: usize,
    ) -> Option<Swap> {
        let size = self.numbers.size();
        let admission = Admission {
            now,
            bound: T::of(bound),
        };
        kernel::lowest_admitted(&self.change, allowed_at, admission, &mut self.lowest);
        let cheapest = kernel::lowest(&self.lowest);
        if cheapest == T::NEVER {
            return None;
        }
        let mut rows = (begin..size).chain(0..begin);
        let one = rows.find(|&row| self.lowest[row] == cheapest)?;
        // What lies left of the diagonal may have been meant; it is the same swap.
        let mut others = 0..size;
        let other = others.find(|&other| {
            let pair = self.pair(one, other);
            self.change[pair] == cheapest && (allowed_at[pair] < now || cheapest < admission.bound)
        })?;
        Some(swap(one.min(other), one.max(other), cheapest))
    }

    /// The change of one swap, from `placed`.
    #[inline(always)]
    fn read(&self, one: usize, other: usize) -> T {
        // Each is like itself.
        if self.numbers.are_alike(one, other) {
            return T::NEVER;
        }
        let (here, there) = (self.places[one] as usize, self.places[other] as usize);
        let placed = |process: usize, place: usize| self.placed[process * self.length + place];
        placed(one, there)
            .plus(placed(other, here))
            .minus(placed(one, here))
            .minus(placed(other, there))
            .plus(self.numbers.correction(one, other, here, there))
    }

    /// All changes that have to do with a process.
    fn read_row(&mut self, one: usize) {
        for other in 0..self.numbers.size() {
            let change = self.read(one, other);
            let (row, column) = (self.pair(one, other), self.pair(other, one));
            self.change[row] = change;
            self.change[column] = change;
        }
    }

    /// Swaps two processes and brings every change up to date.
    pub fn swap(&mut self, one: usize, other: usize) {
        let (one, other) = (one.min(other), one.max(other));
        self.cost -= self.gain(one, other);
        self.numbers
            .swap_vectors(one, other, &self.places, &mut self.scratch);
        self.places.swap(one, other);
        if self.numbers.is_product() {
            self.update_by_products(one, other);
        } else {
            let (here, there) = (self.places[other] as usize, self.places[one] as usize);
            self.numbers
                .move_placed([one, other], [here, there], self.length, &mut self.placed);
            for row in 0..self.numbers.size() {
                self.read_row(row);
            }
        }
    }

    /// All by one product a direction; what has to do with the two is read off afterwards.
    fn update_by_products(&mut self, one: usize, other: usize) {
        let margin = self.margin();
        for direction in 0..self.numbers.directions() {
            let vectors = kernel::Vectors {
                x: &self.scratch.x[direction],
                y: &self.scratch.y[direction],
                z: &self.scratch.z[direction],
            };
            kernel::add_swap(&mut self.placed, &mut self.change, vectors, margin);
        }
        self.read_row(one);
        self.read_row(other);
        // Only the first rows are done from the margin on.
        for row in 0..(kernel::LANES - margin).min(self.numbers.size()) {
            self.change[row * self.length..][..margin].fill(T::NEVER);
        }
    }
}

/// A swap with its change as floating point.
fn swap<T: Number>(one: usize, other: usize, change: T) -> Swap {
    let change = change.value();
    Swap { one, other, change }
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

    fn assert_all_gains<T: Number>(problem: &Problem, table: &GainTable<T>) {
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
            let integers = numbers.to_integers();
            prop_assert_eq!(integers.is_some(), function.is_product());
            let mut whole = integers.as_ref().map(|numbers| GainTable::new(numbers, table.places()));
            assert_all_gains(&problem, &table);
            for _ in 0..6 {
                let one = random.below(size - 1);
                let other = one + 1 + random.below(size - one - 1);
                table.swap(one, other);
                assert_all_gains(&problem, &table);
                if let Some(whole) = &mut whole {
                    whole.swap(one, other);
                    assert_all_gains(&problem, whole);
                }
            }
        }

        #[test]
        fn the_cheapest_admitted_swap_is_found(size in 2..40usize, seed in any::<u64>()) {
            let problem = problem(size, seed, 3, EdgeFunction::PRODUCT);
            let numbers = Numbers::new(&problem).unwrap().to_integers().unwrap();
            let mut random = Random::new(seed);
            let mut table = GainTable::new(&numbers, &random.permutation(size));
            let mut allowed_at = vec![0; table.pairs()];
            for one in 0..size {
                for other in 0..one {
                    let step = random.below(9) as i32;
                    allowed_at[table.pair(one, other)] = step;
                    allowed_at[table.pair(other, one)] = step;
                }
            }
            let bound = -20.0;
            let found = table.cheapest(&allowed_at, 5, bound, random.below(size));
            let admits = |swap: &Swap| {
                allowed_at[table.pair(swap.one, swap.other)] < 5 || swap.change < bound
            };
            let expected = table.best(admits);
            prop_assert_eq!(found.map(|swap| swap.change), expected.map(|swap| swap.change));
            prop_assert!(found.is_none_or(|swap| admits(&swap)));
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
    fn whole_numbers_are_taken_only_where_no_change_can_be_too_large() {
        let of = |weight: f64, cost: f64| {
            let matrix = |value| Matrix::from_rows(2, vec![0.0, value, value, 0.0]).unwrap();
            let topology = TopologyGraph::from_matrix(vec![0, 1], matrix(cost)).unwrap();
            let problem =
                Problem::from_matrix(&matrix(weight), &topology, EdgeFunction::PRODUCT).unwrap();
            let numbers = Numbers::new(&problem).unwrap();
            numbers.to_integers().is_some()
        };
        assert!(of(3.0, 5.0) && of(1000.0, 1000.0));
        assert!(!of(0.25, 5.0), "halves are not whole");
        assert!(
            !of(100_000.0, 100_000.0),
            "the product has more than 32 bits"
        );
        assert!(!of(1e12, 0.0), "the weight has more than 32 bits");
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
