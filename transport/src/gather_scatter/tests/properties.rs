//! What must hold of every program, count, burst, order of arrival and stripe.
//!
//! `PROPTEST_CASES` sets how many cases are tried.

use pamir_shm::lane::room::{LaneRoom, LongCopy};
use proptest::prelude::*;

use super::super::{Machine, Program, RandomAccess, State, Whole, stripes};
use super::oracle::{Memory, Naive, layout};
use crate::gather_scatter::machine::random_access::Way;
use crate::gather_scatter::program::node::{Placed, repeat, sequence};
use crate::tagged::buffer::Noncontiguous;

/// Distance of blocks that push each other out of the first-level cache.
const PAGE: usize = 4096;

/// `items` in the order that `keys` give them.
fn permuted<T: Copy>(items: &[T], keys: &[u32]) -> Vec<T> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|&index| keys[index % keys.len()].wrapping_mul(index as u32 + 1));
    order.into_iter().map(|index| items[index]).collect()
}

/// Layouts that overlap themselves are thrown away where they are received into: any number.
fn configuration() -> ProptestConfig {
    ProptestConfig {
        max_global_rejects: u32::MAX,
        max_local_rejects: u32::MAX,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(configuration())]

    #[test]
    fn canonical_form_and_code_keep_every_byte(naive in layout(), extent in -200i64..400) {
        let plain = Program::new(naive.placed.clone(), extent);
        let canonical = Program::canonical(&naive.placed, extent).unwrap();
        let code = canonical.serialize();
        let again = Program::deserialize(&code).unwrap();
        for program in [&plain, &canonical, &again] {
            let blocks = program.iter_blocks(0);
            let bytes: Vec<i64> = blocks.flat_map(|(at, n)| at..at + n as i64).collect();
            prop_assert_eq!(&bytes, &naive.bytes);
            prop_assert_eq!(program.extent(), extent);
            let low = naive.bytes.iter().copied().min().unwrap_or(0);
            let high = naive.bytes.iter().copied().max().map_or(0, |at| at + 1);
            prop_assert_eq!(program.span(), (low, high));
        }
        prop_assert_eq!(&again.serialize(), &code);
        prop_assert!(!plain.to_string().is_empty());
        // What means the same bytes is the same program, however it was made.
        let bytewise = naive.bytes.iter().map(|&at| Placed::block(at, 1));
        let listed = sequence(bytewise).unwrap();
        prop_assert_eq!(Program::canonical(&listed, extent).unwrap().serialize(), code);
    }

    #[test]
    fn damaged_code_is_refused_or_a_program(
        naive in layout(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut code = Program::canonical(&naive.placed, 0).unwrap().serialize();
        for (index, byte) in damage {
            let at = index.index(code.len());
            code[at] = byte;
        }
        if let Ok(program) = Program::deserialize(&code) {
            let blocks = program.iter_blocks(0).take(1000);
            let (low, high) = program.span();
            for (at, bytes) in blocks {
                prop_assert!(bytes > 0 && low <= at && at + bytes as i64 <= high);
            }
        }
    }

    #[test]
    fn bursts_reach_the_state_that_the_dummy_machine_finds(
        naive in layout(),
        extent in -200i64..400,
        count in 0usize..4,
        bursts in prop::collection::vec(1usize..90, 1..20),
    ) {
        for program in [
            Program::new(naive.placed.clone(), extent),
            Program::canonical(&naive.placed, extent).unwrap(),
        ] {
            let program = program.times(count);
            let mut memory = Memory::new(&naive, extent, count);
            let expected = memory.packed();
            let mut machine = memory.machine(&program);
            let mut packed = Vec::new();
            for burst in bursts.iter().cycle() {
                let mut buffer = vec![0; *burst];
                let moved = machine.pack(&mut buffer);
                packed.extend_from_slice(&buffer[..moved]);
                prop_assert_eq!(machine.state(), &State::at(&program, packed.len()));
                if machine.remaining() == 0 {
                    break;
                }
            }
            prop_assert_eq!(&packed, &expected);
            // A state that was saved is gone on from.
            let half = expected.len() / 2;
            let mut state = State::default();
            state.skip(&program, half);
            prop_assert!(machine.resume(state));
            let mut rest = vec![0; expected.len() - half];
            machine.pack(&mut rest);
            prop_assert_eq!(&rest[..], &expected[half..]);
        }
    }

    #[test]
    fn arrivals_in_any_order_are_bit_exact(
        naive in layout(),
        extent in 0i64..400,
        count in 0usize..4,
        stripe_count in 1usize..6,
        packet in 1usize..70,
        keys in prop::collection::vec(any::<u32>(), 1..40),
        received in any::<prop::sample::Index>(),
    ) {
        let program = Program::canonical(&naive.placed, extent).unwrap().times(count);
        let mut memory = Memory::new(&naive, extent, count);
        prop_assume!(!memory.overlaps());
        let expected = memory.packed();
        // Every stripe is packed by a machine of its own, unaware of the others.
        let mut packed = vec![0; expected.len()];
        let long = LongCopy::default();
        for part in stripes::equal(expected.len(), stripe_count) {
            let mut machine = memory.machine(&program);
            machine.seek(part.offset);
            let room = &mut packed[part.offset..part.offset + part.bytes];
            if part.offset % 2 == 0 {
                machine.pack(room);
            } else {
                // SAFETY: the slice has room for the bytes, outside of the described memory.
                unsafe { machine.pack_into_lane(LaneRoom::new(room.as_mut_ptr(), &long), room.len()) };
            }
        }
        prop_assert_eq!(&packed, &expected);
        // Its packets arrive in any order, stripes mixed; of a short message only a part.
        let length = received.index(expected.len() + 1);
        let packets: Vec<(usize, usize)> = stripes::equal(length, stripe_count)
            .flat_map(|part| {
                let starts = (0..part.bytes).step_by(packet);
                starts.map(move |at| (part.offset + at, packet.min(part.bytes - at)))
            })
            .collect();
        let mut wanted = memory.bytes.clone();
        for &place in &memory.places {
            memory.bytes[place] = !memory.bytes[place];
        }
        for &place in &memory.places[length..] {
            wanted[place] = memory.bytes[place];
        }
        let mut target = RandomAccess::new(memory.machine(&program));
        for (at, bytes) in permuted(&packets, &keys) {
            // SAFETY: `expected` holds the packet's bytes.
            unsafe { target.unpack(at, expected[at..].as_ptr(), bytes) };
        }
        prop_assert_eq!(&memory.bytes, &wanted);
    }

    #[test]
    fn what_is_run_as_a_whole_is_bit_exact(
        naive in layout(),
        extent in 0i64..400,
        count in 1usize..4,
        received in any::<prop::sample::Index>(),
    ) {
        let program = Program::canonical(&naive.placed, extent).unwrap().times(count);
        let mut memory = Memory::new(&naive, extent, count);
        prop_assume!(!memory.overlaps());
        let Some(whole) = Whole::of(&program) else {
            prop_assert!(program.contiguous().is_some() || program.bytes() > 8192);
            return Ok(());
        };
        let (expected, mut packed) = (memory.packed(), vec![0; whole.bytes()]);
        let long = LongCopy::default();
        // SAFETY: `memory` has every byte that the program reaches, and `packed` as many.
        unsafe { whole.pack_into_lane(memory.base(), LaneRoom::new(packed.as_mut_ptr(), &long)) };
        prop_assert_eq!(&packed, &expected);
        // A message may be shorter than there is room.
        let length = received.index(expected.len() + 1);
        let mut wanted = memory.bytes.clone();
        for &place in &memory.places {
            memory.bytes[place] = !memory.bytes[place];
        }
        for &place in &memory.places[length..] {
            wanted[place] = memory.bytes[place];
        }
        // SAFETY: as above.
        unsafe { whole.unpack(memory.base(), expected.as_ptr(), length) };
        prop_assert_eq!(&memory.bytes, &wanted);
    }

    #[test]
    fn layouts_copy_into_each_other(
        (from, to) in (layout(), layout()),
        extents in (-200i64..400, -200i64..400),
        counts in (0usize..4, 0usize..4),
    ) {
        let mut source = Memory::new(&from, extents.0, counts.0);
        let mut target = Memory::new(&to, extents.1, counts.1);
        prop_assume!(!target.overlaps());
        let mut expected = target.bytes.clone();
        let packed = source.packed();
        for (&place, &byte) in target.places.iter().zip(&packed) {
            expected[place] = byte;
        }
        let sent = Program::canonical(&from.placed, extents.0).unwrap().times(counts.0);
        let taken = Program::canonical(&to.placed, extents.1).unwrap().times(counts.1);
        let mut reader = source.machine(&sent);
        let mut writer = target.machine(&taken);
        let moved = reader.copy_to(&mut writer);
        prop_assert_eq!(moved, packed.len().min(target.places.len()));
        prop_assert_eq!(reader.state(), &State::at(&sent, moved));
        prop_assert_eq!(writer.state(), &State::at(&taken, moved));
        prop_assert_eq!(&target.bytes, &expected);
    }

    #[test]
    fn long_blocks_are_copied_straight(
        naive in layout(),
        (block, gap, count) in (40usize..300, 0usize..50, 1usize..12),
        back in any::<bool>(),
    ) {
        let shifts = (0..count).map(|index| index * (block + gap));
        let bytes = shifts.flat_map(|at| at..at + block).map(|at| at as i64).collect();
        let placed = repeat(count, (block + gap) as i64, &Placed::block(0, block)).unwrap();
        let long = Naive { placed, bytes };
        let (from, to) = if back { (&naive, &long) } else { (&long, &naive) };
        let mut source = Memory::new(from, 0, 1);
        let mut target = Memory::new(to, 0, 1);
        prop_assume!(!target.overlaps());
        let (packed, mut expected) = (source.packed(), target.bytes.clone());
        for (&place, &byte) in target.places.iter().zip(&packed) {
            expected[place] = byte;
        }
        let sent = Program::canonical(&from.placed, 0).unwrap();
        let taken = Program::canonical(&to.placed, 0).unwrap();
        source.machine(&sent).copy_to(&mut target.machine(&taken));
        prop_assert_eq!(&target.bytes, &expected);
    }

    #[test]
    fn vectors_of_every_block_length_are_bit_exact(
        block in prop_oneof![Just(1usize), Just(2), Just(4), Just(8), Just(16), Just(32), Just(64), 1usize..130],
        gap in prop_oneof![4 => Just(0usize), 4 => Just(8), 8 => 0usize..100, 1 => Just(PAGE)],
        down in any::<bool>(),
        count in 1usize..300,
        bursts in prop::collection::vec(1usize..4000, 1..6),
    ) {
        let apart = if gap == PAGE { PAGE } else { block + gap };
        let stride = apart as i64 * if down { -1 } else { 1 };
        let placed = repeat(
            count, stride, &Placed::block(0, block),
        ).unwrap();
        let program = Program::new(placed.clone(), 0);
        let shifts = (0..count as i64).map(|index| index * stride);
        let bytes = shifts.flat_map(|by| by..by + block as i64).collect();
        let mut memory = Memory::new(&Naive { placed, bytes }, 0, 1);
        let (original, expected) = (memory.bytes.clone(), memory.packed());
        let mut machine = memory.machine(&program);
        let mut packed = Vec::new();
        for burst in bursts.iter().cycle() {
            let mut buffer = vec![0; *burst];
            let moved = machine.pack(&mut buffer);
            packed.extend_from_slice(&buffer[..moved]);
            if machine.remaining() == 0 {
                break;
            }
        }
        prop_assert_eq!(&packed, &expected);
        for &place in &memory.places {
            memory.bytes[place] = 0;
        }
        let mut machine = memory.machine(&program);
        let (mut at, mut sizes) = (0, bursts.iter().cycle());
        while machine.remaining() != 0 {
            let bytes = sizes.next().unwrap().min(&machine.remaining()).to_owned();
            at += machine.unpack(&packed[at..at + bytes]);
        }
        prop_assert_eq!(&memory.bytes, &original);
    }
}

#[test]
fn states_are_kept_at_gaps() {
    // dummy(A), real(B), dummy(C), real(D), then C and A arrive.
    let naive = sequence((0..50).map(|i| Placed::block(i * i * 3, 2)));
    let program = Program::canonical(&naive.unwrap(), 0).unwrap();
    let mut buffer = vec![0u8; 50 * 50 * 3];
    // SAFETY: the program spans less than the buffer has.
    let machine = unsafe { Machine::new(program, buffer.as_mut_ptr()) };
    let mut target = RandomAccess::new(machine);
    let data = [7u8; 100];
    let mut arrive = |at: usize, bytes: usize| {
        let way = target.go_to(at);
        // SAFETY: `data` has as many bytes.
        unsafe { target.unpack(at, data.as_ptr(), bytes) };
        (way, target.gaps().collect::<Vec<_>>())
    };
    assert_eq!(arrive(11, 20), (Way::Dummy, vec![0]));
    assert_eq!(arrive(50, 13), (Way::Dummy, vec![0, 31]));
    assert_eq!(arrive(31, 19), (Way::Kept, vec![0, 63]));
    assert_eq!(arrive(0, 11), (Way::Kept, vec![63, 50]));
    assert_eq!(arrive(63, 37), (Way::Kept, vec![50, 11]));
    assert_eq!(buffer.iter().filter(|&&byte| byte == 7).count(), 100);
}
