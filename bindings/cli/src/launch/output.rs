//! The ranks' output, forwarded in whole lines.
//!
//! What: a `Stream` reads one rank's pipe, a [`Sink`] writes to the launcher's standard output
//! or error; [`Output`] holds them all.
//! Why: lines of different ranks must never be mixed, and a reader that stalls (a pager) must
//! neither stall the launcher's signals nor let it hoard output.
//! Step before: the pipes of [`super::start`]. Step after: whoever reads the launcher's output.
//!
//! ```text
//! rank 0 stdout --pipe--> Stream [ partial line ] --whole lines--\
//! rank 1 stdout --pipe--> Stream [ partial line ] ----------------> Sink [ waiting bytes ] --> 1
//! ```
//!
//! Invariants: a sink's bytes leave in the order they were put; when a stream's line was cut (end
//! of output, a prompt, a line longer than [`LINE_LIMIT_BYTES`]) and another stream is next, a
//! newline is put between; a stream is not read while its sink has more than
//! [`WAITING_LIMIT_BYTES`] to write.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{OFlag, open};
use nix::sys::stat::{Mode, SFlag, fstat};
use nix::unistd::{isatty, read, write};

/// Longest line that is kept together.
pub const LINE_LIMIT_BYTES: usize = 1 << 20;
/// What a sink may hold before its streams are left unread.
pub const WAITING_LIMIT_BYTES: usize = 1 << 20;
/// How long a terminal waits for the rest of a line, so that prompts are seen.
pub const PROMPT_DELAY: Duration = Duration::from_millis(100);
const READ_BYTES: usize = 64 << 10;

/// Who wrote the last, unfinished line of a sink.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Writer {
    Stream(usize),
    Launcher,
}

/// Where lines go.
#[derive(Debug)]
pub struct Sink {
    target: OwnedFd,
    identity: (u64, u64),
    terminal: bool,
    waiting: Vec<u8>,
    written: usize,
    unfinished: Option<Writer>,
    closed: bool,
}

impl Sink {
    /// A sink on this descriptor. Pipes and terminals are opened anew, so that not waiting for
    /// their readers does not change the descriptor that others share.
    pub fn open(descriptor: BorrowedFd<'_>) -> Result<Sink, Errno> {
        let status = fstat(descriptor)?;
        let kind = SFlag::from_bits_truncate(status.st_mode) & SFlag::S_IFMT;
        let again = matches!(kind, SFlag::S_IFIFO | SFlag::S_IFCHR).then(|| {
            let path = format!("/proc/self/fd/{}", descriptor.as_raw_fd());
            let flags = OFlag::O_WRONLY | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC | OFlag::O_NOCTTY;
            open(path.as_str(), flags, Mode::empty())
        });
        let target = match again {
            Some(Ok(target)) => target,
            _ => descriptor.try_clone_to_owned().map_err(|_| Errno::last())?,
        };
        let terminal = isatty(&target).unwrap_or(false);
        Ok(Sink {
            target,
            identity: (status.st_dev, status.st_ino),
            terminal,
            waiting: Vec::new(),
            written: 0,
            unfinished: None,
            closed: false,
        })
    }

    /// Whether bytes wait for the reader.
    pub fn is_waiting(&self) -> bool {
        self.written < self.waiting.len()
    }

    /// Writes what waits as far as the reader takes it.
    pub fn flush(&mut self) {
        while self.is_waiting() && !self.closed {
            match write(&self.target, &self.waiting[self.written..]) {
                Ok(count) => self.written += count,
                Err(Errno::EINTR) => {}
                Err(Errno::EAGAIN) => break,
                // Nobody reads any more (EPIPE), or the disk is full: nothing can be written.
                Err(_) => self.closed = true,
            }
        }
        if self.closed || !self.is_waiting() {
            self.waiting.clear();
            self.written = 0;
        } else if self.written >= WAITING_LIMIT_BYTES {
            self.waiting.drain(..self.written);
            self.written = 0;
        }
    }

    fn put(&mut self, writer: Writer, tag: Option<&str>, text: &[u8]) {
        if text.is_empty() || self.closed {
            return;
        }
        let continued = self.unfinished == Some(writer);
        if self.unfinished.is_some() && !continued {
            self.waiting.push(b'\n');
        }
        match tag {
            None => self.waiting.extend_from_slice(text),
            Some(tag) => {
                for (index, line) in text.split_inclusive(|byte| *byte == b'\n').enumerate() {
                    if index > 0 || !continued {
                        self.waiting.extend_from_slice(tag.as_bytes());
                    }
                    self.waiting.extend_from_slice(line);
                }
            }
        }
        self.unfinished = (!text.ends_with(b"\n")).then_some(writer);
        self.flush();
    }
}

/// One pipe of one rank.
#[derive(Debug)]
struct Stream {
    source: Option<OwnedFd>,
    sink: usize,
    tag: Option<String>,
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

/// All streams and sinks of a job.
#[derive(Debug)]
pub struct Output {
    sinks: Vec<Sink>,
    error_sink: usize,
    streams: Vec<Stream>,
    buffer: Vec<u8>,
}

impl Output {
    /// Output to the launcher's standard output and error, which may be one and the same.
    pub fn new() -> Result<Output, Errno> {
        let output = Sink::open(std::io::stdout().as_fd())?;
        let error = Sink::open(std::io::stderr().as_fd())?;
        // One sink for both keeps their order, and keeps a line whole that is written in parts.
        let sinks = if output.identity == error.identity {
            vec![output]
        } else {
            vec![output, error]
        };
        let error_sink = sinks.len() - 1;
        Ok(Output {
            sinks,
            error_sink,
            streams: Vec::new(),
            buffer: vec![0; READ_BYTES],
        })
    }

    /// Adds a rank's two pipes, whose reading ends do not block.
    pub fn add(&mut self, tag: Option<String>, output: OwnedFd, error: OwnedFd) {
        for (source, sink) in [(output, 0), (error, self.error_sink)] {
            self.streams.push(Stream {
                source: Some(source),
                sink,
                tag: tag.clone(),
                partial: Vec::new(),
                since: None,
            });
        }
    }

    /// Writes a line of the launcher's own to standard error.
    pub fn say(&mut self, line: &str) {
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
                let sink = &self.sinks[stream.sink];
                let room = sink.waiting.len() - sink.written < WAITING_LIMIT_BYTES;
                let source = stream.source.as_ref().filter(|_| room)?;
                Some((OutputEvent::Readable(index), source.as_fd()))
            });
        let waiting = self
            .sinks
            .iter()
            .enumerate()
            .filter(|(_, sink)| sink.is_waiting());
        let writable =
            waiting.map(|(index, sink)| (OutputEvent::Writable(index), sink.target.as_fd()));
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
        self.close_unread();
    }

    /// When a prompt has to be shown next, if one waits.
    pub fn prompt_due(&self) -> Option<Instant> {
        let partial = self
            .streams
            .iter()
            .filter(|stream| self.sinks[stream.sink].terminal);
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
            if due && self.sinks[stream.sink].terminal {
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
        self.close_unread();
    }

    /// Gives up the pipes and writes what is left of their last lines.
    pub fn finish(&mut self) {
        for index in 0..self.streams.len() {
            self.streams[index].source = None;
            self.put_partial(index);
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
        let sink = &mut self.sinks[stream.sink];
        let (writer, tag) = (Writer::Stream(index), stream.tag.as_deref());
        if whole > 0 && stream.partial.is_empty() {
            sink.put(writer, tag, &bytes[..whole]);
        } else if whole > 0 {
            stream.partial.extend_from_slice(&bytes[..whole]);
            sink.put(writer, tag, &stream.partial);
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
        let (writer, tag) = (Writer::Stream(index), stream.tag.as_deref());
        self.sinks[stream.sink].put(writer, tag, &stream.partial);
        stream.partial.clear();
        stream.since = None;
    }

    /// A sink that nobody reads: its ranks learn it as they would have without the launcher.
    fn close_unread(&mut self) {
        for stream in &mut self.streams {
            if self.sinks[stream.sink].closed {
                stream.source = None;
                stream.partial.clear();
                stream.since = None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::unistd::pipe2;
    use std::io::Read;

    fn pair() -> (Sink, std::fs::File) {
        let (reader, writer) = pipe2(OFlag::O_CLOEXEC).expect("a pipe");
        (
            Sink::open(writer.as_fd()).expect("a sink"),
            std::fs::File::from(reader),
        )
    }

    fn text(sink: Sink, mut reader: std::fs::File) -> String {
        drop(sink);
        let mut text = String::new();
        reader.read_to_string(&mut text).expect("what was written");
        text
    }

    #[test]
    fn a_cut_line_is_ended_before_another_writer() {
        let (mut sink, reader) = pair();
        sink.put(Writer::Stream(0), None, b"half");
        sink.put(Writer::Stream(0), None, b" line");
        sink.put(Writer::Stream(1), None, b"whole\n");
        sink.put(Writer::Stream(0), None, b"end");
        assert_eq!(text(sink, reader), "half line\nwhole\nend");
    }

    #[test]
    fn tags_begin_every_line_and_no_continuation() {
        let (mut sink, reader) = pair();
        sink.put(Writer::Stream(0), Some("[0] "), b"a\nb");
        sink.put(Writer::Stream(0), Some("[0] "), b"c\n\n");
        sink.put(Writer::Stream(2), Some("[1] "), b"d\n");
        assert_eq!(text(sink, reader), "[0] a\n[0] bc\n[0] \n[1] d\n");
    }

    #[test]
    fn a_full_pipe_keeps_bytes_waiting_in_order() {
        let (mut sink, mut reader) = pair();
        let line = [b'x'; 300_000];
        sink.put(Writer::Stream(0), None, &line);
        assert!(sink.is_waiting());
        sink.put(Writer::Stream(0), None, b"end\n");
        let mut all = Vec::new();
        let mut chunk = [0; 65536];
        while all.len() < line.len() + 4 {
            let count = reader.read(&mut chunk).expect("bytes");
            all.extend_from_slice(&chunk[..count]);
            sink.flush();
        }
        assert!(all.ends_with(b"xend\n") && !sink.is_waiting());
    }

    #[test]
    fn a_reader_that_left_closes_the_sink() {
        let (mut sink, reader) = pair();
        drop(reader);
        sink.put(Writer::Stream(0), None, b"line\n");
        assert!(sink.closed && !sink.is_waiting());
    }
}
