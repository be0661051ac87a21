//! Operators to reduce with, and what a loop over the members gives.

use crate::collective::reduction::Reduction;

/// Wrapping sum of 32-bit numbers: commutative.
pub struct Sum;

impl Reduction for Sum {
    fn combine(&self, incoming: &[u8], inout: &mut [u8]) {
        assert_eq!(incoming.len(), inout.len());
        for (left, right) in incoming.chunks_exact(4).zip(inout.chunks_exact_mut(4)) {
            let sum = u32::from_le_bytes(left.try_into().unwrap())
                .wrapping_add(u32::from_le_bytes((&*right).try_into().unwrap()));
            right.copy_from_slice(&sum.to_le_bytes());
        }
    }

    fn commutative(&self) -> bool {
        true
    }

    fn element_bytes(&self) -> usize {
        4
    }
}

/// Composition of maps x -> a x + b over the bytes: associative, not commutative.
pub struct Compose;

impl Reduction for Compose {
    fn combine(&self, incoming: &[u8], inout: &mut [u8]) {
        assert_eq!(incoming.len(), inout.len());
        assert_eq!(incoming.len() % 2, 0, "an element was split");
        for (left, right) in incoming.chunks_exact(2).zip(inout.chunks_exact_mut(2)) {
            let (factor, addend) = (left[0], left[1]);
            let product = factor.wrapping_mul(right[0]);
            let sum = factor.wrapping_mul(right[1]).wrapping_add(addend);
            right.copy_from_slice(&[product, sum]);
        }
    }

    fn commutative(&self) -> bool {
        false
    }

    fn element_bytes(&self) -> usize {
        2
    }
}

/// A random contribution whose factors are odd, so that no operand can be lost unseen.
pub fn contribution(random: &mut super::simulation::Random, bytes: usize) -> Vec<u8> {
    let mut contribution = random.bytes(bytes);
    for factor in contribution.iter_mut().step_by(2) {
        *factor |= 1;
    }
    contribution
}

/// All contributions combined in order, by a loop.
pub fn combined(reduction: &impl Reduction, contributions: &[Vec<u8>]) -> Vec<u8> {
    let (last, others) = contributions.split_last().unwrap();
    let mut result = last.clone();
    for contribution in others.iter().rev() {
        reduction.combine(contribution, &mut result);
    }
    result
}
