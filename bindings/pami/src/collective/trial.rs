//! Trials: operations of a kind by one algorithm, on data of the library's own.
//!
//! Before: [`crate::extension::collsel`] wants to know how long an algorithm takes. After: it does, and that the first
//! operation gave the right result at this member.
//!
//! Every member sends bytes that are made of its rank, so that each knows what has to come. The root is the first member.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Instant;

use pamir_transport::collective as c;
use pamir_transport::collective::barrier::Algorithm as BarrierAlgorithm;
use pamir_transport::collective::{
    Blocks, Exchange, FromRoot, Reduction, ToRoot, allgather, allgather_with, allgatherv,
    allgatherv_with, allreduce, allreduce_with, alltoall, alltoall_with, alltoallv, alltoallv_with,
    barrier, barrier_with, broadcast, broadcast_with, gather, gather_with, gatherv, gatherv_with,
    reduce, reduce_scatter, reduce_scatter_with, reduce_with, scan, scan_with, scatter,
    scatter_with, scatterv, scatterv_with,
};

use crate::collective::call::{Call, Exchanging, Outcome, run};
use crate::geometry::algorithms::Chosen;
use crate::refusal::Refusal;
use crate::structures::Code;
use crate::structures::kind::TransferKind;

/// Parts that the operations of a trial are timed in: where other programs take turns on the cores, most are undisturbed.
const SAMPLES: usize = 5;

/// What a trial has found at this member.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// Nanoseconds of an operation: the median of the samples' averages.
    pub nanoseconds: f64,
    /// The first one's result was right.
    pub is_right: bool,
}

/// What is tried.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    /// The kind.
    pub kind: TransferKind,
    /// Bytes of a message: of a block where the operation has one for each member, else of all data.
    pub bytes: usize,
    /// Operations that are timed, behind one that is not.
    pub operations: usize,
}

/// Adds bytes.
struct Sum;

impl Reduction for Sum {
    fn combine(&self, incoming: &[u8], inout: &mut [u8]) {
        for (own, other) in inout.iter_mut().zip(incoming) {
            *own = own.wrapping_add(*other);
        }
    }

    fn commutative(&self) -> bool {
        true
    }

    fn element_bytes(&self) -> usize {
        1
    }
}

/// The byte that member `from` has for member `to`.
fn byte(from: usize, to: usize) -> u8 {
    (from * 7 + to * 3 + 1) as u8
}

/// A member's data.
struct Data {
    outgoing: Vec<u8>,
    incoming: Vec<u8>,
}

impl Trial {
    /// Whether each member has a block for, or from, each.
    fn has_blocks(self) -> bool {
        use TransferKind::*;
        !matches!(self.kind, Broadcast | Allreduce | Reduce | Scan | Barrier)
    }

    /// A member's data before an operation: block `to` has what is for that member.
    fn data(self, rank: usize, size: usize) -> Data {
        let blocks = if self.has_blocks() { size } else { 1 };
        let block = |to| std::iter::repeat_n(byte(rank, to), self.bytes);
        Data {
            outgoing: (0..blocks).flat_map(block).collect(),
            incoming: vec![0; blocks * self.bytes],
        }
    }

    /// Whether an operation has left at a member what it should.
    fn is_right(self, data: &Data, rank: usize, size: usize) -> bool {
        use TransferKind::*;
        let sum = |ranks: usize, to: usize| {
            (0..ranks).fold(0_u8, |sum, from| sum.wrapping_add(byte(from, to)))
        };
        let expected: Vec<u8> = match self.kind {
            Barrier => return true,
            Reduce | Gather | Gatherv | GathervInt if rank != 0 => return true,
            Broadcast => vec![byte(0, 0)],
            Allreduce | Reduce => vec![sum(size, 0)],
            Scan => vec![sum(rank + 1, 0)],
            Scatter | Scatterv | ScattervInt => vec![byte(0, rank)],
            ReduceScatter => vec![sum(size, rank)],
            Alltoall | Alltoallv | AlltoallvInt => (0..size).map(|from| byte(from, rank)).collect(),
            // The first block is what each sends.
            _ => (0..size).map(|from| byte(from, 0)).collect(),
        };
        let blocks = data.incoming.chunks(self.bytes.max(1));
        blocks
            .zip(expected)
            .all(|(block, expected)| block.iter().all(|byte| *byte == expected))
    }

    async fn operate(
        self,
        exchange: &Exchanging<'_>,
        chosen: Chosen,
        Data { outgoing, incoming }: &mut Data,
    ) -> Outcome {
        use TransferKind::*;
        let (rank, bytes) = (exchange.rank(), self.bytes);
        let (is_root, blocks) = (rank == 0, Blocks::Uniform { bytes });
        let own = rank * bytes..(rank + 1) * bytes;
        match self.kind {
            Barrier => run!(chosen.of(), barrier or barrier_with(exchange)),
            Broadcast => {
                incoming[..].copy_from_slice(outgoing);
                run!(chosen.of(), broadcast or broadcast_with(exchange, 0, incoming))
            }
            Allreduce => {
                incoming[..].copy_from_slice(outgoing);
                run!(chosen.of(), allreduce or allreduce_with(exchange, &Sum, incoming))
            }
            Reduce => {
                incoming[..].copy_from_slice(outgoing);
                let data = to_root(is_root, incoming, outgoing);
                run!(chosen.of(), reduce or reduce_with(exchange, &Sum, 0, data))
            }
            Scan => {
                incoming[..].copy_from_slice(outgoing);
                run!(chosen.of(), scan or scan_with(exchange, &Sum, incoming))
            }
            Gather | Gatherv | GathervInt => {
                incoming[own].copy_from_slice(&outgoing[..bytes]);
                let data = to_root(is_root, incoming, &outgoing[..bytes]);
                if self.kind == Gather {
                    run!(chosen.of(), gather or gather_with(exchange, 0, data))
                } else {
                    run!(chosen.of(), gatherv or gatherv_with(exchange, 0, blocks, data))
                }
            }
            Scatter | Scatterv | ScattervInt => {
                incoming[..bytes].copy_from_slice(&outgoing[..bytes]);
                let data = if is_root {
                    FromRoot::Root(&outgoing[..])
                } else {
                    FromRoot::Member(&mut incoming[..bytes])
                };
                if self.kind == Scatter {
                    run!(chosen.of(), scatter or scatter_with(exchange, 0, data))
                } else {
                    run!(chosen.of(), scatterv or scatterv_with(exchange, 0, blocks, data))
                }
            }
            Allgather => {
                incoming[own].copy_from_slice(&outgoing[..bytes]);
                run!(chosen.of(), allgather or allgather_with(exchange, incoming))
            }
            Allgatherv | AllgathervInt => {
                incoming[own].copy_from_slice(&outgoing[..bytes]);
                run!(chosen.of(), allgatherv or allgatherv_with(exchange, blocks, incoming))
            }
            Alltoall => run!(chosen.of(), alltoall or alltoall_with(exchange, outgoing, incoming)),
            Alltoallv | AlltoallvInt => {
                let both = (&outgoing[..], &mut incoming[..]);
                run!(chosen.of(), alltoallv or alltoallv_with(exchange, blocks, both.0, blocks, both.1))
            }
            ReduceScatter => {
                let (all, one) = (&outgoing[..], &mut incoming[..bytes]);
                run!(chosen.of(), reduce_scatter or reduce_scatter_with(exchange, &Sum, blocks, all, one))
            }
            ActiveBroadcast | ActiveScatter | ActiveGather | ActiveReduce => Ok(()),
        }
    }

    /// Runs the trial with the other members, and advances the call's context until it has ended. The first member's
    /// time counts, since every member waits for all others before and behind.
    ///
    /// # Errors
    ///
    /// What the algorithm cannot serve, and a context that cannot be advanced.
    pub fn run(self, call: Call, chosen: Chosen) -> Result<Found, Refusal> {
        let (found, rank) = (Rc::new(Cell::new(None)), call.rank);
        let (result, size) = (Rc::clone(&found), call.size());
        let body = async move |exchange: &Exchanging<'_>| {
            let mut data = self.data(rank, size);
            self.operate(exchange, chosen, &mut data).await?;
            let is_right = self.is_right(&data, rank, size);
            let operations = self.operations.div_ceil(SAMPLES);
            let mut samples = [0.0; SAMPLES];
            barrier_with(BarrierAlgorithm::Tree, exchange).await?;
            for sample in &mut samples {
                let begin = Instant::now();
                for _ in 0..operations {
                    self.operate(exchange, chosen, &mut data).await?;
                }
                barrier_with(BarrierAlgorithm::Tree, exchange).await?;
                *sample = begin.elapsed().as_nanos() as f64 / operations.max(1) as f64;
            }
            samples.sort_by(f64::total_cmp);
            result.set(Some(Found {
                nanoseconds: samples[SAMPLES / 2],
                is_right,
            }));
            Ok(())
        };
        wait(call, body)?;
        Ok(found.get().unwrap_or(Found {
            nanoseconds: f64::INFINITY,
            is_right: false,
        }))
    }
}

fn to_root<'a>(is_root: bool, incoming: &'a mut [u8], outgoing: &'a [u8]) -> ToRoot<'a> {
    if is_root {
        ToRoot::Root(incoming)
    } else {
        ToRoot::Member(outgoing)
    }
}

/// Gives every member the first one's bytes, as many as it has.
///
/// # Errors
///
/// As for [`Trial::run`].
pub fn share(call: Call, own: Vec<u8>) -> Result<Vec<u8>, Refusal> {
    let shared = Rc::new(Cell::new(Vec::new()));
    let all = Rc::clone(&shared);
    let body = async move |exchange: &Exchanging<'_>| {
        let mut length = own.len().to_ne_bytes();
        c::broadcast(exchange, 0, &mut length).await?;
        let mut bytes = own;
        bytes.resize(usize::from_ne_bytes(length), 0);
        c::broadcast(exchange, 0, &mut bytes).await?;
        all.set(bytes);
        Ok(())
    };
    wait(call, body)?;
    Ok(shared.take())
}

/// Has all members agree whether something holds at each.
///
/// # Errors
///
/// As for [`Trial::run`].
pub fn all_agree(call: Call, here: bool) -> Result<bool, Refusal> {
    let agreed = Rc::new(Cell::new(false));
    let outcome = Rc::clone(&agreed);
    let body = async move |exchange: &Exchanging<'_>| {
        let mut wrong = [u8::from(!here)];
        c::allreduce(exchange, &Most, &mut wrong).await?;
        outcome.set(wrong == [0]);
        Ok(())
    };
    wait(call, body)?;
    Ok(agreed.get())
}

/// The greater of two bytes.
struct Most;

impl Reduction for Most {
    fn combine(&self, incoming: &[u8], inout: &mut [u8]) {
        for (own, other) in inout.iter_mut().zip(incoming) {
            *own = (*own).max(*other);
        }
    }

    fn commutative(&self) -> bool {
        true
    }

    fn element_bytes(&self) -> usize {
        1
    }
}

/// Starts an operation, and advances its context until it has ended.
fn wait<B>(call: Call, body: B) -> Result<(), Refusal>
where
    B: for<'c> AsyncFnOnce(&'c Exchanging<'c>) -> Outcome + 'static,
{
    let object = call.object;
    let ended = Rc::new(Cell::new(None));
    let end = Rc::clone(&ended);
    call.start_then(Box::new(move |how| end.set(Some(how))), body);
    loop {
        if let Some(how) = ended.take() {
            return Ok(how?);
        }
        match object.advance(object.context(), 1000) {
            Code::Success | Code::Again => {}
            _ => return Err(Refusal::NotAdvanced),
        }
    }
}
