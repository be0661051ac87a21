//! Windows made and freed, memory attached to them, and where the parts of others lie (MPI-5.0 section 12.2).

use std::ffi::{c_int, c_void};

use pamir_mpi::info::Info;
use pamir_mpi::window::construct::{Wish, free, make};
use pamir_mpi::window::error::{EpochError, WindowConstructError};
use pamir_mpi::window::{AttachedTable, Flavor, Window};

use crate::argument::{address, store};
use crate::constants::*;
use crate::count::Count;
use crate::error::{Error, ErrorClass, Result};
use crate::process::running;
use crate::state::State;
use crate::state::infos;
use crate::state::windows::Entry;
use crate::types::*;

/// Where a rank's part begins by default: at a page of its own, so that its memory is on its own node.
const PAGE_BYTES: u64 = 4096;

/// The greatest alignment that is kept: that of a huge page.
const MOST_ALIGNMENT: u64 = 2 << 20;

impl From<EpochError> for Error {
    #[cold]
    fn from(error: EpochError) -> Self {
        ErrorClass::RmaSync.with(error.to_string())
    }
}

impl From<WindowConstructError> for Error {
    #[cold]
    fn from(error: WindowConstructError) -> Self {
        let class = match error {
            WindowConstructError::NodesApart { .. } => ErrorClass::RmaShared,
            WindowConstructError::TooLong => ErrorClass::Size,
            WindowConstructError::Memory(_) | WindowConstructError::MemoryElsewhere { .. } => {
                ErrorClass::NoMem
            }
            WindowConstructError::Construct(error) => return error.into(),
            _ => ErrorClass::Intern,
        };
        class.with(error.to_string())
    }
}

/// Hints that are reported where the program gives none (MPI-5.0 section 12.2.1).
const DEFAULTS: [(&str, &str); 5] = [
    ("no_locks", "false"),
    ("accumulate_ordering", "rar,raw,war,waw"),
    ("accumulate_ops", "same_op_no_op"),
    ("same_size", "false"),
    ("same_disp_unit", "false"),
];

fn hints_with_defaults(given: &Info) -> Result<Info> {
    let mut hints = infos::empty();
    for (key, value) in DEFAULTS {
        hints.set(key, value)?;
    }
    for (key, value) in given.iter() {
        hints.set(key, value)?;
    }
    Ok(hints)
}

fn is_true(hints: &Info, key: &str) -> Result<bool> {
    Ok(hints.get(key)?.is_some_and(|value| value == b"true"))
}

/// At what multiples of bytes parts begin, by the hints.
fn alignment(hints: &Info, flavor: Flavor) -> Result<u64> {
    if flavor == Flavor::Shared && !is_true(hints, "alloc_shared_noncontig")? {
        return Ok(1);
    }
    let asked = hints.get("mpi_minimum_memory_alignment")?;
    let asked = asked
        .and_then(|text| std::str::from_utf8(text).ok())
        .and_then(|text| text.parse::<u64>().ok())
        .filter(|bytes| bytes.is_power_of_two());
    Ok(asked.unwrap_or(1).clamp(PAGE_BYTES, MOST_ALIGNMENT))
}

/// The sizes of a rank's part, checked.
fn sizes(size: i64, unit: i64) -> Result<(u64, u64)> {
    let Ok(bytes) = u64::try_from(size) else {
        return Err(ErrorClass::Size.with(format!("a window's size is at least 0, not {size}")));
    };
    match u64::try_from(unit) {
        Ok(unit) if unit > 0 => Ok((bytes, unit)),
        _ => Err(ErrorClass::Disp.with(format!("a displacement unit is at least 1, not {unit}"))),
    }
}

/// What a call says of its window: how it is made, over what memory, of what size and displacement unit.
type Described = (Flavor, *mut u8, (u64, u64));

/// Makes a window; its first byte here.
///
/// # Safety
///
/// With [`Flavor::Create`], the memory is good until the window is freed. `win` is null or writable.
unsafe fn construct(
    state: &State,
    (flavor, base, (bytes, unit)): Described,
    info: MPI_Info,
    comm: MPI_Comm,
    win: *mut MPI_Win,
) -> Result<*mut u8> {
    let parent = state.communicator(comm)?;
    address(win, "win")?;
    if parent.is_inter() {
        return Err(ErrorClass::Comm.with("a window is made of a communicator of one group"));
    }
    let hints = infos::hints(info)?;
    let home = match flavor {
        Flavor::Create => state.allocations.home(base as usize, bytes as usize),
        _ => None,
    };
    let wish = Wish {
        flavor,
        home,
        base,
        bytes,
        unit,
        alignment: alignment(&hints, flavor)?,
    };
    // SAFETY: the caller vouches for the memory.
    let window = unsafe { make(&state.process, &parent, wish, hints_with_defaults(&hints)?)? };
    let own = window.own().here;
    let comm = state.communicators.insert(window.communicator().clone());
    let handle = state.windows.insert(Entry::new(window, comm));
    // SAFETY: as the caller vouches.
    unsafe { store(win, handle, "win")? };
    Ok(own.unwrap_or_default())
}

/// `MPI_Win_create`, section 12.2.1.
///
/// # Safety
///
/// `base` is good for `size` bytes until the window is freed; `win` is null or writable.
pub unsafe fn win_create<D: Count>(
    base: *mut c_void,
    size: MPI_Aint,
    disp_unit: D,
    info: MPI_Info,
    comm: MPI_Comm,
    win: *mut MPI_Win,
) -> Result {
    let state = running()?;
    let sizes = sizes(size as i64, disp_unit.to_i64())?;
    if base.is_null() && sizes.0 > 0 {
        return Err(ErrorClass::Base.with(format!("the memory of {size} bytes is null")));
    }
    // SAFETY: as the caller vouches.
    unsafe {
        construct(
            &state,
            (Flavor::Create, base.cast(), sizes),
            info,
            comm,
            win,
        )?
    };
    Ok(())
}

/// A window with memory of its own, whose first byte here goes to `baseptr`.
///
/// # Safety
///
/// `baseptr` is null or the address of a pointer; `win` is null or writable.
unsafe fn allocate(
    flavor: Flavor,
    sizes: (u64, u64),
    info: MPI_Info,
    comm: MPI_Comm,
    baseptr: *mut c_void,
    win: *mut MPI_Win,
) -> Result {
    let state = running()?;
    address(baseptr, "baseptr")?;
    let described = (flavor, std::ptr::null_mut(), sizes);
    // SAFETY: as the caller vouches.
    unsafe {
        let base = construct(&state, described, info, comm, win)?;
        store(baseptr.cast(), base, "baseptr")
    }
}

/// `MPI_Win_allocate`, section 12.2.2.
///
/// # Safety
///
/// `baseptr` is null or the address of a pointer; `win` is null or writable.
pub unsafe fn win_allocate<D: Count>(
    size: MPI_Aint,
    disp_unit: D,
    info: MPI_Info,
    comm: MPI_Comm,
    baseptr: *mut c_void,
    win: *mut MPI_Win,
) -> Result {
    let sizes = sizes(size as i64, disp_unit.to_i64())?;
    // SAFETY: as the caller vouches.
    unsafe { allocate(Flavor::Allocate, sizes, info, comm, baseptr, win) }
}

/// `MPI_Win_allocate_shared`, section 12.2.3.
///
/// # Safety
///
/// `baseptr` is null or the address of a pointer; `win` is null or writable.
pub unsafe fn win_allocate_shared<D: Count>(
    size: MPI_Aint,
    disp_unit: D,
    info: MPI_Info,
    comm: MPI_Comm,
    baseptr: *mut c_void,
    win: *mut MPI_Win,
) -> Result {
    let sizes = sizes(size as i64, disp_unit.to_i64())?;
    // SAFETY: as the caller vouches.
    unsafe { allocate(Flavor::Shared, sizes, info, comm, baseptr, win) }
}

/// `MPI_Win_create_dynamic`, section 12.2.4.
///
/// # Safety
///
/// `win` is null or writable.
pub unsafe fn win_create_dynamic(info: MPI_Info, comm: MPI_Comm, win: *mut MPI_Win) -> Result {
    let state = running()?;
    let described = (Flavor::Dynamic, std::ptr::null_mut(), (0, 1));
    // SAFETY: as the caller vouches; there is no memory yet.
    unsafe { construct(&state, described, info, comm, win)? };
    Ok(())
}

/// What this rank has attached to a window, which must be a dynamic one.
fn attached(window: &Window) -> Result<&AttachedTable> {
    window.own_attached().ok_or_else(|| {
        let text = "only a window of MPI_Win_create_dynamic has memory attached";
        ErrorClass::RmaFlavor.with(text)
    })
}

/// `MPI_Win_attach`, section 12.2.4.
///
/// # Safety
///
/// `base` is good for `size` bytes until it is detached or the window is freed.
pub unsafe fn win_attach(win: MPI_Win, base: *mut c_void, size: MPI_Aint) -> Result {
    let state = running()?;
    let window = state.windows.named(win)?;
    let table = attached(&window)?;
    let (bytes, _) = sizes(size as i64, 1)?;
    if base.is_null() && bytes > 0 {
        return Err(ErrorClass::Base.with(format!("the memory of {size} bytes is null")));
    }
    table.attach(base as u64, bytes).map_err(|error| {
        let text = format!("{size} bytes at {base:p} cannot be attached: {error}");
        ErrorClass::RmaAttach.with(text)
    })
}

/// `MPI_Win_detach`, section 12.2.4.
pub fn win_detach(win: MPI_Win, base: *const c_void) -> Result {
    let state = running()?;
    let window = state.windows.named(win)?;
    if attached(&window)?.detach(base as u64) {
        return Ok(());
    }
    Err(ErrorClass::Base.with(format!("{base:p} is not the address of attached memory")))
}

/// `MPI_Win_free`, section 12.2.5.
///
/// # Safety
///
/// `win` is null or points to a handle.
pub unsafe fn win_free(win: *mut MPI_Win) -> Result {
    let state = running()?;
    address(win, "win")?;
    // SAFETY: it is not null, so the caller vouches for it.
    let handle = unsafe { win.read() };
    let window = state.windows.named(handle)?;
    window.epochs().check_free()?;
    window.memory().complete_all(state.process.context())?;
    window.attributes().delete_all(handle.0 as u64)?;
    free(&state.process, &window)?;
    state.windows.remove(handle);
    state.communicators.remove(window.comm);
    // SAFETY: as above.
    unsafe { store(win, MPI_WIN_NULL, "win") }
}

/// `MPI_Win_shared_query`, section 12.2.3.
///
/// # Safety
///
/// `size` and `disp_unit` are null or writable; `baseptr` is null or the address of a pointer.
pub unsafe fn win_shared_query<D: Count>(
    win: MPI_Win,
    rank: c_int,
    size: *mut MPI_Aint,
    disp_unit: *mut D,
    baseptr: *mut c_void,
) -> Result {
    let state = running()?;
    let window = state.windows.named(win)?;
    if window.flavor() == Flavor::Dynamic {
        let text = "a window of MPI_Win_create_dynamic has no memory that can be shared";
        return Err(ErrorClass::RmaFlavor.with(text));
    }
    let memory = window.memory();
    let part = match usize::try_from(rank) {
        Ok(rank) if rank < memory.size() => Some(memory.part(rank)),
        _ if rank == MPI_PROC_NULL => (0..memory.size())
            .map(|rank| memory.part(rank))
            .find(|part| part.region.bytes() > 0),
        _ => {
            let members = memory.size();
            let text = format!("rank {rank} is not in a window of {members} ranks");
            return Err(ErrorClass::Rank.with(text));
        }
    };
    // Memory that is not mapped here cannot be addressed: it is told as none.
    let found = part.and_then(|part| Some((part.here?, part.region.bytes(), part.unit)));
    let (base, bytes, unit) = found.unwrap_or((std::ptr::null_mut(), 0, 1));
    // SAFETY: the caller vouches for all three.
    unsafe {
        store(size, bytes as MPI_Aint, "size")?;
        store(disp_unit, D::from_i64(unit as i64), "disp_unit")?;
        store(baseptr.cast(), base, "baseptr")
    }
}
