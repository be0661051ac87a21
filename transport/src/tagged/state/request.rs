//! Requests: operations under way.
//!
//! Before: a send or receive that cannot be finished at once takes a slot here. After: the
//! caller sees that it is complete, reads its [`Outcome`], and gives the slot back.
//!
//! | from      | to        | by |
//! |-----------|-----------|----|
//! | free      | active    | `Requests::start` |
//! | active    | complete  | `Requests::complete`, `Requests::finish` |
//! | complete  | free      | `Requests::free` |
//! | active    | detached  | `Requests::detach`: nobody will ask again |
//! | detached  | free      | `Requests::finish` |
//!
//! A [`RequestId`] carries the slot's generation, so that an id that was given back, or one
//! that a peer invented, is recognised. Slots lie in blocks that are made once and kept for
//! the life of the process, so a reference to one stays good.
//!
//! Invariant: `under_way` is the number of those that are active or detached.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::tagged::buffer::Buffer;
use crate::tagged::envelope::{Envelope, Pattern};
use crate::tagged::state::kept;

const BLOCK: usize = 64;

type Block = [Request; BLOCK];

/// Names a request; never 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RequestId(u64);

impl RequestId {
    fn new(index: usize, generation: u32) -> Self {
        Self(index as u64 | u64::from(generation) << 32)
    }

    /// As it travels in packets and descriptors.
    #[inline(always)]
    pub fn word(self) -> u64 {
        self.0
    }

    /// The id that a word stands for; whether it names anything is seen when it is used.
    #[inline(always)]
    pub fn from_word(word: u64) -> Self {
        Self(word)
    }

    #[inline(always)]
    fn index(self) -> usize {
        self.0 as u32 as usize
    }

    #[inline(always)]
    fn generation(self) -> u32 {
        (self.0 >> 32) as u32
    }
}

/// How far a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The slot is not in use.
    Free,
    /// Under way.
    Active,
    /// Under way, and to be freed as soon as it is done.
    Detached,
    /// Done; its outcome can be read.
    Complete,
}

/// How a request ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The task at the other end.
    pub task: u32,
    /// The message's tag.
    pub tag: i32,
    /// Bytes that were sent, or received (at most what there was room for).
    pub bytes: usize,
    /// Bytes that the message had.
    pub message_bytes: usize,
    /// The message was longer than the buffer.
    pub truncated: bool,
    /// The receive was taken back before a message came.
    pub cancelled: bool,
}

/// A neighbour in a list of the posted queue ([`super::posted`]).
pub(in crate::tagged) type Link = Cell<Option<&'static Request>>;

/// What a request has to wait in the queue.
pub struct Place {
    pub(in crate::tagged) wanted: Cell<Pattern>,
    pub(in crate::tagged) order: Cell<u64>,
    pub(in crate::tagged) previous: Link,
    pub(in crate::tagged) next: Link,
    pub(in crate::tagged) waits: Cell<bool>,
}

impl std::fmt::Debug for Place {
    /// Without the links, which lead around in circles.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut place = f.debug_struct("Place");
        place.field("wanted", &self.wanted);
        place.field("order", &self.order);
        place.field("waits", &self.waits);
        place.finish_non_exhaustive()
    }
}

impl Default for Place {
    fn default() -> Self {
        Self {
            wanted: Cell::new(Pattern::new(0, None, None)),
            order: Cell::new(0),
            previous: Cell::new(None),
            next: Cell::new(None),
            waits: Cell::new(false),
        }
    }
}

impl Place {
    /// The source that is looked for, if it is just one.
    pub fn source(&self) -> Option<u32> {
        self.wanted.get().source()
    }

    /// Whether the request waits in the queue.
    pub fn waits(&self) -> bool {
        self.waits.get()
    }
}

/// One operation under way. It begins at a line: each of many takes three, and not a piece of a fourth.
#[repr(align(64))]
pub struct Request {
    generation: Cell<u32>,
    phase: Cell<Phase>,
    next_free: Cell<Option<&'static Request>>,
    /// For the layer above: a number of its own, such as the handle of a communicator.
    pub owner: Cell<u64>,
    /// For the layer above: what must live until it has read the outcome.
    pub keeps: RefCell<Option<Rc<dyn Any>>>,
    /// The message's memory.
    pub buffer: RefCell<Buffer>,
    /// How it ended.
    pub outcome: Cell<Outcome>,
    /// Where a receive waits that is not matched.
    pub(crate) place: Place,
    /// Its place among all requests.
    index: u32,
    /// The generation of the last send that it was.
    send: Cell<u32>,
}

const _: () = assert!(size_of::<Request>() == 3 * 64);

impl std::fmt::Debug for Request {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut request = f.debug_struct("Request");
        request.field("id", &self.id()).field("phase", &self.phase);
        request
            .field("outcome", &self.outcome)
            .finish_non_exhaustive()
    }
}

impl Request {
    fn empty(index: u32) -> Self {
        Self {
            generation: Cell::new(1),
            phase: Cell::new(Phase::Free),
            next_free: Cell::new(None),
            owner: Cell::new(0),
            keeps: RefCell::new(None),
            buffer: RefCell::new(NOTHING),
            outcome: Cell::default(),
            place: Place::default(),
            index,
            send: Cell::new(0),
        }
    }

    /// What names it now.
    #[inline(always)]
    pub fn id(&self) -> RequestId {
        RequestId::new(self.index as usize, self.generation.get())
    }

    /// How far it is.
    #[inline(always)]
    pub fn phase(&self) -> Phase {
        self.phase.get()
    }

    /// The task at its other end, without which it does not go on, if that is known.
    #[inline(always)]
    pub fn awaits(&self) -> Option<usize> {
        let task = if self.place.waits() {
            self.place.source()
        } else {
            Some(self.outcome.get().task)
        };
        task.map(|task| task as usize)
    }

    /// Says that it is a send, which its caller may withdraw.
    pub(crate) fn mark_send(&self) {
        self.send.set(self.generation.get());
    }

    /// Whether [`Self::mark_send`] has said so.
    pub(crate) fn is_send(&self) -> bool {
        self.send.get() == self.generation.get()
    }

    #[inline(always)]
    fn is_under_way(&self) -> bool {
        matches!(self.phase.get(), Phase::Active | Phase::Detached)
    }

    /// Whether its outcome can be read.
    #[inline(always)]
    pub fn is_complete(&self) -> bool {
        self.phase.get() == Phase::Complete
    }
}

const NOTHING: Buffer = Buffer::Contiguous {
    address: std::ptr::null_mut(),
    bytes: 0,
};

/// Places for twice as many blocks, with those that there are.
fn longer(blocks: &[Cell<Option<&'static Block>>]) -> &'static [Cell<Option<&'static Block>>] {
    let mut longer = blocks.to_vec();
    longer.resize((blocks.len() * 2).max(1), Cell::new(None));
    kept::slice(longer)
}

/// All requests of a context.
#[derive(Default)]
pub struct Requests {
    /// Kept for the life of the process, as the blocks are: all that were outgrown are together
    /// shorter than this.
    blocks: Cell<&'static [Cell<Option<&'static Block>>]>,
    made: Cell<usize>,
    /// The first slot that is not in use, linked by `next_free`.
    free: Cell<Option<&'static Request>>,
    under_way: Cell<usize>,
}

impl std::fmt::Debug for Requests {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let blocks = self.made.get();
        f.debug_struct("Requests").field("blocks", &blocks).finish()
    }
}

impl Requests {
    /// Takes a slot for an operation on `buffer`.
    #[inline(always)]
    pub fn start(&self, buffer: Buffer) -> (RequestId, &'static Request) {
        let request = self.free.get().unwrap_or_else(|| self.grow());
        self.free.set(request.next_free.get());
        self.under_way.set(self.under_way.get() + 1);
        request.phase.set(Phase::Active);
        // What `free` left there owns nothing, so that nothing has to be given back.
        std::mem::forget(request.buffer.replace(buffer));
        (request.id(), request)
    }

    /// How many operations are not done.
    #[inline(always)]
    pub fn under_way(&self) -> usize {
        self.under_way.get()
    }

    #[inline(always)]
    fn note_done(&self) {
        self.under_way.set(self.under_way.get() - 1);
    }

    /// Makes a block of slots; gives the first.
    #[cold]
    #[inline(never)]
    fn grow(&self) -> &'static Request {
        let made = self.made.replace(self.made.get() + 1);
        if made == self.blocks.get().len() {
            self.blocks.set(longer(self.blocks.get()));
        }
        let first = (made * BLOCK) as u32;
        let request = |number: usize| Request::empty(first + number as u32);
        // Kept for the life of the process, as the module's text says: slots are reused.
        let block: &'static Block = kept::one(Box::new(std::array::from_fn(request)));
        for request in block.iter().rev() {
            request.next_free.set(self.free.replace(Some(request)));
        }
        self.blocks.get()[made].set(Some(block));
        &block[0]
    }

    #[inline(always)]
    fn slot(&self, index: usize) -> Option<&'static Request> {
        let block = self.blocks.get().get(index / BLOCK)?.get()?;
        Some(&block[index % BLOCK])
    }

    /// The request with this id, unless it was given back or never existed.
    #[inline(always)]
    pub fn get(&self, id: RequestId) -> Option<&'static Request> {
        let request = self.slot(id.index())?;
        let current = request.generation.get() == id.generation();
        (current && request.phase.get() != Phase::Free).then_some(request)
    }

    /// Those whose outcome can be read.
    pub fn complete_ones(&self) -> impl Iterator<Item = &'static Request> {
        let blocks = self.blocks.get().iter().filter_map(Cell::get);
        blocks.flatten().filter(|request| request.is_complete())
    }

    /// The operation is done: its outcome can be read, or, if nobody will, it is freed.
    #[inline(always)]
    pub fn finish(&self, id: RequestId, request: &'static Request, outcome: Outcome) {
        let is_detached = request.phase() == Phase::Detached;
        self.complete(request, outcome);
        if is_detached {
            self.free(id, request);
        }
    }

    /// The same, for one that is not detached.
    #[inline(always)]
    pub(crate) fn complete(&self, request: &Request, outcome: Outcome) {
        debug_assert!(request.is_under_way());
        self.note_done();
        request.outcome.set(outcome);
        request.phase.set(Phase::Complete);
    }

    /// Nobody will ask for the outcome.
    pub fn detach(&self, id: RequestId, request: &'static Request) {
        match request.phase.get() {
            Phase::Complete => self.free(id, request),
            Phase::Active => request.phase.set(Phase::Detached),
            Phase::Free | Phase::Detached => {}
        }
    }

    /// Gives the slot back; the id names nothing from now on.
    #[inline(always)]
    pub fn free(&self, id: RequestId, request: &'static Request) {
        debug_assert_eq!(request.generation.get(), id.generation());
        if request.is_under_way() {
            self.note_done();
        }
        request.phase.set(Phase::Free);
        // 31 bits, so that the layer above can mark an id as its own in the top bit.
        request
            .generation
            .set(((request.generation.get() + 1) & 0x7FFF_FFFF).max(1));
        debug_assert!(!request.place.waits());
        request.owner.set(0);
        if request.keeps.borrow().is_some() {
            request.keeps.take();
        }
        if matches!(*request.buffer.borrow(), Buffer::Noncontiguous(_)) {
            request.buffer.replace(NOTHING);
        }
        request.next_free.set(self.free.replace(Some(request)));
    }
}

/// How the receive of a message of `total` bytes into `room` bytes ends.
#[inline(always)]
pub(in crate::tagged) fn outcome(envelope: &Envelope, total: usize, room: usize) -> Outcome {
    Outcome {
        task: envelope.source,
        tag: envelope.tag,
        bytes: total.min(room),
        message_bytes: total,
        truncated: total > room,
        cancelled: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_recognised_once() {
        let requests = Requests::default();
        let ids: Vec<_> = (0..200).map(|_| requests.start(NOTHING)).collect();
        for (id, request) in &ids {
            assert!(std::ptr::eq(requests.get(*id).unwrap(), *request));
            assert_eq!(RequestId::from_word(id.word()), *id);
        }
        let (id, request) = ids[70];
        requests.finish(
            id,
            request,
            Outcome {
                tag: 5,
                ..Outcome::default()
            },
        );
        assert_eq!(
            (request.is_complete(), request.outcome.get().tag),
            (true, 5)
        );
        assert_eq!(requests.under_way(), 199);
        requests.free(id, request);
        assert!(requests.get(id).is_none());
        let (again, _) = requests.start(NOTHING);
        assert_eq!(requests.under_way(), 200);
        requests.free(again, requests.get(again).unwrap());
        assert_eq!(requests.under_way(), 199);
        assert_ne!(again, id);
        assert!(requests.get(RequestId::from_word(u64::MAX)).is_none());
        assert!(requests.get(RequestId::from_word(0)).is_none());
    }

    #[test]
    fn a_detached_request_frees_itself() {
        let requests = Requests::default();
        let (id, request) = requests.start(NOTHING);
        requests.detach(id, request);
        assert!(requests.get(id).is_some());
        assert_eq!(requests.under_way(), 1);
        requests.finish(id, request, Outcome::default());
        assert!(requests.get(id).is_none() && requests.under_way() == 0);
    }
}
