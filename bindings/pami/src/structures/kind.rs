//! Kinds of collective operations, and the tables of algorithms that they have.
//!
//! Before: a number of `pami_xfer_type_t`. After: the kind's name in
//! [`pamir_transport::selection::kind`], whose algorithms [`crate::geometry::algorithms`] lists.
//! Active-message collectives have no table: messages go straight from the one who starts to all.

use pamir_transport::selection::kind::{Kind, kind};

macro_rules! kinds {
    ($($(#[$documentation:meta])* $name:ident = $c:literal, $table:expr;)*) => {
        /// A kind of collective operation (`pami_xfer_type_t`), with C's number.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum TransferKind {
            $($(#[$documentation])* $name,)*
        }

        impl TransferKind {
            /// All, in the order of C's numbers.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// C's name, behind `PAMI_XFER_`.
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $c,)* }
            }

            fn table_name(self) -> Option<&'static str> {
                match self { $(Self::$name => $table,)* }
            }
        }
    };
}

kinds! {
    /// From one member to all.
    Broadcast = "BROADCAST", Some("broadcast");
    /// The combination of all, at all.
    Allreduce = "ALLREDUCE", Some("allreduce");
    /// The combination of all, at one.
    Reduce = "REDUCE", Some("reduce");
    /// A block of each, at all.
    Allgather = "ALLGATHER", Some("allgather");
    /// The same, blocks of any lengths.
    Allgatherv = "ALLGATHERV", Some("allgatherv");
    /// The same, lengths as `int`.
    AllgathervInt = "ALLGATHERV_INT", Some("allgatherv");
    /// A block for each, from one.
    Scatter = "SCATTER", Some("scatter");
    /// The same, blocks of any lengths.
    Scatterv = "SCATTERV", Some("scatterv");
    /// The same, lengths as `int`.
    ScattervInt = "SCATTERV_INT", Some("scatterv");
    /// A block of each, at one.
    Gather = "GATHER", Some("gather");
    /// The same, blocks of any lengths.
    Gatherv = "GATHERV", Some("gatherv");
    /// The same, lengths as `int`.
    GathervInt = "GATHERV_INT", Some("gatherv");
    /// Nobody goes on before all have come.
    Barrier = "BARRIER", Some("barrier");
    /// A block from each for each.
    Alltoall = "ALLTOALL", Some("alltoall");
    /// The same, blocks of any lengths.
    Alltoallv = "ALLTOALLV", Some("alltoallv");
    /// The same, lengths as `int`.
    AlltoallvInt = "ALLTOALLV_INT", Some("alltoallv");
    /// The combination of the ranks up to each.
    Scan = "SCAN", Some("scan");
    /// A block of the combination of all, for each.
    ReduceScatter = "REDUCE_SCATTER", Some("reduce_scatter");
    /// A message to all, who need not have called anything.
    ActiveBroadcast = "AMBROADCAST", None;
    /// A message of its own to each of them.
    ActiveScatter = "AMSCATTER", None;
    /// What each answers to a message.
    ActiveGather = "AMGATHER", None;
    /// The combination of what each answers.
    ActiveReduce = "AMREDUCE", None;
}

impl TransferKind {
    /// The kind with C's number.
    pub fn of(number: u32) -> Option<Self> {
        Self::ALL.get(number as usize).copied()
    }

    /// The table of its algorithms.
    pub fn table(self) -> Option<&'static dyn Kind> {
        self.table_name().and_then(kind)
    }

    /// Whether members take part without a call of their own.
    pub fn is_active(self) -> bool {
        self.table_name().is_none()
    }

    /// Whether a member may be far ahead of the others: nothing comes back to it.
    pub fn may_run_ahead(self) -> bool {
        use TransferKind::*;
        !matches!(
            self,
            Barrier
                | Allreduce
                | Allgather
                | Allgatherv
                | AllgathervInt
                | Alltoall
                | Alltoallv
                | AlltoallvInt
                | ReduceScatter
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_table_or_is_active() {
        assert_eq!(TransferKind::ALL.len(), 22);
        for (number, kind) in TransferKind::ALL.iter().enumerate() {
            assert_eq!(TransferKind::of(number as u32), Some(*kind));
            assert_eq!(kind.table().is_none(), kind.is_active(), "{}", kind.name());
            assert_eq!(kind.is_active(), kind.name().starts_with("AM"));
        }
        assert_eq!(TransferKind::of(22), None);
    }
}
