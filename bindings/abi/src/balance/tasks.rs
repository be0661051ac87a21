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

/// `pamir_task`: one of a program's list.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Task {
    work: Option<unsafe extern "C" fn(*mut c_void)>,
    argument: *mut c_void,
    weight: c_longlong,
}

/// What threads share of a task of the program's.
struct Shared(unsafe extern "C" fn(*mut c_void), *mut c_void);

// SAFETY: the program vouches that its function may be called with its argument on any thread.
unsafe impl Sync for Shared {}

/// `pamir_tasks_run_list`.
///
/// # Safety
///
/// `list` has `count` tasks, whose functions may be called on any thread with their arguments;
/// `changed` is null or writable.
pub unsafe fn run_list(
    tasks: Handle,
    list: *const Task,
    count: c_int,
    changed: *mut c_int,
) -> Result {
    let length = usize::try_from(count)
        .map_err(|_| ErrorClass::Arg.with(format!("count is {count}, which is negative")))?;
    let list = if length == 0 {
        &[]
    } else {
        address(list, "list")?;
        // SAFETY: the caller vouches for so many tasks.
        unsafe { std::slice::from_raw_parts(list, length) }
    };
    let weights = list
        .iter()
        .enumerate()
        .map(|(place, task)| weight(place, task));
    let weights = weights.collect::<Result<Vec<u64>>>()?;
    let works = list.iter().enumerate().map(|(place, task)| {
        let work = task.work.ok_or_else(|| {
            ErrorClass::Arg.with(format!("task {place} has no function: give one to call"))
        })?;
        Ok(Shared(work, task.argument))
    });
    let works = works.collect::<Result<Vec<Shared>>>()?;
    with(tasks, |state, tasks| {
        let work = |place: usize| {
            let Shared(work, argument) = &works[place];
            // SAFETY: as the caller vouches.
            unsafe { work(*argument) }
        };
        let levelled = tasks.run_list(&state.process, &weights, &work)?;
        if changed.is_null() {
            return Ok(());
        }
        // SAFETY: as the caller vouches.
        unsafe { store(changed, levelled.into(), "changed") }
    })
}

fn weight(place: usize, task: &Task) -> Result<u64> {
    let weight = u64::try_from(task.weight).ok().filter(|weight| *weight > 0);
    weight.ok_or_else(|| {
        let found = task.weight;
        ErrorClass::Arg.with(format!(
            "task {place} has weight {found}: give one from 1 on"
        ))
    })
}

/// `pamir_tasks_owner`.
///
/// # Safety
///
/// `rank` is null or writable.
pub unsafe fn owner(tasks: Handle, task: c_int, rank: *mut c_int) -> Result {
    with(tasks, |_, tasks| {
        let owners = tasks.owners();
        let owner = usize::try_from(task).ok();
        let owner = owner.and_then(|task| owners.get(task)).ok_or_else(|| {
            let tasks = owners.len();
            ErrorClass::Arg.with(format!("task {task} is not in the last list of {tasks}"))
        })?;
        // SAFETY: as the caller vouches.
        unsafe { store(rank, *owner as c_int, "rank") }
    })
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
