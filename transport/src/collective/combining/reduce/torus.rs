//! Dimension-ordered reduce in a torus, for commutative operators: from the ends of each dimension
//! to the root, the last dimension first.
//!
//! The mirror image of the torus broadcast: each member takes in what its children in the tree have
//! ([`crate::collective::shape::torus_tree`]), and tells its parent, a neighbour like them. Long data goes
//! in segments, so that a member takes one in while the one before it goes on above.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | sum of k / 2 + m / segment, k the sizes of the dimensions | m / segment | m |

use crate::collective::data::root::ToRoot;
use crate::collective::data::scratch::Scratch;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::step::{receive, send};
use crate::collective::moving::broadcast::pipelined_chain::SEGMENT_BYTES;
use crate::collective::reduction::Reduction;
use crate::collective::shape::torus_tree::Branch;

/// Combines all contributions into the root's buffer.
pub async fn torus(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    root: usize,
    buffer: ToRoot<'_>,
) -> Result<(), CollectiveError> {
    let branch = Branch::of(&exchange.torus(), root, exchange.rank());
    let element_bytes = reduction.element_bytes();
    let segment_bytes = (SEGMENT_BYTES / element_bytes).max(1) * element_bytes;
    match buffer {
        ToRoot::Root(result) => {
            for segment in result.chunks_mut(segment_bytes) {
                take_in(exchange, reduction, &branch.children, segment).await?;
            }
        }
        ToRoot::Member(contribution) => {
            let parent = branch.parent.expect("who is not the root has a parent");
            for segment in contribution.chunks(segment_bytes) {
                let mut accumulated = Scratch::copy_of(segment)?;
                take_in(exchange, reduction, &branch.children, &mut accumulated).await?;
                send(exchange, parent, &accumulated).await?;
            }
        }
    }
    Ok(())
}

/// Combines a segment of all children's into `accumulated`.
async fn take_in(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    children: &[usize],
    accumulated: &mut [u8],
) -> Result<(), CollectiveError> {
    if children.is_empty() {
        return Ok(());
    }
    let mut received = Scratch::new(accumulated.len())?;
    for child in children {
        receive(exchange, *child, &mut received).await?;
        reduction.combine(&received, accumulated);
    }
    Ok(())
}
