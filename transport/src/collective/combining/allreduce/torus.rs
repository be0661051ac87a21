//! Dimension-ordered allreduce in a torus, for commutative operators.
//!
//! The bucket algorithm in several dimensions: around each ring of the first dimension the data is
//! reduced, after which each member has a part of it; around the rings of the next, that part; and so
//! on. Then the parts are gathered, the last dimension first. Every message goes to a neighbour, and
//! as few bytes are sent as by the ring of all members, in far fewer rounds.
//!
//! ```text
//!   2x3   reduce halves in 0-3, 1-4, 2-5; thirds of them in 0-1-2, 3-4-5; gather those; gather halves
//! ```
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | 2 sum of (k - 1), k the sizes of the dimensions | 2 sum of (k - 1) | 2 m (n - 1) / n |

use std::ops::Range;

use crate::collective::combining::allreduce::ring::{gather_around, reduce_around};
use crate::collective::data::blocks::list_with_capacity;
use crate::collective::data::out_of_place::OutOfPlace;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::reduction::Reduction;
use crate::collective::shape::torus_line::Line;

/// Combines `buffer` of all members into `buffer` of every member.
pub async fn torus(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    data: OutOfPlace<'_>,
) -> Result<(), CollectiveError> {
    let buffer = data.in_place();
    let torus = exchange.torus();
    let dimensions = torus.sizes().len();
    // What each dimension's rings divide among them.
    let mut divided: Vec<Range<usize>> = list_with_capacity(dimensions)?;
    let mut own = 0..buffer.len();
    for dimension in 0..dimensions {
        let line = Line::through(exchange, &torus, dimension);
        let part = reduce_around(&line, reduction, &mut buffer[own.clone()]).await?;
        let start = own.start;
        divided.push(own);
        own = start + part.start..start + part.end;
    }
    for (dimension, range) in divided.into_iter().enumerate().rev() {
        let line = Line::through(exchange, &torus, dimension);
        gather_around(&line, reduction, &mut buffer[range]).await?;
    }
    Ok(())
}
