//! A record: what lies in a lane, from one line to the next record.
//!
//! ```text
//! bit   0      valid: always 1, so that a header word of 0 means "no record yet"
//! bit   1      padding: skip to the start of the ring; the length is then 2^32 - 1
//! bit   2      close: the next record follows at once, where lines stay free behind others as long
//! bit   3      string: the payload is best read by a string move
//! bit   4      in an exclusive buffer: the payload begins with a word that says where it lies instead ([`crate::exclusive_buffer::mapped`])
//! bits  8..16  kind: the index into the packet handler table
//! bits 16..32  auxiliary: the packet's own small number
//! bits 32..64  payload length in bytes
//! ```
//!
//! The header word is the first word of the record's first line; the payload
//! follows it at once, so that a payload of up to [`ONE_LINE_BYTES`] travels in
//! the same line as the word that announces it.

/// Bytes of a cache line, and of a lane's slot.
pub const LINE_BYTES: usize = 64;

/// Bytes of the header word.
pub const HEADER_BYTES: usize = 8;

/// The longest payload that shares its line with the header word.
pub const ONE_LINE_BYTES: usize = LINE_BYTES - HEADER_BYTES;

const VALID: u64 = 1;
const PADDING: u64 = 2;
const CLOSE_SHIFT: u32 = 2;
const STRING_SHIFT: u32 = 3;
const IN_EXCLUSIVE_BUFFER: u64 = 1 << 4;

/// The header word of a record. A valid one is never 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct RecordHeader(u64);

impl RecordHeader {
    /// The header of a record for handler `kind` with `payload_bytes` bytes behind it.
    #[inline(always)]
    pub const fn new(kind: u8, auxiliary: u16, payload_bytes: u32) -> Self {
        let kinds = (kind as u64) << 8 | (auxiliary as u64) << 16;
        Self(VALID | kinds | (payload_bytes as u64) << 32)
    }

    /// The header that sends the consumer back to the start of the ring.
    pub const fn padding() -> Self {
        // With the length that no record has, it is told from lines by that alone.
        Self(VALID | PADDING | (u32::MAX as u64) << 32)
    }

    /// The header that a word read from a lane stands for; none if it is 0.
    #[inline(always)]
    pub const fn from_word(word: u64) -> Option<Self> {
        if word == 0 { None } else { Some(Self(word)) }
    }

    /// The header in `word`, if it is one of a record of one line for handler `kind`, with
    /// nothing in its auxiliary number.
    #[inline(always)]
    pub const fn line_of(kind: u8, word: u64) -> Option<Self> {
        let header = Self(word);
        let wanted = Self::new(kind, 0, 0).0 as u32;
        if word as u32 == wanted && header.payload_bytes() <= ONE_LINE_BYTES {
            Some(header)
        } else {
            None
        }
    }

    /// The header in `word`, if it is one of a record of one line for handler `kind` whose payload
    /// begins with a word, whatever its auxiliary number is.
    #[inline(always)]
    pub const fn any_line_of(kind: u8, word: u64) -> Option<Self> {
        let header = Self(word);
        let wanted = Self::new(kind, 0, 0).0 as u16;
        // A payload that is shorter than a word wraps to a length that no line has.
        let behind = header.payload_bytes().wrapping_sub(8);
        if word as u16 == wanted && behind <= ONE_LINE_BYTES - 8 {
            Some(header)
        } else {
            None
        }
    }

    /// The word as it lies in the lane.
    #[inline(always)]
    pub const fn word(self) -> u64 {
        self.0
    }

    /// The index into the packet handler table.
    #[inline(always)]
    pub const fn kind(self) -> u8 {
        (self.0 >> 8) as u8
    }

    /// The packet's own small number.
    #[inline(always)]
    pub const fn auxiliary(self) -> u16 {
        (self.0 >> 16) as u16
    }

    /// Bytes behind the header word.
    #[inline(always)]
    pub const fn payload_bytes(self) -> usize {
        (self.0 >> 32) as usize
    }

    /// Whether this is no message but the gap at the end of the ring.
    #[inline(always)]
    pub const fn is_padding(self) -> bool {
        self.0 & PADDING != 0
    }

    /// The same, with the next record close behind it, or not.
    #[inline(always)]
    pub(crate) const fn followed(self, closely: bool) -> Self {
        Self(self.0 | (closely as u64) << CLOSE_SHIFT)
    }

    /// Whether the next record follows at once, however long this one is.
    #[inline(always)]
    pub(crate) const fn is_followed_closely(self) -> bool {
        self.0 & 1 << CLOSE_SHIFT != 0
    }

    /// The same, with a payload that is best read by a string move, or not: a hint. Never of a record of one line.
    #[inline(always)]
    pub const fn of_string(self, is_string: bool) -> Self {
        Self(self.0 | (is_string as u64) << STRING_SHIFT)
    }

    /// Whether the payload is best read by a string move.
    #[inline(always)]
    pub const fn is_string(self) -> bool {
        self.0 & 1 << STRING_SHIFT != 0
    }

    /// Payload bytes of a record that announces another payload: a word that says where it is, and one for the unit.
    pub const ANNOUNCED_BYTES: usize = 16;

    /// The header of a record of one line that announces a payload of this one's in an exclusive buffer.
    #[inline(always)]
    pub const fn in_exclusive_buffer(self) -> Self {
        Self(self.0 as u32 as u64 | IN_EXCLUSIVE_BUFFER | (Self::ANNOUNCED_BYTES as u64) << 32)
    }

    /// Whether the payload lies in an exclusive buffer, and only a word about it here.
    #[inline(always)]
    pub const fn is_in_exclusive_buffer(self) -> bool {
        self.0 & IN_EXCLUSIVE_BUFFER != 0
    }

    /// The header of the payload of `payload_bytes` bytes that this record announces.
    #[inline(always)]
    pub const fn announced(self, payload_bytes: u32) -> Self {
        Self((self.0 as u32 as u64 & !IN_EXCLUSIVE_BUFFER) | (payload_bytes as u64) << 32)
    }

    /// Whether this is a message, and takes one line: so do most.
    #[inline(always)]
    pub const fn is_line(self) -> bool {
        self.payload_bytes() <= ONE_LINE_BYTES
    }

    /// Lines that the record takes.
    #[inline(always)]
    pub const fn lines(self) -> u64 {
        lines_for(self.payload_bytes())
    }
}

/// Lines that a record with `payload_bytes` takes.
#[inline(always)]
pub const fn lines_for(payload_bytes: usize) -> u64 {
    (payload_bytes + HEADER_BYTES).div_ceil(LINE_BYTES) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_come_back() {
        let header = RecordHeader::new(200, 65_535, 4_000_000_000);
        assert_eq!(RecordHeader::from_word(header.word()), Some(header));
        assert_eq!((header.kind(), header.auxiliary()), (200, 65_535));
        assert_eq!(header.payload_bytes(), 4_000_000_000);
        assert!(!header.is_padding() && RecordHeader::padding().is_padding());
        assert_eq!(RecordHeader::from_word(0), None);
        assert_ne!(RecordHeader::new(0, 0, 0).word(), 0);
        assert_eq!(header.followed(false), header);
        let close = header.followed(true);
        assert_eq!((close.kind(), close.auxiliary()), (200, 65_535));
        assert!(close.is_followed_closely() && !header.is_followed_closely());
        assert!(!close.is_padding() && close.lines() == header.lines());
    }

    #[test]
    fn a_payload_in_an_exclusive_buffer_is_announced_by_a_line() {
        let header = RecordHeader::new(7, 300, 70_000).of_string(true);
        let line = header.in_exclusive_buffer();
        assert!(line.is_in_exclusive_buffer() && !header.is_in_exclusive_buffer());
        assert_eq!((line.payload_bytes(), line.is_line()), (16, true));
        assert_eq!(line.announced(70_000), header);
        assert!(header.is_string() && line.announced(9).is_string());
        assert_eq!(RecordHeader::any_line_of(7, line.word()), None);
        assert_eq!(
            RecordHeader::line_of(7, RecordHeader::new(7, 0, 9).in_exclusive_buffer().word()),
            None
        );
    }

    #[test]
    fn lines_are_told_from_other_records() {
        let word = |kind, auxiliary, bytes| RecordHeader::new(kind, auxiliary, bytes).word();
        for (word, plain, any) in [
            (word(7, 0, 56), true, true),
            (word(7, 300, 56), false, true),
            (word(7, 300, 57), false, false),
            (word(7, 300, 8), false, true),
            (word(7, 0, 7), true, false),
            (word(8, 0, 8), false, false),
            (RecordHeader::padding().word(), false, false),
            (0, false, false),
        ] {
            assert_eq!(RecordHeader::line_of(7, word).is_some(), plain, "{word:#x}");
            let found = RecordHeader::any_line_of(7, word);
            assert_eq!(found.map(RecordHeader::word), any.then_some(word));
        }
    }

    #[test]
    fn a_small_payload_takes_one_line() {
        assert_eq!(lines_for(0), 1);
        assert_eq!(lines_for(ONE_LINE_BYTES), 1);
        assert_eq!(lines_for(ONE_LINE_BYTES + 1), 2);
        assert_eq!(lines_for(120), 2);
        assert_eq!(lines_for(121), 3);
    }
}
