//! Tasks of `pamir.h`: C arguments are checked and become those of [`pamir_mpi::balance::tasks`].
//!
//! Before: a program calls `pamir_tasks_X`. After: the parts of its work are done, on as many
//! threads as a rank has parts. [`crate::state::numbered`] has what a `pamir_tasks *` names.

use std::ffi::{CStr, c_char, c_int, c_longlong, c_void};

use pamir_mpi::balance::tasks::Tasks;
use pamir_transport::balance::decision::law::Law;

use crate::argument::{address, store};
use crate::error::{ErrorClass, Object, Result};
use crate::process::running;
use crate::state::State;
use crate::state::numbered::Handle;
use crate::types::MPI_Comm;

/// `pamir_task_function`.
pub type Work = unsafe extern "C" fn(c_longlong, c_longlong, *mut c_void);

fn with<T>(handle: Handle, work: impl FnOnce(&State, &Tasks) -> Result<T>) -> Result<T> {
    let state = running()?;
    let known = state.tasks.get(handle).ok_or_else(|| {
        ErrorClass::Arg.with(
            "these are no tasks: make them with pamir_tasks_create, and use none that were freed",
        )
    })?;
    let comm = Object::Communicator(known.comm);
    work(&state, &known.object).map_err(|error| error.on(comm))
}

/// `pamir_tasks_create`.
///
/// # Safety
///
/// `law` is null or a string; `tasks` is null or writable.
pub unsafe fn create(
    comm: MPI_Comm,
    law: *const c_char,
    period: c_int,
    tasks: *mut Handle,
) -> Result {
    address(tasks, "tasks")?;
    let state = running()?;
    let communicator = state.communicator(comm)?;
    let period = u64::try_from(period)
        .map_err(|_| ErrorClass::Arg.with(format!("period is {period}, which is negative")))?;
    let law = if law.is_null() {
        Law::DataPerTime
    } else {
        // SAFETY: the caller vouches for the string.
        let text = unsafe { CStr::from_ptr(law) }.to_string_lossy();
        let parsed = text.parse::<Law>();
        parsed.map_err(|error| ErrorClass::Arg.with(error.to_string()))?
    };
    let made = Tasks::new(&state.process, &communicator, law, period)?;
    let handle = state.tasks.insert(made, comm);
    // SAFETY: as the caller vouches.
    unsafe { store(tasks, handle, "tasks") }
}

/// `pamir_tasks_free`.
///
/// # Safety
///
/// `tasks` is null or the address of a handle.
pub unsafe fn free(tasks: *mut Handle) -> Result {
    address(tasks, "tasks")?;
    // SAFETY: as the caller vouches.
    let handle = unsafe { tasks.read() };
    with(handle, |state, _| {
        state.tasks.remove(handle);
        Ok(())
    })?;
    // SAFETY: as the caller vouches.
    unsafe { store(tasks, Handle::none(), "tasks") }
}

/// `pamir_tasks_queue`.
///
/// # Safety
///
/// `parts` is null or writable.
pub unsafe fn queue(tasks: Handle, rank: c_int, parts: *mut c_longlong) -> Result {
    with(tasks, |_, tasks| {
        let queues = tasks.queues();
        let found = usize::try_from(rank).ok().and_then(|rank| queues.get(rank));
        let Some(found) = found else {
            let text = format!("rank {rank} is not among {} ranks", queues.len());
            return Err(ErrorClass::Rank.with(text));
        };
        // SAFETY: as the caller vouches.
        unsafe { store(parts, *found as c_longlong, "parts") }
    })
}

/// `pamir_tasks_request`.
pub fn request(tasks: Handle) -> Result {
    with(tasks, |_, tasks| {
        tasks.request();
        Ok(())
    })
}

/// The program's argument, which its function may use from several threads.
struct Argument(*mut c_void);

// SAFETY: the pointer is only handed to the program's function, which `pamir.h` says is called from
// several threads at once.
unsafe impl Sync for Argument {}

impl Argument {
    fn get(&self) -> *mut c_void {
        self.0
    }
}

/// `pamir_tasks_run`.
///
/// # Safety
///
/// `work` may be called with `argument` from several threads at once; `changed` is null or
/// writable.
pub unsafe fn run(
    tasks: Handle,
    work: Option<Work>,
    argument: *mut c_void,
    changed: *mut c_int,
) -> Result {
    let Some(work) = work else {
        return Err(ErrorClass::Arg.with("work is null: give a function to call"));
    };
    let argument = Argument(argument);
    let call = |part: u64, parts: u64| {
        // SAFETY: as the caller vouches.
        unsafe { work(part as c_longlong, parts as c_longlong, argument.get()) };
    };
    with(tasks, |state, tasks| {
        let levelled = tasks.run(&state.process, &call)?;
        if changed.is_null() {
            return Ok(());
        }
        // SAFETY: as the caller vouches.
        unsafe { store(changed, levelled.into(), "changed") }
    })
}
