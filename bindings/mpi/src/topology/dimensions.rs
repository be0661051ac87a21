//! `MPI_Dims_create`: extents of a balanced grid (MPI-5.0 section 8.5.2).
//!
//! The free extents are set as close to each other as they can be: among all
//! ways to write the number of nodes as such a product, the difference between
//! the greatest and the least factor is the smallest there is, and of several
//! such ways the one with the smallest greatest factor. They do not increase
//! from one free dimension to the next.
//!
//! The search picks factors from the greatest down, among the divisors. It ends
//! a branch as soon as the least factor still possible, the root of what
//! remains, is too far from the greatest: so few branches are ever entered.

use super::error::TopologyError;

/// Sets the extents that are zero, so that the product of all is `nodes`.
///
/// # Errors
///
/// [`TopologyError::NodeCount`], [`TopologyError::Extent`],
/// [`TopologyError::Indivisible`]; `extents` are unchanged then.
pub fn create_dimensions(nodes: i32, extents: &mut [i32]) -> Result<(), TopologyError> {
    if nodes <= 0 {
        return Err(TopologyError::NodeCount { nodes });
    }
    let mut product = 1i64;
    for (dimension, &extent) in extents.iter().enumerate() {
        if extent < 0 {
            return Err(TopologyError::Extent { dimension, extent });
        }
        // Saturating: a product beyond any number of nodes is refused all the same.
        product = product.saturating_mul(i64::from(extent.max(1)));
    }
    let free = extents.iter().filter(|&&extent| extent == 0).count();
    let rest = i64::from(nodes) / product;
    let divides = rest * product == i64::from(nodes);
    if !divides || (free == 0 && !extents.is_empty() && rest != 1) {
        return Err(TopologyError::Indivisible { nodes, product });
    }
    let factors = balanced_factors(rest as u32, free);
    let places = extents.iter_mut().filter(|extent| **extent == 0);
    for (place, factor) in places.zip(factors) {
        *place = factor as i32;
    }
    Ok(())
}

/// `number` as a product of `count` factors that do not increase and are as close as can be.
fn balanced_factors(number: u32, count: usize) -> Vec<u32> {
    if count == 0 {
        return Vec::new();
    }
    let divisors = divisors(number);
    let mut search = Search {
        divisors: &divisors,
        factors: Vec::with_capacity(count),
        best: Vec::new(),
        spread: u32::MAX,
    };
    search.choose(number, count, number);
    search.best
}

/// All divisors, ascending.
fn divisors(number: u32) -> Vec<u32> {
    let low: Vec<u32> = (1..=number.isqrt())
        .filter(|&divisor| number.is_multiple_of(divisor))
        .collect();
    let high = low.iter().rev().map(|&divisor| number / divisor);
    let mut all: Vec<u32> = low.iter().copied().chain(high).collect();
    all.dedup();
    all
}

/// The greatest integer whose power `exponent` is at most `number`.
fn root(number: u32, exponent: u32) -> u32 {
    let mut root = f64::from(number).powf(1.0 / f64::from(exponent)) as u32 + 1;
    while root > 1
        && root
            .checked_pow(exponent)
            .is_none_or(|power| power > number)
    {
        root -= 1;
    }
    root
}

/// The state of the search for balanced factors.
struct Search<'d> {
    divisors: &'d [u32],
    /// Chosen so far, not increasing.
    factors: Vec<u32>,
    best: Vec<u32>,
    /// Greatest less least factor of the best.
    spread: u32,
}

impl Search<'_> {
    /// Tries the ways to write `rest` as `count` factors of at most `most`.
    fn choose(&mut self, rest: u32, count: usize, most: u32) {
        let greatest = self.factors.first().copied();
        if count == 1 {
            let spread = greatest.unwrap_or(rest) - rest.min(greatest.unwrap_or(rest));
            if rest <= most && spread < self.spread {
                self.spread = spread;
                self.best.clone_from(&self.factors);
                self.best.push(rest);
            }
            return;
        }
        // No root is needed beyond 32 factors: it is 1 there.
        let others = (count - 1).min(32) as u32;
        let from = self.divisors.partition_point(|&d| {
            // The greatest of `count` factors is at least the root of their product.
            d.checked_pow(count.min(32) as u32)
                .is_some_and(|power| power < rest)
        });
        for place in from..self.divisors.len() {
            let factor = self.divisors[place];
            if factor > most {
                break;
            }
            if !rest.is_multiple_of(factor) {
                continue;
            }
            // The least of the others is at most the root of what they multiply to.
            // It falls as the factor grows, so nothing better follows.
            let least = root(rest / factor, others);
            if greatest.unwrap_or(factor) - least >= self.spread {
                break;
            }
            self.factors.push(factor);
            self.choose(rest / factor, count - 1, factor);
            self.factors.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn create(nodes: i32, extents: &[i32]) -> Result<Vec<i32>, TopologyError> {
        let mut extents = extents.to_vec();
        create_dimensions(nodes, &mut extents).map(|()| extents)
    }

    #[test]
    fn the_standard_s_examples() {
        assert_eq!(create(6, &[0, 0]), Ok(vec![3, 2]));
        assert_eq!(create(7, &[0, 0]), Ok(vec![7, 1]));
        assert_eq!(create(6, &[0, 3, 0]), Ok(vec![2, 3, 1]));
        assert_eq!(
            create(7, &[0, 3, 0]),
            Err(TopologyError::Indivisible {
                nodes: 7,
                product: 3
            })
        );
    }

    #[test]
    fn wrong_arguments_are_refused() {
        assert_eq!(create(0, &[0]), Err(TopologyError::NodeCount { nodes: 0 }));
        assert_eq!(
            create(4, &[0, -1]),
            Err(TopologyError::Extent {
                dimension: 1,
                extent: -1
            })
        );
        assert_eq!(
            create(12, &[2, 3]),
            Err(TopologyError::Indivisible {
                nodes: 12,
                product: 6
            })
        );
        let huge = [i32::MAX; 5];
        assert!(matches!(
            create(12, &huge),
            Err(TopologyError::Indivisible { .. })
        ));
        assert_eq!(create(6, &[2, 3]), Ok(vec![2, 3]));
        assert_eq!(create(6, &[]), Ok(vec![]));
    }

    /// The least spread by trying every way, without any cleverness.
    fn least_spread(rest: i32, count: usize, most: i32, greatest: i32) -> Option<i32> {
        if count == 0 {
            return (rest == 1).then_some(greatest - most);
        }
        (1..=most.min(rest))
            .filter(|factor| rest % factor == 0)
            .filter_map(|factor| {
                least_spread(rest / factor, count - 1, factor, greatest.max(factor))
            })
            .min()
    }

    #[test]
    fn no_grid_is_better_balanced() {
        for nodes in 1..=300 {
            for count in 1..=4 {
                let extents = create(nodes, &vec![0; count]).unwrap();
                assert_eq!(extents.iter().product::<i32>(), nodes);
                assert!(extents.is_sorted_by(|a, b| a >= b), "{extents:?}");
                let spread = extents[0] - extents[count - 1];
                assert_eq!(
                    Some(spread),
                    least_spread(nodes, count, nodes, 0),
                    "{extents:?}"
                );
            }
        }
    }

    #[test]
    fn numbers_with_many_divisors_and_many_dimensions_end_quickly() {
        let start = std::time::Instant::now();
        for nodes in [
            2_095_133_040,
            735_134_400,
            1 << 30,
            (1 << 20) * 1009,
            i32::MAX,
            1 << 15,
        ] {
            for count in (1..=16).chain([100, 1000]) {
                let extents = create(nodes, &vec![0; count]).unwrap();
                assert_eq!(
                    extents.iter().map(|&e| i64::from(e)).product::<i64>(),
                    nodes.into()
                );
            }
        }
        assert!(start.elapsed().as_secs() < 5, "took {:?}", start.elapsed());
    }
}
