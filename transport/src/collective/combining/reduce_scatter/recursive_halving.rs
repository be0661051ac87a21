//! Recursive halving reduce-scatter, for commutative operators.
//!
//! Members are folded to a power of two, a pair owning the blocks of both. At each
//! distance, the largest first, a member gives its partner the partner's half of the
//! members' blocks and combines its own half.
//!
//! ```text
//!   4 members, blocks abcd:   0: ab   1: ab   2: cd   3: cd   after distance 2
//!                             0: a    1: b    2: c    3: d    after distance 1
//! ```
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | log n, n a power of two; else log n + 1 | log n | m (n - 1) / n (2 m) |

use std::ops::Range;

use crate::collective::data::blocks::{Blocks, list_with_capacity};
use crate::collective::data::scratch::Scratch;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::step::{receive, send, send_receive};
use crate::collective::reduction::Reduction;
use crate::collective::shape::power_of_two::{Fold, Folding};

/// Combines `input` of all members and puts this member's block of it into `output`.
pub async fn recursive_halving(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    blocks: Blocks<'_>,
    input: &[u8],
    output: &mut [u8],
) -> Result<(), CollectiveError> {
    let (rank, size) = (exchange.rank(), exchange.size());
    let folding = Folding::new(size, 1);
    let fold = folding.fold(rank);
    if let Fold::Hands { partner } = fold {
        send(exchange, partner, input).await?;
        return if output.is_empty() {
            Ok(())
        } else {
            receive(exchange, partner, output).await
        };
    }
    let mut accumulated = Scratch::copy_of(input)?;
    let mut received = Scratch::new(input.len())?;
    if let Fold::Takes { partner } = fold {
        receive(exchange, partner, &mut received).await?;
        reduction.combine(&received, &mut accumulated);
    }

    // Byte at which the blocks of each folded index start; the end of the last one closes.
    let mut starts: Vec<usize> = list_with_capacity(folding.power + 1)?;
    let mut place = 0;
    for member in 0..size {
        if member >= 2 * folding.pairs || member % 2 == 0 {
            starts.push(place);
        }
        place += blocks.bytes(member);
    }
    starts.push(place);
    let run = |indices: Range<usize>| starts[indices.start]..starts[indices.end];

    let index = folding.index_of(rank);
    let mut distance = folding.power / 2;
    while distance > 0 {
        let partner_index = index ^ distance;
        let partner = folding.rank_of(partner_index);
        // The indices that agree with `index` in all bits from this distance on.
        let side = |index: usize| {
            let first = index & !(distance - 1);
            run(first..first + distance)
        };
        let (kept, given) = (side(index), side(partner_index));
        let received = &mut received[..kept.len()];
        match (given.is_empty(), kept.is_empty()) {
            (true, true) => {}
            (false, true) => send(exchange, partner, &accumulated[given]).await?,
            (true, false) => receive(exchange, partner, received).await?,
            (false, false) => {
                send_receive(exchange, partner, &accumulated[given], partner, received).await?;
            }
        }
        if !kept.is_empty() {
            reduction.combine(received, &mut accumulated[kept]);
        }
        distance /= 2;
    }

    // What is left is this member's block, after that of the other one of its pair.
    let owned = run(index..index + 1);
    let own_start = owned.end - output.len();
    if let Fold::Takes { partner } = fold
        && own_start > owned.start
    {
        send(exchange, partner, &accumulated[owned.start..own_start]).await?;
    }
    output.copy_from_slice(&accumulated[own_start..owned.end]);
    Ok(())
}
