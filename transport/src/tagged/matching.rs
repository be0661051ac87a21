//! Matching: the posted queue and the unexpected queue.
//!
//! Before: an arriving packet with its envelope, or a receive with its pattern. After: the
//! pair of both.
//!
//! A [`Bin`] holds either queue. Entries with one exact envelope sit in a bucket by its
//! hash, so that finding one costs the same however many wait; entries with wildcards sit
//! in a list of their own; each has its place in the order of arrival, and of two
//! candidates the older one wins (MPI-5.0 section 3.5: messages do not overtake).
//!
//! ```text
//! posted:      bucket[hash(envelope)] ─▶ entry ─▶ entry      unexpected: the same, and
//!              wild ─▶ entry with wildcards                  all ─▶ every entry in order
//! ```
//!
//! Invariant: each list is in order of age; an entry is in exactly one bucket or in
//! `wild`, and in `all` unless it has been taken out of sight.

use std::cell::{Cell, RefCell};

use crate::tagged::envelope::{Envelope, Pattern};

const BUCKETS: usize = 256;
const NONE: u32 = u32::MAX;

/// The lists an entry may be in.
#[derive(Clone, Copy)]
enum Link {
    Bucket = 0,
    All = 1,
}

#[derive(Clone, Copy, Debug)]
struct Neighbours {
    previous: u32,
    next: u32,
}

const ALONE: Neighbours = Neighbours {
    previous: NONE,
    next: NONE,
};

#[derive(Clone, Copy, Debug)]
struct List {
    first: u32,
    last: u32,
}

const EMPTY: List = List {
    first: NONE,
    last: NONE,
};

#[derive(Debug)]
struct Entry<T> {
    pattern: Pattern,
    envelope: Envelope,
    order: u64,
    links: [Neighbours; 2],
    value: Option<T>,
}

/// A queue of receives or of messages that wait to be matched.
#[derive(Debug)]
pub struct Bin<T> {
    entries: Vec<Entry<T>>,
    /// First of the entries that are not in use, linked by their `next`.
    free: u32,
    buckets: Box<[List; BUCKETS]>,
    wild: List,
    all: List,
    order: u64,
    waiting: usize,
}

impl<T> Default for Bin<T> {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            free: NONE,
            buckets: Box::new([EMPTY; BUCKETS]),
            wild: EMPTY,
            all: EMPTY,
            order: 0,
            waiting: 0,
        }
    }
}

impl<T> Bin<T> {
    /// How many entries wait to be found.
    #[inline(always)]
    pub fn waiting(&self) -> usize {
        self.waiting
    }

    /// Adds a receive that looks for `pattern`; gives its index.
    pub fn post(&mut self, pattern: Pattern, value: T) -> u32 {
        let envelope = pattern.exact().unwrap_or(Envelope {
            context: 0,
            source: 0,
            tag: 0,
        });
        let index = self.entry(pattern, envelope, value);
        match pattern.exact() {
            Some(envelope) => self.append(Link::Bucket, Some(bucket(&envelope)), index),
            None => self.append(Link::Bucket, None, index),
        }
        index
    }

    /// Adds a message with `envelope`; gives its index.
    pub fn arrive(&mut self, envelope: Envelope, value: T) -> u32 {
        let pattern = Pattern::new(envelope.context, Some(envelope.source), Some(envelope.tag));
        let index = self.entry(pattern, envelope, value);
        self.append(Link::Bucket, Some(bucket(&envelope)), index);
        self.append_all(index);
        index
    }

    /// Takes the oldest receive that looks for `envelope`.
    #[inline]
    pub fn take_receive(&mut self, envelope: &Envelope) -> Option<T> {
        if self.waiting == 0 {
            return None;
        }
        let bucket = bucket(envelope);
        let first = self.buckets[bucket].first;
        if first != NONE && self.wild.first == NONE {
            let entry = &self.entries[first as usize];
            if entry.pattern.matches(envelope) {
                self.unlink_first(bucket, entry.links[Link::Bucket as usize].next);
                return self.take(first);
            }
        }
        let index = self.oldest_receive(envelope)?;
        self.unlink_bucket(index);
        self.take(index)
    }

    /// Takes the first entry, which `next` follows, out of a bucket.
    #[inline(always)]
    fn unlink_first(&mut self, bucket: usize, next: u32) {
        self.waiting -= 1;
        self.buckets[bucket].first = next;
        match next {
            NONE => self.buckets[bucket].last = NONE,
            next => self.entries[next as usize].links[Link::Bucket as usize].previous = NONE,
        }
    }

    fn oldest_receive(&self, envelope: &Envelope) -> Option<u32> {
        let exact = self.first_match(self.buckets[bucket(envelope)].first, envelope);
        if self.wild.first == NONE {
            return exact;
        }
        let wild = self.first_match(self.wild.first, envelope);
        match (exact, wild) {
            (Some(one), Some(other)) if self.order_of(other) < self.order_of(one) => wild,
            (None, _) => wild,
            _ => exact,
        }
    }

    fn first_match(&self, mut index: u32, envelope: &Envelope) -> Option<u32> {
        while index != NONE {
            let entry = &self.entries[index as usize];
            if entry.pattern.matches(envelope) {
                return Some(index);
            }
            index = entry.links[Link::Bucket as usize].next;
        }
        None
    }

    fn order_of(&self, index: u32) -> u64 {
        self.entries[index as usize].order
    }

    /// The oldest message that `pattern` looks for.
    #[inline]
    pub fn find_message(&self, pattern: &Pattern) -> Option<u32> {
        if self.waiting == 0 {
            return None;
        }
        let (mut index, link) = match pattern.exact() {
            Some(envelope) => (self.buckets[bucket(&envelope)].first, Link::Bucket),
            None => (self.all.first, Link::All),
        };
        while index != NONE {
            let entry = &self.entries[index as usize];
            if pattern.matches(&entry.envelope) {
                return Some(index);
            }
            index = entry.links[link as usize].next;
        }
        None
    }

    /// A message's envelope.
    pub fn envelope(&self, index: u32) -> Envelope {
        self.entries[index as usize].envelope
    }

    /// A message or receive that has not been taken.
    pub fn get_mut(&mut self, index: u32) -> Option<&mut T> {
        self.entries.get_mut(index as usize)?.value.as_mut()
    }

    /// Makes a message invisible to further searches; it keeps its index.
    pub fn hide(&mut self, index: u32) {
        self.unlink_bucket(index);
        self.unlink_all(index);
    }

    /// Takes a hidden message away.
    pub fn take(&mut self, index: u32) -> Option<T> {
        let entry = self.entries.get_mut(index as usize)?;
        let value = entry.value.take()?;
        entry.links[Link::Bucket as usize].next = self.free;
        self.free = index;
        Some(value)
    }

    /// Takes a posted receive back, if it still waits.
    pub fn withdraw(&mut self, index: u32) -> Option<T> {
        self.get_mut(index)?;
        self.unlink_bucket(index);
        self.take(index)
    }

    fn entry(&mut self, pattern: Pattern, envelope: Envelope, value: T) -> u32 {
        self.order += 1;
        let (order, links) = (self.order, [ALONE; 2]);
        let entry = Entry {
            pattern,
            envelope,
            order,
            links,
            value: Some(value),
        };
        if self.free != NONE {
            let index = self.free;
            let slot = &mut self.entries[index as usize];
            self.free = slot.links[Link::Bucket as usize].next;
            *slot = entry;
            return index;
        }
        self.entries.push(entry);
        (self.entries.len() - 1) as u32
    }

    fn append(&mut self, link: Link, bucket: Option<usize>, index: u32) {
        self.waiting += 1;
        let mut list = bucket.map_or(self.wild, |bucket| self.buckets[bucket]);
        self.append_to(&mut list, link, index);
        match bucket {
            Some(bucket) => self.buckets[bucket] = list,
            None => self.wild = list,
        }
    }

    fn append_all(&mut self, index: u32) {
        let mut list = self.all;
        self.append_to(&mut list, Link::All, index);
        self.all = list;
    }

    fn append_to(&mut self, list: &mut List, link: Link, index: u32) {
        self.entries[index as usize].links[link as usize] = Neighbours {
            previous: list.last,
            next: NONE,
        };
        match list.last {
            NONE => list.first = index,
            last => self.entries[last as usize].links[link as usize].next = index,
        }
        list.last = index;
    }

    fn unlink_bucket(&mut self, index: u32) {
        self.waiting -= 1;
        let entry = &self.entries[index as usize];
        match entry.pattern.exact() {
            Some(envelope) => {
                let bucket = bucket(&envelope);
                let mut list = self.buckets[bucket];
                self.unlink_from(&mut list, Link::Bucket, index);
                self.buckets[bucket] = list;
            }
            None => {
                let mut list = self.wild;
                self.unlink_from(&mut list, Link::Bucket, index);
                self.wild = list;
            }
        }
    }

    fn unlink_all(&mut self, index: u32) {
        let mut list = self.all;
        self.unlink_from(&mut list, Link::All, index);
        self.all = list;
    }

    fn unlink_from(&mut self, list: &mut List, link: Link, index: u32) {
        let Neighbours { previous, next } = self.entries[index as usize].links[link as usize];
        match previous {
            NONE => list.first = next,
            previous => self.entries[previous as usize].links[link as usize].next = next,
        }
        match next {
            NONE => list.last = previous,
            next => self.entries[next as usize].links[link as usize].previous = previous,
        }
    }
}

/// A [`Bin`] that is borrowed for the length of one call, and whose number of entries can be
/// read without that.
#[derive(Debug)]
pub struct Queue<T> {
    bin: RefCell<Bin<T>>,
    waiting: Cell<usize>,
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self {
            bin: RefCell::default(),
            waiting: Cell::new(0),
        }
    }
}

impl<T> Queue<T> {
    /// How many entries wait to be found.
    #[inline(always)]
    pub fn waiting(&self) -> usize {
        self.waiting.get()
    }

    #[inline(always)]
    fn change<R>(&self, change: impl FnOnce(&mut Bin<T>) -> R) -> R {
        let mut bin = self.bin.borrow_mut();
        let result = change(&mut bin);
        self.waiting.set(bin.waiting());
        result
    }

    /// [`Bin::post`].
    #[inline]
    pub fn post(&self, pattern: Pattern, value: T) -> u32 {
        self.change(|bin| bin.post(pattern, value))
    }

    /// [`Bin::arrive`].
    pub fn arrive(&self, envelope: Envelope, value: T) -> u32 {
        self.change(|bin| bin.arrive(envelope, value))
    }

    /// [`Bin::take_receive`].
    #[inline]
    pub fn take_receive(&self, envelope: &Envelope) -> Option<T> {
        if self.waiting() == 0 {
            return None;
        }
        self.change(|bin| bin.take_receive(envelope))
    }

    /// [`Bin::find_message`].
    #[inline]
    pub fn find_message(&self, pattern: &Pattern) -> Option<u32> {
        if self.waiting() == 0 {
            return None;
        }
        self.bin.borrow().find_message(pattern)
    }

    /// [`Bin::envelope`].
    pub fn envelope(&self, index: u32) -> Envelope {
        self.bin.borrow().envelope(index)
    }

    /// Looks at, or changes, an entry that has not been taken.
    pub fn with<R>(&self, index: u32, look: impl FnOnce(&mut T) -> R) -> Option<R> {
        self.bin.borrow_mut().get_mut(index).map(look)
    }

    /// [`Bin::hide`].
    pub fn hide(&self, index: u32) {
        self.change(|bin| bin.hide(index));
    }

    /// [`Bin::take`].
    pub fn take(&self, index: u32) -> Option<T> {
        self.change(|bin| bin.take(index))
    }

    /// [`Bin::withdraw`].
    pub fn withdraw(&self, index: u32) -> Option<T> {
        self.change(|bin| bin.withdraw(index))
    }
}

#[inline(always)]
fn bucket(envelope: &Envelope) -> usize {
    envelope.hash() as usize % BUCKETS
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pattern(source: u32, tag: i32) -> Pattern {
        let open = |value: u32| (value != 3).then_some(value);
        Pattern::new(1, open(source), open(tag as u32).map(|tag| tag as i32))
    }

    proptest! {
        /// Against two plain lists that are searched from the front.
        #[test]
        fn matches_like_a_list(steps in prop::collection::vec((any::<bool>(), 0_u32..4, 0_i32..4), 1..300)) {
            let (mut posted, mut unexpected) = (Bin::default(), Bin::default());
            let mut receives: Vec<(Pattern, usize)> = Vec::new();
            let mut messages: Vec<(Envelope, usize)> = Vec::new();
            for (number, (receive, source, tag)) in steps.into_iter().enumerate() {
                if receive {
                    let wanted = pattern(source, tag);
                    let expected = messages.iter().position(|(envelope, _)| wanted.matches(envelope));
                    let found = unexpected.find_message(&wanted);
                    prop_assert_eq!(found.is_some(), expected.is_some());
                    if let (Some(index), Some(at)) = (found, expected) {
                        unexpected.hide(index);
                        prop_assert_eq!(unexpected.take(index), Some(messages.remove(at).1));
                    } else {
                        posted.post(wanted, number);
                        receives.push((wanted, number));
                    }
                } else {
                    let envelope = Envelope { context: 1, source: source % 3, tag: tag % 3 };
                    let expected = receives.iter().position(|(wanted, _)| wanted.matches(&envelope));
                    let found = posted.take_receive(&envelope);
                    prop_assert_eq!(found, expected.map(|at| receives.remove(at).1));
                    if found.is_none() {
                        unexpected.arrive(envelope, number);
                        messages.push((envelope, number));
                    }
                }
                prop_assert_eq!(posted.waiting(), receives.len());
                prop_assert_eq!(unexpected.waiting(), messages.len());
            }
        }
    }

    #[test]
    fn a_receive_can_be_withdrawn_once() {
        let mut posted = Bin::default();
        let index = posted.post(pattern(3, 3), "any");
        assert_eq!(posted.withdraw(index), Some("any"));
        assert_eq!(posted.withdraw(index), None);
        assert_eq!(
            posted.take_receive(&Envelope {
                context: 1,
                source: 0,
                tag: 0
            }),
            None
        );
    }
}
