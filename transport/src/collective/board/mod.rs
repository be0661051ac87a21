//! A geometry's board at one of its members, and whose turn it is there.
//!
//! Before: the members of a communicator have agreed on a board (`agreement.rs`).
//! After: algorithms that need one post in its rounds ([`crate::collective::board::rounds`]).
//!
//! An operation takes a ticket when it is first polled, in the order in which all members call
//! their operations, and begins when those before it have ended: so all members use the same
//! rounds for the same operation. One that waits for another costs no progress, since no member
//! may call them in another order (MPI-5.0 section 6.12), and none ends before all have called it.
//!
//! | operation | by | becomes |
//! |---|---|---|
//! | called | its first poll | waiting, with a ticket |
//! | waiting | the one before it ends | under way, with its rounds |
//! | under way | its end | ended; the next one begins |
//! | waiting, under way | it is dropped | the board is disturbed: what follows fails |

pub(super) mod agreement;
pub mod fast_path;
pub(super) mod fast_path_sizes;
pub(super) mod kernel_copy;
pub(super) mod offers;
pub mod rounds;

use std::cell::Cell;
use std::sync::Arc;

use pamir_driver::job::board_table::BoardLease;
use pamir_shm::board::Board as Posts;
use pamir_shm::board::mapped::MappedBoard;
use pamir_shm::segment::{Segment, SegmentError};

use super::error::ExchangeError;
use crate::collective::board::fast_path_sizes::FastPathSizes;
use crate::collective::board::kernel_copy::KernelCopies;

/// A board at one member.
#[derive(Debug)]
pub struct Board {
    pub(super) posts: Posts<MappedBoard>,
    /// The first round of the next operation.
    next: Cell<u32>,
    /// Tickets that were given out, and operations that have ended.
    tickets: Cell<u32>,
    ended: Cell<u32>,
    disturbed: Cell<bool>,
    /// Which sizes may take the fast path ([`crate::collective::board::fast_path`]).
    pub(super) fast_path_sizes: FastPathSizes,
    /// Which operations read each other's memory.
    pub(super) kernel_copies: KernelCopies,
    /// Keeps the board from others; none where it is nobody else's anyway.
    _lease: Option<BoardLease>,
}

impl Board {
    /// Member `rank`'s end of the board behind `lease`, of members that share processors or not.
    pub fn new(lease: BoardLease, rank: usize, oversubscribed: bool) -> Result<Self, SegmentError> {
        let memory = lease.memory()?.oversubscribed(oversubscribed);
        Ok(Self::over(memory, rank, Some(lease)))
    }

    /// Member `rank`'s end of a board of `size` members at the start of a segment of its own.
    pub fn alone(segment: &Arc<Segment>, rank: usize, size: usize) -> Result<Self, SegmentError> {
        let memory = MappedBoard::new(segment, 0, size, size)?;
        Ok(Self::over(memory, rank, None))
    }

    fn over(memory: MappedBoard, rank: usize, lease: Option<BoardLease>) -> Self {
        Self {
            posts: Posts::new(memory, rank),
            next: Cell::new(1),
            tickets: Cell::new(0),
            ended: Cell::new(0),
            disturbed: Cell::new(false),
            fast_path_sizes: FastPathSizes::default(),
            kernel_copies: KernelCopies::default(),
            _lease: lease,
        }
    }

    /// Whether no operation is under way or waits, and none has failed.
    #[inline(always)]
    pub(super) fn is_free(&self) -> bool {
        self.tickets.get() == self.ended.get() && !self.disturbed.get()
    }

    /// Takes the next operation's ticket.
    #[inline(always)]
    pub(super) fn ticket(&self) -> Ticket<'_> {
        let number = self.tickets.get();
        self.tickets.set(number.wrapping_add(1));
        Ticket {
            board: self,
            number,
            sound: Cell::new(false),
        }
    }
}

/// An operation's place in the order of a board's operations.
#[derive(Debug)]
pub(super) struct Ticket<'b> {
    pub board: &'b Board,
    number: u32,
    sound: Cell<bool>,
}

impl Ticket<'_> {
    /// Takes `count` rounds if it is the operation's turn: the first of them.
    #[inline(always)]
    pub fn begin(&self, count: u32) -> Option<Result<u32, ExchangeError>> {
        let board = self.board;
        if board.disturbed.get() {
            return Some(Err(ExchangeError::Disturbed));
        }
        if board.ended.get() != self.number {
            return None;
        }
        Some(Ok(self.more(count)))
    }

    /// Takes `count` more rounds for the operation whose turn it is: the first of them.
    #[inline(always)]
    pub fn more(&self, count: u32) -> u32 {
        let first = self.board.next.get();
        self.board.next.set(first.wrapping_add(count));
        first
    }

    /// The operation has gone through all of its rounds.
    #[inline(always)]
    pub fn end(&self) {
        self.sound.set(true);
    }
}

impl Drop for Ticket<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        if !self.sound.get() {
            self.board.disturbed.set(true);
        }
        self.board.ended.set(self.number.wrapping_add(1));
    }
}
