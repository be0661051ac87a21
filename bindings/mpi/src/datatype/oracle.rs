//! Random datatypes checked against a naive expansion: every type is also
//! written out as the plain list of its bytes' displacements, its primitives
//! and its bounds, straight from the definitions of MPI-5.0 section 5.1, and
//! packing, unpacking, seeking and counting are compared bit by bit.

use std::rc::Rc;

use proptest::prelude::*;

use super::*;

/// A type written out.
#[derive(Clone, Debug)]
struct Naive {
    /// Displacement of every byte in type map order.
    bytes: Vec<i64>,
    /// Every primitive in type map order, pairs apart.
    elements: Vec<Primitive>,
    /// Bounds of every piece inside; those with `true` stick.
    bounds: Vec<(i64, i64, bool)>,
    alignment: i64,
}

impl Naive {
    fn empty() -> Self {
        Self {
            bytes: vec![],
            elements: vec![],
            bounds: vec![],
            alignment: 1,
        }
    }

    fn primitive(named: &Named) -> Self {
        let primitive = named.primitive;
        let mut bytes: Vec<i64> = (0..primitive.bytes() as i64).collect();
        if primitive == Primitive::ShortInt {
            bytes = vec![0, 1, 4, 5, 6, 7];
        }
        let elements = match primitive.pair() {
            Some((first, second)) => vec![first, second],
            None => vec![primitive],
        };
        let bounds = vec![(0, primitive.extent() as i64, false)];
        Self {
            bytes,
            elements,
            bounds,
            alignment: primitive.alignment() as i64,
        }
    }

    fn span(&self) -> (i64, i64) {
        let sticks = self.bounds.iter().any(|bound| bound.2);
        let said = || self.bounds.iter().filter(|bound| bound.2 == sticks);
        let lower = said().map(|bound| bound.0).min().unwrap_or(0);
        let upper = said().map(|bound| bound.1).max().unwrap_or(0);
        (lower, upper)
    }

    fn extent(&self) -> i64 {
        self.span().1 - self.span().0
    }

    fn add(&mut self, other: &Naive, by: i64) {
        self.bytes.extend(other.bytes.iter().map(|at| at + by));
        self.elements.extend(&other.elements);
        self.bounds.extend(
            other
                .bounds
                .iter()
                .map(|&(low, high, m)| (low + by, high + by, m)),
        );
        self.alignment = self.alignment.max(other.alignment);
    }

    fn blocks(&self, blocks: impl IntoIterator<Item = (i64, i64)>) -> Self {
        let mut all = Self {
            alignment: self.alignment,
            ..Self::empty()
        };
        for (length, at) in blocks {
            for index in 0..length {
                all.add(self, at + index * self.extent());
            }
        }
        all
    }

    fn resized(mut self, lower: i64, extent: i64) -> Self {
        self.bounds = vec![(lower, lower + extent, true)];
        self
    }
}

type Both = (Rc<Datatype>, Naive);

const LEAVES: &[&str] = &[
    "MPI_CHAR",
    "MPI_SHORT",
    "MPI_INT",
    "MPI_DOUBLE",
    "MPI_LONG_DOUBLE",
    "MPI_SHORT_INT",
];

fn leaf() -> impl Strategy<Value = Both> {
    prop_oneof![
        4 => prop::sample::select(LEAVES).boxed(),
        1 => Just("MPI_DOUBLE_INT").boxed(),
    ]
    .prop_map(|name| {
        let named = named::find(name).unwrap();
        (Datatype::named(named), Naive::primitive(named))
    })
}

fn form() -> impl Strategy<Value = Form> {
    prop_oneof![Just(Form::Int), Just(Form::Large)]
}

fn derived(inner: BoxedStrategy<Both>) -> BoxedStrategy<Both> {
    let list = || prop::collection::vec((0i64..4, -6i64..12), 0..5);
    prop_oneof![
        (inner.clone(), form(), 0i64..5).prop_map(|((old, naive), form, count)| {
            (
                Datatype::contiguous(form, count, &old).unwrap(),
                naive.blocks([(count, 0)]),
            )
        }),
        (inner.clone(), form(), 0i64..5, 0i64..4, -5i64..6).prop_map(
            |((old, naive), form, count, length, stride)| {
                let blocks = (0..count).map(|i| (length, i * stride * naive.extent()));
                let made = Datatype::vector(form, count, length, stride, &old);
                (made.unwrap(), naive.blocks(blocks))
            }
        ),
        (inner.clone(), form(), 0i64..5, 0i64..4, -40i64..60).prop_map(
            |((old, naive), form, count, length, stride)| {
                let blocks = (0..count).map(|i| (length, i * stride));
                let made = Datatype::hvector(form, count, length, stride, &old);
                (made.unwrap(), naive.blocks(blocks))
            }
        ),
        (inner.clone(), form(), list()).prop_map(|((old, naive), form, list)| {
            let (lengths, places): (Vec<_>, Vec<_>) = list.iter().copied().unzip();
            let blocks = list
                .iter()
                .map(|&(length, at)| (length, at * naive.extent()));
            let made = Datatype::indexed(form, &lengths, &places, &old);
            (made.unwrap(), naive.blocks(blocks))
        }),
        (inner.clone(), form(), list()).prop_map(|((old, naive), form, list)| {
            let (lengths, places): (Vec<_>, Vec<_>) = list.iter().copied().unzip();
            let made = Datatype::hindexed(form, &lengths, &places, &old);
            (made.unwrap(), naive.blocks(list))
        }),
        (inner.clone(), form(), 0i64..3, list()).prop_map(|((old, naive), form, length, list)| {
            let places: Vec<_> = list.iter().map(|&(_, at)| at).collect();
            let blocks = places.iter().map(|&at| (length, at * naive.extent()));
            let made = Datatype::indexed_block(form, length, &places, &old);
            (made.unwrap(), naive.blocks(blocks))
        }),
        (inner.clone(), form(), 0i64..3, list()).prop_map(|((old, naive), form, length, list)| {
            let places: Vec<_> = list.iter().map(|&(_, at)| at).collect();
            let blocks = places.iter().map(|&at| (length, at));
            let made = Datatype::hindexed_block(form, length, &places, &old);
            (made.unwrap(), naive.blocks(blocks))
        }),
        (
            prop::collection::vec((inner.clone(), 0i64..3, -30i64..60), 0..4),
            form()
        )
            .prop_map(|(fields, form)| {
                let lengths: Vec<_> = fields.iter().map(|field| field.1).collect();
                let places: Vec<_> = fields.iter().map(|field| field.2).collect();
                let types: Vec<_> = fields.iter().map(|field| field.0.0.clone()).collect();
                let mut all = Naive::empty();
                for ((_, naive), length, at) in &fields {
                    if *length > 0 {
                        all.add(&naive.blocks([(*length, 0)]), *at);
                    }
                }
                let (lower, upper) = all.span();
                let sticks = all.bounds.iter().any(|bound| bound.2);
                let rest = (upper - lower).rem_euclid(all.alignment);
                if !sticks && rest != 0 {
                    all.bounds
                        .push((lower, upper + all.alignment - rest, false));
                }
                (
                    Datatype::structure(form, &lengths, &places, &types).unwrap(),
                    all,
                )
            }),
        (inner.clone(), form(), -20i64..20, -10i64..80).prop_map(
            |((old, naive), form, lower, extent)| {
                let made = Datatype::resized(form, lower, extent, &old);
                (made.unwrap(), naive.resized(lower, extent))
            }
        ),
        (
            inner.clone(),
            prop::collection::vec((1i64..4, 0i64..3, 0i64..3), 1..4),
            any::<bool>()
        )
            .prop_map(|((old, naive), dimensions, c)| subarray(
                &old,
                &naive,
                &dimensions,
                c
            )),
        inner.prop_map(|(old, naive)| (Datatype::dup(&old).unwrap(), naive)),
    ]
    .boxed()
}

/// Every element of an array in storage order: its index and its coordinates.
fn storage_order(sizes: &[i64], c: bool) -> impl Iterator<Item = (i64, Vec<i64>)> {
    let total: i64 = sizes.iter().product();
    (0..total).map(move |index| {
        let mut rest = index;
        let mut coordinates = vec![0; sizes.len()];
        let order: Vec<usize> = if c {
            (0..sizes.len()).rev().collect()
        } else {
            (0..sizes.len()).collect()
        };
        for dimension in order {
            coordinates[dimension] = rest % sizes[dimension];
            rest /= sizes[dimension];
        }
        (index, coordinates)
    })
}

fn subarray(old: &Rc<Datatype>, naive: &Naive, shape: &[(i64, i64, i64)], c: bool) -> Both {
    let subsizes: Vec<_> = shape.iter().map(|part| part.0).collect();
    let starts: Vec<_> = shape.iter().map(|part| part.1).collect();
    let sizes: Vec<_> = shape.iter().map(|part| part.0 + part.1 + part.2).collect();
    let order = if c { Order::C } else { Order::Fortran };
    let made = Datatype::subarray(Form::Int, &sizes, &subsizes, &starts, order, old).unwrap();
    let inside =
        |at: &[i64]| (0..at.len()).all(|d| (starts[d]..starts[d] + subsizes[d]).contains(&at[d]));
    let blocks = storage_order(&sizes, c)
        .filter(|(_, at)| inside(at))
        .map(|(index, _)| (1, index * naive.extent()))
        .collect::<Vec<_>>();
    let total: i64 = sizes.iter().product();
    (
        made,
        naive.blocks(blocks).resized(0, total * naive.extent()),
    )
}

fn datatype() -> BoxedStrategy<Both> {
    let nest = |inner: BoxedStrategy<Both>| {
        prop_oneof![1 => inner.clone(), 3 => derived(inner)]
            .prop_filter("small enough to write out", |(_, naive)| {
                naive.bytes.len() < 3000
            })
            .boxed()
    };
    nest(nest(nest(leaf().boxed())))
}

/// Memory around the bytes of `count` elements, and where its base is.
struct Memory {
    bytes: Vec<u8>,
    base: usize,
    /// Index into `bytes` of every packed byte.
    places: Vec<usize>,
}

impl Memory {
    fn new(naive: &Naive, count: usize) -> Self {
        let all: Vec<i64> = (0..count as i64)
            .flat_map(|index| {
                naive
                    .bytes
                    .iter()
                    .map(move |at| at + index * naive.extent())
            })
            .collect();
        let low = all.iter().copied().min().unwrap_or(0).min(0);
        let high = all.iter().copied().max().unwrap_or(0).max(0) + 1;
        let mut state = 0x9E37_79B9u32;
        let bytes = (low..high).map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        });
        let places = all.iter().map(|at| (at - low) as usize).collect();
        Self {
            bytes: bytes.collect(),
            base: -low as usize,
            places,
        }
    }

    fn cursor(&mut self, datatype: &Datatype, count: usize) -> Cursor {
        let base = self.bytes.as_mut_ptr().wrapping_add(self.base);
        // SAFETY: `places` lists every byte that the type map reaches, and
        // `bytes` covers them all; it outlives every use of the cursor.
        unsafe { Cursor::new(datatype, count, base) }
    }

    fn packed(&self) -> Vec<u8> {
        self.places.iter().map(|&place| self.bytes[place]).collect()
    }

    /// A type map that reaches a byte twice cannot be received into.
    fn overlaps(&self) -> bool {
        let mut places = self.places.clone();
        places.sort_unstable();
        places.windows(2).any(|pair| pair[0] == pair[1])
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn bounds_and_counts_follow_the_definitions((made, naive) in datatype()) {
        let size = naive.bytes.len();
        prop_assert_eq!(made.size(), size);
        prop_assert_eq!((made.lower_bound(), made.upper_bound()), naive.span());
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
        let mut cursor = memory.cursor(&made, count);
        prop_assert_eq!(cursor.total(), expected.len());

        let mut packed = Vec::new();
        for burst in bursts.iter().cycle() {
            let mut buffer = vec![0; *burst];
            let moved = cursor.pack(&mut buffer);
            packed.extend_from_slice(&buffer[..moved]);
            if moved < *burst {
                break;
            }
        }
        prop_assert_eq!(&packed, &expected);

        for (index, length) in &seeks {
            let offset = index.index(expected.len() + 1);
            cursor.seek(offset);
            let mut buffer = vec![0; *length];
            let moved = cursor.pack(&mut buffer);
            prop_assert_eq!(moved, (*length).min(expected.len() - offset));
            prop_assert_eq!(&buffer[..moved], &expected[offset..offset + moved]);
        }

        if !memory.overlaps() {
            let original = memory.bytes.clone();
            for &place in &memory.places {
                memory.bytes[place] = !memory.bytes[place];
            }
            let mut cursor = memory.cursor(&made, count);
            let mut sizes = bursts.iter().cycle();
            while cursor.remaining() > 0 {
                let from = cursor.offset();
                let to = expected.len().min(from + sizes.next().unwrap());
                prop_assert_eq!(cursor.unpack(&expected[from..to]), to - from);
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
        let cursor = memory.cursor(&made, count);
        let base = memory.bytes.as_ptr() as usize;
        let from = start.index(memory.places.len() + 1);
        let bytes = |address: usize, bytes: usize| {
            (0..bytes).map(move |at| address.wrapping_add(at).wrapping_sub(base))
        };
        let blocks: Vec<usize> = cursor
            .program()
            .iter_blocks(from)
            .flat_map(|(at, length)| bytes((base + memory.base).wrapping_add(at as usize), length))
            .collect();
        prop_assert_eq!(&blocks[..], &memory.places[from..]);
        prop_assert_eq!(cursor.program().iter_blocks(0).count(), if memory.places.is_empty() {
            0
        } else {
            cursor.program().blocks()
        });
        let (mut ranges, mut found, mut at) = (Vec::new(), Vec::new(), from);
        while at < memory.places.len() {
            let next = cursor.iovecs(at, most, &mut ranges);
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
            let mut source = source.cursor(&from, counts.0);
            source.copy_to(&mut target.cursor(&to, counts.1))
        };
        prop_assert_eq!(moved, packed.len().min(target.places.len()));
        prop_assert_eq!(&target.bytes, &expected);
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
            let found: Vec<i64> = Program::new(&made, 1)
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
    let mut cursor = unsafe { Cursor::new(&made, 1, memory.as_mut_ptr()) };
    for (packed, source) in [(0, 0), (8, 8), (17, 25), (25, 40)] {
        cursor.seek(packed);
        let mut next = [0];
        assert_eq!(cursor.pack(&mut next), 1);
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
    let mut cursor = unsafe { Cursor::new(&made, 1, memory.as_mut_ptr()) };
    // Half a million seeks would take hours if each walked the list.
    let mut offset = 0usize;
    for _ in 0..500_000 {
        offset = (offset + 7_654_321) % (made.size() / 4);
        cursor.seek(4 * offset);
        let mut word = [0; 4];
        cursor.pack(&mut word);
        let (group, inside) = (offset / 6, [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2)]);
        let (block, element) = inside[offset % 6];
        assert_eq!(
            u32::from_le_bytes(word) as usize,
            (3 * group + block) * 5 + element
        );
    }
}
