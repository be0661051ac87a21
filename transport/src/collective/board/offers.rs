//! Operations whose members read each other's memory through the kernel.
//!
//! Before: an algorithm `measured` or `read` of a kind, whose turn on the board it is. After: offers in the board's rounds
//! ([`super::rounds`]), and copies by the kernel ([`Exchange::read`]). [`super::reading`] says when.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;

use pamir_driver::memory::sweep::Sweep;

use super::kernel_copy::{Choice, Kind, Ways};
use super::rounds::{Readers, Rounds};
use crate::collective::error::{CollectiveError, ExchangeError};
use crate::collective::exchange::Exchange;

impl Choice<'_> {
    /// Runs the operation, by the way that was chosen; what it costs the caller counts.
    pub(in crate::collective) async fn time<T>(
        &self,
        exchange: &impl Exchange,
        operation: Pin<&mut impl Future<Output = Result<T, CollectiveError>>>,
    ) -> Result<T, CollectiveError> {
        let exposed_time = exchange.exposed_time().filter(|_| !exchange.is_blocking());
        match (exposed_time, self.begin) {
            (Some(exposed_time), Some(_)) => {
                let (result, took) = exposed_time.time(operation).await;
                self.note(took);
                result
            }
            _ => {
                let result = operation.await;
                self.end();
                result
            }
        }
    }
}

/// Takes the operation's turn on the board, and chooses its way.
pub(in crate::collective) async fn begin<E: Exchange>(
    exchange: &E,
    kind: Kind,
    bytes: usize,
    ways: Ways,
) -> Result<(Rounds<'_, E>, Choice<'_>), CollectiveError> {
    let rounds = Rounds::begin(exchange, 0).await?;
    let board = exchange.board().ok_or(ExchangeError::Disturbed)?;
    let choice = board.kernel_copies.choose(kind, bytes, ways);
    Ok((rounds, choice))
}

/// How a member's reading went, as the byte of its post in a meeting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// The kernel has refused a copy.
    Refused,
    /// All is read.
    Read,
    /// Something cannot be read this time.
    Withheld,
}

/// What the members of an operation offer each other to read.
#[derive(Debug)]
pub(in crate::collective) struct Offers<'c, 'e, E> {
    rounds: Rounds<'e, E>,
    choice: &'c Choice<'c>,
    /// What all members must have said, as in a post.
    word: usize,
    state: Cell<State>,
    met: usize,
}

impl<'c, 'e, E: Exchange> Offers<'c, 'e, E> {
    /// Offers what lies at `places`, and takes so many meetings. Members agree by `word`.
    pub(in crate::collective) async fn open<const PLACES: usize>(
        rounds: Rounds<'e, E>,
        choice: &'c Choice<'c>,
        (places, meetings): ([*const u8; PLACES], usize),
        word: usize,
    ) -> Self {
        let rounds = rounds.more(1 + meetings);
        let words = places.map(|place| (place.addr() as u64).to_ne_bytes());
        rounds
            .post(0, words.as_flattened(), word, Readers::All)
            .await;
        Self {
            rounds,
            choice,
            word,
            state: Cell::new(State::Read),
            met: 0,
        }
    }

    /// Waits for a member's offer of `PLACES` addresses; none if the members do not agree on the amount of data.
    pub(in crate::collective) async fn see<const PLACES: usize>(
        &self,
        member: usize,
    ) -> Result<Option<[u64; PLACES]>, CollectiveError> {
        let bytes = PLACES * size_of::<u64>();
        let seen = self.rounds.see_of(0, member, bytes, self.word).await?;
        if seen.word != self.word || seen.bytes().len() != bytes {
            return Ok(None);
        }
        let mut addresses = [0; PLACES];
        for (address, word) in addresses.iter_mut().zip(seen.bytes().as_chunks().0) {
            *address = u64::from_ne_bytes(*word);
        }
        Ok(Some(addresses))
    }

    /// This member's data cannot be read.
    pub(in crate::collective) fn withhold(&self) {
        self.state.set(State::Withheld);
    }

    /// Reads from a member's memory, in an order of pieces.
    pub(in crate::collective) fn read(
        &self,
        member: usize,
        address: u64,
        target: &mut [u8],
        sweep: Sweep,
    ) {
        let exchange = self.rounds.exchange();
        if self.state.get() != State::Read {
            return;
        }
        if exchange.read(member, address, target, sweep) {
            exchange.has_taken(member, target.len());
        } else {
            self.state.set(State::Refused);
        }
    }

    /// Waits until all members have read what they need until here; whether all could.
    pub(in crate::collective) async fn meet(&mut self) -> Result<bool, CollectiveError> {
        self.met += 1;
        let (index, exchange) = (self.met, self.rounds.exchange());
        let rank = exchange.rank();
        let mut words = vec![0; exchange.size()];
        words[rank] = self.choice.plan.get().word();
        let own = self.state.get() as u8;
        self.rounds
            .post(index, &[own], words[rank], Readers::All)
            .await;
        let mut all_read = own == State::Read as u8;
        let mut any_refused = own == State::Refused as u8;
        for member in (0..words.len()).filter(|member| *member != rank) {
            let seen = self.rounds.see(index, member).await?;
            all_read &= seen.bytes() == [State::Read as u8];
            any_refused |= seen.bytes() == [State::Refused as u8];
            words[member] = seen.word;
        }
        let mut plan = self.choice.plan.get();
        plan.agree(words.into_iter());
        self.choice.plan.set(plan);
        self.rounds.finish(index);
        if any_refused {
            self.choice.refused.set(true);
        }
        Ok(all_read)
    }

    /// The data comes otherwise after all, in more rounds of the operation.
    pub(in crate::collective) fn give_up(self) -> Rounds<'e, E> {
        self.rounds
    }

    /// All is done.
    pub(in crate::collective) fn end(self) {
        self.rounds.end();
    }
}

/// All members in the order in which member `rank` goes through their data: its own comes first, or last, and each
/// begins with another one.
pub(in crate::collective) fn from_own_on(
    rank: usize,
    size: usize,
    sweep: Sweep,
) -> impl Iterator<Item = usize> {
    (0..size).map(move |step| match sweep {
        Sweep::Up => (rank + step) % size,
        Sweep::Down => (rank + size - 1 - step) % size,
    })
}
