//! Endpoints: where an instruction starts and where it goes.
//!
//! An endpoint is one context of one task of one client ("Parallel active messages": client,
//! context and task together). It is opaque: a word that can be stored, sent and compared, and
//! that only its client's contexts take apart.
//!
//! ```text
//! bit 0..32 task     32..48 context offset     48..64 client
//! ```

/// A context of a task of a client, on this node or another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Endpoint(u64);

impl Endpoint {
    pub(crate) fn new(client: u16, task: usize, context: usize) -> Self {
        Self(task as u64 | (context as u64) << 32 | u64::from(client) << 48)
    }

    /// As it is stored or sent.
    pub fn word(self) -> u64 {
        self.0
    }

    /// The endpoint that a word stands for; whether it exists is seen when it is used.
    pub fn from_word(word: u64) -> Self {
        Self(word)
    }

    /// The task. Tasks are platform integers: they name processes, and are never addressed.
    pub fn task(self) -> usize {
        self.0 as u32 as usize
    }

    /// The context's offset among those of its client in its task.
    pub fn context(self) -> usize {
        (self.0 >> 32) as u16 as usize
    }

    pub(crate) fn client(self) -> u16 {
        (self.0 >> 48) as u16
    }
}

/// Where a context stands in its client: what endpoints are made and read with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The client's number, the same in all tasks.
    pub(crate) client: u16,
    /// How many contexts the client has in each task, those of an engine among them.
    pub(crate) contexts: usize,
    /// It has an engine of the node ([`crate::one_sided::node_engine`]).
    pub(crate) engine: bool,
}

impl Place {
    /// The only client of a job whose ranks are its tasks.
    pub(crate) const ALONE: Self = Self {
        client: 0,
        contexts: 1,
        engine: false,
    };

    /// The endpoint of the messaging unit `unit`.
    pub(crate) fn endpoint(self, unit: usize) -> Endpoint {
        Endpoint::new(self.client, unit / self.contexts, unit % self.contexts)
    }

    /// The messaging unit of an endpoint, if it is one of this client, which has `units`.
    pub(crate) fn unit(self, endpoint: Endpoint, units: usize) -> Option<usize> {
        let unit = endpoint.task() * self.contexts + endpoint.context();
        let exists =
            endpoint.client() == self.client && endpoint.context() < self.contexts && unit < units;
        exists.then_some(unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_come_back() {
        let place = Place {
            client: 3,
            contexts: 4,
            engine: false,
        };
        for unit in 0..12 {
            let endpoint = place.endpoint(unit);
            assert_eq!((endpoint.task(), endpoint.context()), (unit / 4, unit % 4));
            assert_eq!(Endpoint::from_word(endpoint.word()), endpoint);
            assert_eq!(place.unit(endpoint, 12), Some(unit));
            assert_eq!(Place::ALONE.unit(endpoint, 12), None);
        }
        assert_eq!(place.unit(Endpoint::new(3, 3, 0), 12), None);
        assert_eq!(place.unit(Endpoint::new(3, 0, 4), 12), None);
    }
}
