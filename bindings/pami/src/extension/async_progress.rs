//! The extension `EXT_async_progress`: a thread of the library's advances contexts while the program computes.
//!
//! Before: a program registers what is called for a context, and enables progress. After: until it disables that, or
//! destroys the context, a thread calls the program's function, or advances the context under its lock. So the program
//! takes the lock (`PAMI_Context_lock`) for its own uses of the context.
//!
//! | symbol     | what it is |
//! |------------|------------|
//! | `register` | `pami_result_t (*)(pami_context_t, progress, suspend, resume, void *cookie)`; each function is NULL or `void (*)(pami_context_t, void *cookie)` |
//! | `enable`   | `pami_result_t (*)(pami_context_t, int event)`: 0 all, 1 arrivals, 2 a timer |
//! | `disable`  | the same |
//!
//! | from     | to       | by |
//! |----------|----------|----|
//! |          | enabled  | `enable`: the thread begins, if it is the first |
//! | enabled  | served   | the thread's turn |
//! | served   | enabled  | its end |
//! | enabled  |          | `disable`, which waits for the end of a turn; the thread ends with the last one |
//!
//! Progress is never suspended, so `suspend` and `resume` are not called. Invariant: whoever has disabled a context knows
//! that the thread does not use it any more.

use std::ffi::c_void;
use std::sync::atomic::AtomicPtr;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use crate::context::ContextObject;
use crate::edge::handle::{Handle, Object};
use crate::refusal::{Refusal, answer};
use crate::structures::Code;
use crate::structures::function::{ProgressCall, ProgressFunction};

/// The extension's name.
pub const NAME: &str = "EXT_async_progress";

/// What the extension's handle points to.
static EXTENSION: u64 = 0x4E59_5341_4549_4D50;

/// Events that can be enabled: all, arrivals, a timer. One thread serves all of them.
const EVENTS: i32 = 3;

/// How long the thread rests after a round that has moved nothing, at first and at most.
const RESTS: (Duration, Duration) = (Duration::from_micros(20), Duration::from_millis(1));

/// A context that the thread knows.
struct Served {
    object: &'static ContextObject,
    function: ProgressFunction,
    /// Atomic, so that any thread may have it.
    cookie: AtomicPtr<c_void>,
    /// Bits of the events that are enabled.
    events: u32,
    /// The thread has its turn with it.
    busy: bool,
}

struct State {
    served: Vec<Served>,
    thread: Option<ThreadId>,
}

static STATE: Mutex<State> = Mutex::new(State {
    served: Vec::new(),
    thread: None,
});

/// A turn has ended.
static TURN_ENDED: Condvar = Condvar::new();

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    fn find(&mut self, object: &'static ContextObject) -> Option<&mut Served> {
        let mut served = self.served.iter_mut();
        served.find(|served| std::ptr::eq(served.object, object))
    }

    fn entry(&mut self, object: &'static ContextObject) -> &mut Served {
        let mut known = self.served.iter();
        let known = known.position(|served| std::ptr::eq(served.object, object));
        let place = known.unwrap_or_else(|| {
            self.served.push(Served {
                object,
                function: None,
                cookie: AtomicPtr::default(),
                events: 0,
                busy: false,
            });
            self.served.len() - 1
        });
        &mut self.served[place]
    }
}

/// The extension's handle.
pub fn handle() -> *mut c_void {
    (&raw const EXTENSION).cast_mut().cast()
}

/// A function of the extension's.
pub fn symbol(name: &[u8]) -> *mut c_void {
    match name {
        b"register" => register as *mut c_void,
        b"enable" => enable as *mut c_void,
        b"disable" => disable as *mut c_void,
        _ => std::ptr::null_mut(),
    }
}

extern "C" fn register(
    context: Handle<ContextObject>,
    progress: ProgressFunction,
    _suspend: ProgressFunction,
    _resume: ProgressFunction,
    cookie: *mut c_void,
) -> Code {
    let register = || {
        let object = context.get()?;
        let mut state = state();
        let served = state.entry(object);
        served.function = progress;
        *served.cookie.get_mut() = cookie;
        Ok(())
    };
    answer(register())
}

/// The bits of an event.
fn bits(event: i32) -> Result<u32, Refusal> {
    match event {
        0 => Ok((1 << EVENTS) - 1),
        1..EVENTS => Ok(1 << event),
        _ => Err(Refusal::AsynchronousEvent { event }),
    }
}

extern "C" fn enable(context: Handle<ContextObject>, event: i32) -> Code {
    let enable = || {
        let (object, bits) = (context.get()?, bits(event)?);
        let mut state = state();
        state.entry(object).events |= bits;
        if state.thread.is_none() {
            let thread = thread::Builder::new()
                .name("pami-progress".into())
                .spawn(serve);
            let thread = thread.map_err(|source| Refusal::Thread { source })?;
            state.thread = Some(thread.thread().id());
        }
        Ok(())
    };
    answer(enable())
}

extern "C" fn disable(context: Handle<ContextObject>, event: i32) -> Code {
    let disable = || {
        let (object, bits) = (context.get()?, bits(event)?);
        // All are what one thread does.
        let bits = if event == 0 { u32::MAX } else { bits };
        stop(object, bits);
        Ok(())
    };
    answer(disable())
}

/// The context is about to be destroyed.
pub fn forget(object: &'static ContextObject) {
    stop(object, u32::MAX);
    let mut state = state();
    state
        .served
        .retain(|served| !std::ptr::eq(served.object, object));
}

/// Disables events, and waits for the end of a turn that is under way, unless this is that turn.
fn stop(object: &'static ContextObject, bits: u32) {
    let mut state = state();
    if let Some(served) = state.find(object) {
        served.events &= !bits;
    }
    while state.thread != Some(thread::current().id())
        && state
            .find(object)
            .is_some_and(|served| served.busy && served.events == 0)
    {
        state = TURN_ENDED
            .wait(state)
            .unwrap_or_else(PoisonError::into_inner);
    }
}

/// The thread: turns with all contexts, until none is enabled.
fn serve() {
    let mut rest = RESTS.0;
    loop {
        let enabled: Vec<_> = {
            let mut state = state();
            let enabled = state.served.iter().filter(|served| served.events != 0);
            let enabled: Vec<_> = enabled.map(|served| served.object).collect();
            if enabled.is_empty() {
                state.thread = None;
                return;
            }
            enabled
        };
        let mut moved = false;
        for object in enabled {
            moved |= turn(object);
        }
        rest = if moved {
            RESTS.0
        } else {
            (2 * rest).min(RESTS.1)
        };
        if !moved {
            thread::sleep(rest);
        }
    }
}

/// One turn with a context; whether it is known that anything has moved.
fn turn(object: &'static ContextObject) -> bool {
    let call = {
        let mut state = state();
        let Some(served) = state.find(object).filter(|served| served.events != 0) else {
            return false;
        };
        served.busy = true;
        served.function.map(|function| Call {
            function,
            cookie: *served.cookie.get_mut(),
        })
    };
    let moved = match call {
        Some(Call { function, cookie }) => {
            function.call(object.handle().raw(), cookie);
            false
        }
        // What cannot go on says so to the program, when that advances.
        None => (object.try_locked(|context| context.turn(context.context())))
            .is_some_and(|turn| turn.unwrap_or(false)),
    };
    if let Some(served) = state().find(object) {
        served.busy = false;
    }
    TURN_ENDED.notify_all();
    moved
}

/// The program's function, with what it gets.
struct Call {
    function: ProgressCall,
    cookie: *mut c_void,
}
