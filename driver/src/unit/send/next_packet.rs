//! The next packet of a descriptor, wherever it is written.
//!
//! Before: a descriptor of the injection FIFO, some of whose data may have gone. After: the packet is written into the
//! lane ([`super`]) or into an exclusive buffer ([`super::exclusive_buffer`]).
//!
//! ```text
//! the only one     │ metadata │ data
//! first of several │ metadata │ bytes of all │ data
//! any other        │ data
//! ```

use crate::injection::descriptor::Descriptor;
use crate::unit::packet::data_start;

/// What the next packet of a descriptor consists of.
#[derive(Debug)]
pub(in crate::unit) struct NextPacket {
    /// Its handler.
    pub(in crate::unit) kind: u8,
    /// Where the data starts in the payload.
    pub(in crate::unit) start: usize,
    /// Bytes of data.
    pub(in crate::unit) bytes: usize,
    words: [u64; 2],
    header_words: usize,
}

impl NextPacket {
    /// That of a descriptor whose packets have at most `packet_bytes` bytes of data.
    #[inline(always)]
    pub(in crate::unit) fn of(descriptor: &Descriptor, packet_bytes: usize) -> Self {
        let is_first = descriptor.injected == 0;
        let header_words = match (is_first, descriptor.bytes > packet_bytes as u64) {
            (false, _) => 0,
            (true, false) => 1,
            (true, true) => 2,
        };
        let left = (descriptor.bytes - descriptor.injected) as usize;
        let bytes = left.min(packet_bytes);
        Self {
            kind: if is_first {
                descriptor.kind
            } else {
                descriptor.continuation
            },
            start: data_start(8 * header_words, bytes),
            bytes,
            words: [descriptor.metadata, descriptor.bytes],
            header_words,
        }
    }

    /// Bytes of the payload.
    #[inline(always)]
    pub(in crate::unit) fn payload_bytes(&self) -> usize {
        self.start + self.bytes
    }

    /// Writes what stands before the data: each word, and at which byte of the payload.
    #[inline(always)]
    pub(in crate::unit) fn write_header(&self, write: impl Fn(usize, u64)) {
        for (index, word) in self.words[..self.header_words].iter().enumerate() {
            write(8 * index, *word);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(bytes: usize, injected: u64) -> (u8, usize, usize, Vec<(usize, u64)>) {
        let mut descriptor = Descriptor::memory_fifo(1, 7, 99, std::ptr::null(), bytes);
        descriptor.continuation = 8;
        descriptor.injected = injected;
        let packet = NextPacket::of(&descriptor, 1000);
        assert_eq!(packet.payload_bytes(), packet.start + packet.bytes);
        let words = std::cell::RefCell::new(Vec::new());
        packet.write_header(|at, word| words.borrow_mut().push((at, word)));
        (packet.kind, packet.start, packet.bytes, words.into_inner())
    }

    #[test]
    fn the_first_packet_of_several_says_how_much_there_is() {
        assert_eq!(next(100, 0), (7, 8, 100, vec![(0, 99)]));
        assert_eq!(next(1000, 0), (7, 56, 1000, vec![(0, 99)]));
        assert_eq!(next(1100, 0), (7, 56, 1000, vec![(0, 99), (8, 1100)]));
        assert_eq!(next(1100, 1000), (8, 0, 100, vec![]));
        assert_eq!(next(2500, 1000), (8, 56, 1000, vec![]));
    }
}
