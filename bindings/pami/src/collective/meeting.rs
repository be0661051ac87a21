//! The meeting of members when a geometry is made.
//!
//! Before: a geometry was made. After: its members have met, and the program is told.
//!
//! ```text
//! without a parent   the first endpoint of each task in the new geometry meets the others
//! with a parent      all tasks of the parent meet, also those that make no geometry
//! ```
//!
//! The meeting is a barrier, and goes on whenever the context of the endpoint is advanced. Where
//! that is not the context that the program is told in, work that is posted leads from one to the
//! other.

use std::sync::Arc;

use pamir_transport::collective::geometry::Members;
use pamir_transport::collective::{CollectiveError, barrier};

use crate::collective::channel::MemberChannel;
use crate::collective::operation::Operation;
use crate::context::event::Event;
use crate::context::made::context_at;
use crate::context::{ContextObject, Held};
use crate::geometry::{Geometry, MEETING};
use crate::refusal::{Refusal, ended_collective};

/// One endpoint a task of a geometry.
struct Representatives {
    geometry: Arc<Geometry>,
    ranks: Vec<usize>,
}

impl Members for Representatives {
    fn size(&self) -> usize {
        self.ranks.len()
    }

    fn task(&self, rank: usize) -> usize {
        self.geometry.unit(self.ranks[rank])
    }
}

/// The barrier that makes a geometry.
pub struct Meeting {
    members: Representatives,
    /// Where this task's endpoint is among them.
    rank: usize,
    /// Its context.
    object: &'static ContextObject,
    tag: i32,
}

impl Meeting {
    fn new(geometry: &Arc<Geometry>, tag: i32) -> Result<Self, Refusal> {
        let members = Representatives {
            geometry: Arc::clone(geometry),
            ranks: geometry.representatives(),
        };
        let here = &geometry.here()[0];
        let mut ranks = members.ranks.iter();
        let rank = ranks.position(|rank| *rank == here.rank);
        Ok(Self {
            rank: rank.expect("the first member of this task represents it"),
            object: context_at(geometry.client, here.offset)?,
            members,
            tag,
        })
    }

    /// That of a geometry without a parent: its members meet.
    pub fn of_new(geometry: &Arc<Geometry>) -> Result<Self, Refusal> {
        Self::new(geometry, MEETING)
    }

    /// That of a geometry with a parent: all tasks of the parent meet.
    ///
    /// # Errors
    ///
    /// [`Refusal::ParentOfMany`].
    pub fn of_parent(parent: &Arc<Geometry>) -> Result<Self, Refusal> {
        if parent.representatives().len() != parent.endpoints().len() {
            return Err(Refusal::ParentOfMany);
        }
        let mut meeting = Self::new(parent, MEETING)?;
        meeting.tag = parent.here()[0].next_operation();
        Ok(meeting)
    }

    async fn run(&self, here: Held) -> Result<(), CollectiveError> {
        let (id, context) = (self.members.geometry.id, here.context());
        let (members, rank, tag) = (&self.members, self.rank, self.tag);
        barrier(&MemberChannel::new(context, members, rank, id, tag)).await
    }

    /// Begins, in the endpoint's own context; the program is told in the context `told`.
    pub fn start(self, told: Held, event: Option<Event>) {
        let (object, held, told) = (self.object, told, told.object());
        let same = std::ptr::eq(object, told);
        let done = move |how: Result<(), CollectiveError>| {
            let Some(event) = event else { return };
            if same {
                event.tell(ended_collective(how));
            } else {
                event.tell_later(told, how);
            }
        };
        let begin = move |here: Held| {
            let geometry = Arc::clone(&self.members.geometry);
            let future = Box::pin(async move { self.run(here).await });
            Operation::start(here, geometry, Box::new(done), future);
        };
        if same {
            begin(held);
        } else {
            object.post_once(begin);
        }
    }
}
