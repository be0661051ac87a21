//! Random numbers with a seed that can be given again.
//!
//! What: [`Random`], a SplitMix64 generator (Steele, Lea and Flood 2014).
//! Why: faults strike at random moments; a failure prints its seed, and `PAMIR_TEST_SEED` repeats
//! the choices, though not the machine's own timing.

/// The variable that gives the seed.
pub const SEED_VARIABLE: &str = "PAMIR_TEST_SEED";

/// A generator of random numbers.
#[derive(Debug)]
pub struct Random {
    seed: u64,
    state: u64,
}

impl Random {
    /// A generator with the seed of the environment, or one of the clock. The seed is printed.
    ///
    /// # Panics
    /// When the variable holds no number.
    pub fn seeded() -> Self {
        let seed = match std::env::var(SEED_VARIABLE) {
            Ok(text) => text
                .parse()
                .unwrap_or_else(|_| panic!("{SEED_VARIABLE} is {text:?}, not a number")),
            Err(_) => std::time::SystemTime::now()
                .duration_since(std::time::UNIX_EPOCH)
                .map_or(1, |since| since.as_nanos() as u64),
        };
        println!("{SEED_VARIABLE}={seed}");
        Self { seed, state: seed }
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// A number below `bound`, which is small beside 2^64.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}
