//! Reduce, allreduce, scans and reduce-scatter.

use pamir_transport::collective::{self, Blocks, ToRoot, inter, inter::Role};

use crate::collective::Call;
use crate::collective::operand::Plan;
use crate::constants::*;
use crate::error::{ErrorClass, Result};
use crate::types::{MPI_Datatype, MPI_Op};

/// Whether a buffer argument is `MPI_IN_PLACE`.
pub fn is_in_place(address: *const u8) -> bool {
    address == MPI_IN_PLACE.cast::<u8>().cast_const()
}

/// The data of a reduction: where from, where to, and what.
#[derive(Clone, Copy)]
pub struct Reduced {
    /// The send buffer, or `MPI_IN_PLACE`.
    pub from: *const u8,
    /// The receive buffer.
    pub to: *mut u8,
    /// Number of elements.
    pub count: i64,
    /// Their datatype.
    pub datatype: MPI_Datatype,
    /// The operation.
    pub op: MPI_Op,
}

impl Reduced {
    /// What the operation works with. `result` says whether this rank gets one, and `own`
    /// whether it gives elements.
    fn plan(&self, call: &Call, own: bool, result: bool) -> Result<Plan> {
        let plan = Plan::new(call.state, self.count, self.datatype, self.op)?;
        if own {
            plan.check(self.source())?;
        }
        if result {
            plan.check(self.to)?;
        }
        if own && result && plan.count() > 0 && self.from == self.to.cast_const() {
            let text = "send and receive buffer are the same: pass MPI_IN_PLACE";
            return Err(ErrorClass::Buffer.with(text));
        }
        Ok(plan)
    }

    /// Where the own contribution is.
    fn source(&self) -> *const u8 {
        if is_in_place(self.from) {
            self.to.cast_const()
        } else {
            self.from
        }
    }
}

/// Combines everybody's elements and gives the result to all.
pub async fn allreduce(call: Call, data: Reduced) -> Result {
    if call.is_inter() {
        return allreduce_across(call, data).await;
    }
    let plan = data.plan(&call, true, true)?;
    // SAFETY: the program gives both buffers to the operation until it is complete.
    unsafe {
        let mut result = plan.accumulator(data.source(), data.to, plan.count());
        let (local, _) = call.channels();
        let done = collective::allreduce(&local, &plan.combination, result.write()).await;
        done.map_err(|error| call.failed(error))?;
        plan.store(result.read(), data.to, plan.count());
    }
    Ok(())
}

async fn allreduce_across(call: Call, data: Reduced) -> Result {
    let plan = data.plan(&call, true, true)?;
    // SAFETY: as in `allreduce`.
    unsafe {
        let input = plan.input(data.from, plan.count());
        let mut result = plan.room(data.to, plan.count());
        let (local, remote) = call.channels();
        let done = inter::allreduce(
            &local,
            &remote,
            &plan.combination,
            input.read(),
            result.write(),
        )
        .await;
        done.map_err(|error| call.failed(error))?;
        plan.store(result.read(), data.to, plan.count());
    }
    Ok(())
}

/// Combines everybody's elements at the root.
pub async fn reduce(call: Call, data: Reduced, root: i32) -> Result {
    if call.is_inter() {
        return reduce_across(call, data, root).await;
    }
    let root = call.root(root)?;
    let plan = data.plan(&call, true, call.rank() == root)?;
    let (local, _) = call.channels();
    // SAFETY: as in `allreduce`; only the root's receive buffer is looked at.
    unsafe {
        if call.rank() != root {
            let input = plan.input(data.from, plan.count());
            let to_root = ToRoot::Member(input.read());
            let done = collective::reduce(&local, &plan.combination, root, to_root).await;
            return done.map_err(|error| call.failed(error));
        }
        let mut result = plan.accumulator(data.source(), data.to, plan.count());
        let to_root = ToRoot::Root(result.write());
        let done = collective::reduce(&local, &plan.combination, root, to_root).await;
        done.map_err(|error| call.failed(error))?;
        plan.store(result.read(), data.to, plan.count());
    }
    Ok(())
}

async fn reduce_across(call: Call, data: Reduced, root: i32) -> Result {
    let plan = data.plan(&call, root >= 0, root == MPI_ROOT)?;
    let (local, remote) = call.channels();
    let combination = &plan.combination;
    // SAFETY: as in `reduce`.
    let done = unsafe {
        match root {
            MPI_PROC_NULL => inter::reduce(&local, &remote, combination, Role::Idle).await,
            MPI_ROOT => {
                let mut result = plan.room(data.to, plan.count());
                let role = Role::Root(result.write());
                let done = inter::reduce(&local, &remote, combination, role).await;
                plan.store(result.read(), data.to, plan.count());
                done
            }
            root => {
                let root = call.root(root)?;
                let input = plan.input(data.from, plan.count());
                let role = Role::Remote {
                    root,
                    data: input.read(),
                };
                inter::reduce(&local, &remote, combination, role).await
            }
        }
    };
    done.map_err(|error| call.failed(error))
}

/// Which ranks' elements a scan combines for each rank.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Scan {
    /// Those of lower ranks, and its own.
    Inclusive,
    /// Those of lower ranks alone; rank 0 gets nothing.
    Exclusive,
}

/// Combines the elements of lower ranks.
pub async fn scan(call: Call, data: Reduced, kind: Scan) -> Result {
    if call.is_inter() {
        let text = "scans are not defined on inter-communicators";
        return Err(ErrorClass::Comm.with(text));
    }
    let plan = data.plan(&call, true, true)?;
    let (local, _) = call.channels();
    // SAFETY: as in `allreduce`. Rank 0's receive buffer is not changed by an exclusive scan,
    // so it works on a copy.
    unsafe {
        let copied = kind == Scan::Exclusive && call.rank() == 0;
        let mut result = if copied {
            plan.copy(data.source(), plan.count())
        } else {
            plan.accumulator(data.source(), data.to, plan.count())
        };
        let done = match kind {
            Scan::Inclusive => collective::scan(&local, &plan.combination, result.write()).await,
            Scan::Exclusive => collective::exscan(&local, &plan.combination, result.write()).await,
        };
        done.map_err(|error| call.failed(error))?;
        if !copied {
            plan.store(result.read(), data.to, plan.count());
        }
    }
    Ok(())
}

/// Combines everybody's elements and gives each rank its part, of `counts[rank]` elements.
pub async fn reduce_scatter(call: Call, data: Reduced, counts: Vec<i64>) -> Result {
    if let Some(count) = counts.iter().find(|count| **count < 0) {
        return Err(ErrorClass::Count.with(format!("a count is at least 0, not {count}")));
    }
    let total = counts.iter().sum();
    let plan = Reduced {
        count: total,
        ..data
    }
    .plan(&call, true, false)?;
    let own = counts[call.rank()] as usize;
    let bytes: Vec<usize> = counts
        .iter()
        .map(|count| plan.layout.bytes(*count as usize))
        .collect();
    let starts: Vec<usize> = bytes
        .iter()
        .scan(0, |at, bytes| Some(std::mem::replace(at, *at + bytes)))
        .collect();
    let blocks = Blocks::Listed {
        counts: &bytes,
        displacements: &starts,
    };
    let (local, remote) = call.channels();
    // SAFETY: as in `allreduce`. In place, the input is a copy, since the result overwrites it.
    unsafe {
        let input = if is_in_place(data.from) {
            plan.copy(data.to, plan.count())
        } else {
            plan.input(data.from, plan.count())
        };
        let mut result = plan.room(data.to, own);
        let combination = &plan.combination;
        let done = if call.is_inter() {
            inter::reduce_scatter(
                &local,
                &remote,
                combination,
                blocks,
                input.read(),
                result.write(),
            )
            .await
        } else {
            collective::reduce_scatter(&local, combination, blocks, input.read(), result.write())
                .await
        };
        done.map_err(|error| call.failed(error))?;
        plan.store(result.read(), data.to, own);
    }
    Ok(())
}
