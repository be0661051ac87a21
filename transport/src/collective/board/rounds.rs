//! The rounds of one operation on a board: what algorithms that need one are made of.
//!
//! Before: an algorithm. After: posts in shared memory (`pamir_shm::board`). This is to the board
//! what [`crate::collective::exchange::step`] is to messages, and where algorithms wait for posts.
//!
//! | step | effect |
//! |---|---|
//! | [`Rounds::begin`] | waits for its turn, and takes so many rounds |
//! | [`Rounds::post`], [`Rounds::draft`] and [`Rounds::show`] | posts in a round, when its place is free |
//! | [`Rounds::see`] | waits for a member's post |
//! | [`Rounds::take_of`], [`Rounds::take_part_of`] | the same for data of known length, which a profile counts |
//! | [`Rounds::finish`] | up to this round, this member looks at no post any more |
//! | `Rounds::more` | takes more rounds, when those before are finished |
//! | [`Rounds::end`] | all rounds are finished |
//!
//! Invariants: all members take as many rounds for an operation; a member drafts once a round,
//! in rising order; it is at most four rounds ahead of what it has finished, so it is
//! never out of room for ever. What is seen borrows the rounds, and finishing needs them mutably:
//! no post is read after it may have been overwritten.

use std::future::poll_fn;
use std::marker::PhantomData;
use std::task::Poll;

use pamir_shm::board::mapped::{Draft, Post, SLOT_BYTES};

use crate::collective::board::{Board, Ticket};
use crate::collective::data::out_of_place::OutOfPlace;
use crate::collective::data::scratch::Scratch;
use crate::collective::error::{CollectiveError, ExchangeError};
use crate::collective::exchange::Exchange;
use crate::collective::reduction::Reduction;

/// Who waits for a post.
#[derive(Debug, Clone, Copy)]
pub enum Readers {
    /// One member.
    One(usize),
    /// All members.
    All,
}

/// The rounds of an operation.
#[derive(Debug)]
pub struct Rounds<'e, E> {
    exchange: &'e E,
    ticket: Ticket<'e>,
    first: u32,
    count: u32,
}

/// A post that was seen, as long as its round is not finished.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'r> {
    post: Post,
    /// What its member says about the operation: usually how many bytes it has in all.
    pub word: usize,
    rounds: PhantomData<&'r ()>,
}

impl<'r> Seen<'r> {
    /// Copies the bytes from byte `at` on to `target`, as many as there are.
    #[inline]
    pub fn copy_to(&self, at: usize, target: &mut [u8]) {
        // SAFETY: finishing the round needs the rounds mutably, which this borrows.
        unsafe { self.post.copy_to(at, target) };
    }

    /// The bytes, as an operand.
    #[inline]
    pub fn bytes(&self) -> &'r [u8] {
        // SAFETY: as in `copy_to`.
        unsafe { self.post.bytes() }
    }
}

/// How many posts `bytes` bytes take, at most [`SLOT_BYTES`] each.
pub fn posts_for(bytes: usize, each: usize) -> usize {
    bytes.div_ceil(each)
}

/// The most bytes of whole elements in one of `parts` equal parts of a post; none if not one
/// element fits.
pub fn whole_elements(element_bytes: usize, parts: usize) -> Option<usize> {
    let elements = SLOT_BYTES / parts / element_bytes;
    (elements > 0).then_some(elements * element_bytes)
}

impl<'e, E: Exchange> Rounds<'e, E> {
    /// Takes `count` rounds when it is the operation's turn.
    #[inline]
    pub async fn begin(exchange: &'e E, count: usize) -> Result<Self, CollectiveError> {
        let board = exchange.board().ok_or(ExchangeError::Disturbed)?;
        let ticket = board.ticket();
        let count = count as u32;
        let first = poll_fn(|_| ticket.begin(count).map_or(Poll::Pending, Poll::Ready)).await?;
        Ok(Self {
            exchange,
            ticket,
            first,
            count,
        })
    }

    /// Takes one round at once, of the board of `exchange`, on which nothing is under way.
    #[inline(always)]
    pub(in crate::collective) fn at_once(
        exchange: &'e E,
        board: &'e Board,
    ) -> Result<Self, ExchangeError> {
        let ticket = board.ticket();
        let first = ticket.begin(1).unwrap_or(Err(ExchangeError::Disturbed))?;
        Ok(Self {
            exchange,
            ticket,
            first,
            count: 1,
        })
    }

    /// Goes on with `count` more rounds, numbered from 0 again; those before are finished.
    pub(in crate::collective) fn more(mut self, count: usize) -> Self {
        if let Some(last) = self.count.checked_sub(1) {
            self.finish(last as usize);
        }
        self.first = self.ticket.more(count as u32);
        self.count = count as u32;
        self
    }

    /// The exchange that the operation is one of.
    pub(in crate::collective) fn exchange(&self) -> &'e E {
        self.exchange
    }

    #[inline(always)]
    fn round(&self, index: usize) -> u32 {
        self.first.wrapping_add(index as u32)
    }

    /// The post of `bytes` bytes in round `index`, to be written, when its place is free.
    #[inline]
    pub async fn draft(&self, index: usize, bytes: usize) -> Draft<'_> {
        poll_fn(|_| {
            let draft = self.draft_at_once(index, bytes);
            draft.map_or(Poll::Pending, Poll::Ready)
        })
        .await
    }

    /// The post of `bytes` bytes in round `index`, if its place is free.
    #[inline(always)]
    pub(in crate::collective) fn draft_at_once(
        &self,
        index: usize,
        bytes: usize,
    ) -> Option<Draft<'_>> {
        // SAFETY: algorithms draft once a round; of the round that was in this place before,
        // nothing is kept, since an algorithm is at most four rounds ahead of what it has
        // finished, and finishing ends what was seen.
        unsafe { self.ticket.board.posts.draft(self.round(index), bytes) }
    }

    /// Shows a post to `readers`, with a word about the operation.
    #[inline(always)]
    pub fn show(&self, draft: Draft<'_>, word: usize, readers: Readers) {
        self.ticket.board.posts.show(draft, word as u64);
        self.wake(readers);
    }

    /// Posts `bytes` in round `index`.
    #[inline]
    pub async fn post(&self, index: usize, bytes: &[u8], word: usize, readers: Readers) {
        let mut draft = self.draft(index, bytes.len()).await;
        draft.write(0, bytes);
        self.show(draft, word, readers);
    }

    #[inline(always)]
    fn wake(&self, readers: Readers) {
        match readers {
            Readers::One(member) => self.exchange.wake(member),
            Readers::All => {
                let own = self.exchange.rank();
                for member in (0..self.exchange.size()).filter(|member| *member != own) {
                    self.exchange.wake(member);
                }
            }
        }
    }

    /// Waits for the post of `member` in round `index`.
    #[inline]
    pub async fn see(&self, index: usize, member: usize) -> Result<Seen<'_>, CollectiveError> {
        let looks = self.exchange.looks();
        poll_fn(|_| {
            for look in 1.. {
                match self.see_at_once(index, member) {
                    None if look < looks => std::hint::spin_loop(),
                    None => break,
                    Some(seen) => return Poll::Ready(seen.map_err(Into::into)),
                }
            }
            self.exchange.awaits(member);
            Poll::Pending
        })
        .await
    }

    /// The post of `member` in round `index`, if it is there.
    #[inline(always)]
    pub(in crate::collective) fn see_at_once(
        &self,
        index: usize,
        member: usize,
    ) -> Option<Result<Seen<'_>, ExchangeError>> {
        let post = match self.ticket.board.posts.read(member, self.round(index)) {
            Ok(post) => post?,
            Err(_) => return Some(Err(ExchangeError::Corrupt { rank: member })),
        };
        Some(Ok(Seen {
            word: post.word as usize,
            post,
            rounds: PhantomData,
        }))
    }

    /// As [`Self::see`], of a post of `bytes` bytes whose member has `word` bytes in all.
    #[inline]
    pub(in crate::collective) async fn see_of(
        &self,
        index: usize,
        member: usize,
        bytes: usize,
        word: usize,
    ) -> Result<Seen<'_>, CollectiveError> {
        let seen = self.see(index, member).await?;
        self.check(member, &seen, bytes, word)?;
        Ok(seen)
    }

    /// As `see_of`, of data that this member needs whole.
    #[inline]
    pub async fn take_of(
        &self,
        index: usize,
        member: usize,
        bytes: usize,
        word: usize,
    ) -> Result<Seen<'_>, CollectiveError> {
        let whole = (bytes, bytes);
        self.take_part_of(index, member, whole, word).await
    }

    /// As `see_of`, of a post of data of which this member needs `needed_bytes`.
    #[inline]
    pub async fn take_part_of(
        &self,
        index: usize,
        member: usize,
        (bytes, needed_bytes): (usize, usize),
        word: usize,
    ) -> Result<Seen<'_>, CollectiveError> {
        let seen = self.see_of(index, member, bytes, word).await?;
        // Of data in place, a member reads its own post again.
        if member != self.exchange.rank() {
            self.exchange.has_taken(member, needed_bytes);
        }
        Ok(seen)
    }

    /// Notes a post of `member` that is not of `bytes` bytes, or not of `word` in all.
    #[inline(always)]
    pub(in crate::collective) fn check(
        &self,
        member: usize,
        seen: &Seen<'_>,
        bytes: usize,
        word: usize,
    ) -> Result<(), CollectiveError> {
        if seen.word != word || seen.post.len() != bytes {
            self.disagree(member, seen, bytes, word)?;
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn disagree(
        &self,
        from: usize,
        seen: &Seen<'_>,
        bytes: usize,
        word: usize,
    ) -> Result<(), CollectiveError> {
        // The members' totals say most; where they agree, it is the posts that do not.
        let (sent_bytes, expected_bytes) = if seen.word == word {
            (seen.post.len(), bytes)
        } else {
            (seen.word, word)
        };
        self.exchange.disagrees(if sent_bytes > expected_bytes {
            CollectiveError::Exchange(ExchangeError::Truncated {
                from,
                sent_bytes,
                expected_bytes,
            })
        } else {
            CollectiveError::Shorter {
                from,
                received_bytes: sent_bytes,
                expected_bytes,
            }
        })
    }

    /// Up to round `index`, this member looks at no post any more.
    #[inline(always)]
    pub fn finish(&mut self, index: usize) {
        if self.ticket.board.posts.finish(self.round(index)) {
            self.wake(Readers::All);
        }
    }

    /// All rounds are finished.
    #[inline(always)]
    pub fn end(mut self) {
        self.finish(self.count as usize - 1);
        self.ticket.end();
    }

    /// The operation whose turn it is needs no round.
    pub(in crate::collective) fn leave(self) {
        self.ticket.end();
    }

    /// Combines the posts of a round that all members have posted, in the order of ranks, into
    /// the result. A post of another length is left out: then the operation has failed anyway.
    #[inline]
    pub async fn combine_all(
        &self,
        reduction: &impl Reduction,
        index: usize,
        data: OutOfPlace<'_>,
        word: usize,
    ) -> Result<(), CollectiveError> {
        let last = self.exchange.size() - 1;
        self.combine_below(reduction, index, last, data, word).await
    }

    /// Combines the posts of members 0 to `last` into the result; the own data are that of `last`
    /// itself if this is it.
    #[inline]
    pub async fn combine_below(
        &self,
        reduction: &impl Reduction,
        index: usize,
        last: usize,
        data: OutOfPlace<'_>,
        word: usize,
    ) -> Result<(), CollectiveError> {
        // The highest first, so that whatever is combined is the lower operand.
        let OutOfPlace { own, result } = data;
        let mut higher = own.filter(|_| self.exchange.rank() == last);
        let highest;
        if self.exchange.rank() != last {
            highest = self.take_of(index, last, result.len(), word).await?;
            higher = Some(highest.bytes()).filter(|bytes| bytes.len() == result.len());
        }
        for member in (0..last).rev() {
            if let Some(own) = own.filter(|_| member == self.exchange.rank()) {
                reduction.combine_after(own, higher.take(), result);
                continue;
            }
            let seen = self.take_of(index, member, result.len(), word).await?;
            if seen.bytes().len() == result.len() {
                reduction.combine_after(seen.bytes(), higher.take(), result);
            }
        }
        if let Some(only) = higher {
            result.copy_from_slice(only);
        }
        Ok(())
    }

    /// Combines the posts of all other members with the own data, which this member has not posted. `place` tells for
    /// each member where the operand begins in its post, and how long that post is.
    #[inline]
    pub async fn combine_others(
        &self,
        reduction: &impl Reduction,
        index: usize,
        place: impl Fn(usize) -> (usize, usize),
        data: OutOfPlace<'_>,
        word: usize,
    ) -> Result<(), CollectiveError> {
        let (rank, size) = (self.exchange.rank(), self.exchange.size());
        let OutOfPlace { own, result } = data;
        if result.is_empty() {
            return Ok(());
        }
        // Where the order does not matter, or this is the highest, it starts with its own.
        let starts = reduction.commutative() || rank == size - 1;
        let mut first = own.filter(|_| starts);
        let copy;
        let mut later = own.filter(|_| !starts);
        if !starts && own.is_none() {
            copy = Scratch::copy_of(result)?;
            later = Some(&copy);
        }
        for member in (0..size).rev() {
            if member == rank {
                if let Some(own) = later {
                    reduction.combine(own, result);
                }
                continue;
            }
            let (at, posted) = place(member);
            let needed = (posted, result.len());
            let seen = self.take_part_of(index, member, needed, word).await?;
            let Some(operand) = seen.bytes().get(at..at + result.len()) else {
                continue;
            };
            if member == size - 1 && !starts {
                result.copy_from_slice(operand);
            } else {
                reduction.combine_after(operand, first.take(), result);
            }
        }
        if let Some(only) = first {
            result.copy_from_slice(only);
        }
        Ok(())
    }
}
