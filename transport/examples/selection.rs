//! What a selection costs, for `scripts/bench selection`: `selection [SAMPLES] [MILLISECONDS]`.
//!
//! What: for tables of 3, 16 and 128 ranges, the time of one selection, with sizes drawn evenly
//! from all ranges, so that no branch could be predicted. Beside it the same by binary search.
//! Prints `@ METRIC RANGES UNIT VALUE`, one line a sample.
//! Each size is drawn by adding what the last selection gave, so that selections cannot overlap:
//! this is the time from size to algorithm, and `throughput` is without that.

use std::hint::black_box;
use std::time::{Duration, Instant};

use pamir_transport::selection::Ranges;

/// Sizes that selections go through; a power of two.
const SIZES: usize = 1024;

/// One table, and sizes for it.
struct Case<const N: usize> {
    ranges: usize,
    bounds: Vec<usize>,
    table: Ranges<u8, N>,
    sizes: Vec<usize>,
}

impl<const N: usize> Case<N> {
    fn new(ranges: usize) -> Self {
        let bounds: Vec<usize> = (1..=ranges).map(|range| range * 100).collect();
        let list: Vec<(usize, u8)> = bounds.iter().copied().zip(0..).collect();
        let mut state = 88_172_645_463_325_252_u64;
        let sizes = (0..SIZES).map(|_| {
            // Xorshift: the same sizes in every run.
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % (ranges as u64 * 100)) as usize
        });
        Self {
            ranges,
            sizes: sizes.collect(),
            table: Ranges::new(&list).expect("the bounds rise"),
            bounds,
        }
    }

    /// Prints a sample of each figure.
    fn sample(&self, length: Duration) {
        let table = black_box(&self.table);
        let bounds = black_box(&self.bounds);
        self.print(
            "latency",
            timed(length, || self.chain(|size| table.select(size).into())),
        );
        let search = |size| bounds.partition_point(|bound| size > *bound);
        self.print(
            "binary_search_latency",
            timed(length, || self.chain(search)),
        );
        self.print(
            "throughput",
            timed(length, || self.stream(|size| table.select(size).into())),
        );
        self.print(
            "binary_search_throughput",
            timed(length, || self.stream(search)),
        );
    }

    fn print(&self, metric: &str, nanoseconds: f64) {
        println!("@ {metric} {} ns {nanoseconds:.3}", self.ranges);
    }

    fn chain(&self, select: impl Fn(usize) -> usize) {
        let mut last = 0;
        for at in 0..SIZES {
            // The last answer decides which size comes next, by something that is always 0, which
            // the compiler does not know.
            last = select(self.sizes[(at + (black_box(last) >> 8)) & (SIZES - 1)]);
        }
        black_box(last);
    }

    fn stream(&self, select: impl Fn(usize) -> usize) {
        for size in &self.sizes {
            black_box(select(*size));
        }
    }
}

/// Nanoseconds of one of the `SIZES` selections that `body` makes.
fn timed(length: Duration, body: impl Fn()) -> f64 {
    body();
    let (begin, mut turns) = (Instant::now(), 0);
    while begin.elapsed() < length {
        body();
        turns += 1;
    }
    begin.elapsed().as_nanos() as f64 / (turns * SIZES) as f64
}

fn main() {
    let argument = |index| {
        let text: Option<String> = std::env::args().nth(index);
        text.and_then(|text| text.parse::<f64>().ok())
    };
    let samples = argument(1).unwrap_or(15.0) as usize;
    let length = Duration::from_secs_f64(argument(2).unwrap_or(1.0) / 1e3);
    let (few, some, many) = (
        Case::<4>::new(3),
        Case::<16>::new(16),
        Case::<128>::new(128),
    );
    for _ in 0..samples {
        few.sample(length);
        some.sample(length);
        many.sample(length);
    }
}
