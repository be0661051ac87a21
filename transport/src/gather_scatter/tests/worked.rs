//! The numbers that the source document works out, and the dummy machine's cost.

use super::super::{Machine, Program, State, stripes};
use crate::gather_scatter::program::node::{Placed, repeat, sequence};

/// Copy 12, skip 8, copy 6, skip 7, copy 16: 34 bytes over 49.
fn worked() -> Program {
    let parts = [(0, 12), (20, 6), (33, 16)].map(|(at, bytes)| Placed::block(at, bytes));
    Program::canonical(&sequence(parts).unwrap(), 49).unwrap()
}

#[test]
fn stripes_start_where_the_example_says() {
    let program = worked();
    assert_eq!((program.bytes(), program.span()), (34, (0, 49)));
    let starts = |count| -> Vec<(usize, i64, usize)> {
        stripes::equal(34, count)
            .map(|part| {
                let (at, left) = program.iter_blocks(part.offset).next().unwrap();
                (part.offset, at, left)
            })
            .collect()
    };
    // The second of two has one byte left of the block of 6, and then 33 to 48.
    assert_eq!(starts(2), [(0, 0, 12), (17, 25, 1)]);
    assert_eq!(starts(4), [(0, 0, 12), (8, 8, 4), (17, 25, 1), (25, 40, 9)]);
    let rest: Vec<_> = program.iter_blocks(17).collect();
    assert_eq!(rest, [(25, 1), (33, 16)]);
}

#[test]
fn a_message_resumed_anywhere_equals_a_fresh_run() {
    let inner = sequence([(0, 3), (9, 5), (30, 2)].map(|(at, n)| Placed::block(at, n))).unwrap();
    let placed = sequence([
        repeat(50, 40, &inner).unwrap(),
        repeat(25, 16, &Placed::block(3000, 20)).unwrap(),
    ])
    .unwrap();
    let program = Program::new(placed, 4000);
    assert_eq!(program.bytes(), 1000);
    let mut memory: Vec<u8> = (0..4000u32).map(|at| ((at * 7) >> 3) as u8).collect();
    // SAFETY: the program spans 4000 bytes.
    let mut machine = unsafe { Machine::new(program.clone(), memory.as_mut_ptr()) };
    let mut whole = [0; 1000];
    machine.pack(&mut whole);
    for offset in 0..=1000 {
        machine.seek(0);
        let mut fresh = vec![0; offset];
        machine.pack(&mut fresh);
        assert_eq!(
            machine.state(),
            &State::at(&program, offset),
            "offset {offset}"
        );
        let mut rest = vec![0; 1000 - offset];
        machine.pack(&mut rest);
        assert_eq!([fresh, rest].concat(), whole, "offset {offset}");
    }
}

fn million_blocks() -> Program {
    let mut at = 0;
    let parts = (0..1_000_000u64).map(|index| {
        let bytes = 1 + (index.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 58) as usize;
        let block = Placed::block(at, bytes);
        at += bytes as i64 + 5;
        block
    });
    Program::canonical(&sequence(parts).unwrap(), at).unwrap()
}

#[test]
fn the_dummy_machine_does_not_walk() {
    let program = million_blocks();
    assert_eq!(program.blocks(), 1_000_000);
    let (mut offset, mut state) = (0, State::default());
    // Walking a million blocks takes about a millisecond, so that a machine that walked would be
    // at this for a quarter of an hour; `scripts/bench gather-scatter` measures it.
    for _ in 0..1_000_000 {
        offset = (offset + 7_654_321) % program.bytes();
        state.go(&program, offset);
        assert_eq!(state.offset(), offset);
    }
}
