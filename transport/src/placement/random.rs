//! Random numbers for searches: small, fast, and the same for the same seed everywhere.
//!
//! What: the generator xorshift64* (Vigna 2016), seeded through splitmix64 so that neighbouring
//! seeds give unrelated sequences. Why of our own: a search must be repeatable by its seed, also
//! after an update of any library.

/// A sequence of random numbers.
#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The sequence of this seed.
    pub fn new(seed: u64) -> Random {
        let mut mixed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        // The state 0 would stay 0.
        Random {
            state: (mixed ^ (mixed >> 31)) | 1,
        }
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        self.state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `bound`; 0 for a bound of 0.
    pub fn below(&mut self, bound: usize) -> usize {
        // The high half times the bound: without division, and even enough below 2^32.
        (((self.bits() >> 32) * bound as u64) >> 32) as usize
    }

    /// A number from 0 to below 1.
    pub fn fraction(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Puts the items in random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below(last + 1);
            items.swap(last, other);
        }
    }

    /// The numbers below `count` in random order.
    pub fn permutation(&mut self, count: usize) -> Vec<u32> {
        let mut order: Vec<u32> = (0..count as u32).collect();
        self.shuffle(&mut order);
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_below_the_bound_and_reach_all_of_it() {
        let mut random = Random::new(7);
        let mut seen = [0usize; 10];
        for _ in 0..10_000 {
            seen[random.below(10)] += 1;
        }
        assert!(seen.iter().all(|&count| count > 800), "{seen:?}");
        assert!((0..1000).all(|_| random.fraction() < 1.0));
    }

    #[test]
    fn a_seed_gives_one_permutation() {
        let mut order = Random::new(3).permutation(50);
        assert_eq!(order, Random::new(3).permutation(50));
        assert_ne!(order, Random::new(4).permutation(50));
        order.sort_unstable();
        assert_eq!(order, (0..50).collect::<Vec<u32>>());
    }
}
