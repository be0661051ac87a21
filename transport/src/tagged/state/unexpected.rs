//! The unexpected queue: messages that nobody has asked for yet.
//!
//! Before: an arriving packet whose envelope no posted receive looks for
//! ([`crate::tagged::state::posted`]). After: the receive or probe that finds it here.
//!
//! Messages with one envelope sit in a bucket by its hash, so that finding one costs the same
//! however many wait; a receive with wildcards looks through all in the order of arrival (MPI-5.0
//! section 3.5: messages do not overtake).
//!
//! ```text
//! bucket[hash(envelope)] ─▶ message ─▶ message
//! all ─▶ every message in order of arrival
//! ```
//!
//! Invariant: each list is in order of arrival; a message is in exactly one bucket and in `all`,
//! unless it has been taken out of sight.

use std::cell::{Cell, RefCell};

use crate::tagged::envelope::{CROWD, Envelope, FIRST_BUCKETS, Pattern};

const NONE: u32 = u32::MAX;

/// The lists a message may be in.
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
    envelope: Envelope,
    links: [Neighbours; 2],
    value: Option<T>,
}

#[derive(Debug)]
struct Messages<T> {
    entries: Vec<Entry<T>>,
    /// First of the entries that are not in use, linked by their `next`.
    free: u32,
    buckets: Box<[List]>,
    all: List,
    waiting: usize,
}

impl<T> Default for Messages<T> {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            free: NONE,
            buckets: Box::new([EMPTY; FIRST_BUCKETS]),
            all: EMPTY,
            waiting: 0,
        }
    }
}

impl<T> Messages<T> {
    fn arrive(&mut self, envelope: Envelope, value: T) -> u32 {
        let index = self.entry(envelope, value);
        self.waiting += 1;
        if self.waiting > CROWD * self.buckets.len() {
            self.grow();
        }
        self.append_to_bucket(envelope, index);
        let mut all = self.all;
        self.append_to(&mut all, Link::All, index);
        self.all = all;
        index
    }

    fn append_to_bucket(&mut self, envelope: Envelope, index: u32) {
        let bucket = self.bucket(&envelope);
        let mut list = self.buckets[bucket];
        self.append_to(&mut list, Link::Bucket, index);
        self.buckets[bucket] = list;
    }

    fn bucket(&self, envelope: &Envelope) -> usize {
        envelope.bucket(self.buckets.len())
    }

    /// Deals what waits out to twice as many buckets, in the order of arrival.
    #[cold]
    fn grow(&mut self) {
        self.buckets = vec![EMPTY; self.buckets.len() * 2].into();
        let mut index = self.all.first;
        while index != NONE {
            let entry = &self.entries[index as usize];
            let (envelope, next) = (entry.envelope, entry.links[Link::All as usize].next);
            self.append_to_bucket(envelope, index);
            index = next;
        }
    }

    fn find(&self, pattern: &Pattern) -> Option<u32> {
        let (mut index, link) = match pattern.exact() {
            Some(envelope) => (self.buckets[self.bucket(&envelope)].first, Link::Bucket),
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

    fn find_where(&self, is_it: impl Fn(&Envelope, &T) -> bool) -> Option<u32> {
        let mut index = self.all.first;
        while index != NONE {
            let entry = &self.entries[index as usize];
            if entry
                .value
                .as_ref()
                .is_some_and(|value| is_it(&entry.envelope, value))
            {
                return Some(index);
            }
            index = entry.links[Link::All as usize].next;
        }
        None
    }

    fn hide(&mut self, index: u32) {
        self.waiting -= 1;
        let bucket = self.bucket(&self.entries[index as usize].envelope);
        let mut list = self.buckets[bucket];
        self.unlink_from(&mut list, Link::Bucket, index);
        self.buckets[bucket] = list;
        let mut all = self.all;
        self.unlink_from(&mut all, Link::All, index);
        self.all = all;
    }

    fn take(&mut self, index: u32) -> Option<T> {
        let entry = self.entries.get_mut(index as usize)?;
        let value = entry.value.take()?;
        entry.links[Link::Bucket as usize].next = self.free;
        self.free = index;
        Some(value)
    }

    fn entry(&mut self, envelope: Envelope, value: T) -> u32 {
        let entry = Entry {
            envelope,
            links: [ALONE; 2],
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

/// Messages that wait, each a `T`. It is borrowed for the length of one call only, and the number
/// of messages can be read without that.
#[derive(Debug)]
pub struct UnexpectedQueue<T> {
    messages: RefCell<Messages<T>>,
    waiting: Cell<usize>,
}

impl<T> Default for UnexpectedQueue<T> {
    fn default() -> Self {
        Self {
            messages: RefCell::default(),
            waiting: Cell::new(0),
        }
    }
}

impl<T> UnexpectedQueue<T> {
    /// How many messages wait to be found.
    #[inline(always)]
    pub fn waiting(&self) -> usize {
        self.waiting.get()
    }

    #[inline(always)]
    fn change<R>(&self, change: impl FnOnce(&mut Messages<T>) -> R) -> R {
        let mut messages = self.messages.borrow_mut();
        let result = change(&mut messages);
        self.waiting.set(messages.waiting);
        result
    }

    /// Adds a message with `envelope`; gives its index.
    pub fn arrive(&self, envelope: Envelope, value: T) -> u32 {
        self.change(|messages| messages.arrive(envelope, value))
    }

    /// The oldest message that `pattern` looks for.
    #[inline(always)]
    pub fn find_message(&self, pattern: &Pattern) -> Option<u32> {
        if self.waiting() == 0 {
            return None;
        }
        self.search(*pattern)
    }

    #[inline(never)]
    fn search(&self, pattern: Pattern) -> Option<u32> {
        self.messages.borrow().find(&pattern)
    }

    /// The oldest message that waits and is the one looked for.
    pub fn find_where(&self, is_it: impl Fn(&Envelope, &T) -> bool) -> Option<u32> {
        self.messages.borrow().find_where(is_it)
    }

    /// A message's envelope.
    pub fn envelope(&self, index: u32) -> Envelope {
        self.messages.borrow().entries[index as usize].envelope
    }

    /// Looks at, or changes, a message that has not been taken.
    pub fn with<R>(&self, index: u32, look: impl FnOnce(&mut T) -> R) -> Option<R> {
        let mut messages = self.messages.borrow_mut();
        let value = messages.entries.get_mut(index as usize)?.value.as_mut();
        value.map(look)
    }

    /// Makes a message invisible to further searches; it keeps its index.
    pub fn hide(&self, index: u32) {
        self.change(|messages| messages.hide(index));
    }

    /// Takes a hidden message away.
    pub fn take(&self, index: u32) -> Option<T> {
        self.change(|messages| messages.take(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn however_many_wait_a_look_is_short_and_in_order() {
        let queue = UnexpectedQueue::default();
        let envelope = |tag| Envelope {
            context: 1,
            source: 0,
            tag,
        };
        for number in 0..20_000 {
            queue.arrive(envelope(number % 10_000), number);
        }
        let longest = |messages: &Messages<i32>| {
            let mut lengths = vec![0; messages.buckets.len()];
            for entry in &messages.entries {
                lengths[messages.bucket(&entry.envelope)] += 1;
            }
            lengths.into_iter().max().unwrap()
        };
        assert!(longest(&queue.messages.borrow()) <= 16);
        for number in 0..20_000 {
            let pattern = Pattern::exactly(envelope(number % 10_000));
            let index = queue.find_message(&pattern).unwrap();
            queue.hide(index);
            assert_eq!(queue.take(index), Some(number));
        }
        assert_eq!(queue.waiting(), 0);
    }
}
