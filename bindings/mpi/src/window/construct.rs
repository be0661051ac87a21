//! Making and freeing windows (MPI-5.0 section 12.2).
//!
//! Before: all ranks of a communicator call for a window. After: each knows where every one's memory lies, and has mapped what can be.
//!
//! ```text
//! duplicate the communicator ─▶ everybody's size, unit and region ─▶ rank 0 takes a range of the job's file for all
//!                             ─▶ each maps it ─▶ all have
//!
//! the range   │ words │ rank 0's part │ rank 1's part │ ...
//! parts       at pages, or side by side where the program may count on that (MPI_Win_allocate_shared)
//! ```
//!
//! Step before: the C layer has checked the arguments. Step after: [`super::Window`].
//!
//! Invariants: all ranks agree whether the window is there; a range that one could not map is given back.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::rc::Rc;
use std::sync::Arc;

use pamir_driver::binding::prefer_own_node;
use pamir_driver::job::{FileRange, JobError};
use pamir_driver::memory::peer_heap;
use pamir_driver::unit::UnitError;
use pamir_shm::segment::mapped::Mapped;
use pamir_shm::segment::offset::Offset;
use pamir_shm::segment::{PAGE_BYTES, Segment};
use pamir_shm::window::attached::AttachedTable;
use pamir_shm::window::mapped::WindowWords;
use pamir_transport::one_sided::memory_region::{DESCRIPTION_BYTES, MemoryRegion};
use pamir_transport::one_sided::window::{Members, Part, Window as Memory};

use super::allocation::Home;
use super::error::WindowConstructError;
use super::{Flavor, Fresh, Window};
use crate::communicator::Communicator;
use crate::communicator::construct::{duplicate, gather_numbers};
use crate::info::Info;
use crate::process::Process;

/// What a rank brings to a window.
#[derive(Clone, Copy, Debug)]
pub struct Wish {
    /// How the window is made.
    pub flavor: Flavor,
    /// The program's memory, for [`Flavor::Create`].
    pub base: *mut u8,
    /// Bytes of this rank's part.
    pub bytes: u64,
    /// Bytes that a displacement counts.
    pub unit: u64,
    /// Where the program's memory lies in the job's file, if it does.
    pub home: Option<Home>,
    /// Parts begin at such a multiple; 1 where they lie side by side. Rank 0's is taken for all.
    pub alignment: u64,
}

/// What another rank has said of its part.
struct Told {
    bytes: u64,
    unit: u64,
    alignment: u64,
    region: MemoryRegion,
    home: Option<Home>,
}

/// Size, unit and alignment; the region; the home's range and place, of no length where there is none.
const NUMBERS: usize = 6 + DESCRIPTION_BYTES / 8;

fn told(numbers: &[i64]) -> Told {
    let mut region = [0; DESCRIPTION_BYTES];
    for (place, number) in region.chunks_exact_mut(8).zip(&numbers[6..]) {
        place.copy_from_slice(&number.to_ne_bytes());
    }
    let [start, length, offset] = [3, 4, 5].map(|at| numbers[at] as u64);
    let range = FileRange {
        start,
        bytes: length,
    };
    Told {
        bytes: numbers[0] as u64,
        unit: numbers[1] as u64,
        alignment: numbers[2] as u64,
        region: MemoryRegion::from_bytes(region),
        home: (length > 0).then_some(Home { range, offset }),
    }
}

fn tell(wish: &Wish, region: MemoryRegion) -> [i64; NUMBERS] {
    let home = wish.home.map_or([0; 3], |home| {
        [home.range.start, home.range.bytes, home.offset]
    });
    let sizes = [wish.bytes, wish.unit, wish.alignment];
    let mut numbers = [0; NUMBERS];
    let (first, region_numbers) = numbers.split_at_mut(6);
    for (number, word) in first.iter_mut().zip(sizes.into_iter().chain(home)) {
        *number = word as i64;
    }
    for (number, bytes) in region_numbers
        .iter_mut()
        .zip(region.to_bytes().as_chunks().0)
    {
        *number = i64::from_ne_bytes(*bytes);
    }
    numbers
}

/// Makes a window that all ranks of `parent` call for.
///
/// # Safety
///
/// With [`Flavor::Create`], the memory at `wish.base` is readable and writable until the window is freed; others write to it
/// whenever the program's epochs let them.
///
/// # Errors
///
/// [`WindowConstructError`]; all ranks fail alike where it is about memory or nodes.
pub unsafe fn make(
    process: &Process,
    parent: &Communicator,
    wish: Wish,
    hints: Info,
) -> Result<Rc<Window>, WindowConstructError> {
    check_nodes(process, parent)?;
    let communicator = duplicate(process, parent)?;
    let context = process.context();
    let region = match wish.flavor {
        // SAFETY: the caller vouches for the memory, until the window is freed, which deregisters it.
        Flavor::Create => unsafe { context.register(wish.base, wish.bytes as usize) },
        Flavor::Dynamic => {
            // SAFETY: ranks of one job attach what they mean to be reached, and name addresses of that.
            unsafe { context.open_memory() };
            MemoryRegion::everything()
        }
        Flavor::Allocate | Flavor::Shared => MemoryRegion::everything(),
    };
    let all = gather_numbers(process, &communicator, &tell(&wish, region))?;
    let all: Vec<Told> = all.iter().map(|numbers| told(numbers)).collect();
    let allocates = matches!(wish.flavor, Flavor::Allocate | Flavor::Shared);
    let lengths = all.iter().map(|told| match wish.flavor {
        Flavor::Allocate | Flavor::Shared => told.bytes,
        Flavor::Dynamic => size_of::<AttachedTable>() as u64,
        Flavor::Create => 0,
    });
    let (starts, bytes) =
        places(lengths, all[0].alignment.max(1)).ok_or(WindowConstructError::TooLong)?;
    let range = agree_on_range(process, &communicator, bytes)?;
    let memory = map(process, &communicator, range).inspect_err(|_| {
        if communicator.rank() == 0 {
            // What is not given back is the job's until that ends.
            let _ = process.context().job().free_window_memory(range);
        }
    })?;
    let rank = communicator.rank();
    if allocates {
        prefer_own_node(
            memory.base().wrapping_add(starts[rank] as usize),
            all[rank].bytes as usize,
        );
    }
    let tasks: Vec<usize> = (0..communicator.size())
        .map(|rank| communicator.peer_task(rank))
        .collect();
    let mut homes = Homes::default();
    let part = |(other, told): (usize, &Told)| {
        let here = match wish.flavor {
            Flavor::Allocate | Flavor::Shared => {
                Some(memory.base().wrapping_add(starts[other] as usize))
            }
            Flavor::Create if other == rank => Some(wish.base),
            Flavor::Create => homes
                .place(process, told)
                .or_else(|| in_heap(process, tasks[other], told)),
            Flavor::Dynamic => (other == rank).then_some(std::ptr::null_mut()),
        };
        let region = match here {
            Some(base) if allocates => MemoryRegion::at(base, told.bytes),
            _ => told.region,
        };
        Part {
            region,
            unit: told.unit,
            here,
        }
    };
    let parts = all.iter().enumerate().map(part).collect();
    let tables = starts.iter().filter(|_| wish.flavor == Flavor::Dynamic);
    let attached = tables
        .map(|start| Mapped::new(&memory, Offset::new(*start)))
        .collect::<Result<_, _>>()
        .map_err(UnitError::from)?;
    let members = Members {
        tasks,
        rank,
        parts,
        attached,
    };
    let memory = Memory::new(context, memory, range.start, members)?;
    if pamir_settings::EXPLAIN_SENDS.value() {
        explain(process, wish.flavor, &memory);
    }
    let registered = (wish.flavor == Flavor::Create).then_some(region);
    let fresh = Fresh {
        memory,
        communicator,
        range,
        region: registered,
        homes: homes.0.into_values().collect(),
    };
    Ok(Rc::new(fresh.into_window(wish.flavor, hints)))
}

/// Says how the parts of a window are reached from this rank.
fn explain(process: &Process, flavor: Flavor, window: &Memory) {
    let (rank, context) = (window.rank(), process.context());
    let mut text = format!(
        "pamir: rank {rank} of a window made by {}\n",
        flavor.function()
    );
    for target in 0..window.size() {
        let way = window.way(context, target);
        text += &format!(
            "  rank {target}: {} bytes, {way}\n",
            window.part(target).region.bytes()
        );
    }
    // Nobody can be told that this fails.
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Frees a window, which all ranks call for: nobody reaches it from here on.
///
/// # Errors
///
/// [`WindowConstructError`] if the ranks cannot talk to each other.
pub fn free(process: &Process, window: &Window) -> Result<(), WindowConstructError> {
    let communicator = window.communicator();
    // From here on nobody writes to the window's words by itself.
    window.memory().end(process.context());
    // What all have done before is over for all.
    gather_numbers(process, communicator, &[0])?;
    window.forget(process.context());
    report(process, window.memory());
    if communicator.rank() == 0 {
        // Memory that the kernel does not take back is the job's until that ends.
        let _ = process.context().job().free_window_memory(window.range);
    }
    Ok(())
}

/// Says what this rank did for others, where the driver reports.
fn report(process: &Process, window: &Memory) {
    if window.served() > 0 && pamir_settings::DRIVER_REPORT.value() {
        let text = format!(
            "pamir: rank {}: {} accesses of others to its part of a window were done while it waited\n",
            process.context().task(),
            window.served()
        );
        // Nobody can be told that this fails.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
}

fn check_nodes(process: &Process, parent: &Communicator) -> Result<(), WindowConstructError> {
    let (job, first) = (process.context().job(), parent.peer_task(0));
    let apart = |rank: &usize| !job.shares_memory(first, parent.peer_task(*rank));
    match (1..parent.size()).find(apart) {
        None => Ok(()),
        Some(other) => Err(WindowConstructError::NodesApart { one: 0, other }),
    }
}

/// Where each part begins behind the words, and the bytes of all.
fn places(lengths: impl Iterator<Item = u64> + Clone, alignment: u64) -> Option<(Vec<u64>, u64)> {
    let members = lengths.clone().count();
    let mut end = WindowWords::bytes(members).next_multiple_of(PAGE_BYTES as u64);
    let mut starts = Vec::with_capacity(members);
    for length in lengths {
        let start = end.checked_next_multiple_of(alignment)?;
        starts.push(start);
        end = start.checked_add(length)?;
    }
    let bytes = end.checked_next_multiple_of(PAGE_BYTES as u64)?;
    (bytes < 1 << 63).then_some((starts, bytes))
}

/// Rank 0 takes a range for all.
fn agree_on_range(
    process: &Process,
    communicator: &Communicator,
    bytes: u64,
) -> Result<FileRange, WindowConstructError> {
    let job = process.context().job();
    let taken = (communicator.rank() == 0).then(|| job.take_window_memory(bytes));
    let start = match &taken {
        Some(Ok(range)) => range.start as i64,
        _ => -1,
    };
    let all = gather_numbers(process, communicator, &[start])?;
    match (taken, all[0][0]) {
        (Some(Err(error)), _) => Err(WindowConstructError::Memory(error)),
        (_, -1) => Err(WindowConstructError::MemoryElsewhere { rank: 0 }),
        (_, start) => Ok(FileRange {
            start: start as u64,
            bytes,
        }),
    }
}

/// Maps the range at all ranks, or at none.
fn map(
    process: &Process,
    communicator: &Communicator,
    range: FileRange,
) -> Result<Arc<Segment>, WindowConstructError> {
    let mapped: Result<_, JobError> = process.context().job().map_window_memory(range);
    let all = gather_numbers(process, communicator, &[i64::from(mapped.is_ok())])?;
    let without = all.iter().position(|done| done[0] == 0);
    match (mapped, without) {
        (Err(error), _) => Err(WindowConstructError::Memory(error)),
        (Ok(_), Some(rank)) => Err(WindowConstructError::MemoryElsewhere { rank }),
        (Ok(memory), None) => Ok(memory),
    }
}

/// The chunks that parts of others lie in, mapped here once each.
#[derive(Default)]
struct Homes(BTreeMap<u64, Arc<Segment>>);

impl Homes {
    /// Where another rank's part is here, if it lies in the job's file.
    fn place(&mut self, process: &Process, told: &Told) -> Option<*mut u8> {
        let home = told.home?;
        let end = home.offset.checked_add(told.bytes)?;
        if end > home.range.bytes {
            return None;
        }
        let segment = match self.0.get(&home.range.start) {
            Some(segment) => segment.clone(),
            None => process.context().job().map_window_memory(home.range).ok()?,
        };
        let base = segment.base().wrapping_add(home.offset as usize);
        self.0.insert(home.range.start, segment);
        Some(base)
    }
}

/// Memory of another rank's process, if it lies in a heap that is mapped here.
fn in_heap(process: &Process, task: usize, told: &Told) -> Option<*mut u8> {
    let number = process.context().job().process(task)?;
    let address = told.region.address_of(0, 0)? as u64;
    let mapped = peer_heap::mapped(number, address, told.bytes as usize)?;
    // What is known of a process's heap stays until this process ends.
    Some(mapped.start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_lie_side_by_side_or_at_pages() {
        let words = WindowWords::bytes(3).next_multiple_of(4096);
        let lengths = [5, 0, 10_000];
        let (starts, bytes) = places(lengths.into_iter(), 1).unwrap();
        assert_eq!(starts, [words, words + 5, words + 5]);
        assert_eq!(bytes, (words + 10_005).next_multiple_of(4096));
        let (starts, bytes) = places(lengths.into_iter(), 4096).unwrap();
        assert_eq!(starts, [words, words + 4096, words + 4096]);
        assert_eq!(bytes, words + 4096 + 12_288);
        assert_eq!(places([u64::MAX, 7].into_iter(), 4096), None);
        assert_eq!(places([1 << 63].into_iter(), 1), None);
    }

    const HOME: Home = Home {
        range: FileRange {
            start: 1 << 50,
            bytes: 4096,
        },
        offset: 64,
    };

    #[test]
    fn what_is_told_is_understood() {
        let mut memory = [0_u8; 10];
        let region = MemoryRegion::at(memory.as_mut_ptr(), 10);
        let wish = Wish {
            flavor: Flavor::Create,
            base: memory.as_mut_ptr(),
            bytes: 10,
            unit: 4,
            home: Some(HOME),
            alignment: 1,
        };
        let numbers = tell(&wish, region);
        let heard = told(&numbers);
        assert_eq!((heard.bytes, heard.unit, heard.region), (10, 4, region));
        assert_eq!(heard.home, Some(HOME));
    }
}
