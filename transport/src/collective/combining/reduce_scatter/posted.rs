//! Reduce-scatter on a board: everybody posts its input, and combines of each what is in its block.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | m / segment | m / segment posts | m |

use crate::collective::board::rounds::{Readers, Rounds, posts_for, whole_elements};
use crate::collective::combining::reduce_scatter::reduce_scatterv;
use crate::collective::data::blocks::Blocks;
use crate::collective::data::out_of_place::OutOfPlace;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::reduction::Reduction;

/// Combines block `rank` of all inputs into `output`.
pub async fn posted(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    blocks: Blocks<'_>,
    input: &[u8],
    output: &mut [u8],
) -> Result<(), CollectiveError> {
    let Some(segment_bytes) = whole_elements(reduction.element_bytes(), 1) else {
        return reduce_scatterv::reduce_scatterv(exchange, reduction, blocks, input, output).await;
    };
    let (own, total) = (blocks.range(exchange.rank()), input.len());
    let mut rounds = Rounds::begin(exchange, posts_for(total, segment_bytes)).await?;
    for (index, segment) in input.chunks(segment_bytes).enumerate() {
        rounds.post(index, segment, total, Readers::All).await;
        let start = index * segment_bytes;
        let (from, to) = (own.start.max(start), own.end.min(start + segment.len()));
        if from < to {
            let place = |_| (from - start, segment.len());
            let part = OutOfPlace {
                own: Some(&input[from..to]),
                result: &mut output[from - own.start..to - own.start],
            };
            rounds
                .combine_others(reduction, index, place, part, total)
                .await?;
        }
        rounds.finish(index);
    }
    rounds.end();
    Ok(())
}
