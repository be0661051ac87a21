//! The numbers of a problem as the gain tables need them.
//!
//! What: weights and costs in rows, symmetric ones with both directions added up, so that one
//! product a pair does; and the vectors `x` and `y` of a swap. Shared by all tables of a search.
//!
//! Step before: [`super::super::problem`]. Step after: [`super::GainTable`].
//! Invariant: whatever the form, the cost is the sum over pairs i < j of [`Numbers::pair`] and
//! over processes of what they send to themselves.

use super::Scratch;
use crate::placement::problem::Dense;
use crate::placement::{EdgeFunction, Matrix, PlacementError, Problem};

/// How the cost of a pair is made of weight and cost.
#[derive(Debug, Clone, Copy)]
enum Form {
    /// The product of a symmetric weight and a symmetric cost.
    Symmetric,
    /// The product, with directions.
    Directed,
    /// Any function, with directions.
    General,
}

/// Weights and costs of a problem, in rows.
#[derive(Debug)]
pub struct Numbers {
    size: usize,
    form: Form,
    function: EdgeFunction,
    /// Weights without the diagonal.
    weights: Vec<f64>,
    weights_back: Vec<f64>,
    costs: Vec<f64>,
    costs_back: Vec<f64>,
    own_weights: Vec<f64>,
    own_costs: Vec<f64>,
    /// The diagonal of `costs`, which may hold both directions added up.
    own_sums: Vec<f64>,
    alike: Vec<u32>,
}

impl Numbers {
    /// Of a problem that is not too large for tables.
    pub fn new(problem: &Problem) -> Result<Numbers, PlacementError> {
        let dense = problem.dense()?;
        let function = *problem.function();
        let symmetric = [&dense.weights, &dense.costs].map(Matrix::is_symmetric);
        let size = problem.size();
        let diagonal = |matrix: &Matrix| (0..size).map(|at| matrix.at(at, at)).collect();
        let mut numbers = Numbers {
            size,
            form: match (function.is_product(), symmetric) {
                (false, _) => Form::General,
                (true, [false, false]) => Form::Directed,
                (true, _) => Form::Symmetric,
            },
            function,
            weights: rows(&dense.weights),
            weights_back: rows(&dense.weights.transposed()),
            costs: rows(&dense.costs),
            costs_back: rows(&dense.costs.transposed()),
            own_weights: diagonal(&dense.weights),
            own_costs: diagonal(&dense.costs),
            own_sums: Vec::new(),
            alike: classes(dense),
        };
        for at in 0..size {
            numbers.weights[at * size + at] = 0.0;
            numbers.weights_back[at * size + at] = 0.0;
        }
        if matches!(numbers.form, Form::Symmetric) {
            // What is symmetric counts once, so the other one has to hold both directions.
            let (sum, back) = if symmetric[1] {
                (&mut numbers.weights, &mut numbers.weights_back)
            } else {
                (&mut numbers.costs, &mut numbers.costs_back)
            };
            sum.iter_mut()
                .zip(back.iter())
                .for_each(|(there, back)| *there += back);
            numbers.weights_back = Vec::new();
            numbers.costs_back = Vec::new();
        }
        numbers.own_sums = (0..size).map(|at| numbers.costs[at * size + at]).collect();
        Ok(numbers)
    }

    /// Number of processes and places.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Whether two processes send and receive exactly the same.
    pub fn are_alike(&self, one: usize, other: usize) -> bool {
        self.alike[one] == self.alike[other]
    }

    /// Number of different processes.
    pub fn kinds(&self) -> usize {
        self.alike.iter().max().map_or(0, |last| *last as usize + 1)
    }

    /// The kind of each process: those of one kind can be exchanged for nothing.
    pub fn kind(&self, process: usize) -> u32 {
        self.alike[process]
    }

    pub(super) fn is_product(&self) -> bool {
        !matches!(self.form, Form::General)
    }

    pub(super) fn directions(&self) -> usize {
        if matches!(self.form, Form::Symmetric) {
            1
        } else {
            2
        }
    }

    /// What a pair adds with these places, both directions together.
    pub(super) fn pair(&self, one: usize, other: usize, place: usize, other_place: usize) -> f64 {
        let (pair, places) = (one * self.size + other, place * self.size + other_place);
        let there = self.weights[pair];
        match self.form {
            Form::Symmetric => there * self.costs[places],
            Form::Directed => {
                there * self.costs[places] + self.weights_back[pair] * self.costs_back[places]
            }
            Form::General => {
                self.value(there, self.costs[places])
                    + self.value(self.weights_back[pair], self.costs_back[places])
            }
        }
    }

    /// What has to be added to four entries of `placed` for a swap, since each of them believes
    /// that the other process stays.
    #[inline(always)]
    pub(super) fn correction(&self, one: usize, other: usize, here: usize, there: usize) -> f64 {
        if let Form::Symmetric = self.form {
            let weight = self.weights[one * self.size + other];
            if weight == 0.0 {
                return 0.0;
            }
            let between = self.costs[here * self.size + there];
            return weight * (2.0 * between - self.own_sums[here] - self.own_sums[there]);
        }
        self.pair(one, other, here, there) + self.pair(one, other, there, here)
            - self.pair(one, other, here, here)
            - self.pair(one, other, there, there)
    }

    /// The function, for pairs that communicate.
    fn value(&self, weight: f64, cost: f64) -> f64 {
        if weight == 0.0 {
            0.0
        } else {
            self.function.of(weight, cost)
        }
    }

    /// The cost of a mapping.
    pub fn cost_of(&self, places: &[u32]) -> f64 {
        let mut cost = 0.0;
        for one in 0..self.size {
            let place = places[one] as usize;
            cost += self.value(self.own_weights[one], self.own_costs[place]);
            for (other, &other_place) in places.iter().enumerate().take(one) {
                cost += self.pair(one, other, place, other_place as usize);
            }
        }
        cost
    }

    /// What the next process adds on this place to those that are placed already.
    pub fn added(&self, places: &[u32], place: usize) -> f64 {
        let next = places.len();
        let own = self.value(self.own_weights[next], self.own_costs[place]);
        let pair =
            |(earlier, &other): (usize, &u32)| self.pair(next, earlier, place, other as usize);
        own + places.iter().enumerate().map(pair).sum::<f64>()
    }

    /// For each process and place: what the process costs there.
    pub(super) fn fill_placed(&self, places: &[u32], placed: &mut [f64]) {
        for (process, row) in placed.chunks_exact_mut(self.size).enumerate() {
            for (place, cost) in row.iter_mut().enumerate() {
                *cost = self.value(self.own_weights[process], self.own_costs[place]);
            }
            for (other, &other_place) in places.iter().enumerate() {
                if self.communicate(process, other) {
                    self.add_partner(process, other, other_place as usize, row);
                }
            }
        }
    }

    fn communicate(&self, one: usize, other: usize) -> bool {
        let pair = one * self.size + other;
        self.weights[pair] != 0.0 || self.weights_back.get(pair).is_some_and(|back| *back != 0.0)
    }

    fn add_partner(&self, process: usize, other: usize, other_place: usize, row: &mut [f64]) {
        if let Form::Symmetric = self.form {
            let weight = self.weights[process * self.size + other];
            super::kernel::add_product(row, weight, self.row(&self.costs, other_place));
        } else {
            for (place, cost) in row.iter_mut().enumerate() {
                *cost += self.pair(process, other, place, other_place);
            }
        }
    }

    /// After `one` went from `here` to `there` and `other` the other way: any function's way to
    /// bring `placed` up to date.
    pub(super) fn move_placed(
        &self,
        one: usize,
        other: usize,
        here: usize,
        there: usize,
        placed: &mut [f64],
    ) {
        for (process, row) in placed.chunks_exact_mut(self.size).enumerate() {
            for (moved, from, to) in [(one, here, there), (other, there, here)] {
                if moved != process && self.communicate(process, moved) {
                    for (place, cost) in row.iter_mut().enumerate() {
                        *cost += self.pair(process, moved, place, to);
                        *cost -= self.pair(process, moved, place, from);
                    }
                }
            }
        }
    }

    /// The vectors of a swap that is about to be made.
    pub(super) fn swap_vectors(
        &self,
        one: usize,
        other: usize,
        places: &[u32],
        scratch: &mut Scratch,
    ) {
        let (here, there) = (places[one] as usize, places[other] as usize);
        // What is sent to r: column r of the weights with column M(r) of the costs, which are rows
        // of the transposed ones; what is received from r: the rows. One will do if symmetric.
        let received = (&self.weights, &self.costs);
        let sent = (&self.weights_back, &self.costs_back);
        let tables = [received, sent].into_iter().take(self.directions());
        for (direction, (weights, costs)) in tables.enumerate() {
            difference(
                self.row(weights, one),
                self.row(weights, other),
                &mut scratch.x[direction],
            );
            difference(
                self.row(costs, there),
                self.row(costs, here),
                &mut scratch.y[direction],
            );
            for (process, &place) in places.iter().enumerate() {
                scratch.z[direction][process] = scratch.y[direction][place as usize];
            }
        }
    }

    fn row<'v>(&self, values: &'v [f64], row: usize) -> &'v [f64] {
        &values[row * self.size..][..self.size]
    }
}

fn difference(one: &[f64], other: &[f64], result: &mut [f64]) {
    for ((result, one), other) in result.iter_mut().zip(one).zip(other) {
        *result = one - other;
    }
}

fn rows(matrix: &Matrix) -> Vec<f64> {
    (0..matrix.size())
        .flat_map(|row| matrix.row(row))
        .copied()
        .collect()
}

/// A number for each process, the same for those whose exchange changes no cost at all.
fn classes(dense: &Dense) -> Vec<u32> {
    let weights = &dense.weights;
    let size = weights.size();
    let same = |one: usize, other: usize| {
        let third = (0..size).filter(|third| *third != one && *third != other);
        weights.at(one, one) == weights.at(other, other)
            && weights.at(one, other) == weights.at(other, one)
            && third.into_iter().all(|third| {
                weights.at(one, third) == weights.at(other, third)
                    && weights.at(third, one) == weights.at(third, other)
            })
    };
    let mut first_of_class: Vec<usize> = Vec::new();
    let mut classes = Vec::with_capacity(size);
    for process in 0..size {
        let known = first_of_class
            .iter()
            .position(|&first| same(first, process));
        classes.push(known.unwrap_or(first_of_class.len()) as u32);
        if known.is_none() {
            first_of_class.push(process);
        }
    }
    classes
}
