//! Envelopes, and the patterns of receives.
//!
//! An envelope is (context id, source task, tag), MPI-5.0 section 3.2.3; the destination
//! is where it arrives. A pattern may leave source or tag open.

/// Lists by which a queue finds an envelope, at first: a power of two.
pub const FIRST_BUCKETS: usize = 256;

/// Messages or receives that wait for each list, about, before a queue doubles its lists.
pub const CROWD: usize = 2;

/// What a message says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(8))]
pub struct Envelope {
    /// The tag.
    pub tag: i32,
    /// Keeps communicators, and the collectives within one, apart. With the tag before it, it is
    /// compared, hashed and sent as one word.
    pub context: u32,
    /// The task that sent it.
    pub source: u32,
}

impl Envelope {
    /// Tag and context as they travel in a packet's metadata word; the lane tells the source.
    #[inline(always)]
    pub fn metadata(context: u32, tag: i32) -> u64 {
        u64::from(tag as u32) | u64::from(context) << 32
    }

    #[inline(always)]
    fn word(&self) -> u64 {
        Self::metadata(self.context, self.tag)
    }

    /// The envelope of a packet.
    #[inline(always)]
    pub fn from_metadata(metadata: u64, source: u32) -> Self {
        Self {
            context: (metadata >> 32) as u32,
            source,
            tag: metadata as u32 as i32,
        }
    }

    /// The list, of `buckets` (a power of two from 2 on), in which this envelope is looked for.
    #[inline(always)]
    pub fn bucket(&self, buckets: usize) -> usize {
        let word = self.word() ^ u64::from(self.source) << 48;
        // Fibonacci hashing (Knuth, The Art of Computer Programming, volume 3, section 6.4).
        let hash = word.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        // The upper half of the range by multiplying: with a power of two these are the top bits.
        ((hash * buckets as u64) >> 32) as usize
    }
}

/// What a receive or probe looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern {
    wanted: Envelope,
    source_mask: u32,
    tag_mask: u32,
}

impl Pattern {
    /// A pattern; `None` matches any source or any tag.
    #[inline(always)]
    pub fn new(context: u32, source: Option<u32>, tag: Option<i32>) -> Self {
        Self {
            wanted: Envelope {
                context,
                source: source.unwrap_or(0),
                tag: tag.unwrap_or(0),
            },
            source_mask: if source.is_some() { u32::MAX } else { 0 },
            tag_mask: if tag.is_some() { u32::MAX } else { 0 },
        }
    }

    /// The pattern of just one envelope.
    #[inline(always)]
    pub fn exactly(wanted: Envelope) -> Self {
        Self {
            wanted,
            source_mask: u32::MAX,
            tag_mask: u32::MAX,
        }
    }

    /// Whether only one envelope matches: that one.
    #[inline(always)]
    pub fn exact(&self) -> Option<Envelope> {
        (self.source_mask & self.tag_mask != 0).then_some(self.wanted)
    }

    /// The source, if it is not left open.
    #[inline(always)]
    pub fn source(&self) -> Option<u32> {
        (self.source_mask != 0).then_some(self.wanted.source)
    }

    /// Whether `envelope` is the one that is looked for, by a pattern that leaves nothing open.
    #[inline(always)]
    pub fn names(&self, envelope: &Envelope) -> bool {
        self.wanted.word() == envelope.word() && self.wanted.source == envelope.source
    }

    /// Whether a message with `envelope` is one that is looked for.
    #[inline(always)]
    pub fn matches(&self, envelope: &Envelope) -> bool {
        let source = (self.wanted.source ^ envelope.source) & self.source_mask;
        let tag = (self.wanted.tag ^ envelope.tag) as u32 & self.tag_mask;
        self.wanted.context == envelope.context && source | tag == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_match() {
        let envelope = Envelope {
            context: 4,
            source: 7,
            tag: -2,
        };
        let metadata = Envelope::metadata(4, -2);
        assert_eq!(Envelope::from_metadata(metadata, 7), envelope);
        for (source, tag, matches) in [
            (Some(7), Some(-2), true),
            (None, Some(-2), true),
            (Some(7), None, true),
            (None, None, true),
            (Some(6), None, false),
            (None, Some(2), false),
        ] {
            let pattern = Pattern::new(4, source, tag);
            assert_eq!(pattern.matches(&envelope), matches);
            assert_eq!(pattern.exact().is_some(), source.is_some() && tag.is_some());
            assert!(!Pattern::new(5, source, tag).matches(&envelope));
        }
    }
}
