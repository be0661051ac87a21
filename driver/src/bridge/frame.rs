//! What bridges say to each other: frames of 16 bytes, some with a record's payload behind.
//!
//! ```text
//! byte 0 kind │ 1 plane │ 2..4 origin │ 4..6 target │ 6..8 contexts │ 8..16 word │ payload ...
//! ```
//!
//! | kind | word | means |
//! |---|---|---|
//! | record | its header word, which has the payload's length | the next record of a lane |
//! | credit | lines | so many more may be sent on a lane |
//! | state | the state of a rank's block | the rank `origin` has left, behind all that it sent |
//! | wanted | number of a name | to node 0: which entry has this client? |
//! | client | number of a name | the client in entry `plane` |
//! | refused | number of a name | from node 0: there is no entry left |
//!
//! A plane is a set of lanes: 0 the job's own, then one for each client. All bytes are of a peer, so
//! [`Frame::decode`] gives nothing for what makes no sense; whether there are such lanes is for its
//! caller to check. Numbers are in the machine's own order: the greeting (`network/tcp.rs`) tells
//! whether both ends have the same.

use pamir_shm::lane::record::RecordHeader;

use crate::job::RankState;
use crate::job::client::table::{CLIENTS, ClientWords, MAXIMUM_CONTEXTS};

/// Bytes of a frame without payload.
pub(super) const FRAME_BYTES: usize = 16;

/// A lane: the client's number, and origin and target among its contexts in all tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct LaneName {
    pub(super) plane: usize,
    pub(super) origin: usize,
    pub(super) target: usize,
}

/// One frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Frame {
    Record {
        lane: LaneName,
        header: RecordHeader,
    },
    Credit {
        lane: LaneName,
        lines: u64,
    },
    State {
        plane: usize,
        unit: usize,
        state: RankState,
    },
    Wanted(ClientWords),
    Client {
        place: usize,
        words: ClientWords,
    },
    Refused {
        name: u64,
    },
}

impl Frame {
    /// The bytes that stand for it.
    pub(super) fn encode(self) -> [u8; FRAME_BYTES] {
        let none = LaneName::default();
        let (kind, lane, contexts, word) = match self {
            Self::Record { lane, header } => (1, lane, 0, header.word()),
            Self::Credit { lane, lines } => (2, lane, 0, lines),
            Self::State { plane, unit, state } => {
                let origin = unit;
                let lane = LaneName {
                    plane,
                    origin,
                    ..none
                };
                (3, lane, 0, state.to_word())
            }
            Self::Wanted(words) => (4, none, words.contexts, words.name),
            Self::Client { place, words } => {
                let lane = LaneName {
                    plane: place,
                    ..none
                };
                (5, lane, words.contexts, words.name)
            }
            Self::Refused { name } => (6, none, 0, name),
        };
        let mut bytes = [0; FRAME_BYTES];
        (bytes[0], bytes[1]) = (kind, lane.plane as u8);
        let numbers = [lane.origin as u16, lane.target as u16, contexts as u16];
        for (at, number) in [2, 4, 6].into_iter().zip(numbers) {
            bytes[at..at + 2].copy_from_slice(&number.to_ne_bytes());
        }
        bytes[8..].copy_from_slice(&word.to_ne_bytes());
        bytes
    }

    /// The frame in `bytes`, if it is one.
    pub(super) fn decode(bytes: &[u8; FRAME_BYTES]) -> Option<Self> {
        let number = |at: usize| usize::from(u16::from_ne_bytes([bytes[at], bytes[at + 1]]));
        let (plane, contexts) = (usize::from(bytes[1]), number(6) as u64);
        let word = u64::from_ne_bytes(bytes[8..].try_into().ok()?);
        let lane = LaneName {
            plane,
            origin: number(2),
            target: number(4),
        };
        let words = (word != 0 && (1..=MAXIMUM_CONTEXTS as u64 + 2).contains(&contexts)).then_some(
            ClientWords {
                name: word,
                contexts,
            },
        );
        if plane > CLIENTS {
            return None;
        }
        Some(match bytes[0] {
            1 => {
                let stated = RecordHeader::from_word(word)?;
                // Anew, so that nothing but what is known is in it.
                let bytes = stated.payload_bytes() as u32;
                let header = RecordHeader::new(stated.kind(), stated.auxiliary(), bytes);
                Self::Record { lane, header }
            }
            2 => Self::Credit { lane, lines: word },
            3 => Self::State {
                plane,
                unit: lane.origin,
                state: match RankState::from_word(word) {
                    state @ (RankState::Finalized | RankState::Aborted { .. }) => state,
                    RankState::Absent | RankState::Attached => return None,
                },
            },
            4 => Self::Wanted(words?),
            5 if plane > 0 => Self::Client {
                place: plane,
                words: words?,
            },
            6 => Self::Refused { name: word },
            _ => return None,
        })
    }

    /// Bytes of payload behind it.
    pub(super) fn payload_bytes(self) -> usize {
        match self {
            Self::Record { header, .. } => header.payload_bytes(),
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn some() -> [Frame; 6] {
        let lane = LaneName {
            plane: 8,
            origin: 1023,
            target: 7,
        };
        let words = ClientWords {
            name: 0xfedc_ba98_7654_3210,
            contexts: 16,
        };
        [
            Frame::Record {
                lane,
                header: RecordHeader::new(34, 65_535, 500_000),
            },
            Frame::Credit { lane, lines: 4096 },
            Frame::State {
                plane: 0,
                unit: 1023,
                state: RankState::Aborted { code: -3 },
            },
            Frame::Wanted(words),
            Frame::Client { place: 8, words },
            Frame::Refused { name: words.name },
        ]
    }

    #[test]
    fn frames_come_back() {
        for frame in some() {
            assert_eq!(Frame::decode(&frame.encode()), Some(frame));
        }
        assert_eq!(some()[0].payload_bytes(), 500_000);
        assert_eq!(some()[1].payload_bytes(), 0);
    }

    #[test]
    fn nonsense_is_no_frame() {
        let valid = some().map(Frame::encode);
        for (of, at, value) in [
            (0, 0, 0),
            (0, 0, 7),
            (0, 1, 9),
            (4, 1, 0),
            (4, 6, 200),
            (3, 6, 0),
        ] {
            let mut bytes = valid[of];
            bytes[at] = value;
            assert_eq!(Frame::decode(&bytes), None, "frame {of}, byte {at}");
        }
        let mut none = valid[0];
        none[8..].fill(0);
        assert_eq!(Frame::decode(&none), None);
    }

    proptest! {
        #[test]
        fn what_is_understood_is_said_the_same_way(bytes in any::<[u8; FRAME_BYTES]>(), kind in 0_u8..8) {
            let mut bytes = bytes;
            bytes[0] = kind;
            bytes[1] %= 16;
            if let Some(frame) = Frame::decode(&bytes) {
                prop_assert_eq!(Frame::decode(&frame.encode()), Some(frame));
            }
        }
    }
}
