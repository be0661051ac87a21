//! A rank of a measurement: `pamir measure KIND SIZES`, started by `pamir tune` through mpiexec.
//!
//! What: runs one kind of instruction at each size, with the algorithm that the environment asks
//! for, and prints `BYTES NANOSECONDS` for each size (rank 0).
//! Why: a protocol or an algorithm is chosen when a process starts, so each is a job of its own.
//! Step before: [`super`]. Step after: [`super::choice`] reads the lines.
//!
//! A figure is the median of `SAMPLES` samples; a sample is the time from a barrier before
//! some repetitions to a barrier behind them, divided by their number. Roots take turns, so that
//! no rank can run ahead of the others.

use std::cell::Cell;
use std::future::Future;
use std::rc::Rc;
use std::time::Instant;

use pamir_driver::unit::UnitError;
use pamir_transport::active::ActiveError;
use pamir_transport::client::{Client, ClientError, MPI};
use pamir_transport::collective::geometry::{Channel, block_on};
use pamir_transport::collective::{
    self as c, Blocks, Board, CollectiveError, Exchange, FromRoot, Neighborhood, Pairing,
    Reduction, ToRoot,
};
use pamir_transport::context::Context;
use pamir_transport::one_sided::memory_region::{DESCRIPTION_BYTES, MemoryRegion};
use pamir_transport::one_sided::{Get, Put};

use super::scattered;
use crate::command::whole_job::WholeJob;
use crate::results;

/// Samples of each size.
const SAMPLES: usize = 7;

/// Bytes that the repetitions of a sample move together, about.
const SAMPLE_BYTES: usize = 2 << 20;

/// Context id of the measurement's messages.
const CONTEXT_ID: u32 = 1;

/// Arguments of `pamir measure`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The kind of instruction.
    kind: String,
    /// Sizes in bytes.
    #[arg(value_delimiter = ',', required = true)]
    sizes: Vec<usize>,
}

/// Why nothing could be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MeasureError {
    /// The job cannot be joined.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// A message could not be moved.
    #[error(transparent)]
    Unit(#[from] UnitError),
    /// An operation failed.
    #[error(transparent)]
    Collective(#[from] CollectiveError),
    /// A transfer could not be started.
    #[error(transparent)]
    Active(#[from] ActiveError),
    /// A transfer failed at the target.
    #[error("a transfer failed: {reason}")]
    Transfer {
        /// What the target said.
        reason: String,
    },
    /// Standard output cannot be written.
    #[error(transparent)]
    Print(#[from] results::PrintError),
    /// There is no such kind.
    #[error("nothing measures {kind:?}; kinds are listed by `pamir info --selection`")]
    Kind {
        /// What was asked for.
        kind: String,
    },
    /// Two ranks are needed.
    #[error("{kind} is measured between two ranks: start this with mpiexec -n 2 or more")]
    Alone {
        /// The kind.
        kind: String,
    },
}

/// Measures; the exit code.
pub fn run(arguments: &Arguments) -> u8 {
    match measure(arguments) {
        Ok(()) => 0,
        Err(error) => {
            results::complain(format_args!("pamir measure: {error}"));
            1
        }
    }
}

/// Adds bytes: the cheapest of operators, as the messages are what is measured.
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

/// A rank that measures.
struct Rank {
    client: Client,
    context: Context,
    operations: Cell<i32>,
    board: Option<Board>,
    outgoing: Vec<u8>,
    incoming: Vec<u8>,
    /// The next rank's `incoming`.
    region: Option<MemoryRegion>,
}

fn measure(arguments: &Arguments) -> Result<(), MeasureError> {
    let client = Client::open(MPI)?;
    let context = client.create_context()?;
    let longest = arguments.sizes.iter().copied().max().unwrap_or(0);
    let room = (longest + 1) * context.tasks().max(2);
    let mut rank = Rank {
        client,
        context,
        operations: Cell::new(0),
        board: None,
        outgoing: vec![1; room],
        incoming: vec![0; room],
        region: None,
    };
    rank.board = rank.agree_on_board()?;
    if ["put", "get"].contains(&arguments.kind.as_str()) {
        rank.register()?;
    }
    for bytes in &arguments.sizes {
        let nanoseconds = rank.median(&arguments.kind, *bytes)?;
        if rank.context.task() == 0 {
            results::print(&format!("{bytes} {nanoseconds:.0}\n"))?;
        }
    }
    rank.barrier()?;
    Ok(rank.context.leave()?)
}

impl Rank {
    /// The channel of the next operation.
    fn channel(&self) -> Channel<&Context, WholeJob, &Board> {
        self.operations.set(self.operations.get() + 1);
        Channel {
            context: &self.context,
            members: WholeJob(self.context.tasks()),
            rank: self.context.task(),
            context_id: CONTEXT_ID,
            tag: self.operations.get(),
            board: self.board.as_ref(),
            blocking: true,
        }
    }

    /// Not inlined: one function with all algorithms in it is more than the compiler can take.
    #[inline(never)]
    fn wait<E: Into<MeasureError>>(
        &self,
        operation: impl Future<Output = Result<(), E>>,
    ) -> Result<(), MeasureError> {
        block_on(&self.context, operation)?.map_err(Into::into)
    }

    fn agree_on_board(&self) -> Result<Option<Board>, MeasureError> {
        let channel = self.channel();
        Ok(block_on(&self.context, Board::agree(&channel))??)
    }

    fn barrier(&self) -> Result<(), MeasureError> {
        // Not the one of the table, so that measuring barriers does not change how.
        let channel = self.channel();
        let tree = c::barrier::Algorithm::Tree;
        self.wait(c::barrier_with(tree, &channel))
    }

    /// Nanoseconds of an operation.
    fn median(&mut self, kind: &str, bytes: usize) -> Result<f64, MeasureError> {
        let repetitions = (SAMPLE_BYTES / (bytes + 1)).clamp(4, 64);
        let mut samples = [0.0; SAMPLES];
        for time in 0..3 {
            self.operate(kind, bytes, time)?;
        }
        for sample in &mut samples {
            self.barrier()?;
            let begin = Instant::now();
            for time in 0..repetitions {
                self.operate(kind, bytes, time)?;
            }
            self.barrier()?;
            *sample = begin.elapsed().as_nanos() as f64 / repetitions as f64;
        }
        samples.sort_by(f64::total_cmp);
        Ok(samples[SAMPLES / 2])
    }

    /// Runs one operation of a kind; `bytes` is what the kind's table calls its size.
    fn operate(&mut self, kind: &str, bytes: usize, time: usize) -> Result<(), MeasureError> {
        let mut incoming = std::mem::take(&mut self.incoming);
        let channel = self.channel();
        let (rank, ranks) = (channel.rank(), channel.size());
        let (root, block) = (time % ranks, (bytes / ranks).max(1));
        let (all, out) = (&mut incoming[..], &self.outgoing[..]);
        let uniform = |bytes| Blocks::Uniform { bytes };
        let outcome = match kind {
            "barrier" => self.wait(c::barrier(&channel)),
            "broadcast" => self.wait(c::broadcast(&channel, root, &mut all[..bytes])),
            "reduce" => {
                let buffer = to_root(rank == root, &mut all[..bytes], &out[..bytes]);
                self.wait(c::reduce(&channel, &Sum, root, buffer))
            }
            "allreduce" => self.wait(c::allreduce(&channel, &Sum, &mut all[..bytes])),
            "gather" => {
                let buffer = to_root(rank == root, &mut all[..bytes * ranks], &out[..bytes]);
                self.wait(c::gather(&channel, root, buffer))
            }
            "gatherv" => {
                let buffer = to_root(rank == root, &mut all[..bytes * ranks], &out[..bytes]);
                self.wait(c::gatherv(&channel, root, uniform(bytes), buffer))
            }
            "scatter" => {
                let buffer = from_root(rank == root, &out[..bytes * ranks], &mut all[..bytes]);
                self.wait(c::scatter(&channel, root, buffer))
            }
            "scatterv" => {
                let buffer = from_root(rank == root, &out[..bytes * ranks], &mut all[..bytes]);
                self.wait(c::scatterv(&channel, root, uniform(bytes), buffer))
            }
            "allgather" => self.wait(c::allgather(&channel, &mut all[..block * ranks])),
            "allgatherv" => {
                let buffer = &mut all[..block * ranks];
                self.wait(c::allgatherv(&channel, uniform(block), buffer))
            }
            "alltoall" => {
                let whole = bytes * ranks;
                self.wait(c::alltoall(&channel, &out[..whole], &mut all[..whole]))
            }
            "alltoallv" => {
                let (whole, blocks) = (bytes * ranks, uniform(bytes));
                let (out, all) = (&out[..whole], &mut all[..whole]);
                self.wait(c::alltoallv(&channel, blocks, out, blocks, all))
            }
            "alltoall_in_place" => {
                let buffer = &mut all[..bytes * ranks];
                self.wait(c::alltoall_in_place(&channel, uniform(bytes), buffer))
            }
            "reduce_scatter" => {
                let (input, output) = (&out[..block * ranks], &mut all[..block]);
                self.wait(c::reduce_scatter(
                    &channel,
                    &Sum,
                    uniform(block),
                    input,
                    output,
                ))
            }
            "scan" => self.wait(c::scan(&channel, &Sum, &mut all[..bytes])),
            "exscan" => self.wait(c::exscan(&channel, &Sum, &mut all[..bytes])),
            "neighbor" => {
                let others = [Some((rank + ranks - 1) % ranks), Some((rank + 1) % ranks)];
                let ring = Neighborhood {
                    sources: &others,
                    destinations: &others,
                    pairing: Pairing::Cartesian,
                };
                let (out, all) = (&out[..2 * bytes], &mut all[..2 * bytes]);
                self.wait(c::neighbor_alltoall(&channel, ring, out, all))
            }
            "send" | "stripes" => {
                self.wait(there_and_back(&channel, &out[..bytes], &mut all[..bytes]))
            }
            "scattered_stripes" => {
                let (out, all) = (&out[..2 * bytes], &mut all[..2 * bytes]);
                let (out, all) = (out.as_ptr().cast_mut(), all.as_mut_ptr());
                // SAFETY: both have twice the bytes, and are this call's until it returns; what
                // is sent is only read.
                let sent = unsafe { scattered::there_and_back(&self.context, out, all, bytes) };
                sent.map_err(Into::into)
            }
            "put" | "get" => {
                let address = all.as_mut_ptr();
                self.transfer(kind == "put", address, bytes)
            }
            _ => Err(MeasureError::Kind {
                kind: kind.to_owned(),
            }),
        };
        self.incoming = incoming;
        outcome
    }

    /// Registers this rank's memory, and learns of the next rank's.
    fn register(&mut self) -> Result<(), MeasureError> {
        let (rank, ranks) = (self.context.task(), self.context.tasks());
        if ranks < 2 {
            return Err(MeasureError::Alone {
                kind: "a transfer".to_owned(),
            });
        }
        let (address, bytes) = (self.incoming.as_mut_ptr(), self.incoming.len());
        // SAFETY: the vector is neither moved nor freed before all transfers have ended, which
        // the last barrier tells.
        let region = unsafe { self.context.register(address, bytes) };
        let mut all = vec![0; ranks * DESCRIPTION_BYTES];
        let own = rank * DESCRIPTION_BYTES..(rank + 1) * DESCRIPTION_BYTES;
        all[own].copy_from_slice(&region.to_bytes());
        let channel = self.channel();
        self.wait(c::allgather(&channel, &mut all))?;
        let mut next = [0; DESCRIPTION_BYTES];
        next.copy_from_slice(&all[(rank + 1) % ranks * DESCRIPTION_BYTES..][..DESCRIPTION_BYTES]);
        self.region = Some(MemoryRegion::from_bytes(next));
        Ok(())
    }

    /// Puts to the next rank, or gets from it, and waits until that is done.
    fn transfer(&self, put: bool, address: *mut u8, bytes: usize) -> Result<(), MeasureError> {
        let Some(region) = self.region else {
            return Ok(());
        };
        let next = (self.context.task() + 1) % self.context.tasks();
        let to = self.client.endpoint(next, 0)?;
        let ended = Rc::new(Cell::new(None));
        let end = Rc::clone(&ended);
        let done: Option<pamir_transport::active::Completion> =
            Some(Box::new(move |_, how| end.set(Some(how))));
        if put {
            let put = Put {
                to,
                region,
                offset: 0,
                notify: None,
                local: None,
                remote: done,
            };
            // SAFETY: the memory is there until the transfer has ended, below.
            unsafe { self.context.put(put, self.outgoing.as_ptr(), bytes)? };
        } else {
            let get = Get {
                from: to,
                region,
                offset: bytes,
                notify: None,
                done,
            };
            // SAFETY: as above; the other half of the region is read.
            unsafe { self.context.get(get, address, bytes)? };
        }
        self.context.advance_until(|| ended.get().is_some())?;
        match ended.get() {
            Some(Err(error)) => Err(MeasureError::Transfer {
                reason: format!("{error:?}"),
            }),
            _ => Ok(()),
        }
    }
}

fn to_root<'a>(root: bool, result: &'a mut [u8], own: &'a [u8]) -> ToRoot<'a> {
    if root {
        ToRoot::Root(result)
    } else {
        ToRoot::Member(own)
    }
}

fn from_root<'a>(root: bool, all: &'a [u8], own: &'a mut [u8]) -> FromRoot<'a> {
    if root {
        FromRoot::Root(all)
    } else {
        FromRoot::Member(own)
    }
}

/// A message from each even rank to the next, and one back.
async fn there_and_back(
    exchange: &impl Exchange,
    outgoing: &[u8],
    incoming: &mut [u8],
) -> Result<(), CollectiveError> {
    let partner = exchange.rank() ^ 1;
    if partner >= exchange.size() {
        return Ok(());
    }
    if partner > exchange.rank() {
        exchange.send(partner, outgoing).await?;
        exchange.receive(partner, incoming).await?;
    } else {
        exchange.receive(partner, incoming).await?;
        exchange.send(partner, outgoing).await?;
    }
    Ok(())
}
