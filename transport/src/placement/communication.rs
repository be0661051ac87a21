//! The communication graph: how many messages and bytes each process sends to each other one.
//!
//! What: a sparse list of (origin, target, messages, bytes), sorted, without doubles. Profiles of
//! several runs, or of several portions of one, are merged by adding them up. [`Weight`] says what
//! of it is the weight `w` of an edge.
//! Why sparse: a rank of a large job talks to a few others; a table of all pairs of 16,384 ranks
//! would be 2 GiB.
//!
//! Step before: a profile, or a file ([`super::format`]). Step after: [`super::problem`].
//! Invariants: entries sorted by origin, then target, each pair at most once, none without traffic.

use super::PlacementError;

/// What one process sent to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traffic {
    /// Number of messages.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// One directed edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Who sends.
    pub origin: u32,
    /// Who receives.
    pub target: u32,
    /// How much.
    pub traffic: Traffic,
}

/// What of the traffic is the weight of an edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Weight {
    /// Bytes.
    Bytes,
    /// Messages.
    Messages,
    /// Bytes, each message counting as this many bytes on top: latency times bandwidth.
    Both {
        /// Bytes that could have been sent in the time a message costs by itself.
        message_bytes: f64,
    },
}

impl Weight {
    /// The weight of some traffic.
    pub fn of(self, traffic: Traffic) -> f64 {
        match self {
            Weight::Bytes => traffic.bytes as f64,
            Weight::Messages => traffic.messages as f64,
            Weight::Both { message_bytes } => {
                traffic.bytes as f64 + message_bytes * traffic.messages as f64
            }
        }
    }
}

/// Who sends how much to whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommunicationGraph {
    ranks: usize,
    entries: Vec<Entry>,
}

impl CommunicationGraph {
    /// The graph of these entries; those of the same pair are added up.
    pub fn new(
        ranks: usize,
        entries: impl IntoIterator<Item = Entry>,
    ) -> Result<CommunicationGraph, PlacementError> {
        let mut entries: Vec<Entry> = entries.into_iter().collect();
        for entry in &entries {
            let highest = entry.origin.max(entry.target) as usize;
            if highest >= ranks {
                return Err(PlacementError::NoSuchRank {
                    rank: highest,
                    ranks,
                });
            }
        }
        entries.sort_unstable_by_key(|entry| (entry.origin, entry.target));
        entries.dedup_by(|later, kept| {
            let same = (later.origin, later.target) == (kept.origin, kept.target);
            if same {
                kept.traffic.messages += later.traffic.messages;
                kept.traffic.bytes += later.traffic.bytes;
            }
            same
        });
        entries.retain(|entry| entry.traffic != Traffic::default());
        Ok(CommunicationGraph { ranks, entries })
    }

    /// Number of ranks.
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// The edges, sorted by origin and target.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// What one rank sent to another.
    pub fn traffic(&self, origin: u32, target: u32) -> Traffic {
        let found = self
            .entries
            .binary_search_by_key(&(origin, target), |entry| (entry.origin, entry.target));
        found.map_or(Traffic::default(), |at| self.entries[at].traffic)
    }

    /// All traffic together.
    pub fn total(&self) -> Traffic {
        let mut total = Traffic::default();
        for entry in &self.entries {
            total.messages += entry.traffic.messages;
            total.bytes += entry.traffic.bytes;
        }
        total
    }

    /// This graph and another one of the same job added up: runs, or portions of a run.
    pub fn merged(&self, other: &CommunicationGraph) -> Result<CommunicationGraph, PlacementError> {
        if self.ranks != other.ranks {
            return Err(PlacementError::Size {
                what: "a profile to be merged",
                found: other.ranks,
                expected: self.ranks,
            });
        }
        CommunicationGraph::new(
            self.ranks,
            self.entries.iter().chain(&other.entries).copied(),
        )
    }

    /// The same pattern for more ranks: rank `r` of copy `c` is rank `c * ranks + r`. What copies
    /// send to each other is not known and left out.
    pub fn repeated(&self, copies: usize) -> CommunicationGraph {
        let ranks = self.ranks;
        let copy = |number: usize| {
            let offset = (number * ranks) as u32;
            self.entries.iter().map(move |entry| Entry {
                origin: entry.origin + offset,
                target: entry.target + offset,
                traffic: entry.traffic,
            })
        };
        CommunicationGraph {
            ranks: ranks * copies,
            entries: (0..copies).flat_map(copy).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(in crate::placement) fn entry(
        origin: u32,
        target: u32,
        messages: u64,
        bytes: u64,
    ) -> Entry {
        Entry {
            origin,
            target,
            traffic: Traffic { messages, bytes },
        }
    }

    #[test]
    fn entries_of_a_pair_are_added_up() {
        let graph = CommunicationGraph::new(
            3,
            [
                entry(2, 0, 1, 8),
                entry(0, 1, 2, 10),
                entry(2, 0, 1, 4),
                entry(1, 1, 0, 0),
            ],
        )
        .unwrap();
        assert_eq!(graph.entries(), [entry(0, 1, 2, 10), entry(2, 0, 2, 12)]);
        assert_eq!(graph.traffic(2, 0).bytes, 12);
        assert_eq!(graph.traffic(0, 2), Traffic::default());
        assert_eq!(graph.total().messages, 4);
    }

    #[test]
    fn runs_are_merged_by_adding() {
        let one = CommunicationGraph::new(2, [entry(0, 1, 1, 8)]).unwrap();
        let other = CommunicationGraph::new(2, [entry(0, 1, 2, 2), entry(1, 0, 1, 1)]).unwrap();
        let merged = one.merged(&other).unwrap();
        assert_eq!(merged.entries(), [entry(0, 1, 3, 10), entry(1, 0, 1, 1)]);
        let large = CommunicationGraph::new(3, []).unwrap();
        assert!(one.merged(&large).is_err());
    }

    #[test]
    fn a_rank_that_is_not_there_is_named() {
        let error = CommunicationGraph::new(2, [entry(0, 2, 1, 1)]).unwrap_err();
        assert!(
            error.to_string().starts_with("rank 2 does not exist"),
            "{error}"
        );
    }

    #[test]
    fn weights_are_bytes_messages_or_both() {
        let traffic = Traffic {
            messages: 3,
            bytes: 100,
        };
        assert_eq!(Weight::Bytes.of(traffic), 100.0);
        assert_eq!(Weight::Messages.of(traffic), 3.0);
        assert_eq!(
            Weight::Both {
                message_bytes: 50.0
            }
            .of(traffic),
            250.0
        );
    }

    #[test]
    fn copies_keep_to_themselves() {
        let graph = CommunicationGraph::new(2, [entry(0, 1, 1, 8)])
            .unwrap()
            .repeated(2);
        assert_eq!(graph.ranks(), 4);
        assert_eq!(graph.entries(), [entry(0, 1, 1, 8), entry(2, 3, 1, 8)]);
    }
}
