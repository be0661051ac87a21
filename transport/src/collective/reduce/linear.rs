//! Linear reduce: the root takes the contributions in, from the highest rank to the lowest.
//!
//! Right to left is the order in which `incoming op inout` needs no second copy,
//! and it makes the result the same for every root.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | n - 1 | 1 | m |

use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::reduction::Reduction;
use crate::collective::root::ToRoot;
use crate::collective::scratch::Scratch;
use crate::collective::step::{receive, send};

/// Combines all contributions into the root's buffer.
pub async fn linear(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    root: usize,
    buffer: ToRoot<'_>,
) -> Result<(), CollectiveError> {
    let result = match buffer {
        ToRoot::Member(contribution) => return send(exchange, root, contribution).await,
        ToRoot::Root(result) => result,
    };
    let highest = exchange.size() - 1;
    let mut received = Scratch::new(result.len())?;
    if root != highest {
        // Ranks above the root are combined apart, and the root's own is taken in after them.
        let mut accumulated = Scratch::new(result.len())?;
        receive(exchange, highest, &mut accumulated).await?;
        for from in (root + 1..highest).rev() {
            receive(exchange, from, &mut received).await?;
            reduction.combine(&received, &mut accumulated);
        }
        reduction.combine(result, &mut accumulated);
        result.copy_from_slice(&accumulated);
    }
    for from in (0..root).rev() {
        receive(exchange, from, &mut received).await?;
        reduction.combine(&received, result);
    }
    Ok(())
}
