//! Broadcast as a binomial scatter and a ring allgather (van de Geijn).
//!
//! For large data: the root sends m bytes instead of m log n. The buffer is cut
//! into n chunks, chunk i for the member i above the root; some may be empty.
//!
//! ```text
//!   scatter    0: 0123   ->  2: 23      ->  1: 1   3: 3
//!   allgather  every member sends on to the next what came last
//! ```
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | log n + n - 1 | log n + n - 1 (root) | about 2 m |

use std::ops::Range;

use crate::collective::data::blocks::send_and_receive_parts;
use crate::collective::data::root::{above, below, from_root};
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::join::join;
use crate::collective::exchange::step::{receive, send};
use crate::collective::reduction::part_of;

/// Sends the root's `buffer` to every member.
pub async fn scatter_ring_allgather(
    exchange: &impl Exchange,
    root: usize,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    let (rank, size) = (exchange.rank(), exchange.size());
    let bytes = buffer.len();
    let place = from_root(rank, root, size);
    let chunk = |index: usize| part_of(bytes, 1, size, index);
    let chunks = |first: usize, end: usize| -> Range<usize> {
        chunk(first).start..chunk(end.min(size) - 1).end
    };

    let mut mask = if place == 0 {
        size.next_power_of_two()
    } else {
        let bit = 1 << place.trailing_zeros();
        let parent = above(root, place - bit, size);
        receive(exchange, parent, &mut buffer[chunks(place, place + bit)]).await?;
        bit
    };
    while mask > 1 {
        mask /= 2;
        if place + mask < size {
            let child = above(root, place + mask, size);
            let part = chunks(place + mask, place + 2 * mask);
            send(exchange, child, &buffer[part]).await?;
        }
    }

    let next = above(rank, 1, size);
    let previous = below(rank, 1, size);
    for step in 1..size {
        let (outgoing, incoming) = send_and_receive_parts(
            buffer,
            chunk(below(place, step - 1, size)),
            chunk(below(place, step, size)),
        );
        join(
            send(exchange, next, outgoing),
            receive(exchange, previous, incoming),
        )
        .await?;
    }
    Ok(())
}
