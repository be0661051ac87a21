//! How long the engine takes, beside packing by hand. Run alone:
//! `cargo test --release -p pamir-transport --lib gather_scatter::tests::measure -- --ignored --nocapture`

use std::hint::black_box;
use std::time::Instant;

use super::super::node::{Placed, repeat, sequence};
use super::super::{Machine, Program, State};

/// The transport's unit: bytes that are packed at once.
const BURST: usize = 16 * 1024;

/// Least nanoseconds of several runs.
fn best(mut run: impl FnMut()) -> f64 {
    let rounds = (0..15).map(|_| {
        let start = Instant::now();
        run();
        start.elapsed().as_nanos() as f64
    });
    rounds.fold(f64::MAX, f64::min)
}

/// Copies blocks as a program would that packs by hand: length and distance are variables.
fn by_hand(from: &[u8], out: &mut [u8], count: usize, block: usize, stride: usize) {
    for index in 0..count {
        let at = index * stride;
        out[index * block..][..block].copy_from_slice(&from[at..at + block]);
    }
}

fn vector(block: usize, stride: usize, total: usize) {
    let count = total / block;
    let placed = repeat(count, stride as i64, &Placed::block(0, block)).unwrap();
    let program = Program::canonical(&placed, 0).unwrap();
    let mut memory = vec![1u8; count * stride];
    let mut packed = vec![1u8; total];
    // SAFETY: the memory has `count` blocks at that distance.
    let mut machine = unsafe { Machine::new(program, memory.as_mut_ptr()) };
    let pack = best(|| {
        machine.seek(0);
        for burst in packed.chunks_mut(BURST) {
            machine.pack(burst);
        }
    });
    let unpack = best(|| {
        machine.seek(0);
        for burst in packed.chunks(BURST) {
            machine.unpack(burst);
        }
    });
    let mut whole = vec![1u8; total];
    let hand = best(|| {
        let (block, stride) = (black_box(block), black_box(stride));
        by_hand(black_box(&memory), &mut whole, count, block, stride);
        black_box(&mut whole);
    });
    let each = |time: f64| time / count as f64;
    println!(
        "{block:5} of {stride:6}, {:6} KiB: pack {:7.3}, unpack {:7.3}, by hand {:7.3} ns a block",
        total >> 10,
        each(pack),
        each(unpack),
        each(hand)
    );
}

fn direct(name: &str, from: &Placed, to: &Placed) {
    let programs = [from, to].map(|placed| Program::canonical(placed, 0).unwrap());
    let mut memories = [0, 1].map(|side| vec![1u8; programs[side].span().1 as usize]);
    let [mut source, mut target] = [0, 1].map(|side| {
        // SAFETY: the memory is as long as the program's span, which begins at 0.
        unsafe { Machine::new(programs[side].clone(), memories[side].as_mut_ptr()) }
    });
    let total = programs[0].bytes().min(programs[1].bytes());
    let one = best(|| {
        source.seek(0);
        target.seek(0);
        source.copy_to(&mut target);
    });
    let mut bounce = vec![0; BURST];
    let two = best(|| {
        source.seek(0);
        target.seek(0);
        for _ in 0..total.div_ceil(BURST) {
            let bytes = source.pack(&mut bounce);
            target.unpack(&bounce[..bytes]);
        }
    });
    println!("{name}: straight {one:9.0} ns, through a buffer {two:9.0} ns");
}

#[test]
#[ignore = "measures; run it alone, with --release --nocapture"]
fn measure() {
    for (block, stride) in [
        (1, 2),
        (2, 4),
        (4, 8),
        (8, 16),
        (8, 24),
        (16, 32),
        (64, 128),
    ] {
        vector(block, stride, 64 << 10);
    }
    for stride in [800, 2048, 8192, 32_768] {
        vector(8, stride, 32 << 10);
    }
    vector(8, 16, 16 << 20);
    vector(512, 1024, 64 << 10);
    vector(512, 1024, 16 << 20);

    let strided = |count, block, stride| repeat(count, stride, &Placed::block(0, block)).unwrap();
    let uneven = |count: i64, block| {
        let parts = (0..count).map(|i| Placed::block(i * (block as i64 + 9) + i % 3, block));
        sequence(parts.chain([Placed::block(1 << 20, 3)])).unwrap()
    };
    direct(
        "8 of 16 to 8 of 24",
        &strided(8192, 8, 16),
        &strided(8192, 8, 24),
    );
    direct(
        "8 of 16 to 12 of 24",
        &strided(8192, 8, 16),
        &strided(8192, 12, 24),
    );
    direct(
        "8 of 16 to 512 of 1024",
        &strided(8192, 8, 16),
        &strided(128, 512, 1024),
    );
    direct(
        "listed 8 to 8 of 24",
        &uneven(8192, 8),
        &strided(8192, 8, 24),
    );
    direct("listed 8 to listed 8", &uneven(8192, 8), &uneven(8192, 8));
    direct(
        "listed 64 to 64 of 128",
        &uneven(1024, 64),
        &strided(1024, 64, 128),
    );
    direct(
        "512 of 1024 to 1024 of 2048",
        &strided(16384, 512, 1024),
        &strided(8192, 1024, 2048),
    );

    let program = super::worked::million_blocks();
    let (mut state, mut offset) = (State::default(), 0);
    let seek = best(|| {
        for _ in 0..100_000 {
            offset = (offset + 7_654_321) % program.bytes();
            state.go(&program, offset);
            black_box(&state);
        }
    }) / 100_000.0;
    println!("{seek:.0} ns to seek in 10^6 blocks");
    assert!(seek <= 200.0, "{seek} ns to seek in 10^6 blocks");
}
