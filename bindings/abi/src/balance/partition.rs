//! Partitions of `pamir.h`: C arguments are checked and become those of
//! [`pamir_mpi::balance::partition`].
//!
//! Before: a program calls `pamir_partition_X` or `pamir_cycle_X`. After: its items are divided
//! again, and its data has moved.
//!
//! [`crate::state::numbered`] has what a `pamir_partition *` names.

use std::ffi::OsStr;
use std::ffi::{CStr, c_char, c_int, c_longlong, c_void};
use std::io::ErrorKind;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::rc::Rc;

use pamir_driver::job::JobError;
use pamir_mpi::balance::array::Array;
use pamir_mpi::balance::partition::Partition;
use pamir_mpi::balance::resources::Cache;
use pamir_mpi::balance::source::Source;
use pamir_mpi::balance::{BalanceError, Shape};
use pamir_transport::balance::decision::evaluation::Reaction;
use pamir_transport::balance::decision::policy::Policy;
use pamir_transport::balance::history::Directive;
use pamir_transport::balance::partition::PartitionError;
use pamir_transport::balance::partition::items::Items;

use crate::argument::{address, store};
use crate::error::{Error, ErrorClass, Object, Result};
use crate::process::running;
use crate::state::State;
use crate::state::numbered::{Handle, Known};
use crate::types::MPI_Comm;

impl From<BalanceError> for Error {
    #[cold]
    fn from(error: BalanceError) -> Self {
        let class = match error {
            BalanceError::TwoGroups | BalanceError::Job(JobError::NodesApart { .. }) => {
                ErrorClass::Comm
            }
            BalanceError::ArrayTooLarge { .. }
            | BalanceError::Items(_)
            | BalanceError::NoController { .. }
            | BalanceError::Partition(PartitionError::TooManyItems { .. }) => ErrorClass::Arg,
            BalanceError::Memory { .. } => ErrorClass::NoMem,
            BalanceError::FileTooShort { .. } | BalanceError::FileElsewhere { .. } => {
                ErrorClass::Io
            }
            BalanceError::File { ref source, .. } => match source.kind() {
                ErrorKind::NotFound => ErrorClass::NoSuchFile,
                ErrorKind::PermissionDenied => ErrorClass::Access,
                _ => ErrorClass::Io,
            },
            _ => ErrorClass::Intern,
        };
        class.with(error.to_string())
    }
}

/// `pamir_prepare_function`.
pub type Prepare = unsafe extern "C" fn(c_int, *mut c_void);

/// `pamir_direct_function`.
pub type Direct = unsafe extern "C" fn(c_int, c_longlong, c_longlong, *mut c_void);

/// `pamir_statistics`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Statistics {
    cycles: c_longlong,
    moves: c_longlong,
    moved_load: c_longlong,
    fetched_bytes: c_longlong,
    released_bytes: c_longlong,
    busy_ns: c_longlong,
    wait_ns: c_longlong,
    prepared_larger: c_longlong,
    prepared_smaller: c_longlong,
    prepared_bytes: c_longlong,
    set_up_ns: c_longlong,
    hidden_ns: c_longlong,
    first_load_balance: f64,
    last_load_balance: f64,
    window_slots: c_longlong,
    cache_ways: c_longlong,
    cache_all_ways: c_longlong,
    cache: [u8; CACHE_BYTES],
    housekeeping_ns: c_longlong,
    clock: [u8; CLOCK_BYTES],
    decided: c_longlong,
    read_bytes: c_longlong,
}

/// Room for the name of a clock, with the 0 at its end.
const CLOCK_BYTES: usize = 16;

/// Room for words about the cache, with the 0 at their end.
const CACHE_BYTES: usize = 80;

/// What is to be said about the cache, as C has strings.
fn cache_words(cache: &Cache) -> [u8; CACHE_BYTES] {
    let text = match (cache.failure, cache.ways) {
        (Some(failure), _) => failure.to_string(),
        (None, [ways, all]) if ways == all => "the whole".to_owned(),
        (None, [ways, all]) => format!("{ways} of {all} ways"),
    };
    string(&text)
}

/// A text as C has it, cut to its room, with a 0 at its end.
fn string<const BYTES: usize>(text: &str) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    let room = bytes.iter_mut().take(BYTES - 1);
    room.zip(text.bytes()).for_each(|(to, byte)| *to = byte);
    bytes
}

fn known(state: &State, handle: Handle) -> Result<Rc<Known<Partition>>> {
    state.partitions.get(handle).ok_or_else(|| {
        let number = handle.number();
        ErrorClass::Arg.with(format!(
            "{number:#x} is no partition: make one with pamir_partition_create, and use none \
             that was freed"
        ))
    })
}

/// Does something with a partition; what fails is raised on its communicator.
fn with<T>(handle: Handle, work: impl FnOnce(&State, &Partition) -> Result<T>) -> Result<T> {
    let state = running()?;
    let known = known(&state, handle)?;
    let comm = Object::Communicator(known.comm);
    work(&state, &known.object).map_err(|error| error.on(comm))
}

fn count(value: c_longlong, name: &str) -> Result<u64> {
    u64::try_from(value)
        .map_err(|_| ErrorClass::Arg.with(format!("{name} is {value}, which is negative")))
}

/// `pamir_partition_create`.
///
/// # Safety
///
/// `weights` is null or has a weight for each item; `policy` is null or a string; `partition` is
/// null or writable.
pub unsafe fn create(
    comm: MPI_Comm,
    items: c_longlong,
    weights: *const c_longlong,
    block: c_longlong,
    policy: *const c_char,
    partition: *mut Handle,
) -> Result {
    address(partition, "partition")?;
    let state = running()?;
    let communicator = state.communicator(comm)?;
    // SAFETY: as the caller vouches.
    let items = unsafe { read_items(items, weights, block)? };
    // SAFETY: as the caller vouches.
    let policy = unsafe { read_policy(policy)? };
    let made = Partition::new(&state.process, &communicator, items, policy)?;
    let handle = state.partitions.insert(made, comm);
    // SAFETY: as the caller vouches.
    unsafe { store(partition, handle, "partition") }
}

/// # Safety
///
/// `weights` is null or has a weight for each item.
unsafe fn read_items(
    items: c_longlong,
    weights: *const c_longlong,
    block: c_longlong,
) -> Result<Items> {
    let (items, block) = (count(items, "items")?, count(block, "block")?.max(1));
    let made = if weights.is_null() {
        Items::equal(items, block)
    } else {
        // SAFETY: the caller vouches for so many weights.
        let weights = unsafe { std::slice::from_raw_parts(weights, items as usize) };
        let weights = weights.iter().map(|weight| count(*weight, "a weight"));
        Items::weighted(&weights.collect::<Result<Vec<_>>>()?, block)
    };
    made.map_err(|error| ErrorClass::Arg.with(error.to_string()))
}

/// The policy in the program's text, else in `PAMIR_BALANCE_POLICY`, else the default.
///
/// # Safety
///
/// `policy` is null or a string.
unsafe fn read_policy(policy: *const c_char) -> Result<Policy> {
    let text = if policy.is_null() {
        pamir_settings::BALANCE_POLICY.text()
    } else {
        // SAFETY: the caller vouches for the string.
        let text = unsafe { CStr::from_ptr(policy) };
        text.to_string_lossy().into_owned()
    };
    let policy = text.parse::<Policy>();
    policy.map_err(|error| ErrorClass::Arg.with(error.to_string()))
}

/// `pamir_partition_free`.
///
/// # Safety
///
/// `partition` is null or the address of a handle.
pub unsafe fn free(partition: *mut Handle) -> Result {
    address(partition, "partition")?;
    // SAFETY: as the caller vouches.
    let handle = unsafe { partition.read() };
    let state = running()?;
    let known = known(&state, handle)?;
    known.object.leave(&state.process)?;
    state.partitions.remove(handle);
    // SAFETY: as the caller vouches.
    unsafe { store(partition, Handle::none(), "partition") }
}

/// `pamir_partition_range`.
///
/// # Safety
///
/// `begin` and `end` are null or writable.
pub unsafe fn range(
    partition: Handle,
    rank: c_int,
    begin: *mut c_longlong,
    end: *mut c_longlong,
) -> Result {
    with(partition, |_, partition| {
        let items = partition.range(member_of(partition, rank)?);
        // SAFETY: as the caller vouches.
        unsafe {
            store(begin, items.start as c_longlong, "begin")?;
            store(end, items.end as c_longlong, "end")
        }
    })
}

/// `pamir_partition_weigh`.
///
/// # Safety
///
/// `weights` has a weight for each item of the caller's range; `changed` is null or writable.
pub unsafe fn weigh(partition: Handle, weights: *const c_longlong, changed: *mut c_int) -> Result {
    with(partition, |state, partition| {
        let range = partition.own_range();
        let own = if range.is_empty() {
            &[][..]
        } else {
            address(weights, "weights")?;
            // SAFETY: the caller vouches for so many weights.
            unsafe { std::slice::from_raw_parts(weights, (range.end - range.start) as usize) }
        };
        let own = own.iter().map(|weight| count(*weight, "a weight"));
        let moved = partition.weigh(&state.process, &own.collect::<Result<Vec<_>>>()?)?;
        if changed.is_null() {
            return Ok(());
        }
        // SAFETY: as the caller vouches.
        unsafe { store(changed, moved.into(), "changed") }
    })
}

/// `pamir_partition_array`.
///
/// # Safety
///
/// `given` is null, or the program's memory for all items until the partition is freed; `base` is
/// null or writable.
pub unsafe fn array(
    partition: Handle,
    item_bytes: usize,
    border: c_longlong,
    given: *mut c_void,
    base: *mut *mut c_void,
) -> Result {
    address(base, "base")?;
    let border = count(border, "border")?;
    with(partition, |state, partition| {
        let items = partition.items();
        let shape = Shape {
            items,
            item_bytes,
            border,
        };
        let context = state.process.context();
        let array = if given.is_null() {
            Array::reserved(context, shape)?
        } else {
            // SAFETY: as the caller vouches.
            unsafe { Array::given(context, shape, given.cast())? }
        };
        let address = array.base();
        partition.add_array(&state.process, array)?;
        // SAFETY: as the caller vouches.
        unsafe { store(base, address.cast(), "base") }
    })
}

/// `pamir_partition_read`.
///
/// # Safety
///
/// `path` is null or a string; `base` is null or writable.
pub unsafe fn read(
    partition: Handle,
    path: *const c_char,
    offset: c_longlong,
    item_bytes: usize,
    border: c_longlong,
    base: *mut *const c_void,
) -> Result {
    address(base, "base")?;
    address(path, "path")?;
    // SAFETY: the caller vouches for the string.
    let path = Path::new(OsStr::from_bytes(
        unsafe { CStr::from_ptr(path) }.to_bytes(),
    ));
    let (offset, border) = (count(offset, "offset")?, count(border, "border")?);
    with(partition, |state, partition| {
        let shape = Shape {
            items: partition.items(),
            item_bytes,
            border,
        };
        let opened = Source::open(path, offset, shape);
        let address = partition.add_source(&state.process, path, opened)?;
        // SAFETY: as the caller vouches.
        unsafe { store(base, address.cast(), "base") }
    })
}

/// `pamir_partition_prepare`.
///
/// # Safety
///
/// `function` may be called with `state` until the partition is freed.
pub unsafe fn prepare(
    partition: Handle,
    function: Option<Prepare>,
    argument: *mut c_void,
) -> Result {
    let Some(function) = function else {
        return Err(ErrorClass::Arg.with("prepare is null: give a function to call"));
    };
    with(partition, |_, partition| {
        let call = move |reaction: Reaction| {
            let larger = c_int::from(reaction == Reaction::PrepareLarger);
            // SAFETY: as the caller vouches.
            unsafe { function(larger, argument) };
        };
        partition.watch().add(Rc::new(call));
        Ok(())
    })
}

fn direction(directive: Directive) -> c_int {
    match directive {
        Directive::Smaller => -1,
        Directive::Same => 0,
        Directive::Larger => 1,
    }
}

/// `pamir_partition_direct`.
///
/// # Safety
///
/// `function` may be called with `argument` until the partition is freed.
pub unsafe fn direct(partition: Handle, function: Option<Direct>, argument: *mut c_void) -> Result {
    let Some(function) = function else {
        return Err(ErrorClass::Arg.with("direct is null: give a function to call"));
    };
    with(partition, |_, partition| {
        let call = move |directive: Directive, items: Range<u64>| {
            let (begin, end) = (items.start as c_longlong, items.end as c_longlong);
            // SAFETY: as the caller vouches.
            unsafe { function(direction(directive), begin, end, argument) };
        };
        partition.add_directed(Rc::new(call));
        Ok(())
    })
}

/// `pamir_partition_directive`.
///
/// # Safety
///
/// `told` is null or writable.
pub unsafe fn directive(partition: Handle, rank: c_int, back: c_int, told: *mut c_int) -> Result {
    with(partition, |_, partition| {
        let member = member_of(partition, rank)?;
        let known = usize::try_from(back).ok();
        let known = known.and_then(|back| partition.directive(back, member));
        let directive = known.ok_or_else(|| {
            ErrorClass::Arg.with(format!(
                "the history has no cycle {back} before the last one: it keeps up to eight, and back counts from 0"
            ))
        })?;
        // SAFETY: as the caller vouches.
        unsafe { store(told, direction(directive), "direction") }
    })
}

/// The member of a rank; -1 is the caller.
fn member_of(partition: &Partition, rank: c_int) -> Result<usize> {
    let members = partition.members();
    match usize::try_from(rank) {
        Err(_) if rank == -1 => Ok(partition.own_member()),
        Ok(member) if member < members => Ok(member),
        _ => {
            let text = format!("rank {rank} is not in a partition of {members} ranks");
            Err(ErrorClass::Rank.with(text))
        }
    }
}

/// `pamir_cycle_begin`.
pub fn begin(partition: Handle) -> Result {
    with(partition, |_, partition| {
        partition.begin();
        Ok(())
    })
}

/// `pamir_cycle_test`.
///
/// # Safety
///
/// `slowest` is null or writable.
pub unsafe fn test(partition: Handle, slowest: *mut c_int) -> Result {
    with(partition, |_, partition| {
        // SAFETY: as the caller vouches.
        unsafe { store(slowest, partition.look().into(), "slowest") }
    })
}

/// `pamir_cycle_end`.
///
/// # Safety
///
/// `changed` is null or writable.
pub unsafe fn end(partition: Handle, changed: *mut c_int) -> Result {
    with(partition, |state, partition| {
        let moved = partition.end(&state.process)?;
        if changed.is_null() {
            return Ok(());
        }
        // SAFETY: as the caller vouches.
        unsafe { store(changed, moved.into(), "changed") }
    })
}

/// `pamir_partition_statistics`.
///
/// # Safety
///
/// `statistics` is null or writable.
pub unsafe fn statistics(partition: Handle, statistics: *mut Statistics) -> Result {
    with(partition, |state, partition| {
        let all = partition.statistics(&state.process);
        let all = Statistics {
            cycles: all.cycles as c_longlong,
            moves: all.moves as c_longlong,
            moved_load: all.moved_load as c_longlong,
            fetched_bytes: all.fetched_bytes as c_longlong,
            released_bytes: all.released_bytes as c_longlong,
            busy_ns: all.busy_ns as c_longlong,
            wait_ns: all.wait_ns as c_longlong,
            prepared_larger: all.prepared_larger as c_longlong,
            prepared_smaller: all.prepared_smaller as c_longlong,
            prepared_bytes: all.prepared_bytes as c_longlong,
            set_up_ns: all.set_up_ns as c_longlong,
            hidden_ns: all.hidden_ns as c_longlong,
            first_load_balance: all.first_load_balance,
            last_load_balance: all.last_load_balance,
            window_slots: all.window_slots as c_longlong,
            cache_ways: all.cache.ways[0].into(),
            cache_all_ways: all.cache.ways[1].into(),
            cache: cache_words(&all.cache),
            housekeeping_ns: all.housekeeping_ns as c_longlong,
            clock: string(partition.clock().name()),
            decided: all.decided as c_longlong,
            read_bytes: all.read_bytes as c_longlong,
        };
        // SAFETY: as the caller vouches.
        unsafe { store(statistics, all, "statistics") }
    })
}
