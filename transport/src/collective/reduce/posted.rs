//! Reduce on a board: everybody posts its data, and the root combines it.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | m / segment | m / segment posts | m |

use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::reduce::linear;
use crate::collective::reduction::Reduction;
use crate::collective::root::ToRoot;
use crate::collective::rounds::{Readers, Rounds, posts_for, whole_elements};

/// Combines the members' contributions into the root's buffer.
pub async fn posted(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    root: usize,
    buffer: ToRoot<'_>,
) -> Result<(), CollectiveError> {
    let Some(segment_bytes) = whole_elements(reduction.element_bytes(), 1) else {
        return linear::linear(exchange, reduction, root, buffer).await;
    };
    let total = buffer.bytes();
    let mut rounds = Rounds::begin(exchange, posts_for(total, segment_bytes)).await?;
    match buffer {
        ToRoot::Member(data) => {
            for (index, segment) in data.chunks(segment_bytes).enumerate() {
                rounds.post(index, segment, total, Readers::One(root)).await;
                rounds.finish(index);
            }
        }
        ToRoot::Root(data) => {
            for (index, segment) in data.chunks_mut(segment_bytes).enumerate() {
                let posted = segment.len();
                rounds
                    .combine_others(reduction, index, |_| (0, posted), segment, total)
                    .await?;
                rounds.finish(index);
            }
        }
    }
    rounds.end();
    Ok(())
}
