//! Recursive doubling exclusive scan.
//!
//! As the inclusive one ([`super::super::scan::recursive_doubling`]), but the result
//! starts with the first combination that comes from lower ranks.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | log n | log n | m log n |

use crate::collective::data::scratch::Scratch;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::step::send_receive;
use crate::collective::reduction::{Reduction, combine_higher};

/// Replaces `buffer` by the combination of the ranks below this one.
pub async fn recursive_doubling(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    let (rank, size) = (exchange.rank(), exchange.size());
    let mut neighbours = Scratch::copy_of(buffer)?;
    let mut received = Scratch::new(buffer.len())?;
    let mut has_result = false;
    let mut bit = 1;
    while bit < size {
        let partner = rank ^ bit;
        if partner < size {
            send_receive(exchange, partner, &neighbours, partner, &mut received).await?;
            if partner < rank {
                if has_result {
                    reduction.combine(&received, buffer);
                } else {
                    buffer.copy_from_slice(&received);
                    has_result = true;
                }
                reduction.combine(&received, &mut neighbours);
            } else {
                combine_higher(reduction, &mut neighbours, &mut received);
            }
        }
        bit *= 2;
    }
    Ok(())
}
