//! Dimension-ordered broadcast in a torus: both ways along each dimension, one after another.
//!
//! No message goes further than to a neighbour ([`crate::collective::shape::torus_tree`]). Long data goes
//! in segments: while one comes, the one before it goes on.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | sum of k / 2 + m / segment, k the sizes of d dimensions | 2 d m / segment | 2 d m |

use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::join::join;
use crate::collective::exchange::step::{receive, send};
use crate::collective::moving::broadcast::pipelined_chain::SEGMENT_BYTES;
use crate::collective::shape::torus_tree::Branch;

/// Sends the root's `buffer` to every member.
pub async fn torus(
    exchange: &impl Exchange,
    root: usize,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    let branch = Branch::of(&exchange.torus(), root, exchange.rank());
    let Some(parent) = branch.parent else {
        for segment in buffer.chunks(SEGMENT_BYTES) {
            tell(exchange, &branch.children, segment).await?;
        }
        return Ok(());
    };
    let mut before: &[u8] = &[];
    for segment in buffer.chunks_mut(SEGMENT_BYTES) {
        join(
            receive(exchange, parent, segment),
            tell(exchange, &branch.children, before),
        )
        .await?;
        before = segment;
    }
    tell(exchange, &branch.children, before).await
}

/// Sends a segment, if there is one, to all of `children`.
async fn tell(
    exchange: &impl Exchange,
    children: &[usize],
    segment: &[u8],
) -> Result<(), CollectiveError> {
    if segment.is_empty() {
        return Ok(());
    }
    for child in children {
        send(exchange, *child, segment).await?;
    }
    Ok(())
}
