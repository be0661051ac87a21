//! A memetic search: a population of mappings, crossed, each child improved by a tabu walk.
//!
//! What: two parents give a child what they agree on, and of the rest what is still free from
//! either; a short tabu walk improves it; it takes the place of the worst of the population if it
//! is better and not there already. When the population stands still, all but the best are
//! shaken. This is the scheme of Benlic and Hao (2015) with robust tabu walks.
//! Why: a single walk explores one region; what good mappings have in common is where better ones
//! are, above all in problems with structure, as machines and programs have it.

use super::super::gain::{Number, Numbers};
use super::super::random::Random;
use super::super::search::{Algorithm, Search};
use super::super::{PlacementError, Problem};
use super::tabu::Walk;

/// Mappings kept.
const POPULATION: usize = 15;

/// Children without a better best before the population is shaken.
const STANDSTILL: usize = 15;

/// Crossed mappings, improved.
pub struct Memetic;

struct Member {
    places: Vec<u32>,
    cost: f64,
}

impl Algorithm for Memetic {
    fn name(&self) -> &'static str {
        "memetic"
    }

    fn about(&self) -> &'static str {
        "tabu walks from crossed mappings; the best for dense problems"
    }

    fn search(&self, problem: &Problem, search: &mut Search) -> Result<(), PlacementError> {
        let numbers = Numbers::new(problem)?;
        if numbers.size() < 3 || numbers.kinds() < 2 {
            // Two mappings at most differ: the default order and its only swap.
            let places: Vec<u32> = (0..problem.size() as u32).rev().collect();
            search.start();
            search.offer(&places, problem.cost_of(&places));
            return Ok(());
        }
        let walks = Walks::of(problem)?;
        match numbers.to_integers() {
            Some(numbers) => evolve(&numbers, walks, search),
            None => evolve(&numbers, walks, search),
        }
        Ok(())
    }
}

fn evolve<T: Number>(numbers: &Numbers<T>, walks: Walks, search: &mut Search) {
    let mut walk = Walk::new(numbers, search.best());
    let mut population = Population {
        walks,
        members: Vec::new(),
        standstill: 0,
        strength: (numbers.size() / 4).max(2),
    };
    population.evolve(numbers, &mut walk, search);
}

struct Population {
    walks: Walks,
    members: Vec<Member>,
    /// Children in a row that were no better than all.
    standstill: usize,
    /// Swaps that shake a member.
    strength: usize,
}

impl Population {
    fn evolve<T: Number>(&mut self, numbers: &Numbers<T>, walk: &mut Walk<T>, search: &mut Search) {
        let size = numbers.size();
        // The default order is often good already: it is the first member.
        let mut first = Some(search.best().to_vec());
        while search.start() {
            let child = if self.members.len() < POPULATION {
                first
                    .take()
                    .unwrap_or_else(|| search.random.permutation(size))
            } else if self.standstill > STANDSTILL {
                self.shake(numbers, walk, search);
                continue;
            } else {
                self.child(&mut search.random)
            };
            let member = self.improve(walk, &child, search);
            self.take_in(member);
        }
    }

    /// The best mapping of a tabu walk.
    fn improve<T: Number>(
        &self,
        walk: &mut Walk<T>,
        places: &[u32],
        search: &mut Search,
    ) -> Member {
        walk.restart(places);
        let mut best = Member {
            places: places.to_vec(),
            cost: walk.table.cost(),
        };
        search.offer(places, best.cost);
        for _ in 0..self.walks.steps(places.len(), &mut search.random) {
            if !search.step() || !walk.step(best.cost, false, &mut search.random) {
                break;
            }
            if walk.table.cost() < best.cost {
                best.cost = walk.table.cost();
                best.places.copy_from_slice(walk.table.places());
                search.offer(&best.places, best.cost);
            }
        }
        best
    }

    /// Takes a child in; the population stands still as long as none is better than all.
    fn take_in(&mut self, child: Member) {
        if self.members.len() < POPULATION {
            self.members.push(child);
            return;
        }
        let lowest = self
            .members
            .iter()
            .map(|member| member.cost)
            .fold(f64::INFINITY, f64::min);
        self.standstill = if child.cost < lowest {
            0
        } else {
            self.standstill + 1
        };
        let known = self.members.iter().any(|member| {
            member.cost == child.cost
                && distance(&member.places, &child.places) * 50 <= child.places.len()
        });
        let worst = (0..self.members.len())
            .max_by(|&one, &other| self.members[one].cost.total_cmp(&self.members[other].cost));
        if let Some(worst) = worst
            && !known
            && child.cost < self.members[worst].cost
        {
            self.members[worst] = child;
        }
    }

    /// Every member but the best is shuffled in part and improved again; a bit more each time.
    fn shake<T: Number>(&mut self, numbers: &Numbers<T>, walk: &mut Walk<T>, search: &mut Search) {
        self.standstill = 0;
        self.members
            .sort_by(|one, other| one.cost.total_cmp(&other.cost));
        for at in 1..self.members.len() {
            if !search.start() {
                return;
            }
            let mut places = self.members[at].places.clone();
            for _ in 0..self.strength {
                let (one, other) = (
                    search.random.below(places.len()),
                    search.random.below(places.len()),
                );
                places.swap(one, other);
            }
            self.members[at] = self.improve(walk, &places, search);
        }
        self.strength = (self.strength * 5 / 4 + 1).min(numbers.size());
    }

    /// A child of two parents, each the better of two picked at random.
    fn child(&self, random: &mut Random) -> Vec<u32> {
        let pick = |random: &mut Random| {
            let (one, other) = (
                random.below(self.members.len()),
                random.below(self.members.len()),
            );
            if self.members[one].cost < self.members[other].cost {
                one
            } else {
                other
            }
        };
        let one = pick(random);
        let mut other = pick(random);
        while other == one {
            other = random.below(self.members.len());
        }
        cross(
            &self.members[one].places,
            &self.members[other].places,
            random,
        )
    }
}

/// What both have in common, of the rest what either has, and at random what is left.
fn cross(one: &[u32], other: &[u32], random: &mut Random) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let mut child = vec![NONE; one.len()];
    let mut free = vec![true; one.len()];
    for (process, (&place, &same)) in one.iter().zip(other).enumerate() {
        if place == same {
            child[process] = place;
            free[place as usize] = false;
        }
    }
    for process in random.permutation(one.len()) {
        let process = process as usize;
        if child[process] != NONE {
            continue;
        }
        let mut choice = [one[process], other[process]];
        if random.below(2) == 0 {
            choice.swap(0, 1);
        }
        if let Some(&place) = choice.iter().find(|&&place| free[place as usize]) {
            child[process] = place;
            free[place as usize] = false;
        }
    }
    let mut left: Vec<u32> = (0..one.len() as u32)
        .filter(|&place| free[place as usize])
        .collect();
    random.shuffle(&mut left);
    for place in &mut child {
        if *place == NONE {
            *place = left
                .pop()
                .expect("as many places are free as processes have none");
        }
    }
    child
}

fn distance(one: &[u32], other: &[u32]) -> usize {
    one.iter()
        .zip(other)
        .filter(|(one, other)| one != other)
        .count()
}

/// How long walks are, by the structure of the problem.
///
/// On QAPLIB's problems with few heavy pairs short walks reach the best known cost, on random numbers long
/// ones come nearer, and in between no length suits all (`docs/decisions/011-balancing-and-placing.md`).
#[derive(Debug, Clone, Copy, PartialEq)]
enum Walks {
    /// Random numbers: good mappings have little in common, and long walks find them.
    Long,
    /// A random one of four lengths, each half of the one before.
    Mixed,
    /// A few pairs have most of the flow, as in programs: valleys are wide, and short walks let
    /// more generations pass.
    Short,
}

/// Dominance below which both matrices might be random numbers.
const RANDOM_DOMINANCE: f64 = 80.0;

/// Walks are long for up to so many processes: of more, too few would fit into a minute.
const MOST_LONG: usize = 64;

/// Dominance from which on few pairs have most of the flow.
const STRUCTURED_DOMINANCE: f64 = 200.0;

impl Walks {
    fn of(problem: &Problem) -> Result<Walks, PlacementError> {
        let dense = problem.dense()?;
        let dominance = dense.weights.dominance().max(dense.costs.dominance());
        Ok(
            if dominance < RANDOM_DOMINANCE && problem.size() <= MOST_LONG {
                Walks::Long
            } else if dominance < STRUCTURED_DOMINANCE {
                Walks::Mixed
            } else {
                Walks::Short
            },
        )
    }

    fn steps(self, size: usize, random: &mut Random) -> usize {
        let pairs = size * size;
        match self {
            Walks::Long => (50 * pairs).max(500),
            Walks::Mixed => (2 * pairs).clamp(500, 50_000) >> random.below(4),
            Walks::Short => (pairs / 20).max(500),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_has_what_its_parents_agree_on_and_is_a_mapping() {
        let mut random = Random::new(1);
        for _ in 0..50 {
            let one = random.permutation(20);
            let mut other = one.clone();
            random.shuffle(&mut other[5..15]);
            let child = cross(&one, &other, &mut random);
            assert_eq!(child[..5], one[..5]);
            assert_eq!(child[15..], one[15..]);
            assert!(super::super::super::Mapping::new(child).is_ok());
        }
    }

    #[test]
    fn walks_are_as_long_as_the_structure_of_a_problem_asks() {
        use super::super::super::problem::Edge;
        use super::super::super::{EdgeFunction, Matrix, TopologyGraph};
        let mut random = Random::new(7);
        let mut costs = Matrix::zero(20);
        for row in 0..20 {
            for column in 0..20 {
                costs.set(row, column, random.below(100) as f64);
            }
        }
        let topology = TopologyGraph::from_matrix((0..20).collect(), costs).unwrap();
        let mut walks_of = |pairs: &mut dyn Iterator<Item = (u32, u32)>, heaviest| {
            let weight = |(from, to)| Edge {
                from,
                to,
                weight: 1.0 + random.below(heaviest) as f64,
            };
            let edges = pairs.map(weight).collect();
            let problem = Problem::from_edges(20, edges, &topology, EdgeFunction::PRODUCT).unwrap();
            Walks::of(&problem).unwrap()
        };
        let all = || (0..400).map(|pair| (pair / 20, pair % 20));
        assert_eq!(walks_of(&mut all(), 100), Walks::Long);
        let some = || all().filter(|(from, to)| (from + to) % 2 == 0);
        assert_eq!(walks_of(&mut some(), 10), Walks::Mixed);
        let ring = || (0..20).map(|rank| (rank, (rank + 1) % 20));
        assert_eq!(walks_of(&mut ring(), 1), Walks::Short);
        let mut random = Random::new(1);
        assert_eq!(Walks::Short.steps(100, &mut random), 500);
        assert_eq!(Walks::Long.steps(40, &mut random), 80_000);
        let mixed: Vec<_> = (0..99)
            .map(|_| Walks::Mixed.steps(100, &mut random))
            .collect();
        assert!(
            mixed
                .iter()
                .all(|steps| [20_000, 10_000, 5_000, 2_500].contains(steps))
        );
    }
}
