//! Dimension-ordered allgather in a torus: around the rings of one dimension after another, the
//! last one first.
//!
//! Neighbours in the last dimension have neighbouring ranks, so what a line has gathered lies
//! together, and is one block of the next dimension's.
//!
//! ```text
//!   2x3   around 0-1-2 and 3-4-5: blocks of one member      around 0-3, 1-4, 2-5: blocks of three
//! ```
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | sum of k - 1, k the sizes of the dimensions | sum of k - 1 | (n - 1) m, m a member's block |

use crate::collective::data::blocks::Blocks;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::moving::allgatherv;
use crate::collective::shape::torus_line::Line;

/// Gathers a block of `block_bytes` from each member at every member.
pub async fn torus(
    exchange: &impl Exchange,
    block_bytes: usize,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    let (rank, torus) = (exchange.rank(), exchange.torus());
    for dimension in (0..torus.sizes().len()).rev() {
        let bytes = block_bytes * torus.stride(dimension);
        let of_line = bytes * torus.sizes()[dimension];
        // Those before this line have other coordinates in the dimensions before.
        let start = rank * block_bytes / of_line * of_line;
        let line = Line::through(exchange, &torus, dimension);
        let gathered = &mut buffer[start..start + of_line];
        allgatherv::ring::ring(&line, Blocks::Uniform { bytes }, gathered).await?;
    }
    Ok(())
}
