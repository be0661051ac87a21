//! The message in which the slowest member tells what it has decided.
//!
//! Before: all have called; the slowest has read the shared history and decided. After: everybody
//! has the same calls and the same transfers.
//!
//! ```text
//! [transfers][a call a member: started, arrived, load][a transfer a member: giver, receiver, amount]
//! ```
//!
//! Its length follows from the number of members. Invariant: what was received is no more than
//! numbers, which [`pamir_transport::balance::partition`] checks before a range changes.

use pamir_transport::balance::history::Arrival;
use pamir_transport::balance::partition::Transfer;

/// Words of a call, and of a transfer.
const WORDS: usize = 3;

const WORD_BYTES: usize = size_of::<u64>();

/// What the slowest member has decided after a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// All calls, by member.
    pub calls: Vec<Arrival>,
    /// What moves; at most one transfer a member.
    pub transfers: Vec<Transfer>,
}

/// Bytes of the message in a group of `members`.
pub fn message_bytes(members: usize) -> usize {
    (1 + 2 * WORDS * members) * WORD_BYTES
}

impl Decision {
    /// As it is sent.
    pub fn to_bytes(&self) -> Vec<u8> {
        let members = self.calls.len();
        debug_assert!(
            self.transfers.len() <= members,
            "givers do not share receivers"
        );
        let mut words = vec![self.transfers.len() as u64];
        for call in &self.calls {
            words.extend([call.started_ns, call.arrived_ns, call.load]);
        }
        for transfer in &self.transfers {
            words.extend([
                transfer.giver as u64,
                transfer.receiver as u64,
                transfer.amount,
            ]);
        }
        words.resize(message_bytes(members) / WORD_BYTES, 0);
        words.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }

    /// What was received from the slowest of `members`.
    pub fn from_bytes(bytes: &[u8], members: usize) -> Self {
        let chunks = bytes.chunks_exact(WORD_BYTES);
        let mut words =
            chunks.map(|chunk| u64::from_ne_bytes(chunk.try_into().expect("a chunk has a word")));
        let mut next = || words.next().unwrap_or(0);
        let transfers = (next() as usize).min(members);
        let calls = (0..members).map(|member| Arrival {
            member,
            started_ns: next(),
            arrived_ns: next(),
            load: next(),
        });
        let calls = calls.collect();
        let transfers = (0..transfers).map(|_| Transfer {
            giver: next() as usize,
            receiver: next() as usize,
            amount: next(),
        });
        let transfers = transfers.collect();
        Self { calls, transfers }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_comes_back_and_a_wrong_one_does_no_harm() {
        let calls = (0..3).map(|member| Arrival {
            member,
            started_ns: 5,
            arrived_ns: 10 + member as u64,
            load: 7,
        });
        let decision = Decision {
            calls: calls.collect(),
            transfers: vec![Transfer {
                giver: 2,
                receiver: 0,
                amount: 4,
            }],
        };
        let bytes = decision.to_bytes();
        assert_eq!(bytes.len(), message_bytes(3));
        assert_eq!(Decision::from_bytes(&bytes, 3), decision);
        let wild = Decision::from_bytes(&[0xFF; 160], 3);
        assert_eq!((wild.calls.len(), wild.transfers.len()), (3, 3));
        assert_eq!(Decision::from_bytes(&[], 2).transfers, []);
    }
}
