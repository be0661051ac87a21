//! Inter-communicators: two groups that talk across (MPI-5.0 section 7.6).
//!
//! Before: a collective call over both groups. After: a [`Communicator`] with a remote
//! group, or one of both groups merged.
//!
//! Each group has a leader; the leaders talk to each other, and each tells its group:
//!
//! ```text
//! group A:  member -- leader ===== leader -- member  :group B
//! ```

use std::rc::Rc;

use pamir_transport::collective::geometry::Channel;

use super::construction::{
    Choice, ConstructError, across, blocking, channel, choices, part, priority,
};
use super::context_id::{Across, agree};
use super::{CONSTRUCTION, Communicator};
use crate::group::Group;
use crate::process::Process;

/// A group as it travels between leaders.
fn to_bytes(group: &Group) -> Vec<u8> {
    group.tasks().flat_map(u32::to_ne_bytes).collect()
}

fn from_bytes(bytes: &[u8]) -> Result<Group, ConstructError> {
    let (tasks, rest) = bytes.as_chunks::<4>();
    let tasks: Vec<u32> = tasks.iter().map(|task| u32::from_ne_bytes(*task)).collect();
    match Group::from_tasks(&tasks) {
        Ok(group) if rest.is_empty() => Ok(group),
        _ => Err(ConstructError::NotAGroup),
    }
}

/// The leader's way to the other leader: the communicator that both are in, the other
/// leader's rank there, and a tag of at least 0.
#[derive(Debug)]
pub struct Bridge<'a> {
    /// The communicator.
    pub peers: &'a Communicator,
    /// The other leader.
    pub remote_leader: usize,
    /// Tells constructions apart that go on at once.
    pub tag: i32,
}

impl Bridge<'_> {
    fn context_id(&self) -> u32 {
        self.peers.collective_context_id() | CONSTRUCTION
    }
}

/// Joins the group of `local` and another one (`MPI_Intercomm_create`). `bridge` is the
/// leader's.
pub fn join(
    process: &Process,
    local: &Communicator,
    leader: usize,
    bridge: Option<Bridge<'_>>,
) -> Result<Rc<Communicator>, ConstructError> {
    // The leaders' messages tell the agreement's place among others, which is to be the same
    // on both sides.
    let mut mine = Vec::new();
    if let Some(bridge) = &bridge {
        mine.extend(bridge.context_id().to_ne_bytes());
        mine.extend(bridge.tag.to_ne_bytes());
        mine.extend(to_bytes(local.group()));
    }
    let parties = Across {
        local: channel(process, local),
        leader,
        bridge: bridge.map(|bridge| Channel {
            context: process.context().clone(),
            members: Group::single(bridge.peers.peer_task(bridge.remote_leader) as u32),
            rank: 0,
            context_id: bridge.context_id(),
            tag: bridge.tag,
            board: None::<&pamir_transport::collective::Board>,
            blocking: true,
        }),
    };
    blocking(process, async {
        let theirs = parties.swap(&mine).await?;
        let (Some((context_id, rest)), true) = (theirs.split_first_chunk(), theirs.len() > 8)
        else {
            return Err(ConstructError::NotAGroup);
        };
        let (tag, tasks) = rest.split_at(4);
        let tag = i32::from_ne_bytes(tag.try_into().expect("four bytes were split off"));
        let priority = (u32::from_ne_bytes(*context_id), tag);
        let remote = from_bytes(tasks)?;
        if let Some(task) = remote.tasks().find(|task| local.group().contains(*task)) {
            return Err(ConstructError::Overlap { task });
        }
        let lease = agree(process.context_ids(), &parties, priority).await?;
        let group = local.group().clone();
        let new = Communicator::derived(local, group, Some(remote), local.rank());
        new.settle(lease);
        Ok(Rc::new(new))
    })
}

/// One communicator of both groups (`MPI_Intercomm_merge`): a group that passes `high` comes
/// behind one that does not; if they agree, the one whose leader has the lower task is first.
pub fn merge(
    process: &Process,
    parent: &Communicator,
    high: bool,
) -> Result<Rc<Communicator>, ConstructError> {
    let remote = remote(parent);
    let parties = across(process, parent, remote);
    blocking(process, async {
        let leader = parent.group().task(0).unwrap_or(0);
        let mine = [u32::from(high), leader];
        // Members may pass different values by mistake: the leader's counts for all.
        let mut own = mine.map(u32::to_ne_bytes).concat();
        pamir_transport::collective::broadcast(&parties.local, 0, &mut own).await?;
        let theirs = parties.swap(&own).await?;
        let order = |bytes: &[u8]| {
            let (words, _) = bytes.as_chunks::<4>();
            words
                .iter()
                .map(|w| u32::from_ne_bytes(*w))
                .collect::<Vec<_>>()
        };
        let first = order(&own) < order(&theirs);
        let group = if first {
            parent.group().union(remote)
        } else {
            remote.union(parent.group())
        };
        let priority = priority(&parties.local);
        let lease = agree(process.context_ids(), &parties, priority).await?;
        let rank = parent.rank() + if first { 0 } else { remote.size() };
        let new = Communicator::derived(parent, group, None, rank);
        new.settle(lease);
        Ok(Rc::new(new))
    })
}

/// An inter-communicator of subsets of both groups; `group` is this side's.
pub(super) fn create(
    process: &Process,
    parent: &Communicator,
    group: &Group,
) -> Result<Option<Rc<Communicator>>, ConstructError> {
    let parties = across(process, parent, remote(parent));
    blocking(process, async {
        let theirs = from_bytes(&parties.swap(&to_bytes(group)).await?)?;
        let priority = priority(&parties.local);
        let lease = agree(process.context_ids(), &parties, priority).await?;
        let rank = group.rank_of(process.context().task() as u32);
        Ok(rank.filter(|_| !theirs.is_empty()).map(|rank| {
            let new = Communicator::derived(parent, group.clone(), Some(theirs), rank);
            new.settle(lease);
            Rc::new(new)
        }))
    })
}

/// An inter-communicator of those on both sides who chose this member's colour; none if
/// there is nobody on the other side.
pub(super) fn split(
    process: &Process,
    parent: &Communicator,
    choice: Choice,
) -> Result<Option<Rc<Communicator>>, ConstructError> {
    let remote = remote(parent);
    let parties = across(process, parent, remote);
    blocking(process, async {
        let ours = choices(&parties.local, choice).await?;
        let theirs = parties.swap(&ours).await?;
        let priority = priority(&parties.local);
        let lease = agree(process.context_ids(), &parties, priority).await?;
        let Some(color) = choice.color else {
            return Ok(None);
        };
        let group = part(parent.group(), &ours, color);
        let others = part(remote, &theirs, color);
        let rank = group
            .rank_of(process.context().task() as u32)
            .expect("who chose a colour is of that colour");
        if others.is_empty() {
            return Ok(None);
        }
        let new = Communicator::derived(parent, group, Some(others), rank);
        new.settle(lease);
        Ok(Some(Rc::new(new)))
    })
}

fn remote(parent: &Communicator) -> &Group {
    parent
        .remote()
        .expect("an inter-communicator has a remote group")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_travel() {
        let group = Group::from_tasks(&[7, 1, 9]).unwrap();
        assert_eq!(from_bytes(&to_bytes(&group)).unwrap(), group);
        assert!(matches!(
            from_bytes(&[1, 0, 0, 0, 1, 0, 0, 0]),
            Err(ConstructError::NotAGroup)
        ));
        assert!(matches!(
            from_bytes(&[1, 0, 0]),
            Err(ConstructError::NotAGroup)
        ));
    }
}
