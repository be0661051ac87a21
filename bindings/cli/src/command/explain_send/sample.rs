//! A rank of the sample: `pamir send-sample BYTES MESSAGES`, started by `pamir explain-send` through mpiexec.
//!
//! What: ranks 0 and 1 send each other messages in turn, each waiting for its own; rank 0 prints how they went.
//! Step before: [`super`]. Step after: [`super`] passes the text on.

use pamir_transport::client::{Client, MPI};
use pamir_transport::collective::geometry::{Channel, block_on};
use pamir_transport::collective::{self as c, Board, Exchange};
use pamir_transport::context::Context;

use crate::command::whole_job::WholeJob;
use crate::results;

/// The longest message.
pub(super) const MOST_BYTES: usize = 1 << 30;

/// Context id of the sample's messages.
const CONTEXT_ID: u32 = 1;

/// Arguments of `pamir send-sample`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Bytes of a message.
    bytes: usize,
    /// Messages that each of the two sends.
    messages: usize,
    /// Buffers are written before each send, and read after each receive.
    #[arg(long)]
    rewritten: bool,
}

/// Sends; the exit code.
pub fn run(arguments: &Arguments) -> u8 {
    results::conclude("pamir send-sample", send(arguments), 1)
}

fn channel(context: &Context, operation: i32) -> Channel<&Context, WholeJob, &'static Board> {
    Channel {
        context,
        members: WholeJob(context.tasks()),
        rank: context.task(),
        context_id: CONTEXT_ID,
        tag: operation,
        board: None,
        blocking: true,
    }
}

fn send(arguments: &Arguments) -> Result<String, Box<dyn std::error::Error>> {
    let client = Client::open(MPI)?;
    let context = client.create_context()?;
    context.log_sends();
    if context.task() < 2 {
        exchange(&context, arguments)?;
    }
    let text = match context.task() {
        0 => context.explain_sends().unwrap_or_default(),
        _ => String::new(),
    };
    block_on(&context, c::barrier(&channel(&context, 1)))??;
    context.leave()?;
    Ok(text)
}

/// Messages in turn: rank 0 sends first.
fn exchange(context: &Context, arguments: &Arguments) -> Result<(), Box<dyn std::error::Error>> {
    let mut outgoing = vec![1_u8; arguments.bytes];
    let mut incoming = vec![0_u8; arguments.bytes];
    let channel = channel(context, 0);
    let (rank, partner) = (context.task(), context.task() ^ 1);
    for message in 0..arguments.messages {
        if arguments.rewritten {
            outgoing.fill(message as u8);
        }
        for turn in [rank, partner] {
            if turn == 0 {
                block_on(context, channel.send(partner, &outgoing))??;
            } else {
                block_on(context, channel.receive(partner, &mut incoming))??;
            }
        }
        if arguments.rewritten {
            let sum: u64 = incoming.iter().map(|byte| u64::from(*byte)).sum();
            std::hint::black_box(sum);
        }
    }
    Ok(())
}
