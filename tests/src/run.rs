//! A watched run of a program.
//!
//! What: [`Run`] starts a command whose processes carry a marker, collects its output as it comes,
//! and waits with patience: a run that does not end is killed with all its processes, and the test
//! fails with what was printed.
//! Why: the faults under test are those that make a job hang.
//! Invariant: no process of a run outlives its `Run`.

use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::installation;
use crate::processes::{self, MARKER};

/// Longer than any run of these tests may take on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(240);
/// How often something is looked at again.
const INTERVAL: Duration = Duration::from_millis(2);

/// A run in progress.
#[derive(Debug)]
pub struct Run {
    child: Child,
    marker: String,
    streams: [Stream; 2],
}

/// How a run ended.
#[derive(Debug)]
pub struct Outcome {
    /// Its exit status.
    pub status: ExitStatus,
    /// Standard output.
    pub output: String,
    /// Standard error.
    pub errors: String,
    /// When its end was seen.
    pub ended: Instant,
}

#[derive(Debug)]
struct Stream {
    text: Arc<Mutex<Vec<u8>>>,
    reader: Option<JoinHandle<()>>,
}

impl Stream {
    fn new(mut source: impl Read + Send + 'static) -> Self {
        let text = Arc::new(Mutex::new(Vec::new()));
        let shared = Arc::clone(&text);
        let reader = std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(bytes @ 1..) = source.read(&mut buffer) {
                locked(&shared).extend_from_slice(&buffer[..bytes]);
            }
        });
        Self {
            text,
            reader: Some(reader),
        }
    }

    fn so_far(&self) -> String {
        String::from_utf8_lossy(&locked(&self.text)).into_owned()
    }

    /// Everything, once nobody holds the other end any more.
    fn complete(&mut self) -> String {
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
        self.so_far()
    }
}

fn locked(text: &Mutex<Vec<u8>>) -> MutexGuard<'_, Vec<u8>> {
    text.lock().unwrap_or_else(PoisonError::into_inner)
}

/// `mpiexec -n RANKS PROGRAM`, to which arguments may be added.
pub fn mpiexec(ranks: usize, program: &Path) -> Command {
    let mut command = Command::new(installation::command("mpiexec"));
    command.args(["-n", &ranks.to_string()]).arg(program);
    command
}

impl Run {
    /// Starts a command, such as that of [`mpiexec`].
    ///
    /// # Panics
    /// When it cannot be started.
    pub fn start(mut command: Command) -> Self {
        static SERIAL: AtomicUsize = AtomicUsize::new(0);
        let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
        let marker = format!("{}.{serial}", std::process::id());
        command
            // Cargo names its own directories in it, where libraries lie that are not those under test.
            .env_remove("LD_LIBRARY_PATH")
            // What other tests run at the same time shall not change where ranks are.
            .env("PAMIR_CLAIMS", "off")
            .env(MARKER, &marker)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        let mut child = command
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?} cannot be started: {error}"));
        let output = child.stdout.take().expect("standard output is a pipe");
        let errors = child.stderr.take().expect("standard error is a pipe");
        Self {
            child,
            marker,
            streams: [Stream::new(output), Stream::new(errors)],
        }
    }

    /// The process that was started: the launcher.
    pub fn launcher(&self) -> i32 {
        self.child.id() as i32
    }

    /// The living processes of this run.
    pub fn processes(&self) -> Vec<i32> {
        processes::marked(&self.marker)
    }

    /// Waits until standard output holds `count` lines that start with `beginning`; returns them.
    ///
    /// # Panics
    /// When they do not come.
    pub fn lines(&mut self, beginning: &str, count: usize) -> Vec<String> {
        let begin = Instant::now();
        loop {
            // Before the look: what came until the end is seen.
            let ended = self.child.try_wait().expect("the child is ours").is_some();
            if ended {
                self.streams[0].complete();
            }
            let text = self.streams[0].so_far();
            let whole = text.rfind('\n').map_or("", |end| &text[..end]);
            let found = whole.lines().filter(|line| line.starts_with(beginning));
            let found: Vec<String> = found.map(String::from).collect();
            if found.len() >= count {
                return found;
            }
            assert!(
                !ended && begin.elapsed() < PATIENCE,
                "{} of {count} lines that start with {beginning:?} came:\n{}",
                found.len(),
                self.printed()
            );
            std::thread::sleep(INTERVAL);
        }
    }

    /// Waits for the end.
    ///
    /// # Panics
    /// When it does not come within [`PATIENCE`], or a process of the run outlives it.
    pub fn finish(mut self) -> Outcome {
        let begin = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("the child is ours") {
                break status;
            }
            assert!(
                begin.elapsed() < PATIENCE,
                "still running after {PATIENCE:?}: {}\n{}",
                self.describe_processes(),
                self.printed()
            );
            std::thread::sleep(INTERVAL);
        };
        let ended = Instant::now();
        // A killed launcher's ranks are ended a moment later than itself.
        if status.signal().is_none() {
            let left = self.processes();
            assert!(
                left.is_empty(),
                "left behind: {}\n{}",
                self.describe_processes(),
                self.printed()
            );
        } else {
            self.await_emptiness();
        }
        let [output, errors] = [0, 1].map(|stream| self.streams[stream].complete());
        Outcome {
            status,
            output,
            errors,
            ended,
        }
    }

    /// Starts a command and waits for its end.
    pub fn whole(command: Command) -> Outcome {
        Self::start(command).finish()
    }

    fn await_emptiness(&self) {
        let begin = Instant::now();
        while !self.processes().is_empty() {
            assert!(
                begin.elapsed() < PATIENCE,
                "left behind: {}\n{}",
                self.describe_processes(),
                self.printed()
            );
            std::thread::sleep(INTERVAL);
        }
    }

    fn describe_processes(&self) -> String {
        let processes = self.processes().into_iter();
        let described =
            processes.map(|process| format!("{process} ({})", processes::command_line(process)));
        described.collect::<Vec<_>>().join(", ")
    }

    fn printed(&self) -> String {
        let [output, errors] = [0, 1].map(|stream| self.streams[stream].so_far());
        format!("standard output:\n{output}\nstandard error:\n{errors}")
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        for process in self.processes() {
            // It may have ended just now.
            let _ = kill(Pid::from_raw(process), Signal::SIGKILL);
        }
        let _ = self.child.wait();
    }
}

impl Outcome {
    /// Asserts exit code 0 and returns standard output.
    ///
    /// # Panics
    /// When the exit code is another.
    pub fn success(&self) -> &str {
        assert!(
            self.status.success(),
            "{}\nstandard output:\n{}\nstandard error:\n{}",
            self.status,
            self.output,
            self.errors
        );
        &self.output
    }
}
