//! Segments: shared memory without a name.
//!
//! A segment is a memfd, so nothing can leak: the kernel frees it when the last
//! process that holds it ends, however it ends. The creator seals its size, so
//! that no peer can shrink it and make another fault (SIGBUS).
//!
//! No mapping of a segment goes into a core: what is shared is not this process's alone, each rank
//! would write it again, and a dump makes memory of all pages that nobody has touched.
//!
//! A mapping begins where a huge page would begin at the same byte of the file, so that parts of it can be put into huge
//! pages (`make_huge`): a private reservation is a little longer, and the file is mapped into it.
//!
//! Invariants: a mapping never changes its address or length; every access goes
//! through [`Segment::get`] or [`Segment::bytes_at`], which check bounds and
//! alignment, because an offset may have come from a peer.

pub mod header;
pub mod mapped;
pub mod offset;

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use memmap2::{MmapOptions, MmapRaw};
use nix::fcntl::{FcntlArg, SealFlag, fcntl};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::resource::{Resource, getrlimit};

use crate::refusal::Refusal;
use crate::segment::offset::Offset;
use crate::shareable::Shareable;

/// The size of a page, in bytes.
pub const PAGE_BYTES: usize = 4096;

/// Bytes of a huge page. Where they are longer, less of them is had.
pub const HUGE_PAGE_BYTES: usize = 2 << 20;

/// Longer than a huge page takes where the kernel has one: it had to move other memory out of the way.
const PATIENCE: Duration = Duration::from_millis(1);

/// Why a segment could not be made, mapped or looked into.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SegmentError {
    /// The kernel would not make the memory.
    #[error(
        "cannot make {bytes} bytes of shared memory by {call}: {}",
        Refusal::of(source)
    )]
    Create {
        /// The system call that was refused.
        call: &'static str,
        /// Size asked for.
        bytes: u64,
        /// What the kernel said.
        source: std::io::Error,
    },
    /// Files may not become so long.
    #[error(
        "cannot make {bytes} bytes of shared memory: a file may have {limit_bytes} (ulimit -f); raise that limit"
    )]
    FileSize {
        /// Size asked for.
        bytes: u64,
        /// The limit.
        limit_bytes: u64,
    },
    /// The kernel would not map it.
    #[error("cannot map a segment of {bytes} bytes: {}", Refusal::of(source))]
    Map {
        /// Size asked for.
        bytes: u64,
        /// What the kernel said.
        source: std::io::Error,
    },
    /// The file descriptor is not a segment.
    #[error("file descriptor {descriptor} holds no segment: {reason}")]
    NotASegment {
        /// The descriptor's number.
        descriptor: i32,
        /// Why not.
        reason: String,
    },
    /// An offset points outside of the segment, or is not aligned for its type.
    #[error(
        "offset {offset} of {bytes} bytes does not lie in a segment of {segment_bytes} bytes at an alignment of {alignment}"
    )]
    OutOfBounds {
        /// The offset, in bytes.
        offset: u64,
        /// Bytes that were to be accessed.
        bytes: u64,
        /// The segment's size.
        segment_bytes: u64,
        /// The alignment that the type needs.
        alignment: usize,
    },
}

/// Shared memory, mapped into this process.
#[derive(Debug)]
pub struct Segment {
    /// Other parts of the file have it too.
    descriptor: Arc<OwnedFd>,
    /// Length of the whole file, which does not change.
    file_bytes: u64,
    /// What the segment is mapped into; it goes with it.
    reservation: MmapRaw,
    /// Where the segment begins in that, in bytes.
    begin: usize,
    length: usize,
    /// Whether nothing of it is put into huge pages.
    stays_small: AtomicBool,
}

impl Segment {
    /// Makes a segment of `bytes` zeros. The memory exists once it is touched.
    ///
    /// The descriptor is close-on-exec; a launcher clears that for its ranks.
    pub fn create(bytes: u64) -> Result<Self, SegmentError> {
        Self::create_with_room(bytes, &[])
    }

    /// As [`Self::create`], but the file is as long as the first of `lengths` that the kernel
    /// allows, each of them no longer than this process's files may be, and only the first `bytes` bytes are mapped: the rest is there for [`Self::attach_part`]. Where it
    /// allows none, the file ends with the mapped part.
    pub fn create_with_room(bytes: u64, lengths: &[u64]) -> Result<Self, SegmentError> {
        let failed = |call, source| SegmentError::Create {
            call,
            bytes,
            source,
        };
        let flags = MFdFlags::MFD_CLOEXEC | MFdFlags::MFD_ALLOW_SEALING;
        let descriptor =
            memfd_create(c"pamir", flags).map_err(|errno| failed("memfd_create", errno.into()))?;
        let file = std::fs::File::from(descriptor);
        // Beyond the limit there would be SIGXFSZ, which ends a process that does not expect it.
        let (limit_bytes, _) =
            getrlimit(Resource::RLIMIT_FSIZE).map_err(|errno| failed("getrlimit", errno.into()))?;
        if bytes > limit_bytes {
            return Err(SegmentError::FileSize { bytes, limit_bytes });
        }
        set_length(
            &file,
            bytes,
            lengths.iter().map(|length| (*length).min(limit_bytes)),
        )
        .map_err(|error| failed("ftruncate", error))?;
        let descriptor = OwnedFd::from(file);
        let seals = SealFlag::F_SEAL_SHRINK | SealFlag::F_SEAL_GROW | SealFlag::F_SEAL_SEAL;
        fcntl(&descriptor, FcntlArg::F_ADD_SEALS(seals))
            .map_err(|errno| failed("fcntl", errno.into()))?;
        let (descriptor, file_bytes) = Self::sealed(descriptor)?;
        Self::map(Arc::new(descriptor), file_bytes, (0, bytes))
    }

    /// Maps the segment behind `descriptor`, whose size must be sealed.
    pub fn attach(descriptor: OwnedFd) -> Result<Self, SegmentError> {
        let (descriptor, bytes) = Self::sealed(descriptor)?;
        Self::map(Arc::new(descriptor), bytes, (0, bytes))
    }

    /// Maps `bytes` bytes from byte `start` (a multiple of the page size) on of the segment
    /// behind `descriptor`, as a segment of its own.
    pub fn attach_part(descriptor: OwnedFd, start: u64, bytes: u64) -> Result<Self, SegmentError> {
        let (descriptor, file_bytes) = Self::sealed(descriptor)?;
        Self::map_within(Arc::new(descriptor), file_bytes, (start, bytes))
    }

    /// Maps another part of the file that this segment is part of, as [`Self::attach_part`] does.
    ///
    /// # Errors
    ///
    /// [`SegmentError::OutOfBounds`] where the file ends before it; [`SegmentError::Map`].
    pub fn attach_more(&self, start: u64, bytes: u64) -> Result<Self, SegmentError> {
        Self::map_within(
            Arc::clone(&self.descriptor),
            self.file_bytes,
            (start, bytes),
        )
    }

    fn map_within(
        descriptor: Arc<OwnedFd>,
        file_bytes: u64,
        (start, bytes): (u64, u64),
    ) -> Result<Self, SegmentError> {
        if start.checked_add(bytes).is_none_or(|end| end > file_bytes) {
            return Err(SegmentError::OutOfBounds {
                offset: start,
                bytes,
                segment_bytes: file_bytes,
                alignment: PAGE_BYTES,
            });
        }
        Self::map(descriptor, file_bytes, (start, bytes))
    }

    /// The descriptor, once it is seen that its size is sealed, and its size.
    fn sealed(descriptor: OwnedFd) -> Result<(OwnedFd, u64), SegmentError> {
        let number = descriptor.as_raw_fd();
        let refused = |reason: String| SegmentError::NotASegment {
            descriptor: number,
            reason,
        };
        let seals = fcntl(&descriptor, FcntlArg::F_GET_SEALS)
            .map_err(|errno| refused(format!("it has no seals ({})", errno.desc())))?;
        if !SealFlag::from_bits_truncate(seals).contains(SealFlag::F_SEAL_SHRINK) {
            return Err(refused("its size is not sealed".into()));
        }
        let file = std::fs::File::from(descriptor);
        let bytes = file
            .metadata()
            .map_err(|error| refused(error.to_string()))?
            .len();
        Ok((OwnedFd::from(file), bytes))
    }

    fn map(
        descriptor: Arc<OwnedFd>,
        file_bytes: u64,
        (start, bytes): (u64, u64),
    ) -> Result<Self, SegmentError> {
        let length = usize::try_from(bytes).unwrap_or(usize::MAX);
        let failed = |source| SegmentError::Map { bytes, source };
        let aligned = map_aligned(&descriptor, start, length);
        let (reservation, begin) = aligned.map_or_else(
            || {
                let options = MmapOptions::new().offset(start).len(length).to_owned();
                let plain = options.map_raw(&*descriptor).map_err(failed)?;
                Ok::<_, SegmentError>((plain, 0))
            },
            Ok,
        )?;
        let whole = reservation.len();
        // SAFETY: the range is the new mapping's; this advice is about cores only, and may be refused.
        unsafe { libc::madvise(reservation.as_mut_ptr().cast(), whole, libc::MADV_DONTDUMP) };
        Ok(Self {
            descriptor,
            file_bytes,
            reservation,
            begin,
            length,
            stays_small: AtomicBool::new(false),
        })
    }

    /// Size in bytes.
    pub fn bytes(&self) -> u64 {
        self.length as u64
    }

    /// Length of the whole file that this is part of.
    pub fn file_bytes(&self) -> u64 {
        self.file_bytes
    }

    /// The descriptor, to be inherited by another process.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }

    /// The first byte in this process.
    pub fn base(&self) -> *mut u8 {
        self.reservation.as_mut_ptr().wrapping_add(self.begin)
    }

    /// Looks at the `T` at `offset`.
    pub fn get<T: Shareable>(&self, offset: Offset<T>) -> Result<&T, SegmentError> {
        let address = self.checked(offset.bytes(), size_of::<T>() as u64, align_of::<T>())?;
        // SAFETY: `checked` saw that the whole `T` lies in the mapping, aligned; the
        // mapping lives as long as `self`; `Shareable` promises that any bytes are a
        // value and that what a peer may change meanwhile is atomic.
        Ok(unsafe { &*address.cast::<T>() })
    }

    /// The first of `bytes` bytes at `offset`, aligned to a line of 64 bytes.
    pub fn bytes_at(&self, offset: u64, bytes: u64) -> Result<*mut u8, SegmentError> {
        self.checked(offset, bytes, 64)
    }

    /// Has the kernel give the pages of `bytes` bytes from `start` on at once. Where it does not know
    /// how (before Linux 5.14), or there is no memory, they come with their first use, as all others
    /// do; bytes outside of the segment are left alone.
    #[cold]
    pub(crate) fn make_ready(&self, start: *mut u8, bytes: usize) {
        let from = start.addr().wrapping_sub(self.base().addr());
        let first = from / PAGE_BYTES * PAGE_BYTES;
        if from >= self.bytes() as usize || bytes > self.bytes() as usize - from {
            return;
        }
        let first_page = self.base().wrapping_add(first);
        // SAFETY: the range was just seen to lie in the mapping, which is there for reading and
        // writing as long as `self`; populating changes no byte.
        unsafe {
            libc::madvise(
                first_page.cast(),
                from - first + bytes,
                libc::MADV_POPULATE_WRITE,
            )
        };
    }

    /// Asks for transparent huge pages in `bytes` bytes at `offset`. Only advice: where
    /// the kernel does not offer them for shared memory, nothing changes.
    pub fn advise_huge_pages(&self, offset: u64, bytes: u64) {
        if let Ok(address) = self.bytes_at(offset, bytes) {
            // SAFETY: the range lies in this mapping; MADV_HUGEPAGE changes no contents.
            unsafe { libc::madvise(address.cast(), bytes as usize, libc::MADV_HUGEPAGE) };
        }
    }

    /// Nothing of this segment is put into huge pages by this process.
    pub fn stay_small(&self) {
        self.stays_small.store(true, Ordering::Relaxed);
    }

    /// Has the kernel put `bytes` bytes from `start` on into huge pages, all of them there at once; whether it did. They
    /// must begin and end where huge pages do. Once it took the kernel long to find one, no more are asked for.
    #[cold]
    pub(crate) fn make_huge(&self, start: *mut u8, bytes: usize) -> bool {
        let from = start.addr().wrapping_sub(self.base().addr());
        let whole =
            start.addr().is_multiple_of(HUGE_PAGE_BYTES) && bytes.is_multiple_of(HUGE_PAGE_BYTES);
        let inside = from < self.length && bytes <= self.length - from;
        if !whole || !inside || bytes == 0 || self.stays_small.load(Ordering::Relaxed) {
            return false;
        }
        let begin = Instant::now();
        // SAFETY: the range was just seen to lie in the mapping, which is there as long as `self`; the kernel moves
        // what is in it to other memory, and changes no byte. Linux has this since 6.1; before, it is refused.
        let outcome = unsafe { libc::madvise(start.cast(), bytes, libc::MADV_COLLAPSE) };
        if begin.elapsed() > PATIENCE {
            self.stay_small();
        }
        outcome == 0
    }

    fn checked(&self, offset: u64, bytes: u64, alignment: usize) -> Result<*mut u8, SegmentError> {
        let ends = offset.checked_add(bytes);
        let inside = ends.is_some_and(|end| end <= self.bytes());
        if !inside || !offset.is_multiple_of(alignment as u64) {
            let segment_bytes = self.bytes();
            return Err(SegmentError::OutOfBounds {
                offset,
                bytes,
                segment_bytes,
                alignment,
            });
        }
        Ok(self.base().wrapping_add(offset as usize))
    }
}

/// Gives a file the first of `lengths` that the kernel allows, or the least.
fn set_length(
    file: &std::fs::File,
    least: u64,
    lengths: impl Iterator<Item = u64>,
) -> std::io::Result<()> {
    let allowed = lengths
        .map(|length| file.set_len(length))
        .find(Result::is_ok);
    allowed.unwrap_or_else(|| file.set_len(least))
}

/// Maps `length` bytes from byte `start` on of a file where huge pages of memory and of the file begin together: the
/// mapping around it, and where in that the file's bytes begin. None where that is no gain, or cannot be had.
fn map_aligned(descriptor: &OwnedFd, start: u64, length: usize) -> Option<(MmapRaw, usize)> {
    if length < HUGE_PAGE_BYTES {
        return None;
    }
    let whole = length.checked_add(2 * HUGE_PAGE_BYTES)?;
    let mut options = MmapOptions::new();
    let reservation = options.len(whole).no_reserve_swap().map_anon().ok()?;
    let reservation = MmapRaw::from(reservation);
    let base = reservation.as_mut_ptr();
    let first = base.addr().next_multiple_of(HUGE_PAGE_BYTES) - base.addr();
    let begin = first + (start % HUGE_PAGE_BYTES as u64) as usize;
    let file_start = libc::off_t::try_from(start).ok()?;
    // SAFETY: the range lies in the reservation, whose pages nobody has looked at: at most one huge page is before it,
    // and less than another one by where it begins. What takes its place goes with the reservation.
    let mapped = unsafe {
        libc::mmap(
            base.wrapping_add(begin).cast(),
            length,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED | libc::MAP_FIXED,
            descriptor.as_raw_fd(),
            file_start,
        )
    };
    (mapped != libc::MAP_FAILED).then_some((reservation, begin))
}

/// A descriptor of one's own for what is open under an inherited number. The number stays open:
/// another library of this process may look for it too.
///
/// # Errors
///
/// [`SegmentError::NotASegment`] if no file is open under that number.
pub fn inherited(number: i32) -> Result<OwnedFd, SegmentError> {
    // SAFETY: F_DUPFD_CLOEXEC only asks for a copy of a number's descriptor; any number may be
    // passed.
    let copy = unsafe { libc::fcntl(number, libc::F_DUPFD_CLOEXEC, 3) };
    if copy < 0 {
        return Err(SegmentError::NotASegment {
            descriptor: number,
            reason: "it is not open".to_owned(),
        });
    }
    // SAFETY: the copy was just made, and nothing else in the process knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(copy) })
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::atomic::{AtomicU64, Ordering};

    /// The flags of the mapping that has an address, as the kernel shows them.
    fn flags_at(address: *const u8) -> String {
        let maps = std::fs::read_to_string("/proc/self/smaps").expect("Linux has it");
        let number = |text: &str| usize::from_str_radix(text, 16).ok();
        let bounds = |line: &str| {
            let (start, rest) = line.split_once('-')?;
            number(start).zip(number(rest.split(' ').next()?))
        };
        let has = |line: &&str| {
            bounds(line).is_some_and(|(start, end)| (start..end).contains(&address.addr()))
        };
        let mut lines = maps.lines().skip_while(|line| !has(line));
        lines
            .find(|line| line.starts_with("VmFlags"))
            .expect("each mapping has flags")
            .to_owned()
    }

    #[test]
    fn a_part_is_put_into_huge_pages_only_where_they_begin() {
        let part = HUGE_PAGE_BYTES;
        let one = Segment::create(4 * part as u64).unwrap();
        let two = Segment::attach(one.descriptor().try_clone_to_owned().unwrap()).unwrap();
        let at = |segment: &Segment, offset| segment.bytes_at(offset as u64, part as u64).unwrap();
        for segment in [&one, &two] {
            assert!(segment.base().addr().is_multiple_of(part));
        }
        // SAFETY: the byte lies in the segment, and nobody else has it.
        unsafe { at(&one, part).write(7) };
        assert!(!one.make_huge(at(&one, part).wrapping_add(PAGE_BYTES), part));
        assert!(!one.make_huge(at(&one, part), part - PAGE_BYTES));
        assert!(!one.make_huge(at(&one, 3 * part), 2 * part));
        // Whether the kernel has one is its matter; what is in it stays.
        let _ = (
            one.make_huge(at(&one, part), part),
            two.make_huge(at(&two, part), part),
        );
        // SAFETY: as above.
        assert_eq!(unsafe { at(&two, part).read() }, 7);
        two.stay_small();
        assert!(!two.make_huge(at(&two, 0), part));
    }

    #[test]
    fn no_mapping_goes_into_a_core() {
        let made = Segment::create_with_room(4096, &[u64::MAX / 2 + 1, 16_384]).unwrap();
        let copy = || made.descriptor().try_clone_to_owned().unwrap();
        let mapped = [
            Segment::attach(copy()).unwrap(),
            Segment::attach_part(copy(), 8192, 4096).unwrap(),
        ];
        for segment in mapped.iter().chain([&made]) {
            let flags = flags_at(segment.base());
            assert!(flags.contains(" dd"), "{flags}");
        }
    }

    #[test]
    fn two_mappings_share_their_bytes() {
        let one = Segment::create(8192).unwrap();
        let two = Segment::attach(one.descriptor().try_clone_to_owned().unwrap()).unwrap();
        let word = Offset::<AtomicU64>::new(4096);
        one.get(word).unwrap().store(42, Ordering::Release);
        assert_eq!(two.get(word).unwrap().load(Ordering::Acquire), 42);
        assert_eq!(two.bytes(), 8192);
    }

    #[test]
    fn parts_of_a_segment_are_mapped_alone() {
        let one = Segment::create_with_room(4096, &[u64::MAX / 2 + 1, 16_384]).unwrap();
        assert_eq!(one.bytes(), 4096);
        let copy = || one.descriptor().try_clone_to_owned().unwrap();
        let (two, whole) = (
            Segment::attach_part(copy(), 8192, 4096).unwrap(),
            Segment::attach(copy()).unwrap(),
        );
        let word = |at| Offset::<AtomicU64>::new(at);
        two.get(word(64)).unwrap().store(42, Ordering::Release);
        let seen = whole.get(word(8192 + 64)).unwrap().load(Ordering::Acquire);
        assert_eq!((seen, two.bytes()), (42, 4096));
        for (start, bytes) in [(12_288, 8192), (u64::MAX - 4095, 8192)] {
            assert!(matches!(
                Segment::attach_part(copy(), start, bytes),
                Err(SegmentError::OutOfBounds { .. })
            ));
        }
    }

    #[test]
    fn offsets_are_checked() {
        let segment = Segment::create(4096).unwrap();
        assert!(segment.get(Offset::<AtomicU64>::new(4092)).is_err());
        assert!(segment.get(Offset::<AtomicU64>::new(4096)).is_err());
        assert!(segment.get(Offset::<AtomicU64>::new(4)).is_err());
        assert!(segment.get(Offset::<AtomicU64>::new(u64::MAX - 3)).is_err());
        assert!(segment.get(Offset::<AtomicU64>::new(4088)).is_ok());
        assert!(segment.bytes_at(64, u64::MAX).is_err());
    }

    #[test]
    fn only_sealed_memory_is_a_segment() {
        let file = memfd_create(c"other", MFdFlags::MFD_CLOEXEC).unwrap();
        assert!(matches!(
            Segment::attach(file),
            Err(SegmentError::NotASegment { .. })
        ));
        assert!(matches!(
            inherited(9999),
            Err(SegmentError::NotASegment {
                descriptor: 9999,
                ..
            })
        ));
    }
}
