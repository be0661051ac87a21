//! How the members of a geometry come to share a board.
//!
//! Before: a communicator's first collective operation. After: each member has its [`Board`], or none of them has one.
//!
//! The first member takes a free board (`pamir_driver::job::board_table`) and tells its number to the others in a broadcast.

use std::ops::Deref;

use pamir_driver::job::board_table::BoardLease;

use crate::collective::board::Board;
use crate::collective::error::{CollectiveError, ExchangeError};
use crate::collective::geometry::{Channel, Members};
use crate::collective::moving::broadcast::{Algorithm, broadcast_with};
use crate::context::Context;

/// In place of a board's number: there is none.
const NO_BOARD: usize = usize::MAX;

impl Board {
    /// The board that the members of `channel` share from now on, or none for all of them, as where
    /// they are on several nodes; all call this in the same operation. `PAMIR_NO_BOARDS` at member 0 says that there is none.
    pub async fn agree<C, M, B>(channel: &Channel<C, M, B>) -> Result<Option<Self>, CollectiveError>
    where
        C: Deref<Target = Context>,
        M: Members,
        B: Deref<Target = Board>,
    {
        let (rank, size) = (channel.rank, channel.members.size());
        let job = channel.context.job();
        let corrupt = |_| ExchangeError::Corrupt { rank: 0 };
        if !(2..=job.layout().board_members()).contains(&size) {
            return Ok(None);
        }
        let task = |member| channel.members.task(member);
        if (1..size).any(|member| !job.shares_memory(task(0), task(member))) {
            return Ok(None);
        }
        let allowed = !pamir_settings::NO_BOARDS.value();
        let mut lease = if rank == 0 && allowed {
            BoardLease::take(job, size).map_err(corrupt)?
        } else {
            None
        };
        let number = lease.as_ref().map_or(NO_BOARD, BoardLease::number);
        let mut word = (number as u64).to_ne_bytes();
        broadcast_with(Algorithm::Binomial, channel, 0, &mut word).await?;
        let number = u64::from_ne_bytes(word) as usize;
        if number == NO_BOARD {
            return Ok(None);
        }
        if rank != 0 {
            lease = BoardLease::join(job, number, size).map_err(corrupt)?;
        }
        let lease = lease.ok_or(ExchangeError::Corrupt { rank: 0 })?;
        let oversubscribed = channel.context.is_job_oversubscribed();
        Ok(Some(
            Self::new(lease, rank, oversubscribed).map_err(corrupt)?,
        ))
    }
}
