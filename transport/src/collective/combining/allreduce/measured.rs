//! Allreduce by posts, or through the kernel, as has been faster among these members
//! (`collective::board::kernel_copy`).

use std::pin::pin;

use pamir_shm::board::mapped::SLOT_BYTES;

use crate::collective::board::kernel_copy::{Kind, Ways};
use crate::collective::board::offers::begin;
use crate::collective::board::rounds::whole_elements;
use crate::collective::combining::allreduce::posted;
use crate::collective::combining::allreduce::posted_slices::{
    combine_in, most_bytes, posted_slices,
};
use crate::collective::combining::allreduce::read::combine_by_kernel_copy;
use crate::collective::data::out_of_place::OutOfPlace;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::reduction::Reduction;

/// Combines the data of all members into the result of every member.
pub async fn measured(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    mut data: OutOfPlace<'_>,
) -> Result<(), CollectiveError> {
    let Some(most_bytes) = most_bytes(exchange, reduction) else {
        return posted_slices(exchange, reduction, data).await;
    };
    // In the background a post is there for the others while its owner computes, but who reads has to meet them. Of
    // several posts they have to meet either way, for the slices of the result.
    let combine_all = data.result.len() <= SLOT_BYTES;
    let ways = if combine_all && !exchange.is_blocking() {
        Ways::Post
    } else {
        Ways::Measured
    };
    let (rounds, choice) = begin(exchange, Kind::Allreduce, data.result.len(), ways).await?;
    let operation = pin!(async {
        if choice.reads {
            return combine_by_kernel_copy(rounds, &choice, reduction, &mut data, most_bytes).await;
        }
        // What fits one post needs no slices: members that combine all of it wait half as often. Of more, slices are read
        // while they are in fewer caches (`docs/decisions/009-collectives.md`).
        match whole_elements(reduction.element_bytes(), 1).filter(|_| combine_all) {
            Some(most_bytes) => posted::combine_in(rounds, reduction, data, most_bytes).await,
            None => combine_in(rounds, reduction, &mut data, most_bytes).await,
        }
    });
    choice.time(exchange, operation).await
}
