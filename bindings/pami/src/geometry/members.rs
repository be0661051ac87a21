//! Geometries: who belongs together, in the order of ranks.
//!
//! Before: a list of endpoints. After: [`Geometry`], which operations hold as long as they run.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use pamir_transport::collective::geometry::Members;
use pamir_transport::context::endpoint::Endpoint;

use crate::client::ClientObject;
use crate::context::ContextObject;
use crate::context::endpoint::word_of;
use crate::geometry::attributes::Attributes;
use crate::refusal::Refusal;

/// The tag of the messages by which members meet when they make a geometry.
pub const MEETING: i32 = 1 << 30;

/// A member in this task.
pub struct Here {
    /// Its rank.
    pub rank: usize,
    /// The offset of its context.
    pub offset: usize,
    operations: AtomicU32,
}

impl Here {
    /// The number of its next operation.
    pub fn next_operation(&self) -> i32 {
        // Relaxed: only the thread that has the context counts.
        let number = self.operations.fetch_add(1, Ordering::Relaxed);
        (number % MEETING as u32) as i32
    }
}

/// Who belongs together.
pub struct Geometry {
    /// Whose endpoints they are.
    pub client: &'static ClientObject,
    /// Which of the client's geometries it is, the same at all members.
    pub id: u32,
    /// What can be asked of it.
    pub attributes: Attributes,
    endpoints: Box<[Endpoint]>,
    units: Box<[u32]>,
    here: Box<[Here]>,
    /// Operations that have not ended, of this task's members.
    pub under_way: AtomicUsize,
}

impl Geometry {
    /// A geometry of `endpoints`.
    ///
    /// # Errors
    ///
    /// If one is none of the client's, or is listed twice, or none is this task's.
    pub fn new(
        client: &'static ClientObject,
        id: u32,
        endpoints: Box<[Endpoint]>,
        attributes: Attributes,
    ) -> Result<Self, Refusal> {
        let mut units = Vec::with_capacity(endpoints.len());
        for endpoint in &endpoints {
            let word = word_of(*endpoint);
            let unit = client.client().unit(*endpoint);
            units.push(unit.ok_or(Refusal::Endpoint { endpoint: word })? as u32);
        }
        if let Some(twice) = repeated(&endpoints) {
            let endpoint = word_of(twice);
            return Err(Refusal::MemberTwice { endpoint });
        }
        let own = client.client().task();
        let mine = endpoints.iter().enumerate();
        let here: Box<[_]> = mine
            .filter(|(_, endpoint)| endpoint.task() == own)
            .map(|(rank, endpoint)| Here {
                rank,
                offset: endpoint.context(),
                operations: AtomicU32::new(0),
            })
            .collect();
        if here.is_empty() {
            return Err(Refusal::NotAmongMembers { task: own });
        }
        Ok(Self {
            client,
            id,
            attributes,
            endpoints,
            units: units.into(),
            here,
            under_way: AtomicUsize::new(0),
        })
    }

    /// The member that a context of this task is.
    pub fn member(&self, context: &ContextObject) -> Result<&Here, Refusal> {
        let offset = context.endpoint().context();
        let same_client = std::ptr::eq(self.client, context.client());
        let mut here = self.here.iter();
        let found = here.find(|here| same_client && here.offset == offset);
        found.ok_or(Refusal::NotMember {
            endpoint: word_of(context.endpoint()),
        })
    }

    /// This task's members.
    pub fn here(&self) -> &[Here] {
        &self.here
    }

    /// All members.
    pub fn endpoints(&self) -> &[Endpoint] {
        &self.endpoints
    }

    /// The rank of an endpoint.
    pub fn rank_of(&self, endpoint: Endpoint) -> Option<usize> {
        // In most geometries the rank is the task.
        let guess = endpoint.task();
        if self.endpoints.get(guess) == Some(&endpoint) {
            return Some(guess);
        }
        self.endpoints.iter().position(|one| *one == endpoint)
    }

    /// The first member of each task, in the order of ranks.
    pub fn representatives(&self) -> Vec<usize> {
        let mut seen = vec![false; self.client.client().tasks()];
        let ranks = 0..self.endpoints.len();
        ranks
            .filter(|rank| !std::mem::replace(&mut seen[self.endpoints[*rank].task()], true))
            .collect()
    }

    /// The tasks' number of the context of a member.
    pub fn unit(&self, rank: usize) -> usize {
        self.units[rank] as usize
    }
}

impl Members for Geometry {
    fn size(&self) -> usize {
        self.endpoints.len()
    }

    fn task(&self, rank: usize) -> usize {
        self.unit(rank)
    }
}

fn repeated(endpoints: &[Endpoint]) -> Option<Endpoint> {
    let mut sorted = endpoints.to_vec();
    sorted.sort_unstable();
    let twice = sorted.windows(2).find(|pair| pair[0] == pair[1]);
    twice.map(|pair| pair[0])
}
