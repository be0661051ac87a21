//! Random datatypes against the naive expansion of `super::oracle`: bounds,
//! counting, packing, unpacking, seeking, ranges and copies, bit by bit.

use proptest::prelude::*;

use super::oracle::{Memory, Naive, datatype, storage_order};
use crate::datatype::*;

/// 400 cases, or as many as `PROPTEST_CASES` says; those that cannot be received are thrown
/// away, any number.
fn configuration() -> ProptestConfig {
    let asked = std::env::var_os("PROPTEST_CASES").is_some();
    let default = ProptestConfig::default();
    ProptestConfig {
        cases: if asked { default.cases } else { 400 },
        max_global_rejects: u32::MAX,
        max_local_rejects: u32::MAX,
        ..default
    }
}

proptest! {
    #![proptest_config(configuration())]

    #[test]
    fn bounds_and_counts_follow_the_definitions((made, naive) in datatype()) {
        let size = naive.bytes.len();
        prop_assert_eq!(made.size(), size);
        // What an element without data has for bounds is not compared: pieces that hold nothing
        // may mark bounds of their own, and the oracle places them differently.
        if size > 0 {
            prop_assert_eq!((made.lower_bound(), made.upper_bound()), naive.span());
        }
        let low = naive.bytes.iter().copied().min().unwrap_or(0);
        let high = naive.bytes.iter().copied().max().map_or(0, |at| at + 1);
        prop_assert_eq!((made.true_lower_bound(), made.true_upper_bound()), (low, high));
        let mut ends = vec![0];
        for primitive in &naive.elements {
            ends.push(ends[ends.len() - 1] + primitive.bytes());
        }
        for bytes in 0..=size {
            let expected = ends.iter().position(|&end| end == bytes);
            prop_assert_eq!(made.elements_in(bytes), expected);
            if let Some(elements) = expected.filter(|_| size > 0) {
                prop_assert_eq!(made.bytes_of_elements(elements), Some(bytes));
            }
        }
        let mut visited = Vec::new();
        made.signature()
            .visit(&mut |primitive, count| {
                visited.extend(std::iter::repeat_n(primitive, count));
                Ok::<(), ()>(())
            })
            .unwrap();
        prop_assert_eq!(visited, naive.elements);
        let envelope = made.envelope();
        prop_assert_eq!(envelope.datatypes, made.contents().datatypes.len());
    }

    #[test]
    fn bursts_and_seeks_are_bit_exact(
        (made, naive) in datatype(),
        count in 0usize..4,
        bursts in prop::collection::vec(1usize..70, 1..20),
        seeks in prop::collection::vec((any::<prop::sample::Index>(), 1usize..50), 0..12),
    ) {
        let mut memory = Memory::new(&naive, count);
        let expected = memory.packed();
        let mut machine = memory.machine(&made, count);
        prop_assert_eq!(machine.total(), expected.len());

        let mut packed = Vec::new();
        for burst in bursts.iter().cycle() {
            let mut buffer = vec![0; *burst];
            let moved = machine.pack(&mut buffer);
            packed.extend_from_slice(&buffer[..moved]);
            if moved < *burst {
                break;
            }
        }
        prop_assert_eq!(&packed, &expected);

        for (index, length) in &seeks {
            let offset = index.index(expected.len() + 1);
            machine.seek(offset);
            let mut buffer = vec![0; *length];
            let moved = machine.pack(&mut buffer);
            prop_assert_eq!(moved, (*length).min(expected.len() - offset));
            prop_assert_eq!(&buffer[..moved], &expected[offset..offset + moved]);
        }

        if !memory.overlaps() {
            let original = memory.bytes.clone();
            for &place in &memory.places {
                memory.bytes[place] = !memory.bytes[place];
            }
            let mut machine = memory.machine(&made, count);
            let mut sizes = bursts.iter().cycle();
            while machine.remaining() > 0 {
                let from = machine.offset();
                let to = expected.len().min(from + sizes.next().unwrap());
                prop_assert_eq!(machine.unpack(&expected[from..to]), to - from);
            }
            prop_assert_eq!(&memory.bytes, &original);
        }
    }

    #[test]
    fn blocks_and_ranges_cover_the_type_map(
        (made, naive) in datatype(),
        count in 0usize..4,
        start in any::<prop::sample::Index>(),
        most in 1usize..9,
    ) {
        let mut memory = Memory::new(&naive, count);
        let machine = memory.machine(&made, count);
        let base = memory.bytes.as_ptr() as usize;
        let from = start.index(memory.places.len() + 1);
        let bytes = |address: usize, bytes: usize| {
            (0..bytes).map(move |at| address.wrapping_add(at).wrapping_sub(base))
        };
        let blocks: Vec<usize> = machine
            .program()
            .iter_blocks(from)
            .flat_map(|(at, length)| bytes((base + memory.base).wrapping_add(at as usize), length))
            .collect();
        prop_assert_eq!(&blocks[..], &memory.places[from..]);
        prop_assert_eq!(machine.program().iter_blocks(0).count(), if memory.places.is_empty() {
            0
        } else {
            machine.program().blocks()
        });
        let (mut ranges, mut found, mut at) = (Vec::new(), Vec::new(), from);
        while at < memory.places.len() {
            let next = machine.iovecs(at, most, &mut ranges);
            prop_assert!(next > at && ranges.len() <= most);
            found.extend(ranges.iter().flat_map(|range| bytes(range.address, range.bytes)));
            at = next;
        }
        prop_assert_eq!(&found[..], &memory.places[from..]);
        if let Some((displacement, length)) = made.contiguous_bytes(count) {
            prop_assert_eq!(length, memory.places.len());
            let first = memory.places.first().map(|&place| place as i64 - memory.base as i64);
            prop_assert!(first.is_none_or(|first| first == displacement));
        }
        if made.dense() {
            prop_assert_eq!(made.extent(), made.size() as i64);
        }
    }

    #[test]
    fn layouts_copy_into_each_other(
        (from, from_naive) in datatype(),
        (to, to_naive) in datatype(),
        counts in (0usize..4, 0usize..4),
    ) {
        let mut source = Memory::new(&from_naive, counts.0);
        let mut target = Memory::new(&to_naive, counts.1);
        prop_assume!(!target.overlaps());
        for byte in &mut target.bytes {
            *byte ^= 0x5A;
        }
        let mut expected = target.bytes.clone();
        let packed = source.packed();
        for (&place, &byte) in target.places.iter().zip(&packed) {
            expected[place] = byte;
        }
        let moved = {
            let mut source = source.machine(&from, counts.0);
            source.copy_to(&mut target.machine(&to, counts.1))
        };
        prop_assert_eq!(moved, packed.len().min(target.places.len()));
        prop_assert_eq!(&target.bytes, &expected);
    }

    #[test]
    fn long_arrays_of_structures_are_bit_exact(
        fields in prop::collection::vec((1usize..20, 0i64..9), 2..20),
        equal in any::<bool>(),
        // Mostly few: long ones take a hundred times as long to write out.
        count in prop_oneof![9 => 1usize..90, 1 => 90usize..400],
        bursts in prop::collection::vec(1usize..3000, 1..6),
    ) {
        let byte = named::find("MPI_BYTE").unwrap();
        let (mut end, mut lengths, mut places) = (0, Vec::new(), Vec::new());
        for &(length, gap) in &fields {
            let length = if equal { 4 } else { length as i64 };
            places.push(end + gap);
            lengths.push(length);
            end += gap + length;
        }
        let made =
            Datatype::hindexed(Form::Int, &lengths, &places, &Datatype::named(byte)).unwrap();
        let made = Datatype::resized(Form::Int, 0, end + 3, &made).unwrap();
        let blocks = lengths.into_iter().zip(places);
        let naive = Naive::primitive(byte).blocks(blocks).resized(0, end + 3);
        let mut memory = Memory::new(&naive, count);
        let (original, expected) = (memory.bytes.clone(), memory.packed());
        let mut packed = vec![0; expected.len()];
        let mut machine = memory.machine(&made, count);
        for burst in bursts.iter().cycle() {
            let from = machine.offset();
            let to = packed.len().min(from + burst);
            machine.pack(&mut packed[from..to]);
            if to == packed.len() {
                break;
            }
        }
        prop_assert_eq!(&packed, &expected);
        for &place in &memory.places {
            memory.bytes[place] = 0;
        }
        let mut machine = memory.machine(&made, count);
        for burst in bursts.iter().rev().cycle() {
            let from = machine.offset();
            let to = packed.len().min(from + burst);
            machine.unpack(&packed[from..to]);
            if to == packed.len() {
                break;
            }
        }
        prop_assert_eq!(&memory.bytes, &original);
    }

    #[test]
    fn every_element_of_a_distributed_array_has_one_owner(
        shape in prop::collection::vec((1i64..9, 1i64..4, 0usize..3, 0i64..4), 1..4),
        c in any::<bool>(),
    ) {
        let old = Datatype::named(named::find("MPI_SHORT").unwrap());
        let sizes: Vec<_> = shape.iter().map(|part| part.0).collect();
        let kinds = [Distribution::Block, Distribution::Cyclic, Distribution::None];
        let kinds: Vec<_> = shape.iter().map(|part| kinds[part.2]).collect();
        let grid: Vec<_> =
            shape.iter().map(|part| if part.2 == 2 { 1 } else { part.1 }).collect();
        let blocks: Vec<i64> = shape
            .iter()
            .map(|&(size, processes, kind, block)| match (kind, block) {
                (0, 0) => (size + processes - 1) / processes,
                (0, more) => (size + processes - 1) / processes + more,
                (_, 0) => 1,
                (_, block) => block,
            })
            .collect();
        let arguments: Vec<_> = shape
            .iter()
            .zip(&blocks)
            .map(|(part, &block)| match part.3 {
                0 => DistributionArgument::Default,
                _ => DistributionArgument::Block(block),
            })
            .collect();
        let processes: i64 = grid.iter().product();
        let order = if c { Order::C } else { Order::Fortran };
        for rank in 0..processes {
            let made = Datatype::darray(
                Form::Int, processes, rank, &sizes, &kinds, &arguments, &grid, order, &old,
            )
            .unwrap();
            let mine = |at: &[i64]| {
                let mut owner = 0;
                for d in 0..at.len() {
                    let coordinate = match kinds[d] {
                        Distribution::None => 0,
                        Distribution::Block => at[d] / blocks[d],
                        Distribution::Cyclic => at[d] / blocks[d] % grid[d],
                    };
                    owner = owner * grid[d] + coordinate;
                }
                owner == rank
            };
            let expected: Vec<i64> = storage_order(&sizes, c)
                .filter(|(_, at)| mine(at))
                .flat_map(|(index, _)| [2 * index, 2 * index + 1])
                .collect();
            let found: Vec<i64> = made.program()
                .iter_blocks(0)
                .flat_map(|(at, bytes)| at..at + bytes as i64)
                .collect();
            prop_assert_eq!(found, expected);
            let total: i64 = sizes.iter().product();
            prop_assert_eq!((made.lower_bound(), made.extent()), (0, 2 * total));
        }
    }
}

#[test]
fn the_worked_example_of_the_dummy_machine() {
    // Copy 12, skip 8, copy 6, skip 7, copy 16: 34 bytes over 49.
    let byte = Datatype::named(named::find("MPI_BYTE").unwrap());
    let made = Datatype::hindexed(Form::Int, &[12, 6, 16], &[0, 20, 33], &byte).unwrap();
    assert_eq!((made.size(), made.extent()), (34, 49));
    let mut memory: Vec<u8> = (0..49).collect();
    // SAFETY: the type spans 49 bytes, which `memory` has.
    let mut machine = unsafe { made.machine(1, memory.as_mut_ptr()) };
    for (packed, source) in [(0, 0), (8, 8), (17, 25), (25, 40)] {
        machine.seek(packed);
        let mut next = [0];
        assert_eq!(machine.pack(&mut next), 1);
        assert_eq!(next[0], source, "packed offset {packed}");
    }
}

#[test]
fn a_large_index_list_is_searched_not_walked() {
    let int = Datatype::named(named::find("MPI_INT").unwrap());
    let count = 1_000_000i64;
    let lengths: Vec<i64> = (0..count).map(|i| 1 + i % 3).collect();
    let places: Vec<i64> = (0..count).map(|i| i * 5).collect();
    let made = Datatype::indexed(Form::Int, &lengths, &places, &int).unwrap();
    let mut memory = vec![0u8; made.extent() as usize];
    for (at, word) in memory.chunks_exact_mut(4).enumerate() {
        word.copy_from_slice(&(at as u32).to_le_bytes());
    }
    // SAFETY: the type spans its extent from 0, which `memory` has.
    let mut machine = unsafe { made.machine(1, memory.as_mut_ptr()) };
    // Half a million seeks would take hours if each walked the list.
    let mut offset = 0usize;
    for _ in 0..500_000 {
        offset = (offset + 7_654_321) % (made.size() / 4);
        machine.seek(4 * offset);
        let mut word = [0; 4];
        machine.pack(&mut word);
        let (group, inside) = (offset / 6, [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2)]);
        let (block, element) = inside[offset % 6];
        assert_eq!(
            u32::from_le_bytes(word) as usize,
            (3 * group + block) * 5 + element
        );
    }
}
