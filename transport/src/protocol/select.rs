//! Choosing an algorithm by message size.
//!
//! Before: an instruction with its size. After: the algorithm that the table names.
//!
//! Bounds `b[0] < b[1] < ...` divide the sizes into ranges; range r is the number of
//! bounds that the size exceeds, evaluated without a branch ("Parallel active messages
//! with algorithm selection by message size": the sum over n of `(size > b[n])`). The
//! document leaves two cases open: size 0 belongs to the first range, and the last range
//! has no end, so a table with n bounds has n + 1 algorithms.

/// Which range of `bounds` a size belongs to: 0 to `bounds.len()`.
#[inline(always)]
pub fn range(bounds: &[usize], bytes: usize) -> usize {
    bounds.iter().map(|bound| usize::from(bytes > *bound)).sum()
}

/// The protocols of a tagged send, in the order of the sizes they are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendProtocol {
    /// One packet.
    Immediate,
    /// Several packets, sent without asking.
    Eager,
    /// The target is asked, and fetches the data when it has somewhere to put it.
    Rendezvous,
}

/// The table for tagged sends: one protocol more than bounds.
#[derive(Clone, Copy, Debug)]
pub struct SendTable {
    bounds: [usize; 2],
}

impl SendTable {
    const PROTOCOLS: [SendProtocol; 3] = [
        SendProtocol::Immediate,
        SendProtocol::Eager,
        SendProtocol::Rendezvous,
    ];

    /// The table where packets hold `packet_bytes` and messages of up to `eager_bytes` are
    /// sent without asking.
    pub fn new(packet_bytes: usize, eager_bytes: usize) -> Self {
        Self {
            bounds: [packet_bytes, eager_bytes.max(packet_bytes)],
        }
    }

    /// The longest message that is sent without asking, in bytes.
    pub fn eager_bytes(&self) -> usize {
        self.bounds[1]
    }

    /// The protocol for a message of `bytes` bytes.
    #[inline(always)]
    pub fn protocol(&self, bytes: usize) -> SendProtocol {
        Self::PROTOCOLS[range(&self.bounds, bytes)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documents_ranges() {
        let bounds = [100, 1000, 10_000];
        let expected = [
            (0, 0),
            (1, 0),
            (50, 0),
            (100, 0),
            (101, 1),
            (500, 1),
            (1000, 1),
        ];
        for (bytes, selected) in expected {
            assert_eq!(range(&bounds, bytes), selected, "{bytes}");
        }
        for (bytes, selected) in [
            (1001, 2),
            (5000, 2),
            (10_000, 2),
            (10_001, 3),
            (usize::MAX, 3),
        ] {
            assert_eq!(range(&bounds, bytes), selected, "{bytes}");
        }
    }

    #[test]
    fn protocols_by_size() {
        let table = SendTable::new(4080, 16_384);
        assert_eq!(table.protocol(0), SendProtocol::Immediate);
        assert_eq!(table.protocol(4080), SendProtocol::Immediate);
        assert_eq!(table.protocol(4081), SendProtocol::Eager);
        assert_eq!(table.protocol(16_385), SendProtocol::Rendezvous);
        assert_eq!(table.eager_bytes(), 16_384);
    }
}
