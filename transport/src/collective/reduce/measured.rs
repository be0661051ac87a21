//! Reduce by posts, or linear by messages, as has been faster among these members
//! (`collective::reading`).
//!
//! On a board each byte is copied twice, and combined while it is in the cache; a message is copied once, by the
//! kernel, straight to the result, and combined then. Between far processors that is the faster (1 MiB: 69 us
//! instead of 114).

use crate::collective::apart::Apart;
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::reading::{self, Kind, begin};
use crate::collective::reduce::linear;
use crate::collective::reduce::posted::{collect_in, contribute_in};
use crate::collective::reduction::Reduction;
use crate::collective::root::ToRoot;
use crate::collective::rounds::whole_elements;

/// Combines the members' contributions into the root's buffer.
pub async fn measured(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    root: usize,
    buffer: ToRoot<'_>,
) -> Result<(), CollectiveError> {
    let data = match buffer {
        ToRoot::Root(data) => return collect(exchange, reduction, data.into()).await,
        ToRoot::Member(data) => data,
    };
    let Some(segment_bytes) = whole_elements(reduction.element_bytes(), 1) else {
        return linear::linear(exchange, reduction, root, ToRoot::Member(data)).await;
    };
    let (rounds, choice) = begin(exchange, Kind::Reduce, data.len(), false).await?;
    let rounds = if choice.reads {
        linear::linear(exchange, reduction, root, ToRoot::Member(data)).await?;
        rounds
    } else {
        contribute_in(rounds, segment_bytes, root, data).await
    };
    reading::end(rounds, &choice).await
}

/// [`measured`] at the root, whose own contribution may lie apart from the result.
pub async fn collect(
    exchange: &impl Exchange,
    reduction: &impl Reduction,
    mut data: Apart<'_>,
) -> Result<(), CollectiveError> {
    let Some(segment_bytes) = whole_elements(reduction.element_bytes(), 1) else {
        return linear::collect(exchange, reduction, data).await;
    };
    let (rounds, choice) = begin(exchange, Kind::Reduce, data.result.len(), false).await?;
    let rounds = if choice.reads {
        linear::collect(exchange, reduction, data).await?;
        rounds
    } else {
        collect_in(rounds, segment_bytes, reduction, &mut data).await?
    };
    reading::end(rounds, &choice).await
}
