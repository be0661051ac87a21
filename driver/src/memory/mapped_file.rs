//! A file whose bytes are read where they lie: a rank's portion of a data storage.
//!
//! Before: a partition's items come from a file. After: each rank has the address of every item, and
//! the bytes of its own are read ahead.
//!
//! | a page is | becomes | by |
//! |---|---|---|
//! | in the file | read | a look at it; [`MappedFile::read`] |
//! | read        | in the file | [`MappedFile::forget`], for whole pages |
//!
//! Invariant: the mapping is read-only and ends where the file ended when it was made. Who makes a
//! file shorter meanwhile takes these bytes away, and a look at them ends the process (SIGBUS), as
//! with any mapped file.

use std::fs::File;
use std::ops::Range;
use std::path::Path;

use memmap2::{Advice, Mmap, MmapOptions, UncheckedAdvice};
use pamir_shm::segment::PAGE_BYTES;

/// A file that is mapped for reading.
#[derive(Debug)]
pub struct MappedFile(Mmap);

impl MappedFile {
    /// Maps the file at `path`.
    ///
    /// # Errors
    ///
    /// What the system says: no such file, no permission, no memory.
    pub fn open(path: &Path) -> std::io::Result<Self> {
        let file = File::open(path)?;
        // SAFETY: the mapping is handed out as an address only, never as a Rust slice, so nothing
        // here relies on bytes that somebody else may change in the file.
        let map = unsafe { MmapOptions::new().map(&file)? };
        Ok(Self(map))
    }

    /// Its first byte.
    pub fn base(&self) -> *const u8 {
        self.0.as_ptr()
    }

    /// How many bytes it has.
    pub fn bytes(&self) -> usize {
        self.0.len()
    }

    /// Reads bytes `range`; how many bytes that are.
    pub fn read(&self, range: Range<usize>) -> usize {
        let start = range.start.min(self.bytes()) / PAGE_BYTES * PAGE_BYTES;
        let end = range.end.min(self.bytes());
        if start >= end {
            return 0;
        }
        // An older kernel does not know the first, and then reads ahead by itself.
        let populated = self
            .0
            .advise_range(Advice::PopulateRead, start, end - start);
        if populated.is_err() {
            let _ = self.0.advise_range(Advice::WillNeed, start, end - start);
        }
        range.end.min(self.bytes()) - range.start.min(self.bytes())
    }

    /// Lets go of the pages that lie in bytes `range` as a whole; they are read again where somebody
    /// looks at them.
    pub fn forget(&self, range: Range<usize>) {
        let start = range.start.min(self.bytes()).next_multiple_of(PAGE_BYTES);
        let end = range.end.min(self.bytes()) / PAGE_BYTES * PAGE_BYTES;
        if start < end {
            // SAFETY: the pages lie in a mapping that is never written, so they come back from the
            // file as they were.
            let forgotten = unsafe {
                self.0
                    .unchecked_advise_range(UncheckedAdvice::DontNeed, start, end - start)
            };
            // What the kernel refuses stays, and costs nothing but memory.
            let _ = forgotten;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_from_the_file_also_after_they_were_forgotten() {
        let path = std::env::temp_dir().join(format!("pamir-mapped-{}", std::process::id()));
        let bytes: Vec<u8> = (0..3 * PAGE_BYTES + 100).map(|at| at as u8 ^ 5).collect();
        std::fs::write(&path, &bytes).unwrap();
        let file = MappedFile::open(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(file.bytes(), bytes.len());
        assert_eq!(file.read(10..PAGE_BYTES + 7), PAGE_BYTES - 3);
        assert_eq!(file.read(3 * PAGE_BYTES..usize::MAX), 100);
        file.forget(0..bytes.len());
        // SAFETY: the mapping has that byte, and nobody changes the file.
        let at = |place: usize| unsafe { file.base().add(place).read() };
        assert!((0..bytes.len()).all(|place| at(place) == bytes[place]));
        assert!(MappedFile::open(&path).is_err());
    }
}
