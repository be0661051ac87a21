//! `pamir explain-type`: what a datatype compiles to, and how it would be sent.
//!
//! What: reads a datatype (`notation.rs`), makes it as MPI would (`constructors.rs`), and prints size,
//! extent, the gather/scatter program, what moves its blocks, and the protocol and stripes that the
//! tables select in a job of so many ranks.
//! Why: users cannot see why a datatype is slow; `PAMIR_EXPLAIN_TYPES=1` tells the same of a running
//! program's.
//! Step before: [`super::main`]. Step after: the reader.
//! Invariant: the program, the kernels and the selection are those that MPI uses; nothing is
//! worked out here.

mod constructors;
mod notation;

use std::fmt::Write as _;

use clap::Args;
use pamir_driver::job::{Job, JobSpecification};
use pamir_mpi::datatype::Datatype;
use pamir_transport::context::Context;
use pamir_transport::selection;
use pamir_transport::striping::configuration::Configuration;

use crate::command::number::{MOST_RANKS, whole};
use crate::results;

/// Arguments of `pamir explain-type`.
#[derive(Debug, Args)]
#[command(after_help = help())]
pub struct Arguments {
    /// The datatype, as written below; quote it for the shell.
    #[arg(value_name = "TYPE")]
    datatype: String,
    /// How many elements are sent at once.
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = whole::<usize>(0..=u64::MAX))]
    count: usize,
    /// Ranks of the job.
    #[arg(long, default_value_t = 2, value_name = "N", value_parser = whole::<u32>(1..=MOST_RANKS))]
    ranks: u32,
    /// Threads of each rank that move stripes of large messages.
    #[arg(long, default_value_t = 0, value_name = "N", value_parser = whole::<u32>(0..=64))]
    workers: u32,
}

/// The notation, for `--help`.
fn help() -> String {
    let mut text = String::from(
        "A TYPE is a predefined one (double, MPI_2INT; small letters and no MPI_ will do), or\n\
         made by a constructor, whose arguments are those of MPI's, without the lengths of lists:\n",
    );
    for form in constructors::forms() {
        let _ = writeln!(text, "  {form}");
    }
    text.push_str(
        "\nexamples:\n  pamir explain-type 'vector(1024,1,4096,double)'\n  \
         pamir explain-type --ranks 8 --workers 1 'subarray([64,64,64],[64,64,1],[0,0,5],c,double)'\n  \
         pamir explain-type --count 100 'struct([1,3],[0,8],[int,double])'",
    );
    text
}

/// Prints the explanation; returns the exit code.
pub fn run(arguments: &Arguments) -> u8 {
    results::conclude("pamir explain-type", explained(arguments), 2)
}

fn explained(arguments: &Arguments) -> Result<String, Box<dyn std::error::Error>> {
    let value = notation::read(&arguments.datatype)?;
    let datatype = constructors::datatype(&value)?;
    let count = arguments.count;
    let bytes = datatype.size().checked_mul(count);
    let bytes =
        bytes.ok_or("so many elements have more bytes than memory; give a smaller --count")?;
    let contiguous = datatype.contiguous_bytes(count).is_some();
    let mut text = measures(&datatype);
    let program = datatype.program();
    let code = program.serialize().len();
    let _ = writeln!(text, "program      {program}");
    let _ = writeln!(
        text,
        "             {code} bytes when it is sent to another task"
    );
    let sent = sent(arguments, contiguous, bytes)?;
    let elements = if count == 1 {
        "one element"
    } else {
        "all elements"
    };
    let ranks = arguments.ranks;
    let _ = writeln!(
        text,
        "sent         {elements}, {bytes} bytes, among {ranks} ranks by: {sent}"
    );
    Ok(text)
}

/// Size, bounds and what one element holds.
fn measures(datatype: &Datatype) -> String {
    let (lower, upper) = (datatype.lower_bound(), datatype.upper_bound());
    let (first, last) = (datatype.true_lower_bound(), datatype.true_upper_bound());
    let dense = if datatype.dense() {
        ", contiguous in any number"
    } else {
        ""
    };
    format!(
        "size         {} bytes{dense}\nextent       {} bytes, from {lower} to {upper}\n\
         true extent  {} bytes, from {first} to {last}\n",
        datatype.size(),
        datatype.extent(),
        datatype.true_extent(),
    )
}

/// How a context of such a job sends so many bytes: asked of one.
fn sent(
    arguments: &Arguments,
    contiguous: bool,
    bytes: usize,
) -> Result<String, Box<dyn std::error::Error>> {
    selection::Configuration::from_environment()?.install()?;
    let ranks = arguments.ranks as usize;
    let specification = JobSpecification {
        ranks,
        processing_units: (0..arguments.ranks).map(Some).collect(),
    };
    let created = Job::create(&specification)?;
    let descriptor = created.file_descriptor().try_clone_to_owned()?;
    let context = Context::new(Job::attach(descriptor, 0)?, 0)?;
    context.set_striping(Configuration {
        workers: arguments.workers as usize,
        processing_units: Vec::new(),
    });
    Ok(context.explain_send(contiguous, bytes))
}
