//! A file whose items belong to the ranks that have them: each reads its portion by itself.
//!
//! Before: ranges are divided, or have changed. After: each member has read the items that are new to
//! it, from the file and not from the member that had them, and has let go of those it lost.
//!
//! ```text
//! file     │ offset │ item 0 │ item 1 │ ...            │ the same addresses at each member
//! member 1            └──── read ────┘
//! ```
//!
//! For data that is read only; what members change moves with [`super::array`]. Invariant: every item
//! lies in the file.

use std::ops::Range;
use std::path::{Path, PathBuf};

use pamir_driver::memory::mapped_file::MappedFile;

use super::error::BalanceError;
use super::shape::Shape;

/// A file of items.
#[derive(Debug)]
pub struct Source {
    shape: Shape,
    offset: usize,
    file: MappedFile,
}

impl Source {
    /// The file at `path`, in which item 0 begins at byte `offset`.
    ///
    /// # Errors
    ///
    /// [`BalanceError::File`], [`BalanceError::FileTooShort`] and [`BalanceError::ArrayTooLarge`].
    pub fn open(path: &Path, offset: u64, shape: Shape) -> Result<Self, BalanceError> {
        let named = || PathBuf::from(path);
        let file = MappedFile::open(path).map_err(|source| BalanceError::File {
            path: named(),
            source,
        })?;
        let bytes = shape.bytes().ok_or(BalanceError::ArrayTooLarge { shape })?;
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        let needed = offset.saturating_add(bytes);
        if file.bytes() < needed {
            return Err(BalanceError::FileTooShort {
                path: named(),
                bytes: file.bytes(),
                needed,
            });
        }
        Ok(Self {
            shape,
            offset,
            file,
        })
    }

    /// Item 0's address.
    pub fn base(&self) -> *const u8 {
        self.file.base().wrapping_add(self.offset)
    }

    fn bytes_of(&self, items: &Range<u64>) -> Range<usize> {
        let bytes = self.shape.bytes_of(items, self.shape.border);
        self.offset + bytes.start..self.offset + bytes.end
    }

    /// Reads the items of `after`, and the border beside them, that were not of `before`, and lets go
    /// of those that are no more; how many bytes were read.
    pub fn follow(&self, before: &Range<u64>, after: &Range<u64>) -> usize {
        let [old, new] = [before, after].map(|items| match items.is_empty() {
            true => 0..0,
            false => self.bytes_of(items),
        });
        for part in less(&old, &new) {
            self.file.forget(part);
        }
        less(&new, &old)
            .map(|part| self.file.read(part))
            .iter()
            .sum()
    }
}

/// What of `one` is not in `other`: below it, and above.
fn less(one: &Range<usize>, other: &Range<usize>) -> [Range<usize>; 2] {
    if other.is_empty() {
        return [one.clone(), 0..0];
    }
    let below = one.start..one.end.min(other.start);
    let above = one.start.max(other.end)..one.end;
    [below, above].map(|part| if part.is_empty() { 0..0 } else { part })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_new_lies_below_or_above_what_was_there() {
        assert_eq!(less(&(2..9), &(4..6)), [2..4, 6..9]);
        assert_eq!(less(&(2..9), &(0..20)), [0..0, 0..0]);
        assert_eq!(less(&(2..9), &(20..30)), [2..9, 0..0]);
        assert_eq!(less(&(22..29), &(2..3)), [0..0, 22..29]);
        assert_eq!(less(&(2..9), &(0..0)), [2..9, 0..0]);
    }
}
