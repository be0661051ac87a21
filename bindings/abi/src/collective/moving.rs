//! Gather, scatter, allgather and alltoall, with equal blocks and with listed ones.
//!
//! Equal blocks are one run of elements, a [`Place`]; listed blocks are a [`BlockList`]. A rank's
//! own block is copied where the operation begins, or while others' blocks are on their way; it is missing (`None`) in place.

use std::future::Future;

use pamir_transport::balance::announcement::Synchronization;
use pamir_transport::collective::{
    self, Blocks, CollectiveError, FromRoot, ToRoot, inter, inter::Role,
};

use super::blocks::BlockList;
use super::place::Place;
use super::{Call, Collective, Root};

type Outcome = Result<(), CollectiveError>;

/// Copies a rank's own block into the room for it.
fn copy_block(from: &[u8], to: &mut [u8]) -> Outcome {
    collective::check_fits(from.len(), to.len())?;
    to[..from.len()].copy_from_slice(from);
    Ok(())
}

/// The blocks of all ranks, at the rank that has them all.
pub enum AllBlocks {
    /// One run of elements: equal blocks.
    Equal(Place),
    /// Blocks at places of their own.
    Listed(BlockList),
}

/// Collects a block of each rank at the root.
pub struct Gather {
    /// The own block.
    pub own: Option<Place>,
    /// The room for all blocks; only looked at where the root is.
    pub all: AllBlocks,
    /// Who gets them.
    pub root: Root,
}

impl Collective for Gather {
    async fn run(&self, call: &Call) -> Outcome {
        match (self.root, &self.all) {
            (Root::Beside, _) => {
                call.count();
                Ok(())
            }
            (Root::At(root), all) => self.contribute(call, all, root).await,
            (Root::Here, AllBlocks::Equal(all)) => self.collect(call, all).await,
            (Root::Here, AllBlocks::Listed(all)) => self.collect_listed(call, all).await,
        }
    }
}

impl Gather {
    async fn contribute(&self, call: &Call, all: &AllBlocks, root: usize) -> Outcome {
        let own = self.own.as_ref().unwrap_or(&Place::NONE);
        // SAFETY: the program gives its buffers to the operation until it is complete.
        let data = unsafe { own.open(true) };
        if call.is_inter() {
            let (_, remote) = call.channels();
            return inter::gather(&remote, Role::Remote { root, data: &*data }).await;
        }
        let local = call.local().await?;
        match all {
            AllBlocks::Equal(_) => collective::gather(&local, root, ToRoot::Member(&data)).await,
            AllBlocks::Listed(_) => {
                let nothing = Blocks::Uniform { bytes: 0 };
                collective::gatherv(&local, root, nothing, ToRoot::Member(&data)).await
            }
        }
    }

    async fn collect(&self, call: &Call, all: &Place) -> Outcome {
        // SAFETY: as in `contribute`.
        let mut incoming = unsafe { all.open(self.own.is_none()) };
        if call.is_inter() {
            let (_, remote) = call.channels();
            inter::gather(&remote, Role::Root(&mut *incoming)).await?;
        } else {
            let local = call.local().await?;
            // SAFETY: as in `contribute`.
            match self.own.as_ref().map(|own| unsafe { own.open(true) }) {
                Some(own) => collective::gather_out_of_place(&local, &own, &mut incoming).await?,
                None => {
                    let to_root = ToRoot::Root(&mut incoming);
                    collective::gather(&local, call.rank(), to_root).await?;
                }
            }
        }
        incoming.store();
        Ok(())
    }

    async fn collect_listed(&self, call: &Call, all: &BlockList) -> Outcome {
        // SAFETY: as in `contribute`.
        let mut incoming = unsafe { all.open(self.own.is_none()) };
        let blocks = all.blocks();
        if call.is_inter() {
            let (_, remote) = call.channels();
            inter::gatherv(&remote, blocks, Role::Root(incoming.bytes_mut())).await?;
        } else {
            let local = call.local().await?;
            let buffer = incoming.bytes_mut();
            // SAFETY: as in `contribute`.
            match self.own.as_ref().map(|own| unsafe { own.open(true) }) {
                Some(own) => collective::gatherv_out_of_place(&local, blocks, &own, buffer).await?,
                None => {
                    let to_root = ToRoot::Root(buffer);
                    collective::gatherv(&local, call.rank(), blocks, to_root).await?;
                }
            }
        }
        incoming.store();
        Ok(())
    }
}

/// Gives each rank its block of the root's data.
pub struct Scatter {
    /// All blocks; only looked at where the root is.
    pub all: AllBlocks,
    /// The room for the own block.
    pub own: Option<Place>,
    /// Who has them.
    pub root: Root,
}

impl Collective for Scatter {
    async fn run(&self, call: &Call) -> Outcome {
        match (self.root, &self.all) {
            (Root::Beside, _) => {
                call.count();
                Ok(())
            }
            (Root::At(root), all) => self.obtain(call, all, root).await,
            (Root::Here, AllBlocks::Equal(all)) => self.distribute(call, all).await,
            (Root::Here, AllBlocks::Listed(all)) => self.distribute_listed(call, all).await,
        }
    }
}

impl Scatter {
    async fn obtain(&self, call: &Call, all: &AllBlocks, root: usize) -> Outcome {
        let own = self.own.as_ref().unwrap_or(&Place::NONE);
        // SAFETY: the program gives its buffers to the operation until it is complete.
        let mut data = unsafe { own.open(false) };
        if call.is_inter() {
            let (_, remote) = call.channels();
            let role = Role::Remote {
                root,
                data: &mut *data,
            };
            inter::scatter(&remote, role).await?;
        } else {
            let local = call.local().await?;
            let from_root = FromRoot::Member(&mut data);
            match all {
                AllBlocks::Equal(_) => collective::scatter(&local, root, from_root).await?,
                AllBlocks::Listed(_) => {
                    let nothing = Blocks::Uniform { bytes: 0 };
                    collective::scatterv(&local, root, nothing, from_root).await?;
                }
            }
        }
        data.store();
        Ok(())
    }

    /// Runs `scatter`, and copies the root's own block, unless it stays where it is, when the others' are on
    /// their way: they copy theirs meanwhile.
    async fn keep(&self, block: &[u8], scatter: impl Future<Output = Outcome>) -> Outcome {
        let Some(own) = &self.own else {
            return scatter.await;
        };
        // SAFETY: as in `obtain`.
        let mut own = unsafe { own.open(false) };
        collective::check_fits(block.len(), own.len())?;
        let kept = async {
            own[..block.len()].copy_from_slice(block);
            own.store();
            Ok(())
        };
        collective::exchange::join::join(scatter, kept)
            .await
            .map(|_| ())
    }

    async fn distribute(&self, call: &Call, all: &Place) -> Outcome {
        // SAFETY: as in `obtain`.
        let outgoing = unsafe { all.open(true) };
        if call.is_inter() {
            let (_, remote) = call.channels();
            return inter::scatter(&remote, Role::Root(&*outgoing)).await;
        }
        let local = call.local().await?;
        let block = outgoing.len() / call.peers();
        let own = &outgoing[call.rank() * block..][..block];
        let scatter = collective::scatter(&local, call.rank(), FromRoot::Root(&outgoing));
        self.keep(own, scatter).await
    }

    async fn distribute_listed(&self, call: &Call, all: &BlockList) -> Outcome {
        // SAFETY: as in `obtain`.
        let outgoing = unsafe { all.open(true) };
        let blocks = all.blocks();
        if call.is_inter() {
            let (_, remote) = call.channels();
            return inter::scatterv(&remote, blocks, Role::Root(outgoing.bytes())).await;
        }
        let local = call.local().await?;
        let from_root = FromRoot::Root(outgoing.bytes());
        let scatter = collective::scatterv(&local, call.rank(), blocks, from_root);
        self.keep(outgoing.block(call.rank()), scatter).await
    }
}

/// Gives each rank's block to all.
pub struct Allgather {
    /// The own block.
    pub own: Option<Place>,
    /// The room for all blocks.
    pub all: AllBlocks,
}

impl Collective for Allgather {
    const SYNCHRONIZATION: Option<Synchronization> = Some(Synchronization::Allgather);

    async fn run(&self, call: &Call) -> Outcome {
        match &self.all {
            AllBlocks::Equal(all) => self.equal(call, all).await,
            AllBlocks::Listed(all) => self.listed(call, all).await,
        }
    }
}

impl Allgather {
    async fn equal(&self, call: &Call, all: &Place) -> Outcome {
        // SAFETY: the program gives its buffers to the operation until it is complete.
        let mut incoming = unsafe { all.open(self.own.is_none()) };
        // SAFETY: as above.
        let own = self.own.as_ref().map(|own| unsafe { own.open(true) });
        if call.is_inter() {
            let (local, remote) = call.channels();
            let own = own.as_deref().unwrap_or_default();
            inter::allgather(&local, &remote, own, &mut incoming).await?;
        } else {
            let local = call.local().await?;
            let block = incoming.len() / call.peers();
            match own {
                Some(own) if own.len() == block => {
                    collective::allgather_out_of_place(&local, &own, &mut incoming).await?;
                }
                own => {
                    if let Some(own) = own {
                        copy_block(&own, &mut incoming[call.rank() * block..][..block])?;
                    }
                    collective::allgather(&local, &mut incoming).await?;
                }
            }
        }
        incoming.store();
        Ok(())
    }

    async fn listed(&self, call: &Call, all: &BlockList) -> Outcome {
        // SAFETY: as in `equal`.
        let mut incoming = unsafe { all.open(self.own.is_none()) };
        // SAFETY: as in `equal`.
        let own = self.own.as_ref().map(|own| unsafe { own.open(true) });
        let blocks = all.blocks();
        if call.is_inter() {
            let (_, remote) = call.channels();
            let own = own.as_deref().unwrap_or_default();
            inter::allgatherv(&remote, own, blocks, incoming.bytes_mut()).await?;
        } else {
            let local = call.local().await?;
            if let Some(own) = own {
                copy_block(&own, incoming.block_mut(call.rank()))?;
            }
            collective::allgatherv(&local, blocks, incoming.bytes_mut()).await?;
        }
        incoming.store();
        Ok(())
    }
}

/// Sends a block to each rank, and gets one from each; all have one length.
pub struct Alltoall {
    /// The blocks to send.
    pub from: Option<Place>,
    /// The room for those that come.
    pub to: Place,
}

impl Collective for Alltoall {
    const SYNCHRONIZATION: Option<Synchronization> = Some(Synchronization::Alltoall);

    async fn run(&self, call: &Call) -> Outcome {
        // SAFETY: the program gives its buffers to the operation until it is complete.
        let mut incoming = unsafe { self.to.open(self.from.is_none()) };
        match &self.from {
            None => {
                let bytes = incoming.len() / call.peers();
                let blocks = Blocks::Uniform { bytes };
                collective::alltoall_in_place(&call.local().await?, blocks, &mut incoming).await?;
            }
            Some(from) => {
                // SAFETY: as above.
                let outgoing = unsafe { from.open(true) };
                if call.is_inter() {
                    let (_, remote) = call.channels();
                    inter::alltoall(&remote, &outgoing, &mut incoming).await?;
                } else {
                    collective::alltoall(&call.local().await?, &outgoing, &mut incoming).await?;
                }
            }
        }
        incoming.store();
        Ok(())
    }
}

/// The same with listed blocks.
pub struct Alltoallv {
    /// The blocks to send.
    pub from: Option<BlockList>,
    /// The room for those that come.
    pub to: BlockList,
}

impl Collective for Alltoallv {
    const SYNCHRONIZATION: Option<Synchronization> = Some(Synchronization::Alltoall);

    async fn run(&self, call: &Call) -> Outcome {
        // SAFETY: the program gives its buffers to the operation until it is complete.
        let mut incoming = unsafe { self.to.open(self.from.is_none()) };
        let (blocks, bytes) = (self.to.blocks(), incoming.bytes_mut());
        match &self.from {
            None => collective::alltoall_in_place(&call.local().await?, blocks, bytes).await?,
            Some(from) => {
                // SAFETY: as above.
                let outgoing = unsafe { from.open(true) };
                let (places, data) = (from.blocks(), outgoing.bytes());
                if call.is_inter() {
                    let (_, remote) = call.channels();
                    inter::alltoallv(&remote, places, data, blocks, bytes).await?;
                } else {
                    collective::alltoallv(&call.local().await?, places, data, blocks, bytes)
                        .await?;
                }
            }
        }
        incoming.store();
        Ok(())
    }
}
