//! Short accesses to memory that is not mapped here, done by a target that waits.
//!
//! Before: a put, a get or an accumulate of few bytes side by side, to a part that only the kernel could reach. After: the target, which
//! waits in a call, has found the request in its mailbox ([`pamir_shm::window::mailbox`]) and has done it; or nothing is done, and the
//! other ways serve.
//!
//! ```text
//! words   what │ place │ bytes │ data, or what the elements were before (64 bytes)
//! ```
//!
//! Invariants: the target checks that the place lies in its part; an accumulate closes the gate like any other.

use std::rc::Rc;

use pamir_shm::window::mailbox::WORDS;

use super::Window;
use super::accumulate::{Accumulate, Change};
use super::message::{change_of, what_of};
use super::transfer::Remote;
use crate::context::Context;
use crate::gather_scatter::Machine;
use crate::one_sided::scattered::Direction;
use crate::operation::{Operation, extent_bytes};

/// The longest data that a request carries.
const MOST_BYTES: usize = 8 * (WORDS - DATA);

/// The first word of the data.
const DATA: usize = 3;

/// Accesses that a target did not attend to before it is woken.
const ROUSED_AFTER: u32 = 16;

const PUT: u64 = 1 << 17;
const GET: u64 = 1 << 18;
const REFUSED: u64 = 1 << 19;

type Words = [u64; WORDS];

fn bytes_of(words: &Words) -> [u8; MOST_BYTES] {
    let mut bytes = [0; MOST_BYTES];
    for (place, word) in bytes.chunks_exact_mut(8).zip(&words[DATA..]) {
        place.copy_from_slice(&word.to_ne_bytes());
    }
    bytes
}

fn set_bytes(words: &mut Words, bytes: &[u8]) {
    for (word, bytes) in words[DATA..].iter_mut().zip(bytes.chunks(8)) {
        let mut whole = [0; 8];
        whole[..bytes.len()].copy_from_slice(bytes);
        *word = u64::from_ne_bytes(whole);
    }
}

impl Window {
    /// Lets this task, whenever it waits, do what others ask of it.
    pub(super) fn attend(self: &Rc<Self>, context: &Context) {
        let window = Rc::downgrade(self);
        context.one_sided.attended.add(self.number, move || {
            window.upgrade().is_some_and(|window| {
                let mailbox = &window.words.member(window.rank()).mailbox;
                mailbox.attend(|words| window.serve_mail(words))
            })
        });
    }

    /// Where `bytes` bytes side by side lie at a target that may be asked; none if it is to be reached otherwise.
    fn addressable(&self, context: &Context, to: Remote<'_>) -> Option<i64> {
        if to.bytes > MOST_BYTES || self.part(to.rank).here.is_some() {
            return None;
        }
        let count = to.bytes.div_ceil(to.element.bytes().max(1));
        let (displacement, _) = to.element.contiguous_times(count)?;
        self.attends(context, to.rank)
            .then_some(to.at + displacement)
    }

    /// Whether a target waits in a call. One that sleeps is woken where it is asked again and again: it may have time.
    pub(super) fn attends(&self, context: &Context, rank: usize) -> bool {
        if context.is_job_oversubscribed() {
            return false;
        }
        let attends = self.words.member(rank).mailbox.is_attended();
        if !attends {
            self.miss(context, rank);
        }
        attends
    }

    fn miss(&self, context: &Context, rank: usize) {
        let misses = self.misses.get().wrapping_add(1);
        self.misses.set(misses);
        if misses.is_multiple_of(ROUSED_AFTER) {
            context.wake(self.task(rank));
        }
    }

    /// Has the target do it; whether it did.
    fn ask_by_mail(&self, rank: usize, words: &mut Words) -> bool {
        self.words.member(rank).mailbox.ask(words) && words[0] != REFUSED
    }

    /// A put or a get; whether it is done.
    pub(super) fn transfer_by_mail(
        &self,
        context: &Context,
        direction: Direction,
        remote: Remote<'_>,
        here: &Machine,
    ) -> bool {
        let Some(at) = self.addressable(context, remote) else {
            return false;
        };
        let (mut here, mut data) = (here.clone(), [0; MOST_BYTES]);
        let data = &mut data[..remote.bytes];
        let mut words = [0; WORDS];
        words[1..DATA].copy_from_slice(&[at as u64, remote.bytes as u64]);
        match direction {
            Direction::Put => {
                here.pack(data);
                words[0] = PUT;
                set_bytes(&mut words, data);
                self.ask_by_mail(remote.rank, &mut words)
            }
            Direction::Get => {
                words[0] = GET;
                let done = self.ask_by_mail(remote.rank, &mut words);
                if done {
                    here.unpack(&bytes_of(&words)[..remote.bytes]);
                }
                done
            }
        }
    }

    /// An accumulate; whether it is done.
    pub(super) fn accumulate_by_mail(
        &self,
        context: &Context,
        to: Remote<'_>,
        accumulate: &Accumulate<'_>,
        result: Option<&mut Machine>,
    ) -> bool {
        let primitive = accumulate.primitive;
        let dense = extent_bytes(primitive) == primitive.bytes();
        let ordered = self.has_no_accumulate();
        if !dense || !ordered || accumulate.incoming.len() > MOST_BYTES {
            return false;
        }
        let Some(at) = self.addressable(context, to) else {
            return false;
        };
        let mut words = [0; WORDS];
        words[..DATA].copy_from_slice(&[what_of(accumulate, true), at as u64, to.bytes as u64]);
        set_bytes(&mut words, accumulate.incoming);
        let done = self.ask_by_mail(to.rank, &mut words);
        if let (true, Some(result)) = (done, result) {
            result.unpack(&bytes_of(&words)[..to.bytes]);
        }
        done
    }

    /// Does what a request says, at the target.
    fn serve_mail(&self, words: &mut Words) {
        self.served.set(self.served.get() + 1);
        if !self.has_served(words) {
            words[0] = REFUSED;
        }
    }

    fn has_served(&self, words: &mut Words) -> bool {
        let [_, at, bytes, ..] = *words;
        let (at, bytes) = (at as i64, bytes as usize);
        let mut data = bytes_of(words);
        let served = (bytes <= MOST_BYTES).then(|| {
            self.with_own(at, bytes, |elements| {
                self.do_as_said(words, &mut data, elements)
            })
        });
        served.flatten().unwrap_or(false)
    }

    /// Does what a request says with the elements that it names.
    fn do_as_said(&self, words: &mut Words, data: &mut [u8], elements: &mut [u8]) -> bool {
        let (what, bytes) = (words[0], elements.len());
        match what {
            PUT => elements.copy_from_slice(&data[..bytes]),
            GET => set_bytes(words, elements),
            what => {
                let Some((change, primitive)) = change_of(what) else {
                    return false;
                };
                let fits = match change {
                    Change::CompareAndSwap => 2 * bytes <= MOST_BYTES,
                    Change::Combine(operation) => {
                        let moves = operation.is_one_sided_only();
                        moves || operation.check(primitive).is_ok()
                    }
                };
                if !fits || !bytes.is_multiple_of(primitive.bytes()) {
                    return false;
                }
                let incoming = match change {
                    Change::CompareAndSwap => 2 * bytes,
                    Change::Combine(Operation::NoOperation) => 0,
                    Change::Combine(_) => bytes,
                };
                let incoming = &mut data[..incoming];
                let _inside = self.words.member(self.rank()).gate.enter();
                set_bytes(words, elements);
                let accumulate = Accumulate {
                    change,
                    primitive,
                    incoming,
                };
                accumulate.apply(elements);
            }
        }
        true
    }
}
