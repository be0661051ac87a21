//! What comes before the program's header in a message that starts an operation.
//!
//! Before: one member starts. After: every member knows which function is called, and what for.

use crate::structures::HIGHEST_DISPATCH;
use crate::structures::kind::TransferKind;

/// The transport's dispatch id of what the origin sends, behind those of [`crate::message::long_header`].
pub const START: u16 = 2 * (HIGHEST_DISPATCH as u16 + 1);
/// And of what comes back.
pub const ANSWER: u16 = START + 1;

/// What comes before the program's header in a START.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The kind.
    pub kind: TransferKind,
    /// The geometry's id.
    pub geometry: u32,
    /// Whose function is called.
    pub dispatch: u32,
    /// The operation, as the origin calls it.
    pub key: u64,
    /// Bytes of an answer.
    pub answer_bytes: u64,
}

impl Head {
    /// Its length.
    pub const BYTES: usize = 28;

    /// As it is sent.
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..4].copy_from_slice(&(self.kind as u32).to_ne_bytes());
        bytes[4..8].copy_from_slice(&self.geometry.to_ne_bytes());
        bytes[8..12].copy_from_slice(&self.dispatch.to_ne_bytes());
        bytes[12..20].copy_from_slice(&self.key.to_ne_bytes());
        bytes[20..].copy_from_slice(&self.answer_bytes.to_ne_bytes());
        bytes
    }

    /// The head and the program's header, unless a peer has sent something else.
    pub fn split(header: &[u8]) -> Option<(Self, &[u8])> {
        let (head, rest) = header.split_first_chunk::<{ Self::BYTES }>()?;
        let (half, word) = (|at| half_at(head, at), |at| word_at(head, at));
        let head = Self {
            kind: TransferKind::of(half(0)?).filter(|kind| kind.is_active())?,
            geometry: half(4)?,
            dispatch: half(8)?,
            key: word(12)?,
            answer_bytes: word(20)?,
        };
        Some((head, rest))
    }
}

/// The number of 32 bits at a place of a header.
pub fn half_at(header: &[u8], at: usize) -> Option<u32> {
    let bytes = header.get(at..)?.first_chunk()?;
    Some(u32::from_ne_bytes(*bytes))
}

/// The number of 64 bits at a place of a header.
pub fn word_at(header: &[u8], at: usize) -> Option<u64> {
    let bytes = header.get(at..)?.first_chunk()?;
    Some(u64::from_ne_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_come_back() {
        let head = Head {
            kind: TransferKind::ActiveReduce,
            geometry: 0xFFFF_FFFE,
            dispatch: 2047,
            key: 1 << 40,
            answer_bytes: 1 << 33,
        };
        let header = [&head.to_bytes()[..], b"own"].concat();
        assert_eq!(Head::split(&header), Some((head, &b"own"[..])));
        assert_eq!(Head::split(&header[..Head::BYTES - 1]), None);
        let mut other = header;
        other[0] = TransferKind::Barrier as u8;
        assert_eq!(Head::split(&other), None);
    }
}
