//! The posted queue: receives that wait for their messages.
//!
//! Before: a receive whose message has not come. After: an arriving packet takes the oldest
//! receive that looks for its envelope, and its bytes go to that one's buffer.
//!
//! A receive with one exact envelope sits in a bucket by its hash, so that finding it costs the
//! same however many wait; receives with wildcards sit in a list of their own. Each has its
//! place in the order of posting, and of two candidates the older one wins (MPI-5.0 section 3.5:
//! messages do not overtake).
//!
//! ```text
//! bucket[hash(envelope)] ─▶ request ─▶ request
//! wild ─▶ request with wildcards
//! ```
//!
//! The links are part of the [`Request`], so posting allocates nothing, but when more than
//! [`CROWD`] a bucket wait: then there are twice as many buckets from then on. Invariant: each list
//! is in order of age; a request that waits is in exactly one list.

use std::cell::Cell;

use crate::tagged::envelope::{CROWD, Envelope, FIRST_BUCKETS, Pattern};
use crate::tagged::state::kept;
use crate::tagged::state::request::{Link, Request};

#[derive(Debug, Default)]
struct List {
    first: Link,
    last: Link,
}

impl List {
    #[inline(always)]
    fn append(&self, request: &'static Request) {
        let last = self.last.replace(Some(request));
        request.place.previous.set(last);
        request.place.next.set(None);
        match last {
            None => self.first.set(Some(request)),
            Some(last) => last.place.next.set(Some(request)),
        }
    }

    #[inline(always)]
    fn unlink(&self, request: &Request) {
        let (previous, next) = (request.place.previous.get(), request.place.next.get());
        match previous {
            None => self.first.set(next),
            Some(previous) => previous.place.next.set(next),
        }
        match next {
            None => self.last.set(previous),
            Some(next) => next.place.previous.set(previous),
        }
    }

    /// [`Self::unlink`] of the first one.
    #[inline(always)]
    fn unlink_first(&self, request: &Request) {
        let next = request.place.next.get();
        self.first.set(next);
        match next {
            None => self.last.set(None),
            Some(next) => next.place.previous.set(None),
        }
    }

    /// The first one that `wants` says yes to.
    #[inline(always)]
    fn find(&self, wants: impl Fn(&Pattern) -> bool) -> Option<&'static Request> {
        let mut candidate = self.first.get();
        while let Some(request) = candidate {
            if wants(&request.place.wanted.get()) {
                return Some(request);
            }
            candidate = request.place.next.get();
        }
        None
    }
}

/// Receives that wait.
#[derive(Debug)]
pub struct PostedQueue {
    /// Kept for the life of the process, as requests are; all that were outgrown are together
    /// shorter than these.
    buckets: Cell<&'static [List]>,
    wild: List,
    order: Cell<u64>,
    waiting: Cell<usize>,
}

impl Default for PostedQueue {
    fn default() -> Self {
        Self {
            buckets: Cell::new(lists(FIRST_BUCKETS)),
            wild: List::default(),
            order: Cell::new(0),
            waiting: Cell::new(0),
        }
    }
}

fn lists(number: usize) -> &'static [List] {
    let lists: Vec<List> = (0..number).map(|_| List::default()).collect();
    kept::slice(lists)
}

impl PostedQueue {
    /// How many receives wait.
    #[inline(always)]
    pub fn waiting(&self) -> usize {
        self.waiting.get()
    }

    #[inline(always)]
    fn list(&self, pattern: &Pattern) -> &List {
        match pattern.exact() {
            Some(envelope) => self.bucket(&envelope),
            None => &self.wild,
        }
    }

    #[inline(always)]
    fn bucket(&self, envelope: &Envelope) -> &'static List {
        let buckets = self.buckets.get();
        &buckets[envelope.bucket(buckets.len())]
    }

    /// Deals what waits out to twice as many buckets, oldest first.
    #[cold]
    #[inline(never)]
    fn grow(&self) {
        let old = self.buckets.get();
        self.buckets.set(lists(old.len() * 2));
        for list in old {
            let mut next = list.first.take();
            while let Some(request) = next {
                next = request.place.next.get();
                self.list(&request.place.wanted.get()).append(request);
            }
        }
    }

    /// Adds a receive that looks for `pattern`.
    #[inline(always)]
    pub fn post(&self, pattern: Pattern, request: &'static Request) {
        let place = &request.place;
        place.wanted.set(pattern);
        place.waits.set(true);
        place.order.set(self.order.replace(self.order.get() + 1));
        self.waiting.set(self.waiting.get() + 1);
        if self.waiting.get() > CROWD * self.buckets.get().len() {
            self.grow();
        }
        self.list(&pattern).append(request);
    }

    /// Takes the oldest receive that looks for `envelope`.
    #[inline(always)]
    pub fn take_receive(&self, envelope: &Envelope) -> Option<&'static Request> {
        let bucket = self.bucket(envelope);
        // Nothing but receives with just one envelope is in a bucket.
        let exact = bucket.find(|wanted| wanted.names(envelope));
        if self.wild.first.get().is_some() {
            return self.take_older(envelope, bucket, exact);
        }
        self.take(bucket, exact?)
    }

    /// Takes the oldest receive that looks for `envelope`, with what `accept` says of it, if it is the
    /// first of its bucket, no receive leaves anything open, and `accept` says something; else
    /// [`Self::take_receive`] does.
    #[inline(always)]
    pub fn take_first<T>(
        &self,
        envelope: &Envelope,
        accept: impl FnOnce(&'static Request) -> Option<T>,
    ) -> Option<(&'static Request, T)> {
        let bucket = self.bucket(envelope);
        let request = bucket.first.get()?;
        if !request.place.wanted.get().names(envelope) || self.wild.first.get().is_some() {
            return None;
        }
        let accepted = accept(request)?;
        bucket.unlink_first(request);
        self.end_wait(request);
        Some((request, accepted))
    }

    #[inline(always)]
    fn take(&self, list: &List, request: &'static Request) -> Option<&'static Request> {
        list.unlink(request);
        self.end_wait(request);
        Some(request)
    }

    #[inline(always)]
    fn end_wait(&self, request: &Request) {
        request.place.waits.set(false);
        self.waiting.set(self.waiting.get() - 1);
    }

    #[cold]
    #[inline(never)]
    fn take_older(
        &self,
        envelope: &Envelope,
        bucket: &List,
        exact: Option<&'static Request>,
    ) -> Option<&'static Request> {
        let age = |request: &Request| request.place.order.get();
        match (exact, self.wild.find(|wanted| wanted.matches(envelope))) {
            (None, wild) => self.take(&self.wild, wild?),
            (Some(exact), Some(wild)) if age(wild) < age(exact) => self.take(&self.wild, wild),
            (Some(exact), _) => self.take(bucket, exact),
        }
    }

    /// Takes a receive back, if it still waits; whether it did.
    pub fn withdraw(&self, request: &'static Request) -> bool {
        if !request.place.waits() {
            return false;
        }
        let wanted = request.place.wanted.get();
        self.take(self.list(&wanted), request).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tagged::buffer::Buffer;
    use crate::tagged::state::request::{RequestId, Requests};
    use crate::tagged::state::unexpected::UnexpectedQueue;
    use proptest::prelude::*;

    /// The longest look from the front of a bucket.
    fn longest(queue: &PostedQueue) -> usize {
        let length = |list: &List| {
            let next = |request: &&'static Request| request.place.next.get();
            std::iter::successors(list.first.get(), next).count()
        };
        queue.buckets.get().iter().map(length).max().unwrap()
    }

    #[test]
    fn however_many_wait_a_look_is_short_and_in_order() {
        let (requests, posted) = (Requests::default(), PostedQueue::default());
        let mut ids = Vec::new();
        for round in 0..2 {
            for tag in 0..10_000 {
                let (id, request) = requests.start(NOWHERE);
                posted.post(Pattern::new(1, Some(0), Some(tag)), request);
                ids.push(id);
            }
            assert!(longest(&posted) <= 8 * (round + 1), "{}", longest(&posted));
        }
        for (number, id) in ids.iter().enumerate() {
            let envelope = Envelope {
                context: 1,
                source: 0,
                tag: (number % 10_000) as i32,
            };
            assert_eq!(posted.take_receive(&envelope).unwrap().id(), *id);
        }
        assert_eq!(posted.waiting(), 0);
    }

    const NOWHERE: Buffer = Buffer::Contiguous {
        address: std::ptr::null_mut(),
        bytes: 0,
    };

    fn pattern(source: u32, tag: i32) -> Pattern {
        let open = |value: u32| (value != 3).then_some(value);
        Pattern::new(1, open(source), open(tag as u32).map(|tag| tag as i32))
    }

    proptest! {
        /// Both queues against two plain lists that are searched from the front.
        #[test]
        fn matches_like_a_list(
            steps in prop::collection::vec(
                (any::<bool>(), 0_u32..4, 0_i32..4, any::<bool>()),
                1..300,
            ),
        ) {
            let requests = Requests::default();
            let (posted, unexpected) = (PostedQueue::default(), UnexpectedQueue::default());
            let mut receives: Vec<(Pattern, RequestId)> = Vec::new();
            let mut messages: Vec<(Envelope, usize)> = Vec::new();
            for (number, (receive, source, tag, short)) in steps.into_iter().enumerate() {
                if receive {
                    let wanted = pattern(source, tag);
                    let expected = messages.iter().position(|(envelope, _)| wanted.matches(envelope));
                    let found = unexpected.find_message(&wanted);
                    prop_assert_eq!(found.is_some(), expected.is_some());
                    if let (Some(index), Some(at)) = (found, expected) {
                        unexpected.hide(index);
                        prop_assert_eq!(unexpected.take(index), Some(messages.remove(at).1));
                    } else {
                        let (id, request) = requests.start(NOWHERE);
                        posted.post(wanted, request);
                        receives.push((wanted, id));
                    }
                } else {
                    let envelope = Envelope { context: 1, source: source % 3, tag: tag % 3 };
                    let expected = receives.iter().position(|(wanted, _)| wanted.matches(&envelope));
                    // The fast path first, which may be refused, with nothing changed.
                    let accept = |_: &Request| short.then_some(());
                    let first = posted.take_first(&envelope, accept).map(|(request, ())| request);
                    let found = first.or_else(|| posted.take_receive(&envelope)).map(Request::id);
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

        /// Receives are taken back from anywhere in the queue, once.
        #[test]
        fn receives_are_withdrawn_once(
            posts in prop::collection::vec((0_u32..4, 0_i32..4), 1..50),
            picks in prop::collection::vec(any::<prop::sample::Index>(), 1..50),
        ) {
            let requests = Requests::default();
            let posted = PostedQueue::default();
            let mut waiting: Vec<_> = posts.into_iter().map(|(source, tag)| {
                let (_, request) = requests.start(NOWHERE);
                posted.post(pattern(source, tag), request);
                request
            }).collect();
            for pick in picks {
                if waiting.is_empty() {
                    break;
                }
                let request = waiting.remove(pick.index(waiting.len()));
                prop_assert!(posted.withdraw(request));
                prop_assert!(!posted.withdraw(request));
                prop_assert_eq!(posted.waiting(), waiting.len());
            }
            for envelope in (0..3).flat_map(|source| (0..3).map(move |tag| (source, tag))) {
                let (source, tag) = envelope;
                let envelope = Envelope { context: 1, source, tag };
                while let Some(request) = posted.take_receive(&envelope) {
                    let at = waiting.iter().position(|waits| std::ptr::eq(*waits, request));
                    waiting.remove(at.unwrap());
                }
            }
            prop_assert_eq!(posted.waiting(), waiting.len());
        }
    }
}
