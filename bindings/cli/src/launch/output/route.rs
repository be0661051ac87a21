//! Where each rank's output goes, and what its lines begin with.
//!
//! What: [`Request`] is what the command line says, [`Route`] what follows from it for one rank.
//! Why: MPICH and Open MPI write ranks' output to files of their own; a file that cannot be written
//! is refused before anything runs.
//!
//! | option | file |
//! |---|---|
//! | `-outfile-pattern`, `-errfile-pattern` | the pattern, with `%r` (rank), `%g`, `%p` (0: one job, one machine) and `%h` (host) put in |
//! | `--output-filename NAME` | NAME.RANK.out and NAME.RANK.err, ranks with as many digits as the last; directories are made |
//!
//! Step before: [`crate::launch::arguments`]. Step after: [`super::Output::add`].
//! Invariant: a file that several ranks name is opened once, so that their lines stay whole.

use std::ffi::{OsStr, OsString};
use std::fs::OpenOptions;
use std::os::fd::AsFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::sink::Sink;
use super::tag::Tag;
use super::target::Target;
use super::{Output, Route};

/// What the command line says about output.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Request {
    /// Begin lines with the rank.
    pub rank: bool,
    /// Begin lines with this pattern.
    pub prefix: Option<OsString>,
    /// Begin lines with the time.
    pub time: bool,
    /// Standard error goes where standard output goes.
    pub merge: bool,
    /// The files for standard output.
    pub output_pattern: Option<OsString>,
    /// The files for standard error.
    pub error_pattern: Option<OsString>,
    /// The beginning of the files' names for both.
    pub name: Option<PathBuf>,
    /// What goes to files of that name goes to the launcher's output, too.
    pub copy: bool,
}

impl Request {
    /// Files that a job of so many ranks needs at most.
    pub fn files(&self, ranks: usize) -> usize {
        let named = self.name.is_some();
        let output = usize::from(named || self.output_pattern.is_some());
        let error = usize::from(named || self.error_pattern.is_some());
        ranks * (output + error)
    }

    /// Takes a file's name with Open MPI's directive behind it (`:nocopy`, the default, or `:copy`).
    pub fn set_name(&mut self, name: &OsStr) {
        let bytes = name.as_bytes();
        let directive = |word: &str| {
            let begin = bytes.len().checked_sub(word.len())?;
            bytes[begin..]
                .eq_ignore_ascii_case(word.as_bytes())
                .then_some(&bytes[..begin])
        };
        let (name, copy) = match (directive(":nocopy"), directive(":copy")) {
            (Some(name), _) => (name, false),
            (None, Some(name)) => (name, true),
            (None, None) => (bytes, false),
        };
        self.name = Some(PathBuf::from(OsStr::from_bytes(name)));
        self.copy = copy;
    }
}

/// A file for output cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {path}, where ranks are to print: {source}")]
pub struct OutputFileError {
    path: PathBuf,
    source: std::io::Error,
}

/// Opens the files of a job on this host; the route of each rank.
///
/// # Errors
///
/// [`OutputFileError`] for the first that cannot be written.
pub fn open(
    request: &Request,
    ranks: usize,
    host: &str,
    output: &mut Output,
) -> Result<Vec<Route>, OutputFileError> {
    let mut opening = Opening {
        request,
        digits: ranks.saturating_sub(1).to_string().len(),
        host,
        opened: Vec::new(),
        output,
    };
    (0..ranks).map(|rank| opening.route(rank)).collect()
}

struct Opening<'a> {
    request: &'a Request,
    digits: usize,
    host: &'a str,
    opened: Vec<(PathBuf, usize)>,
    output: &'a mut Output,
}

impl Opening<'_> {
    fn route(&mut self, rank: usize) -> Result<Route, OutputFileError> {
        let (request, own) = (self.request, self.output.own_route());
        let output = self.sinks(&request.output_pattern, rank, "out", own.output)?;
        let error = match request.merge {
            true => output.clone(),
            false => self.sinks(&request.error_pattern, rank, "err", own.error)?,
        };
        let prefix = match &request.prefix {
            Some(pattern) => filled(pattern, rank, self.host)
                .to_string_lossy()
                .into_owned(),
            None if request.rank => format!("[{rank}] "),
            None => String::new(),
        };
        Ok(Route {
            tag: Tag::new(request.time, prefix),
            output,
            error,
        })
    }

    /// The sinks of one of a rank's streams: its files, or else the launcher's own.
    fn sinks(
        &mut self,
        pattern: &Option<OsString>,
        rank: usize,
        end: &str,
        own: Vec<usize>,
    ) -> Result<Vec<usize>, OutputFileError> {
        let mut sinks = Vec::new();
        if let Some(pattern) = pattern {
            let path = PathBuf::from(filled(pattern, rank, self.host));
            sinks.push(self.sink(path)?);
        }
        if let Some(name) = &self.request.name {
            let mut path = name.clone().into_os_string();
            path.push(format!(".{rank:0digits$}.{end}", digits = self.digits));
            let path = PathBuf::from(path);
            make_directory(&path)?;
            sinks.push(self.sink(path)?);
        }
        if sinks.is_empty() || self.request.copy {
            sinks.extend(own);
        }
        Ok(sinks)
    }

    fn sink(&mut self, path: PathBuf) -> Result<usize, OutputFileError> {
        if let Some((_, sink)) = self.opened.iter().find(|(opened, _)| *opened == path) {
            return Ok(*sink);
        }
        let sink = open_file(&path).map_err(|source| OutputFileError {
            path: path.clone(),
            source,
        })?;
        let number = self.output.add_sink(sink);
        self.opened.push((path, number));
        Ok(number)
    }
}

fn open_file(path: &Path) -> std::io::Result<Sink> {
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        // A pipe that nobody reads is refused, and not waited for.
        .custom_flags(libc::O_NONBLOCK)
        .open(path)?;
    Ok(Sink::new("the file", Target::of(file.as_fd())?))
}

fn make_directory(path: &Path) -> Result<(), OutputFileError> {
    let Some(directory) = path.parent().filter(|path| !path.as_os_str().is_empty()) else {
        return Ok(());
    };
    std::fs::create_dir_all(directory).map_err(|source| OutputFileError {
        path: directory.to_path_buf(),
        source,
    })
}

/// What a pattern is.
pub const PATTERN: &str = "a pattern: behind % stands r (the rank), h (the host), g or p (both 0 here), or another % \
                           for % itself";

/// Whether each `%` of a text has a letter behind it that [`PATTERN`] names.
pub fn is_pattern(text: &OsStr) -> bool {
    let mut bytes = text.as_bytes().iter();
    while let Some(byte) = bytes.next() {
        if *byte == b'%' && !matches!(bytes.next(), Some(b'r' | b'g' | b'p' | b'h' | b'%')) {
            return false;
        }
    }
    true
}

/// A pattern with a rank's own words in it.
fn filled(pattern: &OsStr, rank: usize, host: &str) -> OsString {
    let mut text = Vec::new();
    let mut bytes = pattern.as_bytes().iter().copied();
    while let Some(byte) = bytes.next() {
        match (byte, bytes.clone().next()) {
            (b'%', Some(b'r')) => text.extend_from_slice(rank.to_string().as_bytes()),
            (b'%', Some(b'g' | b'p')) => text.push(b'0'),
            (b'%', Some(b'h')) => text.extend_from_slice(host.as_bytes()),
            (b'%', Some(b'%')) => text.push(b'%'),
            _ => {
                text.push(byte);
                continue;
            }
        }
        bytes.next();
    }
    OsString::from_vec(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_filled_for_each_rank() {
        let of = |pattern: &str| filled(OsStr::new(pattern), 7, "here");
        assert_eq!(of("out.%r.%g.%p.%h"), "out.7.0.0.here");
        assert_eq!(of("100%%r"), "100%r");
    }

    #[test]
    fn letters_without_a_meaning_make_no_pattern() {
        for text in ["", "out", "%r%g%p%h%%", "%%q"] {
            assert!(is_pattern(OsStr::new(text)), "{text}");
        }
        for text in ["%q", "out.%", "%%%", "%R", "%r%5"] {
            assert!(!is_pattern(OsStr::new(text)), "{text}");
        }
    }

    #[test]
    fn names_may_have_a_directive() {
        let of = |name: &str| {
            let mut request = Request::default();
            request.set_name(OsStr::new(name));
            (request.name.unwrap(), request.copy)
        };
        assert_eq!(of("a:b"), (PathBuf::from("a:b"), false));
        assert_eq!(of("out:NoCopy"), (PathBuf::from("out"), false));
        assert_eq!(of("out:copy"), (PathBuf::from("out"), true));
    }
}
