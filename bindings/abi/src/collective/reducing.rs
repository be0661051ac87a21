//! Reduce, allreduce, scans and reduce-scatter.
//!
//! The own contribution is where `from` says; in place it is `None`, and in the receive buffer.

use pamir_transport::balance::announcement::Synchronization;
use pamir_transport::collective::{self, Blocks, CollectiveError, ToRoot, inter, inter::Role};

use super::operand::{Operand, Reducer};
use super::{Call, Collective, Root};

type Outcome = Result<(), CollectiveError>;

/// Combines everybody's elements and gives the result to all.
pub struct Allreduce {
    /// How elements are combined.
    pub reducer: Reducer,
    /// The own elements.
    pub from: Option<Operand>,
    /// The room for the result.
    pub to: Operand,
}

impl Collective for Allreduce {
    const SYNCHRONIZATION: Option<Synchronization> = Some(Synchronization::Allreduce);

    async fn run(&self, call: &Call) -> Outcome {
        // SAFETY: the program gives its buffers to the operation until it is complete.
        unsafe {
            if call.is_inter() {
                let (local, remote) = call.channels();
                let input = self.from.as_ref().unwrap_or(&self.to).open(true)?;
                let mut result = self.to.open(false)?;
                inter::allreduce(&local, &remote, &self.reducer, &input, &mut result).await?;
                result.store();
                return Ok(());
            }
            let mut apart = self.to.beside(self.from.as_ref())?;
            collective::allreduce_out_of_place(&call.local().await?, &self.reducer, apart.data())
                .await?;
            apart.store();
        }
        Ok(())
    }
}

/// Combines everybody's elements at the root.
pub struct Reduce {
    /// How elements are combined.
    pub reducer: Reducer,
    /// The own elements.
    pub from: Option<Operand>,
    /// The room for the result; only where the root is.
    pub to: Option<Operand>,
    /// Who gets it.
    pub root: Root,
}

impl Collective for Reduce {
    async fn run(&self, call: &Call) -> Outcome {
        // SAFETY: as for `Allreduce`.
        unsafe {
            match (self.root, &self.from, &self.to) {
                (Root::Here, from, Some(to)) if call.is_inter() => {
                    debug_assert!(from.is_none(), "the root contributes nothing");
                    let (local, remote) = call.channels();
                    let mut result = to.open(false)?;
                    let role = Role::Root(&mut *result);
                    inter::reduce(&local, &remote, &self.reducer, role).await?;
                    result.store();
                }
                (Root::Here, from, Some(to)) => {
                    let mut apart = to.beside(from.as_ref())?;
                    let local = call.local().await?;
                    collective::reduce_here(&local, &self.reducer, apart.data()).await?;
                    apart.store();
                }
                (Root::At(root), Some(from), _) if call.is_inter() => {
                    let (local, remote) = call.channels();
                    let input = from.open(true)?;
                    let role = Role::Remote {
                        root,
                        data: &*input,
                    };
                    inter::reduce(&local, &remote, &self.reducer, role).await?;
                }
                (Root::At(root), Some(from), _) => {
                    let input = from.open(true)?;
                    let to_root = ToRoot::Member(&input);
                    collective::reduce(&call.local().await?, &self.reducer, root, to_root).await?;
                }
                (Root::Beside, ..) | (Root::Here, _, None) | (Root::At(_), None, _) => {
                    unreachable!("`calls::reduce` gives the root a result and members elements")
                }
            }
        }
        Ok(())
    }
}

/// Which ranks' elements a scan combines for each rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Those of lower ranks, and its own.
    Inclusive,
    /// Those of lower ranks alone; rank 0 gets nothing.
    Exclusive,
}

/// Combines the elements of lower ranks.
pub struct Scan {
    /// How elements are combined.
    pub reducer: Reducer,
    /// The own elements.
    pub from: Option<Operand>,
    /// The room for the result.
    pub to: Operand,
    /// Which ranks count.
    pub extent: Extent,
}

impl Collective for Scan {
    async fn run(&self, call: &Call) -> Outcome {
        let local = call.local().await?;
        // SAFETY: as for `Allreduce`.
        unsafe {
            match self.extent {
                Extent::Inclusive => {
                    let mut result = self.to.accumulate(self.from.as_ref())?;
                    collective::scan(&local, &self.reducer, &mut result).await?;
                    result.store();
                }
                // Rank 0's receive buffer is not changed, so it works on a copy.
                Extent::Exclusive if call.rank() == 0 => {
                    let mut own = self.from.as_ref().unwrap_or(&self.to).copy()?;
                    collective::exscan(&local, &self.reducer, &mut own).await?;
                }
                Extent::Exclusive => {
                    let mut result = self.to.accumulate(self.from.as_ref())?;
                    collective::exscan(&local, &self.reducer, &mut result).await?;
                    result.store();
                }
            }
        }
        Ok(())
    }
}

/// Combines everybody's elements and gives each rank its part of them.
pub struct ReduceScatter {
    /// How elements are combined.
    pub reducer: Reducer,
    /// The elements of all parts.
    pub from: Operand,
    /// They are where the result goes, which overwrites them.
    pub in_place: bool,
    /// The room for the own part.
    pub to: Operand,
    /// Bytes of each rank's part.
    pub parts: Parts,
}

/// The parts of a reduce-scatter, in bytes of elements.
pub enum Parts {
    /// All the same.
    Equal(usize),
    /// Lengths, and where each part starts.
    Listed(Vec<usize>, Vec<usize>),
}

impl Collective for ReduceScatter {
    const SYNCHRONIZATION: Option<Synchronization> = Some(Synchronization::ReduceScatter);

    async fn run(&self, call: &Call) -> Outcome {
        let blocks = match &self.parts {
            Parts::Equal(bytes) => Blocks::Uniform { bytes: *bytes },
            Parts::Listed(counts, displacements) => Blocks::Listed {
                counts,
                displacements,
            },
        };
        // SAFETY: as for `Allreduce`.
        unsafe {
            let input = if self.in_place {
                self.from.copy()?
            } else {
                self.from.open(true)?
            };
            let mut result = self.to.open(false)?;
            let (reducer, output) = (&self.reducer, &mut *result);
            if call.is_inter() {
                let (local, remote) = call.channels();
                inter::reduce_scatter(&local, &remote, reducer, blocks, &input, output).await?;
            } else {
                let local = call.local().await?;
                collective::reduce_scatter(&local, reducer, blocks, &input, output).await?;
            }
            result.store();
        }
        Ok(())
    }
}
