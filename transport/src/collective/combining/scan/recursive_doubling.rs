//! Recursive doubling scan.
//!
//! In round k each member swaps the combination of its 2^k neighbours with the
//! member whose rank differs in bit k, where there is one; what comes from lower
//! ranks also goes into its result.
//!
//! ```text
//!   rank            0      1      2      3
//!   neighbours      01     01     23     23       result  0   01   2     23
//!                   0123   0123   0123   0123             0   01   012   0123
//! ```
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | log n | log n | m log n |

use crate::collective::data::scratch::Scratch;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::step::send_receive;
use crate::collective::reduction::{Reduction, combine_higher};

/// Replaces `buffer` by the combination of the ranks up to this one.
pub async fn recursive_doubling(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    let (rank, size) = (exchange.rank(), exchange.size());
    let mut neighbours = Scratch::copy_of(buffer)?;
    let mut received = Scratch::new(buffer.len())?;
    let mut bit = 1;
    while bit < size {
        let partner = rank ^ bit;
        if partner < size {
            send_receive(exchange, partner, &neighbours, partner, &mut received).await?;
            if partner < rank {
                reduction.combine(&received, buffer);
                reduction.combine(&received, &mut neighbours);
            } else {
                combine_higher(reduction, &mut neighbours, &mut received);
            }
        }
        bit *= 2;
    }
    Ok(())
}
