//! Blocking operations of one round on a board, without futures.
//!
//! Before: a blocking call has its description. After: it is done, or told to take the general
//! way: an algorithm that [`crate::collective::select`] names, polled until it is ready.
//!
//! What: the `posted` algorithm of each kind for data that fit one post, written straight on.
//! Why: a future keeps its variables in memory and finds its way back at every poll; for 8 bytes
//! that and the table's look-up took four times as long as the posts. Members that go the general
//! way, because something else of theirs is under way, post and read exactly the same.
//!
//! Invariants: nothing has happened where an operation says `None`; sizes that go this way are
//! those for which the kind's table names `posted`, or `measured` while posts are the faster
//! (`fast_path_sizes`).

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::task::Poll;

use pamir_driver::unit::UnitError;
use pamir_shm::board::mapped::{Draft, SLOT_BYTES};

use super::fast_path_sizes::Kind;
use super::rounds::{Readers, Rounds, Seen};
use crate::collective::barrier;
use crate::collective::board::kernel_copy;
use crate::collective::combining::{allreduce, reduce};
use crate::collective::data::out_of_place::OutOfPlace;
use crate::collective::error::{CollectiveError, ExchangeError};
use crate::collective::exchange::Exchange;
use crate::collective::geometry::{LOOKS, block_on};
use crate::collective::moving::alltoall::posted::{part_among_others, part_bytes};
use crate::collective::moving::{allgather, alltoall, broadcast, gather, scatter};
use crate::collective::reduction::Reduction;
use crate::collective::select::{Choice, situation};
use crate::context::Context;

/// How an operation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Done {
    /// All of it is done.
    Whole,
    /// It stopped half-way: [`FastPath::reason`] says why.
    Stopped,
}

/// An operation stopped half-way. Why is told on the side, for results that fit a register.
struct Stopped;

type Step<T> = Result<T, Stopped>;

/// Why an operation stopped half-way, as [`block_on`] says it.
pub type Reason = Result<CollectiveError, UnitError>;

/// The way of a blocking operation, where nothing else of this member's is under way.
#[derive(Debug)]
pub struct FastPath<'e, E> {
    context: &'e Context,
    exchange: &'e E,
    board: &'e crate::collective::Board,
    /// Whether all members post in this operation, and this one waits for all of them.
    meets: Cell<bool>,
    reason: RefCell<Option<Reason>>,
}

impl<'e, E: Exchange> FastPath<'e, E> {
    /// The way of the next operation on `exchange`, if it has a board with nothing under way, and
    /// `context` nothing to move on.
    #[inline(always)]
    pub fn open(context: &'e Context, exchange: &'e E) -> Option<Self> {
        let board = exchange.board()?;
        (board.is_free() && context.is_quiet()).then_some(Self {
            context,
            meets: Cell::new(false),
            exchange,
            board,
            reason: RefCell::new(None),
        })
    }

    /// Goes on if the kind's table names `posted` for the size, and the data fit one post.
    #[inline(always)]
    fn serves<A: Choice>(
        &self,
        kind: Kind,
        posted: A,
        bytes: usize,
        post_bytes: usize,
    ) -> Option<()> {
        let sizes = &self.board.fast_path_sizes;
        if post_bytes > SLOT_BYTES
            || bytes >= sizes.posted_end(|| situation(self.exchange, true), kind, posted)
        {
            return None;
        }
        A::table().count(posted);
        Some(())
    }

    /// Goes on as well if the table names `measured`, the data fit a post, and it is the turn of posts; that counts
    /// for the measurement.
    #[inline(always)]
    fn serves_measured<A: Choice>(
        &self,
        kind: Kind,
        [posted, measured]: [A; 2],
        bytes: usize,
        post: (kernel_copy::Kind, usize),
    ) -> Option<Option<kernel_copy::Choice<'e>>> {
        if self.serves(kind, posted, bytes, post.1).is_some() {
            return Some(None);
        }
        self.serves_turn(kind, measured, bytes, post).map(Some)
    }

    #[inline(never)]
    fn serves_turn<A: Choice>(
        &self,
        kind: Kind,
        measured: A,
        bytes: usize,
        (posts, post_bytes): (kernel_copy::Kind, usize),
    ) -> Option<kernel_copy::Choice<'e>> {
        let sizes =
            self.board
                .fast_path_sizes
                .measured(|| situation(self.exchange, true), kind, measured);
        if post_bytes > SLOT_BYTES || !sizes.contains(&bytes) {
            return None;
        }
        let choice = self.board.kernel_copies.choose_posts(posts, post_bytes)?;
        A::table().count(measured);
        Some(choice)
    }

    /// Why the operation stopped half-way, if it did.
    #[cold]
    pub fn reason(&self) -> Option<Reason> {
        self.reason.take()
    }

    #[cold]
    #[inline(never)]
    fn stop(&self, reason: Reason) -> Stopped {
        self.reason.replace(Some(reason));
        Stopped
    }

    /// Runs an operation of one round.
    #[inline(always)]
    fn run(&self, operation: impl FnOnce(&Rounds<'e, E>) -> Step<()>) -> Done {
        let Ok(rounds) = Rounds::at_once(self.exchange, self.board) else {
            self.stop(Ok(ExchangeError::Disturbed.into()));
            return Done::Stopped;
        };
        match operation(&rounds) {
            Ok(()) => {
                rounds.end();
                Done::Whole
            }
            Err(Stopped) => Done::Stopped,
        }
    }

    /// The same; how long it takes counts, if it was measured which way it goes.
    #[inline(always)]
    fn run_measured(
        &self,
        choice: Option<kernel_copy::Choice<'e>>,
        operation: impl FnOnce(&Rounds<'e, E>) -> Step<()>,
    ) -> Done {
        let done = self.run(operation);
        if let Some(choice) = choice {
            choice.end();
        }
        done
    }

    /// Waits long until `look` finds something.
    #[cold]
    #[inline(never)]
    fn wait<T>(&self, look: impl Fn() -> Option<T>) -> Step<T> {
        let found = block_on(
            self.context,
            poll_fn(|_| {
                for _ in 0..self.exchange.looks() {
                    if let Some(found) = look() {
                        return Poll::Ready(found);
                    }
                    std::hint::spin_loop();
                }
                Poll::Pending
            }),
        );
        found.map_err(|error| self.stop(Err(error)))
    }

    #[inline(always)]
    fn draft<'r>(&self, rounds: &'r Rounds<'e, E>, bytes: usize) -> Step<Draft<'r>> {
        match rounds.draft_at_once(0, bytes) {
            Some(draft) => Ok(draft),
            None => self.wait(|| rounds.draft_at_once(0, bytes)),
        }
    }

    #[inline(always)]
    fn post(&self, rounds: &Rounds<'e, E>, bytes: &[u8], readers: Readers) -> Step<()> {
        let mut draft = self.draft(rounds, bytes.len())?;
        draft.write(0, bytes);
        rounds.show(draft, bytes.len(), readers);
        Ok(())
    }

    #[inline(always)]
    fn see<'r>(&self, rounds: &'r Rounds<'e, E>, member: usize) -> Step<Seen<'r>> {
        if let Some(seen) = rounds.see_at_once(0, member) {
            return seen.map_err(|error| self.stop(Ok(error.into())));
        }
        for _ in 1..self.looks() {
            std::hint::spin_loop();
            if let Some(seen) = rounds.see_at_once(0, member) {
                return seen.map_err(|error| self.stop(Ok(error.into())));
            }
        }
        let seen = self.wait_for(rounds, member)?;
        seen.map_err(|error| self.stop(Ok(error.into())))
    }

    /// How often to look for a post before waiting in earnest.
    #[inline(always)]
    fn looks(&self) -> u32 {
        if self.context.is_alone() { LOOKS } else { 1 }
    }

    /// Waits long for a member's post.
    #[cold]
    #[inline(never)]
    fn wait_for<'r>(
        &self,
        rounds: &'r Rounds<'e, E>,
        member: usize,
    ) -> Step<Result<Seen<'r>, ExchangeError>> {
        if self.meets.get() && self.context.is_oversubscribed() {
            self.let_neighbours_post(rounds)?;
        }
        self.wait(|| {
            self.exchange.awaits(member);
            rounds.see_at_once(0, member)
        })
    }

    /// Those who need this processor come first: they have to run before anybody goes on. Then
    /// this member may wait for others where it is.
    fn let_neighbours_post(&self, rounds: &Rounds<'e, E>) -> Step<()> {
        let has_posted = |member| rounds.see_at_once(0, member).map(|_| ());
        let beside = |member: &usize| self.exchange.waits_beside(*member);
        for neighbour in self.others().filter(beside) {
            if has_posted(neighbour).is_none() {
                std::thread::yield_now();
            }
            self.wait(|| has_posted(neighbour))?;
        }
        Ok(())
    }

    /// Waits for a post of `bytes` bytes, of a member that has `word` bytes in all.
    #[inline(always)]
    fn see_of<'r>(
        &self,
        rounds: &'r Rounds<'e, E>,
        member: usize,
        bytes: usize,
        word: usize,
    ) -> Step<Seen<'r>> {
        let seen = self.see(rounds, member)?;
        match rounds.check(member, &seen, bytes, word) {
            Ok(()) => Ok(seen),
            Err(error) => Err(self.stop(Ok(error))),
        }
    }

    fn others(&self) -> impl DoubleEndedIterator<Item = usize> + use<E> {
        let rank = self.exchange.rank();
        (0..self.exchange.size()).filter(move |member| *member != rank)
    }

    /// [`barrier::posted`].
    #[inline(always)]
    pub fn barrier(&self) -> Option<Done> {
        self.serves(Kind::Barrier, barrier::Algorithm::Posted, 0, 0)?;
        Some(self.run(|rounds| {
            self.post(rounds, &[], Readers::All)?;
            self.meets.set(true);
            for member in self.others() {
                self.see(rounds, member)?;
            }
            Ok(())
        }))
    }

    /// [`broadcast::posted`].
    #[inline(always)]
    pub fn broadcast(&self, root: usize, buffer: &mut [u8]) -> Option<Done> {
        let bytes = buffer.len();
        self.serves(Kind::Broadcast, broadcast::Algorithm::Posted, bytes, bytes)?;
        Some(self.run(|rounds| {
            if self.exchange.rank() == root {
                return self.post(rounds, buffer, Readers::All);
            }
            self.see_of(rounds, root, bytes, bytes)?.copy_to(0, buffer);
            Ok(())
        }))
    }

    /// [`reduce::posted`] at a member: its whole elements go to the root, where operands may
    /// change places.
    #[inline(always)]
    pub fn reduce_to(&self, root: usize, reduction: &impl Reduction, data: &[u8]) -> Option<Done> {
        self.serves_elements(
            Kind::Reduce,
            reduce::Algorithm::Posted,
            reduction,
            data.len(),
        )?;
        Some(self.run(|rounds| self.post(rounds, data, Readers::One(root))))
    }

    /// [`reduce::posted`] at the root.
    #[inline(always)]
    pub fn reduce_here(&self, reduction: &impl Reduction, data: OutOfPlace<'_>) -> Option<Done> {
        self.serves_elements(
            Kind::Reduce,
            reduce::Algorithm::Posted,
            reduction,
            data.result.len(),
        )?;
        Some(self.run(|rounds| {
            self.meets.set(true);
            let OutOfPlace { mut own, result } = data;
            // In the order of `reduce::posted`.
            for member in self.others().rev() {
                self.combine(rounds, reduction, member, own.take(), result)?;
            }
            Ok(())
        }))
    }

    #[inline(always)]
    fn serves_elements<A: Choice>(
        &self,
        kind: Kind,
        posted: A,
        reduction: &impl Reduction,
        bytes: usize,
    ) -> Option<()> {
        if !reduction.commutative() {
            return None;
        }
        self.serves_some(kind, posted, bytes)
    }

    #[inline(always)]
    fn serves_some<A: Choice>(&self, kind: Kind, posted: A, bytes: usize) -> Option<()> {
        if bytes == 0 {
            return None;
        }
        self.serves(kind, posted, bytes, bytes)
    }

    /// Combines the post of a member into `result`, where the right operand is, unless it is still `apart`. A post of
    /// another length is left out: then the operation has failed anyway.
    #[inline(always)]
    fn combine(
        &self,
        rounds: &Rounds<'e, E>,
        reduction: &impl Reduction,
        member: usize,
        apart: Option<&[u8]>,
        result: &mut [u8],
    ) -> Step<()> {
        let seen = self.see_of(rounds, member, result.len(), result.len())?;
        if seen.bytes().len() == result.len() {
            reduction.combine_after(seen.bytes(), apart, result);
        }
        Ok(())
    }

    /// [`allreduce::posted`] of whole elements, where operands may change places; combined in its
    /// order, so that all members have the same result to the last bit, whichever way they go.
    #[inline(always)]
    pub fn allreduce(&self, reduction: &impl Reduction, data: OutOfPlace<'_>) -> Option<Done> {
        let bytes = data.result.len();
        if bytes == 0 || !reduction.commutative() {
            return None;
        }
        let algorithms = [allreduce::Algorithm::Posted, allreduce::Algorithm::Measured];
        let post = (kernel_copy::Kind::Allreduce, bytes);
        let choice = self.serves_measured(Kind::Allreduce, algorithms, bytes, post)?;
        Some(self.run_measured(choice, |rounds| {
            self.post(rounds, data.own(), Readers::All)?;
            self.meets.set(true);
            let last = self.exchange.size() - 1;
            let OutOfPlace { own, result } = data;
            let highest;
            let mut higher = own;
            if self.exchange.rank() != last {
                highest = self.see_of(rounds, last, bytes, bytes)?;
                higher = Some(highest.bytes()).filter(|posted| posted.len() == bytes);
            }
            for member in (0..last).rev() {
                match own.filter(|_| member == self.exchange.rank()) {
                    Some(own) => reduction.combine_after(own, higher.take(), result),
                    None => self.combine(rounds, reduction, member, higher.take(), result)?,
                }
            }
            Ok(())
        }))
    }

    /// [`gather::posted`] at a member.
    #[inline(always)]
    pub fn gather_to(&self, root: usize, block: &[u8]) -> Option<Done> {
        self.serves_some(Kind::Gather, gather::Algorithm::Posted, block.len())?;
        Some(self.run(|rounds| self.post(rounds, block, Readers::One(root))))
    }

    /// [`gather::posted`] at the root, of blocks of `block_bytes`; its own is `own`, or in place.
    #[inline(always)]
    pub fn gather_here(
        &self,
        own: Option<&[u8]>,
        block_bytes: usize,
        all: &mut [u8],
    ) -> Option<Done> {
        self.serves_some(Kind::Gather, gather::Algorithm::Posted, block_bytes)?;
        Some(self.run(|rounds| self.collect(rounds, own, block_bytes, all)))
    }

    /// Copies the own block, if it lies elsewhere, and the posts of all other members to their
    /// places.
    #[inline(always)]
    fn collect(
        &self,
        rounds: &Rounds<'e, E>,
        own: Option<&[u8]>,
        block_bytes: usize,
        all: &mut [u8],
    ) -> Step<()> {
        self.meets.set(true);
        let block = |member: usize| member * block_bytes..(member + 1) * block_bytes;
        if let Some(own) = own {
            all[block(self.exchange.rank())].copy_from_slice(own);
        }
        for member in self.others() {
            let seen = self.see_of(rounds, member, block_bytes, block_bytes)?;
            seen.copy_to(0, &mut all[block(member)]);
        }
        Ok(())
    }

    /// [`allgather::posted`] of blocks of `block_bytes`; the own one is `own`, or in place.
    #[inline(always)]
    pub fn allgather(
        &self,
        own: Option<&[u8]>,
        block_bytes: usize,
        all: &mut [u8],
    ) -> Option<Done> {
        if block_bytes == 0 {
            return None;
        }
        let algorithms = [allgather::Algorithm::Posted, allgather::Algorithm::Measured];
        let post = (kernel_copy::Kind::Allgather, block_bytes);
        let choice = self.serves_measured(Kind::Allgather, algorithms, all.len(), post)?;
        Some(self.run_measured(choice, |rounds| {
            let start = self.exchange.rank() * block_bytes;
            let posted = own.unwrap_or(&all[start..start + block_bytes]);
            self.post(rounds, posted, Readers::All)?;
            self.collect(rounds, own, block_bytes, all)
        }))
    }

    /// Posts the blocks of all other members side by side.
    #[inline(always)]
    fn post_parts(&self, rounds: &Rounds<'e, E>, block_bytes: usize, all: &[u8]) -> Step<()> {
        let own = self.exchange.rank();
        let mut draft = self.draft(rounds, block_bytes * (self.exchange.size() - 1))?;
        for member in self.others() {
            let part = &all[member * block_bytes..][..block_bytes];
            draft.write(part_among_others(member, own) * block_bytes, part);
        }
        rounds.show(draft, block_bytes, Readers::All);
        Ok(())
    }

    /// Copies this member's part of another one's post.
    #[inline(always)]
    fn take_part(&self, rounds: &Rounds<'e, E>, member: usize, block: &mut [u8]) -> Step<()> {
        let bytes = block.len();
        let posted = bytes * (self.exchange.size() - 1);
        let seen = self.see_of(rounds, member, posted, bytes)?;
        seen.copy_to(
            part_among_others(self.exchange.rank(), member) * bytes,
            block,
        );
        Ok(())
    }

    #[inline(always)]
    fn serves_parts<A: Choice>(&self, kind: Kind, posted: A, block_bytes: usize) -> Option<()> {
        if !self.fits_parts(block_bytes) {
            return None;
        }
        self.serves_some(kind, posted, block_bytes)
    }

    /// Whether a post has room for a block for each other member.
    #[inline(always)]
    fn fits_parts(&self, block_bytes: usize) -> bool {
        part_bytes(block_bytes, self.exchange.size() - 1) == block_bytes
    }

    /// [`scatter::posted`] at a member.
    #[inline(always)]
    pub fn scatter_from(&self, root: usize, block: &mut [u8]) -> Option<Done> {
        self.serves_parts(Kind::Scatter, scatter::Algorithm::Posted, block.len())?;
        Some(self.run(|rounds| self.take_part(rounds, root, block)))
    }

    /// [`scatter::posted`] at the root, of blocks of `block_bytes`; its own goes to `own`, if that
    /// is elsewhere.
    #[inline(always)]
    pub fn scatter_here(
        &self,
        own: Option<&mut [u8]>,
        block_bytes: usize,
        all: &[u8],
    ) -> Option<Done> {
        self.serves_parts(Kind::Scatter, scatter::Algorithm::Posted, block_bytes)?;
        Some(self.run(|rounds| {
            self.post_parts(rounds, block_bytes, all)?;
            if let Some(own) = own {
                let start = self.exchange.rank() * block_bytes;
                own.copy_from_slice(&all[start..start + block_bytes]);
            }
            Ok(())
        }))
    }

    /// [`alltoall::posted`] of blocks of `block_bytes`.
    #[inline(always)]
    pub fn alltoall(
        &self,
        block_bytes: usize,
        outgoing: &[u8],
        incoming: &mut [u8],
    ) -> Option<Done> {
        if block_bytes == 0 || !self.fits_parts(block_bytes) {
            return None;
        }
        let algorithms = [alltoall::Algorithm::Posted, alltoall::Algorithm::Measured];
        let post = (kernel_copy::Kind::Alltoall, block_bytes);
        let choice = self.serves_measured(Kind::Alltoall, algorithms, block_bytes, post)?;
        Some(self.run_measured(choice, |rounds| {
            self.post_parts(rounds, block_bytes, outgoing)?;
            self.meets.set(true);
            let block = |member: usize| member * block_bytes..(member + 1) * block_bytes;
            let own = block(self.exchange.rank());
            incoming[own.clone()].copy_from_slice(&outgoing[own]);
            for member in self.others() {
                self.take_part(rounds, member, &mut incoming[block(member)])?;
            }
            Ok(())
        }))
    }
}
