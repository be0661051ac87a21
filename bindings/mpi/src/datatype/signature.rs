//! The type signature: which primitives follow each other in packed data.
//!
//! Kept as runs (`1000 x Float64`) and repeated groups (`50 x (Int32, 3 x
//! Float32)`), never expanded, with prefix sums of bytes and elements so that
//! any packed offset is found in logarithmic time.
//!
//! Step before: the constructors build it beside the layout. Step after:
//! `super::elements` counts with it, `super::external32` converts along it.
//!
//! Invariants: no run has a count of zero; neighbours of one primitive are
//! one run; `ends` grow strictly.

use std::rc::Rc;

use super::error::DatatypeError;
use super::primitive::Primitive;

/// Groups with at most this many runs are copied into their parent.
const SPLICED_RUNS: usize = 8;

/// What a run repeats.
#[derive(Clone, Debug)]
pub enum Item {
    /// One primitive.
    Basic(Primitive),
    /// A whole signature.
    Group(Rc<Signature>),
}

impl Item {
    fn bytes(&self) -> usize {
        match self {
            Item::Basic(primitive) => primitive.bytes(),
            Item::Group(group) => group.bytes(),
        }
    }

    fn elements(&self) -> usize {
        match self {
            Item::Basic(primitive) => primitive.elements(),
            Item::Group(group) => group.elements(),
        }
    }
}

/// `count` times the same item.
#[derive(Clone, Debug)]
pub struct Run {
    /// What is repeated.
    pub item: Item,
    /// How often.
    pub count: usize,
    /// Packed bytes up to this run's end.
    bytes_end: usize,
    /// Basic elements up to this run's end.
    elements_end: usize,
}

/// The sequence of primitives in one element of a datatype.
#[derive(Clone, Debug, Default)]
pub struct Signature {
    runs: Vec<Run>,
    depth: usize,
}

impl Signature {
    /// Of one primitive.
    pub fn single(primitive: Primitive) -> Rc<Self> {
        let mut signature = Self::default();
        signature
            .append(Item::Basic(primitive), 1)
            .expect("one primitive is a few bytes");
        Rc::new(signature)
    }

    /// Packed bytes.
    pub fn bytes(&self) -> usize {
        self.runs.last().map_or(0, |run| run.bytes_end)
    }

    /// Basic elements (a pair counts two).
    pub fn elements(&self) -> usize {
        self.runs.last().map_or(0, |run| run.elements_end)
    }

    /// The runs in order.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// Levels of groups.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// The only primitive in it, where there is only one kind.
    pub fn uniform(&self) -> Option<Primitive> {
        let mut found = None;
        for run in &self.runs {
            let here = match &run.item {
                Item::Basic(primitive) => *primitive,
                Item::Group(group) => group.uniform()?,
            };
            if *found.get_or_insert(here) != here {
                return None;
            }
        }
        found
    }

    /// This signature `count` times.
    pub(super) fn repeated(self: &Rc<Self>, count: usize) -> Result<Rc<Self>, DatatypeError> {
        if count == 1 {
            return Ok(self.clone());
        }
        let mut signature = Self::default();
        match self.runs.as_slice() {
            _ if count == 0 => {}
            [] => {}
            [run] => {
                let count = run.count.checked_mul(count).ok_or(TOO_LARGE)?;
                signature.append(run.item.clone(), count)?;
            }
            _ => signature.append(Item::Group(self.clone()), count)?,
        }
        Ok(Rc::new(signature))
    }

    /// Appends a whole signature, `count` times.
    pub(super) fn extend(&mut self, other: &Rc<Self>, count: usize) -> Result<(), DatatypeError> {
        let repeated = other.repeated(count)?;
        if repeated.runs.len() <= SPLICED_RUNS {
            for run in &repeated.runs {
                self.append(run.item.clone(), run.count)?;
            }
            Ok(())
        } else {
            self.append(Item::Group(repeated), 1)
        }
    }

    fn append(&mut self, item: Item, count: usize) -> Result<(), DatatypeError> {
        let grow = |end: usize, each: usize| {
            each.checked_mul(count)
                .and_then(|more| end.checked_add(more))
                .filter(|&end| i64::try_from(end).is_ok())
                .ok_or(TOO_LARGE)
        };
        let bytes_end = grow(self.bytes(), item.bytes())?;
        let elements_end = grow(self.elements(), item.elements())?;
        let run = Run {
            item,
            count,
            bytes_end,
            elements_end,
        };
        if let Item::Group(group) = &run.item {
            self.depth = self.depth.max(group.depth + 1);
        }
        match (self.runs.last_mut(), &run.item) {
            (Some(last), Item::Basic(new)) if matches!(&last.item, Item::Basic(old) if old == new) =>
            {
                *last = Run {
                    count: last.count + count,
                    ..run
                };
            }
            (Some(last), Item::Group(new)) if matches!(&last.item, Item::Group(old) if Rc::ptr_eq(old, new)) =>
            {
                *last = Run {
                    count: last.count + count,
                    ..run
                };
            }
            _ => self.runs.push(run),
        }
        Ok(())
    }

    /// Basic elements in the first `bytes` packed bytes, at most one whole
    /// signature; `None` where an element is cut.
    pub(super) fn elements_within(&self, bytes: usize) -> Option<usize> {
        let index = self.runs.partition_point(|run| run.bytes_end <= bytes);
        let (start, before) = match index {
            0 => (0, 0),
            _ => (
                self.runs[index - 1].bytes_end,
                self.runs[index - 1].elements_end,
            ),
        };
        let Some(run) = self.runs.get(index) else {
            return (bytes == start).then_some(before);
        };
        let whole = (bytes - start) / run.item.bytes();
        let rest = (bytes - start) % run.item.bytes();
        let inside = match (&run.item, rest) {
            (_, 0) => 0,
            (Item::Group(group), _) => group.elements_within(rest)?,
            (Item::Basic(primitive), _) => match primitive.pair() {
                Some((first, _)) if first.bytes() == rest => 1,
                _ => return None,
            },
        };
        Some(before + whole * run.item.elements() + inside)
    }

    /// Packed bytes of the first `elements` basic elements, at most one whole
    /// signature.
    pub(super) fn bytes_of(&self, elements: usize) -> usize {
        let index = self
            .runs
            .partition_point(|run| run.elements_end <= elements);
        let (start, before) = match index {
            0 => (0, 0),
            _ => (
                self.runs[index - 1].elements_end,
                self.runs[index - 1].bytes_end,
            ),
        };
        let Some(run) = self.runs.get(index) else {
            return before;
        };
        let whole = (elements - start) / run.item.elements();
        let rest = (elements - start) % run.item.elements();
        let inside = match (&run.item, rest) {
            (_, 0) => 0,
            (Item::Group(group), _) => group.bytes_of(rest),
            (Item::Basic(primitive), _) => primitive.pair().map_or(0, |(first, _)| first.bytes()),
        };
        before + whole * run.item.bytes() + inside
    }

    /// Calls `visit(primitive, count)` for the runs of primitives in order;
    /// pairs arrive as their two members. Stops at the first error.
    pub fn visit<E>(
        &self,
        visit: &mut impl FnMut(Primitive, usize) -> Result<(), E>,
    ) -> Result<(), E> {
        for run in &self.runs {
            match &run.item {
                Item::Group(group) => {
                    for _ in 0..run.count {
                        group.visit(visit)?;
                    }
                }
                Item::Basic(primitive) => match primitive.pair() {
                    None => visit(*primitive, run.count)?,
                    Some((first, second)) if first == second => visit(first, 2 * run.count)?,
                    Some((first, second)) => {
                        for _ in 0..run.count {
                            visit(first, 1)?;
                            visit(second, 1)?;
                        }
                    }
                },
            }
        }
        Ok(())
    }

    /// Sum of `size(primitive)` over all elements of one signature, without
    /// expanding repetitions.
    pub fn total(&self, size: &impl Fn(Primitive) -> usize) -> usize {
        self.runs
            .iter()
            .map(|run| {
                run.count
                    * match &run.item {
                        Item::Group(group) => group.total(size),
                        Item::Basic(primitive) => match primitive.pair() {
                            None => size(*primitive),
                            Some((first, second)) => size(first) + size(second),
                        },
                    }
            })
            .sum()
    }
}

const TOO_LARGE: DatatypeError = DatatypeError::TooLarge { what: "the size" };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn millions_stay_a_few_runs() {
        let mut record = Signature::default();
        record
            .extend(&Signature::single(Primitive::Int32), 1)
            .unwrap();
        record
            .extend(&Signature::single(Primitive::Float64), 3)
            .unwrap();
        let many = Rc::new(record).repeated(1_000_000).unwrap();
        assert_eq!(many.runs().len(), 1);
        assert_eq!(many.bytes(), 28_000_000);
        assert_eq!(many.elements(), 4_000_000);
        assert_eq!(
            many.elements_within(28 * 999_999 + 4 + 8),
            Some(4 * 999_999 + 2)
        );
        assert_eq!(many.elements_within(28 * 999_999 + 5), None);
        assert_eq!(many.uniform(), None);
    }

    #[test]
    fn a_pair_is_two_elements() {
        let pair = Signature::single(Primitive::DoubleInt);
        assert_eq!(pair.elements_within(12), Some(2));
        assert_eq!(pair.elements_within(8), Some(1));
        assert_eq!(pair.elements_within(4), None);
        assert_eq!(pair.uniform(), Some(Primitive::DoubleInt));
    }

    #[test]
    fn overflow_is_refused() {
        let big = Signature::single(Primitive::Float64)
            .repeated(1 << 58)
            .unwrap();
        assert!(big.repeated(1 << 10).is_err());
    }
}
