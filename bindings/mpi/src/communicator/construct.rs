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

use pamir_transport::collective::allgather;
use pamir_transport::collective::geometry::Channel;

use super::construction::{
    Choice, ConstructError, across, blocking, channel, choices, part, priority,
};
use super::context_id::{Within, agree};
use super::{CONSTRUCTION, Communicator};
use crate::group::Group;
use crate::process::Process;

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
