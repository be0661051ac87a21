//! Barrier and broadcast.

use pamir_transport::collective::{self, inter, inter::Role};

use crate::collective::Call;
use crate::constants::*;
use crate::data::{input, output};
use crate::error::Result;
use crate::types::MPI_Datatype;

/// Waits until all ranks have called it.
pub async fn barrier(call: Call) -> Result {
    let (local, remote) = call.channels();
    let result = if call.is_inter() {
        inter::barrier(&local, &remote).await
    } else {
        collective::barrier(&local).await
    };
    result.map_err(|error| call.failed(error))
}

/// Gives the root's data to all.
pub async fn broadcast(
    call: Call,
    buffer: *mut u8,
    count: i64,
    datatype: MPI_Datatype,
    root: i32,
) -> Result {
    if call.is_inter() {
        return broadcast_across(call, buffer, count, datatype, root).await;
    }
    let root = call.root(root)?;
    // SAFETY: the program gives the buffer to the operation until it is complete.
    let mut data = unsafe { output(call.state, buffer, count, datatype)? };
    let (local, _) = call.channels();
    collective::broadcast(&local, root, &mut data)
        .await
        .map_err(|error| call.failed(error))?;
    if call.rank() != root {
        data.finish();
    }
    Ok(())
}

async fn broadcast_across(
    call: Call,
    buffer: *mut u8,
    count: i64,
    datatype: MPI_Datatype,
    root: i32,
) -> Result {
    let (local, remote) = call.channels();
    let result = match root {
        MPI_PROC_NULL => inter::broadcast(&local, &remote, Role::Idle).await,
        MPI_ROOT => {
            // SAFETY: as in `broadcast`.
            let data = unsafe { input(call.state, buffer, count, datatype)? };
            inter::broadcast(&local, &remote, Role::Root(&data)).await
        }
        root => {
            let root = call.root(root)?;
            // SAFETY: as in `broadcast`.
            let mut data = unsafe { output(call.state, buffer, count, datatype)? };
            let role = Role::Remote {
                root,
                data: &mut *data,
            };
            let result = inter::broadcast(&local, &remote, role).await;
            data.finish();
            result
        }
    };
    result.map_err(|error| call.failed(error))
}
