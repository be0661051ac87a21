//! Gather, scatter, allgather and alltoall, with equal blocks and with listed ones.
//!
//! Equal blocks are one run of elements, which [`crate::data::input`] and
//! [`crate::data::output`] make contiguous; listed blocks are a [`BlockBuffer`].

use pamir_transport::collective::{self, Blocks, FromRoot, ToRoot, inter, inter::Role};
use pamir_transport::tagged::buffer::Buffer;

use crate::collective::Call;
use crate::collective::blocks::BlockBuffer;
use crate::collective::reducing::is_in_place;
use crate::constants::*;
use crate::data::{Input, Output, input, output};
use crate::error::{ErrorClass, Result};
use crate::types::MPI_Datatype;

/// A run of elements in the program's memory.
#[derive(Clone, Copy)]
pub struct Elements {
    /// The first element, or `MPI_IN_PLACE`.
    pub address: *mut u8,
    /// How many.
    pub count: i64,
    /// Of what.
    pub datatype: MPI_Datatype,
}

impl Elements {
    /// Whether the argument is `MPI_IN_PLACE`.
    pub fn is_in_place(&self) -> bool {
        is_in_place(self.address)
    }

    fn times(self, blocks: usize) -> Self {
        Self {
            count: self.count.saturating_mul(blocks as i64),
            ..self
        }
    }

    fn read(&self, call: &Call) -> Result<Input> {
        // SAFETY: the program gives its buffers to the operation until it is complete.
        unsafe { input(call.state, self.address, self.count, self.datatype) }
    }

    fn write(&self, call: &Call) -> Result<Output> {
        // SAFETY: as in `read`.
        unsafe { output(call.state, self.address, self.count, self.datatype) }
    }
}

/// Copies one block into another; the lengths must agree, as they are one rank's own.
fn copy_block(from: &[u8], to: &mut [u8]) -> Result {
    if from.len() > to.len() {
        let text = format!(
            "{} bytes are sent where there is room for {}",
            from.len(),
            to.len()
        );
        return Err(ErrorClass::Truncate.with(text));
    }
    to[..from.len()].copy_from_slice(from);
    Ok(())
}

/// Blocks of a root's side: equal ones, or listed ones.
pub enum RootSide {
    /// A block of so many elements for each rank.
    Equal(Elements),
    /// A block for each rank at a place of its own; empty where this rank is not the root.
    Listed(Vec<Buffer>),
}

/// Collects a block of each rank at the root.
pub async fn gather(call: Call, own: Elements, all: RootSide, root: i32) -> Result {
    match all {
        RootSide::Equal(all) => gather_equal(call, own, all, root).await,
        RootSide::Listed(all) => gather_listed(call, own, all, root).await,
    }
}

async fn gather_equal(call: Call, own: Elements, all: Elements, root: i32) -> Result {
    let (local, remote) = call.channels();
    if call.is_inter() {
        let done = match root {
            MPI_PROC_NULL => inter::gather(&remote, Role::Idle).await,
            MPI_ROOT => {
                let mut incoming = all.times(call.peers()).write(&call)?;
                let done = inter::gather(&remote, Role::Root(&mut *incoming)).await;
                incoming.finish();
                done
            }
            root => {
                let (root, data) = (call.root(root)?, own.read(&call)?);
                inter::gather(&remote, Role::Remote { root, data: &*data }).await
            }
        };
        return done.map_err(|error| call.failed(error));
    }
    let root = call.root(root)?;
    if call.rank() != root {
        let data = own.read(&call)?;
        let done = collective::gather(&local, root, ToRoot::Member(&data)).await;
        return done.map_err(|error| call.failed(error));
    }
    let mut incoming = all.times(call.peers()).write(&call)?;
    if !own.is_in_place() {
        let block = incoming.len() / call.peers();
        copy_block(&own.read(&call)?, &mut incoming[root * block..][..block])?;
    }
    let done = collective::gather(&local, root, ToRoot::Root(&mut incoming)).await;
    done.map_err(|error| call.failed(error))?;
    incoming.finish();
    Ok(())
}

async fn gather_listed(call: Call, own: Elements, all: Vec<Buffer>, root: i32) -> Result {
    let (local, remote) = call.channels();
    let nothing = Blocks::Uniform { bytes: 0 };
    let is_root = if call.is_inter() {
        root == MPI_ROOT
    } else {
        call.root(root)? == call.rank()
    };
    if !is_root {
        if root == MPI_PROC_NULL {
            return Ok(());
        }
        let (root, data) = (call.root(root)?, own.read(&call)?);
        let done = if call.is_inter() {
            inter::gatherv(&remote, nothing, Role::Remote { root, data: &*data }).await
        } else {
            collective::gatherv(&local, root, nothing, ToRoot::Member(&data)).await
        };
        return done.map_err(|error| call.failed(error));
    }
    // SAFETY: the program gives its buffers to the operation until it is complete.
    let mut incoming = unsafe { BlockBuffer::new(all, own.is_in_place()) };
    if !call.is_inter() && !own.is_in_place() {
        copy_block(&own.read(&call)?, incoming.block_mut(call.rank()))?;
    }
    let (blocks, bytes) = incoming.parts();
    let done = if call.is_inter() {
        inter::gatherv(&remote, blocks, Role::Root(bytes)).await
    } else {
        collective::gatherv(&local, call.rank(), blocks, ToRoot::Root(bytes)).await
    };
    done.map_err(|error| call.failed(error))?;
    incoming.store();
    Ok(())
}

/// Gives each rank its block of the root's data.
pub async fn scatter(call: Call, all: RootSide, own: Elements, root: i32) -> Result {
    match all {
        RootSide::Equal(all) => scatter_equal(call, all, own, root).await,
        RootSide::Listed(all) => scatter_listed(call, all, own, root).await,
    }
}

async fn scatter_equal(call: Call, all: Elements, own: Elements, root: i32) -> Result {
    let (local, remote) = call.channels();
    if call.is_inter() {
        let done = match root {
            MPI_PROC_NULL => inter::scatter(&remote, Role::Idle).await,
            MPI_ROOT => {
                let outgoing = all.times(call.peers()).read(&call)?;
                inter::scatter(&remote, Role::Root(&*outgoing)).await
            }
            root => {
                let (root, mut data) = (call.root(root)?, own.write(&call)?);
                let role = Role::Remote {
                    root,
                    data: &mut *data,
                };
                let done = inter::scatter(&remote, role).await;
                data.finish();
                done
            }
        };
        return done.map_err(|error| call.failed(error));
    }
    let root = call.root(root)?;
    if call.rank() != root {
        let mut data = own.write(&call)?;
        let done = collective::scatter(&local, root, FromRoot::Member(&mut data)).await;
        done.map_err(|error| call.failed(error))?;
        data.finish();
        return Ok(());
    }
    let outgoing = all.times(call.peers()).read(&call)?;
    if !own.is_in_place() {
        let block = outgoing.len() / call.peers();
        let mut data = own.write(&call)?;
        copy_block(&outgoing[root * block..][..block], &mut data)?;
        data.finish();
    }
    let done = collective::scatter(&local, root, FromRoot::Root(&outgoing)).await;
    done.map_err(|error| call.failed(error))
}

async fn scatter_listed(call: Call, all: Vec<Buffer>, own: Elements, root: i32) -> Result {
    let (local, remote) = call.channels();
    let nothing = Blocks::Uniform { bytes: 0 };
    let is_root = if call.is_inter() {
        root == MPI_ROOT
    } else {
        call.root(root)? == call.rank()
    };
    if !is_root {
        if root == MPI_PROC_NULL {
            return Ok(());
        }
        let (root, mut data) = (call.root(root)?, own.write(&call)?);
        let done = if call.is_inter() {
            inter::scatterv(
                &remote,
                nothing,
                Role::Remote {
                    root,
                    data: &mut *data,
                },
            )
            .await
        } else {
            collective::scatterv(&local, root, nothing, FromRoot::Member(&mut data)).await
        };
        done.map_err(|error| call.failed(error))?;
        data.finish();
        return Ok(());
    }
    // SAFETY: as in `gather_listed`.
    let outgoing = unsafe { BlockBuffer::new(all, true) };
    let done = if call.is_inter() {
        inter::scatterv(&remote, outgoing.blocks(), Role::Root(outgoing.bytes())).await
    } else {
        if !own.is_in_place() {
            let mut data = own.write(&call)?;
            copy_block(outgoing.block(call.rank()), &mut data)?;
            data.finish();
        }
        let from_root = FromRoot::Root(outgoing.bytes());
        collective::scatterv(&local, call.rank(), outgoing.blocks(), from_root).await
    };
    done.map_err(|error| call.failed(error))
}

/// Gives each rank's block to all.
pub async fn allgather(call: Call, own: Elements, all: Elements) -> Result {
    let (local, remote) = call.channels();
    let mut incoming = all.times(call.peers()).write(&call)?;
    let done = if call.is_inter() {
        inter::allgather(&local, &remote, &own.read(&call)?, &mut incoming).await
    } else {
        if !own.is_in_place() {
            let block = incoming.len() / call.peers();
            copy_block(
                &own.read(&call)?,
                &mut incoming[call.rank() * block..][..block],
            )?;
        }
        collective::allgather(&local, &mut incoming).await
    };
    done.map_err(|error| call.failed(error))?;
    incoming.finish();
    Ok(())
}

/// Gives each rank's block, each of its own length, to all.
pub async fn allgatherv(call: Call, own: Elements, all: Vec<Buffer>) -> Result {
    let (local, remote) = call.channels();
    // SAFETY: as in `gather_listed`.
    let mut incoming = unsafe { BlockBuffer::new(all, own.is_in_place()) };
    if !call.is_inter() && !own.is_in_place() {
        copy_block(&own.read(&call)?, incoming.block_mut(call.rank()))?;
    }
    let (blocks, bytes) = incoming.parts();
    let done = if call.is_inter() {
        inter::allgatherv(&remote, &own.read(&call)?, blocks, bytes).await
    } else {
        collective::allgatherv(&local, blocks, bytes).await
    };
    done.map_err(|error| call.failed(error))?;
    incoming.store();
    Ok(())
}

/// Sends a block of its own to each rank, and gets one from each.
pub async fn alltoall(call: Call, from: Elements, to: Elements) -> Result {
    let (local, remote) = call.channels();
    let mut incoming = to.times(call.peers()).write(&call)?;
    let done = if from.is_in_place() && !call.is_inter() {
        let bytes = incoming.len() / call.peers();
        collective::alltoall_in_place(&local, Blocks::Uniform { bytes }, &mut incoming).await
    } else {
        let outgoing = from.times(call.peers()).read(&call)?;
        if call.is_inter() {
            inter::alltoall(&remote, &outgoing, &mut incoming).await
        } else {
            collective::alltoall(&local, &outgoing, &mut incoming).await
        }
    };
    done.map_err(|error| call.failed(error))?;
    incoming.finish();
    Ok(())
}

/// The same with listed blocks; `from` is none in place.
pub async fn alltoallv(call: Call, from: Option<Vec<Buffer>>, to: Vec<Buffer>) -> Result {
    let (local, remote) = call.channels();
    // SAFETY: as in `gather_listed`.
    let mut incoming = unsafe { BlockBuffer::new(to, from.is_none()) };
    let (blocks, bytes) = incoming.parts();
    let done = match from {
        None => collective::alltoall_in_place(&local, blocks, bytes).await,
        Some(from) => {
            // SAFETY: as in `gather_listed`.
            let outgoing = unsafe { BlockBuffer::new(from, true) };
            let (places, data) = (outgoing.blocks(), outgoing.bytes());
            if call.is_inter() {
                inter::alltoallv(&remote, places, data, blocks, bytes).await
            } else {
                collective::alltoallv(&local, places, data, blocks, bytes).await
            }
        }
    };
    done.map_err(|error| call.failed(error))?;
    incoming.store();
    Ok(())
}
