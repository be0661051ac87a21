//! Reduce on a board: everybody posts its data, and the root combines it.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | m / segment | m / segment posts | m |

use crate::collective::board::rounds::{Readers, Rounds, posts_for, whole_elements};
use crate::collective::combining::reduce::linear;
use crate::collective::data::out_of_place::OutOfPlace;
use crate::collective::data::root::ToRoot;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::reduction::Reduction;

/// Combines the members' contributions into the root's buffer.
pub async fn posted(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    root: usize,
    buffer: ToRoot<'_>,
) -> Result<(), CollectiveError> {
    match buffer {
        ToRoot::Root(data) => collect(exchange, reduction, data.into()).await,
        ToRoot::Member(data) => contribute(exchange, reduction, root, data).await,
    }
}

async fn contribute(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    root: usize,
    data: &[u8],
) -> Result<(), CollectiveError> {
    let Some(segment_bytes) = whole_elements(reduction.element_bytes(), 1) else {
        return linear::linear(exchange, reduction, root, ToRoot::Member(data)).await;
    };
    let rounds = posts_for(data.len(), segment_bytes);
    let mut rounds = Rounds::begin(exchange, rounds).await?;
    for (index, segment) in data.chunks(segment_bytes).enumerate() {
        rounds
            .post(index, segment, data.len(), Readers::One(root))
            .await;
        rounds.finish(index);
    }
    rounds.end();
    Ok(())
}

/// The root's part: combines the posts of all others with its own data.
pub async fn collect(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    mut data: OutOfPlace<'_>,
) -> Result<(), CollectiveError> {
    let Some(segment_bytes) = whole_elements(reduction.element_bytes(), 1) else {
        return linear::collect(exchange, reduction, data).await;
    };
    let total = data.result.len();
    let count = posts_for(total, segment_bytes);
    let mut rounds = Rounds::begin(exchange, count).await?;
    for index in 0..count {
        let start = index * segment_bytes;
        let segment = data.part(start..total.min(start + segment_bytes));
        let posted = segment.result.len();
        rounds
            .combine_others(reduction, index, |_| (0, posted), segment, total)
            .await?;
        rounds.finish(index);
    }
    rounds.end();
    Ok(())
}
