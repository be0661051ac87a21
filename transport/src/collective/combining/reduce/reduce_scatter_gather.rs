//! Rabenseifner's reduce: reduce-scatter by vector halving, then a gather to the root.
//!
//! For large data: every member combines about m bytes in all, instead of the root
//! m log n. The halving ([`super::super::allreduce::halving`]) keeps the order of
//! ranks. In the gather, of each two members that hold halves the one on the root's
//! side receives.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | 2 log n (+ 1 unless n is a power of two) | log n + 1 | about 2 m |

use crate::collective::combining::allreduce::halving::{Halving, reduce_scatter};
use crate::collective::data::root::ToRoot;
use crate::collective::data::scratch::Scratch;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::step::{receive, send};
use crate::collective::reduction::{Reduction, combine_ordered, elements};
use crate::collective::shape::power_of_two::{Fold, Folding};

/// Combines all contributions into the root's buffer.
pub async fn reduce_scatter_gather(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    root: usize,
    buffer: ToRoot<'_>,
) -> Result<(), CollectiveError> {
    let rank = exchange.rank();
    let folding = Folding::new(exchange.size(), root);
    let fold = folding.fold(rank);
    let mut copy;
    let accumulated: &mut [u8] = match buffer {
        ToRoot::Root(result) => result,
        ToRoot::Member(contribution) => {
            if let Fold::Hands { partner } = fold {
                return send(exchange, partner, contribution).await;
            }
            copy = Scratch::copy_of(contribution)?;
            &mut copy
        }
    };
    if let Fold::Takes { partner } = fold {
        let mut received = Scratch::new(accumulated.len())?;
        receive(exchange, partner, &mut received).await?;
        combine_ordered(reduction, (rank, accumulated), (partner, &mut received));
    }

    let halving = Halving {
        elements: elements(reduction, accumulated.len())?,
        element_bytes: reduction.element_bytes(),
        index: folding.index_of(rank),
    };
    reduce_scatter(exchange, reduction, &folding, &halving, accumulated).await?;

    let root_index = folding.index_of(root);
    for level in (0..folding.power.ilog2()).rev() {
        let bit = 1 << level;
        let partner = folding.rank_of(halving.index ^ bit);
        if (halving.index ^ root_index) & bit != 0 {
            return send(exchange, partner, &accumulated[halving.kept(level)]).await;
        }
        receive(exchange, partner, &mut accumulated[halving.given(level)]).await?;
    }
    Ok(())
}
