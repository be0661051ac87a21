//! Ring allreduce, for commutative operators.
//!
//! The data is cut into n parts. First each part goes once around, every member
//! taking its own contribution in; then the finished parts go around once more.
//! Each member sends 2 m (n - 1) / n bytes, the least there is, for any n.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | 2 (n - 1) | 2 (n - 1) | 2 m (n - 1) / n |

use std::ops::Range;

use crate::collective::data::blocks::send_and_receive_parts;
use crate::collective::data::out_of_place::OutOfPlace;
use crate::collective::data::root::{above, below};
use crate::collective::data::scratch::Scratch;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::step::send_receive;
use crate::collective::reduction::{Reduction, elements, part_of};

/// Combines `buffer` of all members into `buffer` of every member.
pub async fn ring(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    data: OutOfPlace<'_>,
) -> Result<(), CollectiveError> {
    let buffer = data.in_place();
    reduce_around(exchange, reduction, buffer).await?;
    gather_around(exchange, reduction, buffer).await
}

/// Combines a part of `buffer` of all members at each; which part that is here.
pub(in crate::collective) async fn reduce_around(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    buffer: &mut [u8],
) -> Result<Range<usize>, CollectiveError> {
    let (rank, size) = (exchange.rank(), exchange.size());
    let elements = elements(reduction, buffer.len())?;
    let part = |index| part_of(elements, reduction.element_bytes(), size, index);
    let (next, previous) = (above(rank, 1, size), below(rank, 1, size));

    let mut received = Scratch::new(part(0).len())?;
    for step in 1..size {
        let outgoing = part(below(rank, step - 1, size));
        let incoming = part(below(rank, step, size));
        let received = &mut received[..incoming.len()];
        send_receive(exchange, next, &buffer[outgoing], previous, received).await?;
        if !received.is_empty() {
            reduction.combine(received, &mut buffer[incoming]);
        }
    }
    Ok(part(next))
}

/// Spreads the parts that [`reduce_around`] has finished.
pub(in crate::collective) async fn gather_around(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    buffer: &mut [u8],
) -> Result<(), CollectiveError> {
    let (rank, size) = (exchange.rank(), exchange.size());
    let elements = elements(reduction, buffer.len())?;
    let part = |index| part_of(elements, reduction.element_bytes(), size, index);
    let (next, previous) = (above(rank, 1, size), below(rank, 1, size));
    // This member finished the part that belongs to the member after it.
    for step in 0..size - 1 {
        let (outgoing, incoming) = send_and_receive_parts(
            buffer,
            part(below(next, step, size)),
            part(below(rank, step, size)),
        );
        send_receive(exchange, next, outgoing, previous, incoming).await?;
    }
    Ok(())
}
