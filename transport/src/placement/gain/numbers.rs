//! The numbers of a problem as the gain tables need them.
//!
//! What: weights and costs in rows, symmetric ones with both directions added up, so that one
//! product a pair does; and the vectors `x` and `y` of a swap. Shared by all tables of a search.
//!
//! Step before: [`super::super::problem`]. Step after: [`super::GainTable`].
//! Invariant: whatever the form, the cost is the sum over pairs i < j of [`Numbers::pair`] and
//! over processes of what they send to themselves.

use super::number::Number;
use crate::placement::problem::Dense;
use crate::placement::{EdgeFunction, Matrix, PlacementError, Problem};

/// Changes of the cost stay below this where tables have whole numbers, with room for the one that
/// stands for no swap.
const CHANGES_BELOW: f64 = (1u32 << 30) as f64;

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

/// Vectors of one swap, for both directions: `x` by process, `y` by place, `z` = `y` by process.
#[derive(Debug, Clone)]
pub(super) struct Scratch<T> {
    pub(super) x: [Vec<T>; 2],
    pub(super) y: [Vec<T>; 2],
    pub(super) z: [Vec<T>; 2],
}

impl<T: Number> Scratch<T> {
    /// Vectors for rows of `length` numbers.
    pub(super) fn new(length: usize) -> Self {
        let vectors = || [vec![T::ZERO; length], vec![T::ZERO; length]];
        Self {
            x: vectors(),
            y: vectors(),
            z: vectors(),
        }
    }
}

/// Weights and costs of a problem, in rows.
#[derive(Debug)]
pub struct Numbers<T: Number = f64> {
    size: usize,
    form: Form,
    function: EdgeFunction,
    /// Weights without the diagonal.
    weights: Vec<T>,
    weights_back: Vec<T>,
    costs: Vec<T>,
    costs_back: Vec<T>,
    own_weights: Vec<T>,
    own_costs: Vec<T>,
    /// The diagonal of `costs`, which may hold both directions added up.
    own_sums: Vec<T>,
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

    /// The same as whole numbers of 32 bits, if they are whole and no change of the cost can be
    /// too large for these.
    pub fn to_integers(&self) -> Option<Numbers<i32>> {
        if matches!(self.form, Form::General) {
            return None;
        }
        let tables = [
            &self.weights,
            &self.weights_back,
            &self.costs,
            &self.costs_back,
            &self.own_weights,
            &self.own_costs,
        ];
        let fits = |value: &f64| value.fract() == 0.0 && value.abs() < CHANGES_BELOW;
        let fit = tables.iter().all(|table| table.iter().all(fits));
        // A swap moves two processes from where they cost at least 0.
        if !fit || 2.0 * self.dearest_process() >= CHANGES_BELOW {
            return None;
        }
        let integers = |table: &[f64]| table.iter().map(|&value| value as i32).collect();
        Some(Numbers {
            size: self.size,
            form: self.form,
            function: self.function,
            weights: integers(&self.weights),
            weights_back: integers(&self.weights_back),
            costs: integers(&self.costs),
            costs_back: integers(&self.costs_back),
            own_weights: integers(&self.own_weights),
            own_costs: integers(&self.own_costs),
            own_sums: integers(&self.own_sums),
            alike: self.alike.clone(),
        })
    }

    /// No process costs more than this anywhere: the heaviest weights meet the highest costs.
    fn dearest_process(&self) -> f64 {
        let tables = [
            (&self.weights, &self.costs),
            (&self.weights_back, &self.costs_back),
        ];
        let directions = tables.into_iter().take(self.directions());
        let dearest = directions.map(|(weights, costs)| {
            let (weights, costs) = (ranked(weights, self.size), ranked(costs, self.size));
            let products = weights.iter().zip(&costs);
            products.map(|(weight, cost)| weight * cost).sum::<f64>()
        });
        let highest = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
        dearest.sum::<f64>() + highest(&self.own_weights) * highest(&self.own_costs)
    }
}

impl<T: Number> Numbers<T> {
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
    pub(super) fn pair(&self, one: usize, other: usize, place: usize, other_place: usize) -> T {
        let (pair, places) = (one * self.size + other, place * self.size + other_place);
        let there = self.weights[pair];
        match self.form {
            Form::Symmetric => there.times(self.costs[places]),
            Form::Directed => {
                let back = self.weights_back[pair].times(self.costs_back[places]);
                there.times(self.costs[places]).plus(back)
            }
            Form::General => {
                let back = self.value(self.weights_back[pair], self.costs_back[places]);
                self.value(there, self.costs[places]).plus(back)
            }
        }
    }

    /// What has to be added to four entries of `placed` for a swap, since each of them believes
    /// that the other process stays.
    #[inline(always)]
    pub(super) fn correction(&self, one: usize, other: usize, here: usize, there: usize) -> T {
        if let Form::Symmetric = self.form {
            let weight = self.weights[one * self.size + other];
            if weight == T::ZERO {
                return T::ZERO;
            }
            let between = self.costs[here * self.size + there];
            let own = self.own_sums[here].plus(self.own_sums[there]);
            return weight.times(between.plus(between).minus(own));
        }
        let apart = self.pair(one, other, here, there);
        let together = self.pair(one, other, here, here);
        apart
            .plus(self.pair(one, other, there, here))
            .minus(together)
            .minus(self.pair(one, other, there, there))
    }

    /// The function, for pairs that communicate.
    fn value(&self, weight: T, cost: T) -> T {
        if weight == T::ZERO {
            T::ZERO
        } else if self.is_product() {
            weight.times(cost)
        } else {
            T::of(self.function.of(weight.value(), cost.value()))
        }
    }

    /// The cost of a mapping.
    pub fn cost_of(&self, places: &[u32]) -> f64 {
        let mut cost = 0.0;
        for one in 0..self.size {
            let place = places[one] as usize;
            let own = self.value(self.own_weights[one], self.own_costs[place]);
            cost += own.value();
            for (other, &other_place) in places.iter().enumerate().take(one) {
                let pair = self.pair(one, other, place, other_place as usize);
                cost += pair.value();
            }
        }
        cost
    }

    /// What the next process adds on this place to those that are placed already.
    pub fn added(&self, places: &[u32], place: usize) -> f64 {
        let next = places.len();
        let own = self.value(self.own_weights[next], self.own_costs[place]);
        let pair = |(earlier, &other): (usize, &u32)| {
            let pair = self.pair(next, earlier, place, other as usize);
            pair.value()
        };
        own.value() + places.iter().enumerate().map(pair).sum::<f64>()
    }

    /// For each process and place: what the process costs there.
    pub(super) fn fill_placed(&self, places: &[u32], length: usize, placed: &mut [T]) {
        for (process, row) in placed.chunks_exact_mut(length).enumerate() {
            let row = &mut row[..self.size];
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
        let back = self.weights_back.get(pair);
        self.weights[pair] != T::ZERO || back.is_some_and(|back| *back != T::ZERO)
    }

    fn add_partner(&self, process: usize, other: usize, other_place: usize, row: &mut [T]) {
        if let Form::Symmetric = self.form {
            let weight = self.weights[process * self.size + other];
            super::kernel::add_product(row, weight, self.row(&self.costs, other_place));
        } else {
            for (place, cost) in row.iter_mut().enumerate() {
                *cost = cost.plus(self.pair(process, other, place, other_place));
            }
        }
    }

    /// After `one` went from `here` to `there` and `other` the other way: any function's way to
    /// bring `placed` up to date.
    pub(super) fn move_placed(
        &self,
        [one, other]: [usize; 2],
        [here, there]: [usize; 2],
        length: usize,
        placed: &mut [T],
    ) {
        for (process, row) in placed.chunks_exact_mut(length).enumerate() {
            let row = &mut row[..self.size];
            for (moved, from, to) in [(one, here, there), (other, there, here)] {
                if moved != process && self.communicate(process, moved) {
                    for (place, cost) in row.iter_mut().enumerate() {
                        let there = self.pair(process, moved, place, to);
                        let before = self.pair(process, moved, place, from);
                        *cost = cost.plus(there).minus(before);
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
        scratch: &mut Scratch<T>,
    ) {
        let (here, there) = (places[one] as usize, places[other] as usize);
        // What is sent to r: column r of the weights with column M(r) of the costs, which are rows
        // of the transposed ones; what is received from r: the rows. One will do if symmetric.
        let received = (&self.weights, &self.costs);
        let sent = (&self.weights_back, &self.costs_back);
        let tables = [received, sent].into_iter().take(self.directions());
        for (direction, (weights, costs)) in tables.enumerate() {
            let [x, y, z] = [&mut scratch.x, &mut scratch.y, &mut scratch.z];
            let (x, y, z) = (&mut x[direction], &mut y[direction], &mut z[direction]);
            let margin = x.len() - self.size;
            let (one, other) = (self.row(weights, one), self.row(weights, other));
            difference(one, other, &mut x[margin..]);
            difference(self.row(costs, there), self.row(costs, here), y);
            for (z, &place) in z[margin..].iter_mut().zip(places) {
                *z = y[place as usize];
            }
        }
    }

    fn row<'v>(&self, values: &'v [T], row: usize) -> &'v [T] {
        &values[row * self.size..][..self.size]
    }
}

fn difference<T: Number>(one: &[T], other: &[T], result: &mut [T]) {
    for ((result, one), other) in result.iter_mut().zip(one).zip(other) {
        *result = one.minus(*other);
    }
}

/// The k-th value is the highest that is the k-th of its row from above.
fn ranked(values: &[f64], size: usize) -> Vec<f64> {
    let mut highest = vec![0.0f64; size];
    for row in values.chunks_exact(size) {
        let mut row = row.to_vec();
        row.sort_by(|one, other| other.total_cmp(one));
        for (highest, value) in highest.iter_mut().zip(row) {
            *highest = highest.max(value);
        }
    }
    highest
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
