//! How long the engine of data that does not lie together takes by itself, for
//! `scripts/bench gather-scatter`: `gather_scatter [SAMPLES] [MILLISECONDS]`.
//!
//! What: packing and unpacking in bursts of the transport's unit beside a loop by hand, copies from
//! layout to layout beside copies through a buffer, and the dummy machine's way to a random offset
//! of 10^6 blocks.
//! Prints `@ METRIC BYTES UNIT VALUE`, one line a sample: nanoseconds of a block, of a whole copy, or
//! of a seek.

use std::hint::black_box;
use std::time::{Duration, Instant};

use pamir_transport::gather_scatter::program::node::{Placed, repeat, sequence};
use pamir_transport::gather_scatter::{Machine, Program};

/// The transport's unit: bytes that are packed at once.
const BURST: usize = 16 * 1024;

/// Seeks between two looks at the clock.
const SEEKS: usize = 4096;

/// Prints samples of one figure after another.
struct Samples {
    count: usize,
    length: Duration,
}

impl Samples {
    /// Prints `count` samples of what a turn of `body` takes, by `parts`.
    fn take(&self, metric: &str, bytes: usize, parts: usize, mut body: impl FnMut()) {
        body();
        for _ in 0..self.count {
            let (begin, mut turns) = (Instant::now(), 0);
            while begin.elapsed() < self.length {
                body();
                turns += 1;
            }
            let nanoseconds = begin.elapsed().as_nanos() as f64 / (turns * parts) as f64;
            println!("@ {metric} {bytes} ns {nanoseconds:.3}");
        }
    }
}

/// A program with memory that its span fits in.
struct Layout {
    program: Program,
    memory: Vec<u8>,
}

impl Layout {
    fn new(placed: &Placed) -> Self {
        let program = Program::canonical(placed, 0).expect("the layout is small");
        let memory = vec![1; program.span().1 as usize];
        Self { program, memory }
    }

    /// Equal blocks at equal distance, `total` bytes of them.
    fn vector(block: usize, stride: usize, total: usize) -> Self {
        let blocks = repeat(total / block, stride as i64, &Placed::block(0, block));
        Self::new(&blocks.expect("a vector is small"))
    }

    /// `count` blocks of `block` bytes at uneven distance.
    fn uneven(count: i64, block: usize) -> Self {
        let parts = (0..count).map(|i| Placed::block(i * (block as i64 + 9) + i % 3, block));
        let parts = parts.chain([Placed::block(1 << 20, 3)]);
        Self::new(&sequence(parts).expect("a list is small"))
    }

    /// Blocks of 4 to 60 bytes, or as many as are a million, a few bytes apart.
    fn irregular(count: u64) -> Self {
        let mut at = 0;
        let parts = (0..count).map(|index| {
            let random = index.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let block = Placed::block(at, 4 * (1 + (random >> 58) as usize % 15));
            at += block.node.bytes() as i64 + 4 * (1 + (random >> 50) as i64 % 8);
            block
        });
        Self::new(&sequence(parts).expect("a list is small"))
    }

    fn machine(&mut self) -> Machine {
        // SAFETY: the memory is as long as the program's span, which begins at 0; this program
        // has one thread, and the packed side is other memory.
        unsafe { Machine::new(self.program.clone(), self.memory.as_mut_ptr()) }
    }

    /// Packs, unpacks, and packs by hand.
    fn measure(&mut self, name: &str, samples: &Samples) {
        let (total, blocks) = (self.program.bytes(), self.program.blocks());
        let list: Vec<(i64, usize)> = self.program.iter_blocks(0).collect();
        let mut machine = self.machine();
        let mut packed = vec![1; total];
        samples.take(&format!("pack_{name}"), total, blocks, || {
            machine.seek(0);
            for burst in packed.chunks_mut(BURST) {
                machine.pack(burst);
            }
        });
        samples.take(&format!("unpack_{name}"), total, blocks, || {
            machine.seek(0);
            for burst in packed.chunks(BURST) {
                machine.unpack(burst);
            }
        });
        samples.take(&format!("by_hand_{name}"), total, blocks, || {
            let mut out = packed.as_mut_slice();
            for &(at, bytes) in black_box(&list) {
                let (block, rest) = out.split_at_mut(bytes);
                block.copy_from_slice(&self.memory[at as usize..][..bytes]);
                out = rest;
            }
            black_box(&mut packed);
        });
    }

    /// Copies straight to another layout, and through a buffer.
    fn measure_to(&mut self, target: &mut Self, name: &str, samples: &Samples) {
        let total = self.program.bytes().min(target.program.bytes());
        let (mut from, mut to) = (self.machine(), target.machine());
        samples.take(&format!("straight_{name}"), total, 1, || {
            from.seek(0);
            to.seek(0);
            from.copy_to(&mut to);
        });
        let mut bounce = vec![0; BURST];
        samples.take(&format!("through_buffer_{name}"), total, 1, || {
            from.seek(0);
            to.seek(0);
            for _ in 0..total.div_ceil(BURST) {
                let bytes = from.pack(&mut bounce);
                to.unpack(&bounce[..bytes]);
            }
        });
    }
}

fn seeks(samples: &Samples) {
    let mut layout = Layout::irregular(1_000_000);
    let total = layout.program.bytes();
    let (mut machine, mut offset) = (layout.machine(), 0);
    samples.take("random_offset_of_million_blocks", total, SEEKS, || {
        for _ in 0..SEEKS {
            offset = (offset + 7_654_321) % total;
            machine.seek(offset);
            black_box(&machine);
        }
    });
}

fn main() {
    let argument = |index| {
        let text: Option<String> = std::env::args().nth(index);
        text.and_then(|text| text.parse::<f64>().ok())
    };
    let samples = Samples {
        count: argument(1).unwrap_or(15.0) as usize,
        length: Duration::from_secs_f64(argument(2).unwrap_or(1.0) / 1e3),
    };
    for block in [1, 2, 4, 8, 12, 16, 24, 32, 40, 64] {
        let name = format!("{block}_of_{}", 2 * block);
        Layout::vector(block, 2 * block, 64 << 10).measure(&name, &samples);
    }
    for stride in [800, 2048, 8192, 32_768] {
        Layout::vector(8, stride, 8 << 10).measure(&format!("8_of_{stride}"), &samples);
    }
    Layout::vector(8, 16, 16 << 20).measure("8_of_16", &samples);
    Layout::vector(512, 1024, 16 << 20).measure("512_of_1024", &samples);
    Layout::irregular(2048).measure("irregular", &samples);

    let mut eights = Layout::vector(8, 16, 64 << 10);
    eights.measure_to(
        &mut Layout::vector(8, 24, 64 << 10),
        "8_of_16_to_8_of_24",
        &samples,
    );
    eights.measure_to(
        &mut Layout::vector(12, 24, 64 << 10),
        "8_of_16_to_12_of_24",
        &samples,
    );
    eights.measure_to(
        &mut Layout::vector(512, 1024, 64 << 10),
        "8_of_16_to_512_of_1024",
        &samples,
    );
    let mut listed = Layout::uneven(8192, 8);
    listed.measure_to(
        &mut Layout::vector(8, 24, 64 << 10),
        "listed_8_to_8_of_24",
        &samples,
    );
    listed.measure_to(
        &mut Layout::uneven(8192, 8),
        "listed_8_to_listed_8",
        &samples,
    );
    seeks(&samples);
}
