//! Why a partition could not be made or changed.
//!
//! Before: an argument makes no sense, or a layer below has failed. After: the C layer gives the error's class.

use std::path::PathBuf;

use pamir_driver::job::JobError;
use pamir_driver::unit::UnitError;
use pamir_transport::active::{ActiveError, TransferError};
use pamir_transport::balance::partition::PartitionError;
use pamir_transport::balance::partition::items::ItemsError;
use pamir_transport::collective::CollectiveError;

use super::shape::Shape;
use crate::communicator::ConstructError;

/// Why a partition could not be made or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BalanceError {
    /// A communicator of its own could not be had.
    #[error(transparent)]
    Construct(#[from] ConstructError),
    /// The members are between two groups.
    #[error("a partition divides items among one group: give an intra-communicator")]
    TwoGroups,
    /// Nobody of that rank is there to decide.
    #[error(
        "the policy lets rank {member} decide, and the partition has {members} ranks: give one of them, or controller=slowest"
    )]
    NoController {
        /// Who was named.
        member: usize,
        /// How many members there are.
        members: usize,
    },
    /// The items cannot be divided.
    #[error(transparent)]
    Items(#[from] ItemsError),
    /// The ranges cannot be.
    #[error(transparent)]
    Partition(#[from] PartitionError),
    /// The history of the job cannot be read.
    #[error(transparent)]
    Job(#[from] JobError),
    /// The members could not talk to each other.
    #[error(transparent)]
    Collective(#[from] CollectiveError),
    /// The messaging unit failed.
    #[error(transparent)]
    Unit(#[from] UnitError),
    /// Data could not be asked for.
    #[error(transparent)]
    Active(#[from] ActiveError),
    /// Data did not come.
    #[error("moved data could not be fetched from its owner: {0}")]
    Transfer(#[from] TransferError),
    /// The array is longer than addresses are.
    #[error("an array of {} items of {} bytes is too large", shape.items, shape.item_bytes)]
    ArrayTooLarge {
        /// What was asked for.
        shape: Shape,
    },
    /// The file cannot be read.
    #[error("{path} cannot be read: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Another member cannot read the file.
    #[error(
        "{path} cannot be read by another rank of the partition: it has to be there for all of them, with all items"
    )]
    FileElsewhere {
        /// The file.
        path: PathBuf,
    },
    /// The file has not all items.
    #[error("{path} has {bytes} bytes, and all items end at byte {needed}")]
    FileTooShort {
        /// The file.
        path: PathBuf,
        /// Its length.
        bytes: usize,
        /// Where the last item ends.
        needed: usize,
    },
    /// The system gives no address space.
    #[error(
        "cannot reserve {bytes} bytes of address space for an array: {source}; give memory of your own, or raise the limit (ulimit -v)"
    )]
    Memory {
        /// Bytes asked for.
        bytes: usize,
        /// What the system said.
        source: std::io::Error,
    },
}
