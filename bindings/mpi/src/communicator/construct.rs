//! Communicators from a communicator: duplicates, subsets, and parts by colour
//! (MPI-5.0 section 7.4.2).
//!
//! Before: a collective call over the parent. After: a [`Communicator`] that all its
//! members have the same context id for.
//!
//! What members need to know of each other travels through the parent's collective context
//! under the number of one operation of the parent; `create_group`, which not all of the
//! parent's members call, has a context of its own under the program's tag.

use std::future::Future;
use std::rc::Rc;

use pamir_driver::unit::UnitError;
use pamir_transport::collective::geometry::{Channel, block_on};
use pamir_transport::collective::{CollectiveError, allgather};
use pamir_transport::context::Context;

use super::context_id::{Across, ContextIdError, Within, agree};
use super::{CONSTRUCTION, Communicator};
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

/// A duplicate that cannot be used yet, and what is to be waited for until it can
/// (`MPI_Comm_idup`). Name, attributes and hints are the caller's to copy.
pub fn duplicate_later(
    process: &Process,
    parent: &Communicator,
) -> (
    Rc<Communicator>,
    impl Future<Output = Result<(), ConstructError>> + use<>,
) {
    let (group, remote) = (parent.group().clone(), parent.remote().cloned());
    let new = Communicator::derived(parent, group, remote, parent.rank());
    if let Some(topology) = parent.topology() {
        new.set_topology(topology.clone());
    }
    let new = Rc::new(new);
    let ids = process.context_ids().clone();
    let mut within = None;
    let mut both = None;
    match parent.remote() {
        None => within = Some(Within(channel(process, parent))),
        Some(remote) => both = Some(across(process, parent, remote)),
    }
    let settled = new.clone();
    let agreement = async move {
        let lease = match (within, both) {
            (Some(within), _) => agree(&ids, &within, priority(&within.0)).await?,
            (_, Some(both)) => agree(&ids, &both, priority(&both.local)).await?,
            (None, None) => unreachable!("a communicator has one group or two"),
        };
        settled.settle(lease);
        Ok(())
    };
    (new, agreement)
}

/// The messages of an agreement, as its place among others.
pub(super) fn priority(channel: &OwnChannel) -> (u32, i32) {
    (channel.context_id, channel.tag)
}

/// A communicator of the same groups (`MPI_Comm_dup`).
pub fn duplicate(
    process: &Process,
    parent: &Communicator,
) -> Result<Rc<Communicator>, ConstructError> {
    let (new, agreement) = duplicate_later(process, parent);
    blocking(process, agreement)?;
    Ok(new)
}

/// A communicator of `group`, a subset of the parent's; `None` for those who are not in it
/// (`MPI_Comm_create`). All of the parent's members call this; those of disjoint subsets
/// may pass different groups.
pub fn create(
    process: &Process,
    parent: &Communicator,
    group: &Group,
) -> Result<Option<Rc<Communicator>>, ConstructError> {
    if parent.is_inter() {
        return super::inter::create(process, parent, group);
    }
    let parties = Within(channel(process, parent));
    blocking(process, async {
        let lease = agree(process.context_ids(), &parties, priority(&parties.0)).await?;
        let rank = group.rank_of(process.context().task() as u32);
        Ok(rank.map(|rank| {
            let new = Communicator::derived(parent, group.clone(), None, rank);
            new.settle(lease);
            Rc::new(new)
        }))
    })
}

/// A communicator of `group`, which its members alone call (`MPI_Comm_create_group`). `tag`
/// is at least 0, and tells constructions apart that go on at once.
pub fn create_group(
    process: &Process,
    parent: &Communicator,
    group: &Group,
    tag: i32,
) -> Result<Rc<Communicator>, ConstructError> {
    let task = process.context().task() as u32;
    let rank = group.rank_of(task).ok_or(ConstructError::NotAMember)?;
    let parties = Within(Channel {
        context: process.context().clone(),
        members: group.clone(),
        rank,
        context_id: parent.context_id() | CONSTRUCTION,
        tag,
        board: None,
        blocking: true,
    });
    blocking(process, async {
        let lease = agree(process.context_ids(), &parties, priority(&parties.0)).await?;
        let new = Communicator::derived(parent, group.clone(), None, rank);
        new.settle(lease);
        Ok(Rc::new(new))
    })
}

/// What a member passes to [`split`].
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

/// A communicator of those who chose this member's colour (`MPI_Comm_split`).
pub fn split(
    process: &Process,
    parent: &Communicator,
    choice: Choice,
) -> Result<Option<Rc<Communicator>>, ConstructError> {
    if parent.is_inter() {
        return super::inter::split(process, parent, choice);
    }
    let parties = Within(channel(process, parent));
    blocking(process, async {
        let all = choices(&parties.0, choice).await?;
        let lease = agree(process.context_ids(), &parties, priority(&parties.0)).await?;
        Ok(choice.color.map(|color| {
            let group = part(parent.group(), &all, color);
            let rank = group
                .rank_of(process.context().task() as u32)
                .expect("who chose a colour is of that colour");
            let new = Communicator::derived(parent, group, None, rank);
            new.settle(lease);
            Rc::new(new)
        }))
    })
}

/// Everybody's numbers, by rank; all pass equally many.
pub fn gather_numbers(
    process: &Process,
    parent: &Communicator,
    own: &[i64],
) -> Result<Vec<Vec<i64>>, ConstructError> {
    let channel = channel(process, parent);
    let bytes = 8 * own.len();
    let mut all = vec![0; channel.members.size() * bytes];
    for (place, number) in all[channel.rank * bytes..].chunks_mut(8).zip(own) {
        place.copy_from_slice(&number.to_ne_bytes());
    }
    blocking(process, async { Ok(allgather(&channel, &mut all).await?) })?;
    let (numbers, _) = all.as_chunks::<8>();
    let numbers: Vec<i64> = numbers.iter().map(|n| i64::from_ne_bytes(*n)).collect();
    Ok(numbers
        .chunks(own.len().max(1))
        .map(<[i64]>::to_vec)
        .collect())
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
