//! The ranks' output, forwarded in whole lines.
//!
//! What: a `Stream` reads one rank's pipe, a [`sink::Sink`] writes to the launcher's standard
//! output or error; [`Output`] holds them all.
//! Why: lines of different ranks must never be mixed, and a reader that stalls (a pager) must
//! neither stall the launcher's signals nor let it hoard output.
//! Step before: the pipes of [`super::process::start`]. Step after: the reader of the launcher's output.
//!
//! ```text
//! rank 0 stdout --pipe--> Stream [ partial line ] --whole lines--\
//! rank 1 stdout --pipe--> Stream [ partial line ] ----------------> Sink [ waiting bytes ] --> 1
//! ```
//!
//! Invariants: when a stream's line was cut (end of output, a prompt, a line longer than
//! [`LINE_LIMIT_BYTES`]) and another stream is next, a newline is put between; a stream is not read
//! while its sink has no room; a stream whose sink cannot be written is read on; no write waits.

pub mod route;
pub mod sink;
pub mod tag;
pub mod target;

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::unistd::read;

use sink::{Sink, Writer};
use tag::Tag;
use target::Target;

/// Longest line that is kept together.
pub const LINE_LIMIT_BYTES: usize = 1 << 20;
/// How long a terminal waits for the rest of a line, so that prompts are seen.
pub const PROMPT_DELAY: Duration = Duration::from_millis(100);
const READ_BYTES: usize = 64 << 10;

/// The sink of standard output.
const OUTPUT_SINK: usize = 0;

/// One pipe of one rank.
#[derive(Debug)]
struct Stream {
    source: Option<OwnedFd>,
    sinks: Vec<usize>,
    tag: Tag,
    partial: Vec<u8>,
    since: Option<Instant>,
}

/// What a descriptor of [`Output::descriptors`] belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputEvent {
    /// This stream can be read.
    Readable(usize),
    /// This sink can be written.
    Writable(usize),
}

/// Where one rank's output goes.
#[derive(Debug, Clone)]
pub struct Route {
    /// What its lines begin with.
    pub tag: Tag,
    /// The sinks of its standard output.
    pub output: Vec<usize>,
    /// Those of its standard error.
    pub error: Vec<usize>,
}

/// All streams and sinks of a job.
#[derive(Debug)]
pub struct Output {
    sinks: Vec<Sink>,
    error_sink: usize,
    streams: Vec<Stream>,
    buffer: Vec<u8>,
    lost: bool,
}

impl Output {
    /// Output to the launcher's standard output and error, which may be one and the same.
    pub fn new() -> Result<Output, Errno> {
        let output = Target::of(std::io::stdout().as_fd())?;
        let error = Target::of(std::io::stderr().as_fd())?;
        // One sink for both keeps their order, and keeps a line whole that is written in parts.
        let sinks = if output.identity == error.identity {
            vec![Sink::new("standard output", output)]
        } else {
            vec![
                Sink::new("standard output", output),
                Sink::new("standard error", error),
            ]
        };
        let error_sink = sinks.len() - 1;
        Ok(Output {
            sinks,
            error_sink,
            streams: Vec::new(),
            buffer: vec![0; READ_BYTES],
            lost: false,
        })
    }

    /// The way to the launcher's own output and error.
    pub fn own_route(&self) -> Route {
        Route {
            tag: Tag::default(),
            output: vec![OUTPUT_SINK],
            error: vec![self.error_sink],
        }
    }

    /// Adds a sink; its number.
    fn add_sink(&mut self, sink: Sink) -> usize {
        self.sinks.push(sink);
        self.sinks.len() - 1
    }

    /// Adds a rank's two pipes, whose reading ends do not block.
    pub fn add(&mut self, route: Route, output: OwnedFd, error: OwnedFd) {
        let Route {
            tag,
            output: to_output,
            error: to_error,
        } = route;
        for (source, sinks) in [(output, to_output), (error, to_error)] {
            self.streams.push(Stream {
                source: Some(source),
                sinks,
                tag: tag.clone(),
                partial: Vec::new(),
                since: None,
            });
        }
    }

    /// Writes a line of the launcher's own to standard error.
    pub fn say(&mut self, line: &str) {
        self.put_own(line);
        self.settle();
    }

    /// Says that a result of the job is lost: it cannot end as one that went well.
    pub fn say_loss(&mut self, line: &str) {
        self.lost = true;
        self.say(line);
    }

    fn put_own(&mut self, line: &str) {
        let text = format!("mpiexec: {line}\n");
        self.sinks[self.error_sink].put(Writer::Launcher, None, text.as_bytes());
    }

    /// What to poll for reading and for writing.
    pub fn descriptors(&self) -> impl Iterator<Item = (OutputEvent, BorrowedFd<'_>)> {
        let readable = self
            .streams
            .iter()
            .enumerate()
            .filter_map(|(index, stream)| {
                let room = self.all_sinks(stream).all(Sink::has_room);
                let source = stream.source.as_ref().filter(|_| room)?;
                Some((OutputEvent::Readable(index), source.as_fd()))
            });
        let waiting = self.sinks.iter().enumerate();
        let waiting = waiting.filter(|(_, sink)| sink.is_waiting());
        let writable = waiting
            .filter_map(|(index, sink)| Some((OutputEvent::Writable(index), sink.descriptor()?)));
        readable.chain(writable)
    }

    /// Deals with what poll reported.
    pub fn handle(&mut self, event: OutputEvent) {
        match event {
            OutputEvent::Readable(stream) => {
                self.read(stream);
            }
            OutputEvent::Writable(sink) => self.sinks[sink].flush(),
        }
        self.settle();
    }

    /// When a prompt has to be shown next, if one waits.
    pub fn prompt_due(&self) -> Option<Instant> {
        let partial = self
            .streams
            .iter()
            .filter(|stream| self.is_on_terminal(stream));
        partial
            .filter_map(|stream| stream.since)
            .min()
            .map(|since| since + PROMPT_DELAY)
    }

    /// Shows lines that have stayed unfinished for a while on a terminal.
    pub fn show_prompts(&mut self, now: Instant) {
        for index in 0..self.streams.len() {
            let stream = &self.streams[index];
            let due = stream
                .since
                .is_some_and(|since| now >= since + PROMPT_DELAY);
            if due && self.is_on_terminal(stream) {
                self.put_partial(index);
            }
        }
    }

    /// Whether a pipe is still open.
    pub fn is_open(&self) -> bool {
        self.streams.iter().any(|stream| stream.source.is_some())
    }

    /// Whether bytes wait for a sink's reader.
    pub fn is_waiting(&self) -> bool {
        self.sinks.iter().any(Sink::is_waiting)
    }

    /// Reads what is in the pipes at this moment; a pipe holds no more than two readings.
    pub fn drain(&mut self) {
        for index in 0..self.streams.len() {
            let _ = self.read(index) && self.read(index);
        }
        self.settle();
    }

    /// Gives up the pipes and writes what is left of their last lines.
    pub fn finish(&mut self) {
        for index in 0..self.streams.len() {
            self.streams[index].source = None;
            self.put_partial(index);
        }
        self.settle();
    }

    /// Whether a result is lost: something printed that has not reached its reader, though there
    /// is one, or what [`Self::say_loss`] told.
    pub fn is_lost(&self) -> bool {
        self.lost
    }

    /// When a reader that is waited for last took something.
    pub fn taken_at(&self) -> Option<Instant> {
        let waiting = self.sinks.iter().filter(|sink| sink.is_waiting());
        waiting.map(Sink::taken_at).max()
    }

    /// Drops what no reader has taken, and says so where somebody reads.
    pub fn give_up(&mut self) {
        for sink in &mut self.sinks {
            sink.give_up();
        }
        self.settle();
        // Nobody took what was said about it either.
        for sink in &mut self.sinks {
            sink.give_up();
        }
    }

    /// Nothing more will be printed: learns what file systems tell at the end.
    pub fn close(&mut self) {
        self.sinks.iter_mut().for_each(Sink::flush);
        let own = self.error_sink;
        // Standard error last, since it tells what happened to the others.
        let others = (0..self.sinks.len()).filter(|index| *index != own);
        for index in others.chain([own]) {
            self.sinks[index].close();
            self.settle();
        }
    }

    /// Reads once; false when there was nothing, or nothing more will come.
    fn read(&mut self, index: usize) -> bool {
        let stream = &mut self.streams[index];
        let Some(source) = &stream.source else {
            return false;
        };
        let count = match read(source, &mut self.buffer) {
            Ok(0) => {
                stream.source = None;
                self.put_partial(index);
                return false;
            }
            Ok(count) => count,
            Err(Errno::EINTR) => return true,
            Err(_) => return false,
        };
        let bytes = &self.buffer[..count];
        let whole = bytes
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        if whole > 0 && stream.partial.is_empty() {
            put(&mut self.sinks, stream, index, &bytes[..whole]);
        } else if whole > 0 {
            stream.partial.extend_from_slice(&bytes[..whole]);
            put(&mut self.sinks, stream, index, &stream.partial);
            stream.partial.clear();
        }
        stream.partial.extend_from_slice(&bytes[whole..]);
        stream.since = (!stream.partial.is_empty()).then(Instant::now);
        if stream.partial.len() >= LINE_LIMIT_BYTES {
            self.put_partial(index);
        }
        true
    }

    fn put_partial(&mut self, index: usize) {
        let stream = &mut self.streams[index];
        put(&mut self.sinks, stream, index, &stream.partial);
        stream.partial.clear();
        stream.since = None;
    }

    fn all_sinks<'a>(&'a self, stream: &'a Stream) -> impl Iterator<Item = &'a Sink> {
        stream.sinks.iter().map(|sink| &self.sinks[*sink])
    }

    fn is_on_terminal(&self, stream: &Stream) -> bool {
        self.all_sinks(stream).any(Sink::is_terminal)
    }

    /// Ranks whose sinks nobody reads learn it as they would have without the launcher; losses are
    /// told, each once.
    fn settle(&mut self) {
        loop {
            let troubles = self.sinks.iter_mut().filter_map(Sink::take_trouble);
            let troubles: Vec<String> = troubles.collect();
            if troubles.is_empty() {
                break;
            }
            self.lost = true;
            troubles.iter().for_each(|trouble| self.put_own(trouble));
        }
        for stream in &mut self.streams {
            if stream
                .sinks
                .iter()
                .all(|sink| self.sinks[*sink].is_unread())
            {
                stream.source = None;
                stream.partial.clear();
                stream.since = None;
            }
        }
    }
}

/// Puts text of a stream into its sinks.
fn put(sinks: &mut [Sink], stream: &Stream, index: usize, text: &[u8]) {
    let tag = stream.tag.text();
    for sink in &stream.sinks {
        sinks[*sink].put(Writer::Stream(index), tag.as_deref(), text);
    }
}
