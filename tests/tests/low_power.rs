//! Low power while a rank waits, with a kernel that has utilisation clamps: its answers are given by
//! a supervisor, which reads what the ranks ask for out of their memory.
//!
//! The order in which the supervisor hears of things is the order in which they happen, since who
//! calls is stopped meanwhile; so nothing here depends on how fast the machine is. Where a clamp
//! must be restored before a wait ends, the late rank is held until it was.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use pamir_driver::waiting::ladder::LONG_WAIT_NS;
use pamir_tests::installation::compile;
use pamir_tests::run::{Run, mpiexec};
use pamir_tests::supervisor::{Call, is_permitted, supervise};

/// No clamp, as kernels count.
const USUAL: u32 = 1024;
/// Bytes of `struct sched_attr`, and where its upper clamp lies.
const ATTRIBUTES: usize = 56;
const MOST: usize = 52;
/// Keep the policy and the parameters, and set the upper clamp.
const KEEP_ALL_SET_MOST: u64 = 0x08 | 0x10 | 0x40;
/// Longer than anything takes here.
const PATIENCE: Duration = Duration::from_secs(90);

/// The marks and the phases of `clamped.c`.
const PHASE: u64 = 1;
const BEGIN: u64 = 2;
const CALLS: u64 = 3;
const LEFT: u64 = 4;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    End,
    Late,
    Short,
    Early,
    Wrong,
}

/// What the kernel permits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Permits {
    Everything,
    /// A clamp may be lowered only.
    Lowering,
    /// It has no clamps.
    Nothing,
}

/// How often something was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Seen {
    cycles: u32,
    /// The clamp was as before while the late rank was still held.
    restored_ahead: u32,
    /// It was low when the late rank was let, sooner than foreseen.
    early: u32,
    /// The same in a synchronisation that fails.
    wrong: u32,
    /// Cycles after two short waits, in which it was not low.
    short: u32,
    /// Attempts of the rank's own thread, whatever came of them.
    attempts: u32,
    /// How often its clamp was lowered.
    lowered: u32,
}

#[derive(Debug, Default)]
struct State {
    clamps: HashMap<i32, u32>,
    /// The thread of the rank that waits.
    early: i32,
    phase: Phase,
    /// Cycles with a late rank in a row.
    late: u32,
    /// How long the early rank took in each cycle: no less than it waited.
    took_ns: Vec<u64>,
    lowered_before: u32,
    low_when_let: bool,
    seen: Seen,
    wrong: Vec<String>,
}

impl State {
    fn clamp(&self, thread: i32) -> u32 {
        self.clamps.get(&thread).copied().unwrap_or(USUAL)
    }

    fn is_low(&self) -> bool {
        self.clamp(self.early) != USUAL
    }

    fn next_phase(&mut self, permits: Permits) -> Phase {
        let seen = &self.seen;
        let phase = match permits {
            Permits::Everything if seen.restored_ahead < 3 || self.late < 3 => Phase::Late,
            Permits::Everything if seen.early == 0 => Phase::Early,
            Permits::Everything if seen.wrong == 0 => Phase::Wrong,
            Permits::Everything if seen.short < 10 => Phase::Short,
            Permits::Lowering | Permits::Nothing if seen.cycles < 6 => Phase::Late,
            _ => Phase::End,
        };
        // Short waits need no late ones before them.
        self.late = match phase {
            Phase::Late => self.late + 1,
            Phase::Short => self.late,
            _ => 0,
        };
        self.phase = phase;
        phase
    }

    fn begins(&mut self, thread: i32) {
        self.early = thread;
        if self.is_low() {
            self.wrong.push("low where the rank computes".into());
        }
        self.lowered_before = self.seen.lowered;
        self.low_when_let = false;
    }

    fn left(&mut self, took_ns: u64) {
        if self.is_low() {
            self.wrong.push(format!("low after {:?}", self.phase));
        }
        let lowered = self.seen.lowered > self.lowered_before;
        let last = &self.took_ns[self.took_ns.len().saturating_sub(2)..];
        let foreseen = last.len() == 2 && last.iter().all(|took| *took >= LONG_WAIT_NS);
        match (lowered, foreseen) {
            (true, false) => self.wrong.push(format!("lowered after waits of {last:?}")),
            (false, false) if last.len() == 2 => self.seen.short += 1,
            _ => {}
        }
        match self.phase {
            Phase::Early => self.seen.early += u32::from(self.low_when_let),
            Phase::Wrong => self.seen.wrong += u32::from(self.low_when_let),
            _ => {}
        }
        self.took_ns.push(took_ns);
        self.seen.cycles += 1;
    }
}

struct Kernel {
    permits: Permits,
    state: Mutex<State>,
    changed: Condvar,
}

impl Kernel {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self, call: &Call) -> Result<i64, i32> {
        let answer = match call.number {
            libc::SYS_sched_setattr => self.set(call),
            libc::SYS_sched_getattr => self.get(call),
            _ => Ok(self.mark(call)),
        };
        self.changed.notify_all();
        answer
    }

    fn get(&self, call: &Call) -> Result<i64, i32> {
        let [thread, address, bytes, flags, ..] = call.arguments;
        if (thread, bytes, flags) != (0, ATTRIBUTES as u64, 0) {
            return Err(libc::EINVAL);
        }
        let clamp = match self.permits {
            Permits::Nothing => 0,
            _ => self.state().clamp(call.thread),
        };
        let mut attributes = [0; ATTRIBUTES];
        attributes[..4].copy_from_slice(&(ATTRIBUTES as u32).to_ne_bytes());
        attributes[MOST..].copy_from_slice(&clamp.to_ne_bytes());
        let written = call.write(address, &attributes);
        written.map(|()| 0).map_err(|_| libc::EFAULT)
    }

    fn set(&self, call: &Call) -> Result<i64, i32> {
        let mut bytes = [0; ATTRIBUTES];
        let [thread, address, call_flags, ..] = call.arguments;
        call.read(address, &mut bytes).map_err(|_| libc::EFAULT)?;
        let word = |at: usize| u32::from_ne_bytes(std::array::from_fn(|byte| bytes[at + byte]));
        let flags = u64::from(word(8)) | u64::from(word(12)) << 32;
        let mut state = self.state();
        let asked = (thread, call_flags, word(0) as usize, flags);
        if asked != (0, 0, ATTRIBUTES, KEEP_ALL_SET_MOST) || word(MOST) > USUAL {
            state.wrong.push(format!("asked {asked:?}"));
            return Err(libc::EINVAL);
        }
        let (before, clamp) = (state.clamp(call.thread), word(MOST));
        let own = u32::from(call.thread == state.early);
        state.seen.attempts += own;
        match self.permits {
            Permits::Nothing => return Err(libc::EOPNOTSUPP),
            Permits::Lowering if clamp > before => return Err(libc::EPERM),
            _ => {}
        }
        state.seen.lowered += own * u32::from(clamp < before);
        state.clamps.insert(call.thread, clamp);
        Ok(0)
    }

    fn mark(&self, call: &Call) -> i64 {
        let [mark, value, ..] = call.arguments;
        let mut state = self.state();
        match mark {
            PHASE => return state.next_phase(self.permits) as i64,
            BEGIN => state.begins(call.thread),
            CALLS => self.hold(state),
            LEFT => state.left(value),
            _ => state.wrong.push(format!("mark {mark}")),
        }
        0
    }

    /// The late rank calls, once the early one is as it is to be then.
    fn hold(&self, mut state: MutexGuard<'_, State>) {
        let watchdog = Instant::now() + PATIENCE;
        let low = state.is_low();
        match state.phase {
            Phase::Late if low => {
                state = self.wait(state, watchdog, |state| !state.is_low());
                if state.is_low() {
                    state.wrong.push("low until the wait ended".into());
                }
                state.seen.restored_ahead += 1;
            }
            Phase::Early | Phase::Wrong => {
                // Where waits varied much, nothing was foreseen: another cycle comes.
                let enough = Instant::now() + Duration::from_millis(300);
                state = self.wait(state, enough, State::is_low);
                state.low_when_let = state.is_low();
            }
            _ => {}
        }
    }

    fn wait<'s>(
        &self,
        mut state: MutexGuard<'s, State>,
        until: Instant,
        done: impl Fn(&State) -> bool,
    ) -> MutexGuard<'s, State> {
        while !done(&state) && Instant::now() < until {
            let left = until.saturating_duration_since(Instant::now());
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state
    }
}

fn directory(permits: Permits, engine: &str) -> PathBuf {
    let name = format!("pamir-clamps-{permits:?}-{engine}-{}", std::process::id());
    let directory = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&directory).expect("a directory");
    directory
}

/// Two ranks with that engine under a kernel that permits that; what it saw, and the clamps that are left. None where
/// nobody may answer in the kernel's place.
fn run(permits: Permits, engine: &str) -> Option<(Seen, Vec<u32>)> {
    if !is_permitted() {
        eprintln!("not tested: this system refuses a seccomp filter with a listener");
        return None;
    }
    let kernel = Arc::new(Kernel {
        permits,
        state: Mutex::default(),
        changed: Condvar::new(),
    });
    let directory = directory(permits, engine);
    let socket = directory.join("supervisor");
    let answers = Arc::clone(&kernel);
    supervise(&socket, Arc::new(move |call| answers.answer(call)));
    let mut command = mpiexec(2, &compile("clamped"));
    command.arg(&socket).env("PAMIR_BALANCE", "allreduce");
    command.env("PAMIR_ENGINE", engine);
    let outcome = Run::whole(command);
    std::fs::remove_dir_all(&directory).expect("it is there");
    assert_eq!(outcome.success(), "ended\n", "{outcome:?}");
    let state = kernel.state();
    assert!(state.wrong.is_empty(), "{state:?}");
    let left = state.clamps.values().copied();
    Some((state.seen.clone(), left.collect()))
}

#[test]
fn a_clamp_is_low_in_waits_that_are_foreseen_and_as_before_when_they_end() {
    for engine in ["service", "thread"] {
        let Some((seen, left)) = run(Permits::Everything, engine) else {
            return;
        };
        assert!(seen.restored_ahead >= 3, "{engine}: {seen:?}");
        assert!(
            seen.early >= 1 && seen.wrong >= 1 && seen.short >= 10,
            "{engine}: {seen:?}"
        );
        let usual = left.iter().all(|clamp| *clamp == USUAL);
        assert!(usual, "{engine}: {left:?}");
    }
}

#[test]
fn a_clamp_that_cannot_be_raised_again_is_tried_by_a_thread_of_its_own() {
    let Some((seen, left)) = run(Permits::Lowering, "service") else {
        return;
    };
    // The attempt that changes nothing; the trial's thread was left low, and has ended.
    assert_eq!((seen.attempts, seen.lowered), (1, 0), "{seen:?}");
    assert!(left.contains(&0), "{left:?}");
}

#[test]
fn a_kernel_without_clamps_is_asked_once() {
    let Some((seen, left)) = run(Permits::Nothing, "service") else {
        return;
    };
    assert_eq!((seen.attempts, seen.lowered), (1, 0), "{seen:?}");
    assert!(left.is_empty(), "{left:?}");
}
