//! What the makers of communicators share: the channel over a parent, and what its members tell each other there.
//!
//! Before: [`super::construct`] or [`super::inter`] is called by all members. After: they agree on a context id, and know
//! each other's choices.

use std::future::Future;
use std::rc::Rc;

use pamir_driver::unit::UnitError;
use pamir_transport::collective::geometry::{Channel, block_on};
use pamir_transport::collective::{CollectiveError, allgather};
use pamir_transport::context::Context;

use super::Communicator;
use super::context_id::{Across, ContextIdError};
use crate::group::Group;
use crate::process::Process;

/// Why a communicator could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConstructError {
    /// No context id.
    #[error(transparent)]
    ContextId(#[from] ContextIdError),
    /// The members could not talk to each other.
    #[error(transparent)]
    Collective(#[from] CollectiveError),
    /// The messaging unit failed.
    #[error(transparent)]
    Unit(#[from] UnitError),
    /// This process is not in the group that it makes a communicator of.
    #[error("this process is not in the group: only its members call MPI_Comm_create_group")]
    NotAMember,
    /// The two groups of an inter-communicator share a process.
    #[error("task {task} is in both groups: the groups of an inter-communicator are disjoint")]
    Overlap {
        /// The task.
        task: u32,
    },
    /// What another process sent makes no sense.
    #[error("the other group's leader sent a group that is none: do all call the same function?")]
    NotAGroup,
}

/// A channel that lives as long as its operation.
pub(super) type OwnChannel = Channel<Rc<Context>, Group>;

/// Everything that a construction talks through: one operation of the parent.
pub(super) fn channel(process: &Process, parent: &Communicator) -> OwnChannel {
    Channel {
        context: process.context().clone(),
        members: parent.group().clone(),
        rank: parent.rank(),
        context_id: parent.collective_context_id(),
        tag: parent.next_operation(),
        board: None,
        blocking: true,
    }
}

/// The two sides of an inter-communicator as one: rank 0 leads each.
pub(super) fn across(
    process: &Process,
    parent: &Communicator,
    remote: &Group,
) -> Across<OwnChannel, OwnChannel> {
    let local = channel(process, parent);
    let first = remote.task(0).map(Group::single).unwrap_or(Group::empty());
    let bridge = (parent.rank() == 0).then(|| Channel {
        context: process.context().clone(),
        members: first,
        rank: 0,
        context_id: local.context_id,
        tag: local.tag,
        board: None,
        blocking: true,
    });
    Across {
        local,
        leader: 0,
        bridge,
    }
}

/// Runs a construction to its end.
pub(super) fn blocking<T>(
    process: &Process,
    construction: impl Future<Output = Result<T, ConstructError>>,
) -> Result<T, ConstructError> {
    block_on(process.context(), construction)?
}

/// The messages of an agreement, as its place among others.
pub(super) fn priority(channel: &OwnChannel) -> (u32, i32) {
    (channel.context_id, channel.tag)
}

/// What a member passes to [`super::construct::split`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Members of one colour get a communicator; `None` takes part in none.
    pub color: Option<i32>,
    /// Orders the ranks of a colour; equal keys stay in the parent's order.
    pub key: i32,
}

/// Bytes that a choice travels as.
const CHOICE_BYTES: usize = 16;

impl Choice {
    fn to_bytes(self) -> [u8; CHOICE_BYTES] {
        let mut bytes = [0; CHOICE_BYTES];
        let color = self.color.map_or(-1, i64::from);
        bytes[..8].copy_from_slice(&color.to_ne_bytes());
        bytes[8..12].copy_from_slice(&self.key.to_ne_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8; CHOICE_BYTES]) -> Self {
        let [a, b, c, d, e, f, g, h, i, j, k, l, ..] = *bytes;
        Self {
            color: i32::try_from(i64::from_ne_bytes([a, b, c, d, e, f, g, h]))
                .ok()
                .filter(|color| *color >= 0),
            key: i32::from_ne_bytes([i, j, k, l]),
        }
    }
}

/// The members of `group` who chose `color`, ordered by key and then by rank.
pub(super) fn part(group: &Group, choices: &[u8], color: i32) -> Group {
    let (choices, _) = choices.as_chunks::<CHOICE_BYTES>();
    let mut chosen: Vec<(i32, usize, u32)> = choices
        .iter()
        .map(Choice::from_bytes)
        .zip(group.tasks())
        .enumerate()
        .filter(|(_, (choice, _))| choice.color == Some(color))
        .map(|(rank, (choice, task))| (choice.key, rank, task))
        .collect();
    chosen.sort_unstable();
    let tasks: Vec<u32> = chosen.into_iter().map(|(_, _, task)| task).collect();
    Group::from_tasks(&tasks).expect("a part of a group has each task once")
}

/// Everybody's choices, by rank.
pub(super) async fn choices(
    channel: &OwnChannel,
    choice: Choice,
) -> Result<Vec<u8>, CollectiveError> {
    let mut all = vec![0; channel.members.size() * CHOICE_BYTES];
    let own = channel.rank * CHOICE_BYTES;
    all[own..own + CHOICE_BYTES].copy_from_slice(&choice.to_bytes());
    allgather(channel, &mut all).await?;
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_ordered_by_key_and_then_by_rank() {
        let group = Group::from_tasks(&[9, 3, 5, 1]).unwrap();
        let choice = |color, key| Choice { color, key }.to_bytes();
        let all = [
            choice(Some(0), 7),
            choice(None, 0),
            choice(Some(0), -7),
            choice(Some(0), 7),
        ]
        .concat();
        let tasks: Vec<u32> = part(&group, &all, 0).tasks().collect();
        assert_eq!(tasks, [5, 9, 1]);
        assert!(part(&group, &all, 1).is_empty());
    }
}
