//! Random datatypes written out naively, for the tests: every type is also the
//! plain list of its bytes' displacements, its primitives and its bounds,
//! straight from the definitions of MPI-5.0 section 5.1.
//!
//! Step after: `super::properties` compares the two.

use std::rc::Rc;

use proptest::prelude::*;

use crate::datatype::*;

/// A type written out.
#[derive(Clone, Debug)]
pub(in crate::datatype) struct Naive {
    /// Displacement of every byte in type map order.
    pub bytes: Vec<i64>,
    /// Every primitive in type map order, pairs apart.
    pub elements: Vec<Primitive>,
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

    pub fn primitive(named: &Named) -> Self {
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

    pub fn span(&self) -> (i64, i64) {
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

    pub fn blocks(&self, blocks: impl IntoIterator<Item = (i64, i64)>) -> Self {
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

    pub fn resized(mut self, lower: i64, extent: i64) -> Self {
        self.bounds = vec![(lower, lower + extent, true)];
        self
    }
}

pub(in crate::datatype) type Both = (Rc<Datatype>, Naive);

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
pub(in crate::datatype) fn storage_order(
    sizes: &[i64],
    c: bool,
) -> impl Iterator<Item = (i64, Vec<i64>)> {
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

pub(in crate::datatype) fn datatype() -> BoxedStrategy<Both> {
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
pub(in crate::datatype) struct Memory {
    pub bytes: Vec<u8>,
    pub base: usize,
    /// Index into `bytes` of every packed byte.
    pub places: Vec<usize>,
}

impl Memory {
    pub fn new(naive: &Naive, count: usize) -> Self {
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

    pub fn machine(&mut self, datatype: &Datatype, count: usize) -> Machine {
        let base = self.bytes.as_mut_ptr().wrapping_add(self.base);
        // SAFETY: `places` lists every byte that the type map reaches, and
        // `bytes` covers them all; it outlives every use of the machine.
        unsafe { datatype.machine(count, base) }
    }

    pub fn packed(&self) -> Vec<u8> {
        self.places.iter().map(|&place| self.bytes[place]).collect()
    }

    /// A type map that reaches a byte twice cannot be received into.
    pub fn overlaps(&self) -> bool {
        let mut places = self.places.clone();
        places.sort_unstable();
        places.windows(2).any(|pair| pair[0] == pair[1])
    }
}
