//! Starts the operation that a call's kind names.
//!
//! Before: a [`Call`] and its parameters. After: the file of the kind has refused it, or it is under way.

use pamir_transport::collective::{barrier, barrier_with};

use crate::collective::call::{Call, Exchanging, run};
use crate::collective::lists::Width;
use crate::collective::{active, blocks, moving, reducing};
use crate::refusal::Refusal;
use crate::structures::collective::Parameters;
use crate::structures::kind::TransferKind;

fn hold(call: Call) -> Result<(), Refusal> {
    let choice = call.choice(true)?;
    call.start(
        async move |exchange: &Exchanging<'_>| run!(choice, barrier or barrier_with(exchange)),
    );
    Ok(())
}

/// Starts an operation of a kind.
///
/// # Errors
///
/// What is wrong with the parameters.
pub fn start(call: Call, kind: TransferKind, cmd: &Parameters) -> Result<(), Refusal> {
    match kind {
        TransferKind::Broadcast => moving::broadcast(call, cmd.broadcast()),
        TransferKind::Allreduce => reducing::allreduce(call, cmd.allreduce()),
        TransferKind::Reduce => reducing::reduce(call, cmd.reduce()),
        TransferKind::Allgather => moving::allgather(call, cmd.alltoall()),
        TransferKind::Allgatherv => blocks::allgather(call, Width::Size, cmd.allgatherv()),
        TransferKind::AllgathervInt => blocks::allgather(call, Width::Int, cmd.allgatherv()),
        TransferKind::Scatter => moving::scatter(call, cmd.gather()),
        TransferKind::Scatterv => blocks::scatter(call, Width::Size, cmd.scatterv()),
        TransferKind::ScattervInt => blocks::scatter(call, Width::Int, cmd.scatterv()),
        TransferKind::Gather => moving::gather(call, cmd.gather()),
        TransferKind::Gatherv => blocks::gather(call, Width::Size, cmd.gatherv()),
        TransferKind::GathervInt => blocks::gather(call, Width::Int, cmd.gatherv()),
        TransferKind::Barrier => hold(call),
        TransferKind::Alltoall => moving::alltoall(call, cmd.alltoall()),
        TransferKind::Alltoallv => blocks::alltoall(call, Width::Size, cmd.alltoallv()),
        TransferKind::AlltoallvInt => blocks::alltoall(call, Width::Int, cmd.alltoallv()),
        TransferKind::Scan => reducing::scan(call, cmd.scan()),
        TransferKind::ReduceScatter => reducing::reduce_scatter(call, cmd.reduce_scatter()),
        _ => active::start(call, kind, cmd),
    }
}
