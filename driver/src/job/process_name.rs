//! What a process is called by another one: its number, where that means the same to both.
//!
//! Before: a rank claims its place ([`crate::job`]), and publishes a word. After: who wants to copy from its memory, map its
//! heap or ask whether it has ended gets its number, or learns that it has none here.
//!
//! A number names a process within a PID namespace. Ranks in containers of their own have the same numbers, and the kernel
//! would copy from the process that has that number here, without an error. The word therefore has the namespace's inode beside the
//! number, and says nothing to a process of another namespace: that one goes on as where the kernel refuses.
//!
//! ```text
//! bits  0..32   the process's number in its namespace
//! bits 32..64   the namespace's inode, 0 if the process cannot tell
//! ```

use std::os::unix::fs::MetadataExt;
use std::sync::OnceLock;

/// The inode of this process's PID namespace; nothing where `/proc` does not say. A process never changes it.
fn own_namespace() -> Option<u32> {
    static OWN: OnceLock<Option<u32>> = OnceLock::new();
    *OWN.get_or_init(|| {
        let status = std::fs::metadata("/proc/self/ns/pid").ok()?;
        u32::try_from(status.ino()).ok().filter(|inode| *inode != 0)
    })
}

/// This process's word; never 0.
pub fn own() -> u64 {
    u64::from(std::process::id()) | u64::from(own_namespace().unwrap_or(0)) << 32
}

/// The number in a word, for messages.
pub fn number(word: u64) -> u64 {
    u64::from(word as u32)
}

/// Whether the process of a word has a number that means the same here.
#[inline]
pub fn is_known_here(word: u64) -> bool {
    let namespace = (word >> 32) as u32;
    own_namespace().is_some_and(|own| own == namespace)
}

/// The number by which this process may call the process of a word.
#[inline]
pub fn number_here(word: u64) -> Option<i32> {
    let number = i32::try_from(number(word)).ok()?;
    (number > 0 && is_known_here(word)).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_means_something_in_its_own_namespace_only() {
        let own = own();
        assert_eq!(number_here(own), Some(std::process::id() as i32));
        assert_eq!(number(own), u64::from(std::process::id()));
        let elsewhere = own ^ 1 << 32;
        assert!(!is_known_here(elsewhere) && number_here(elsewhere).is_none());
        let neighbour = own ^ 2;
        assert_eq!(number_here(neighbour), Some(std::process::id() as i32 ^ 2));
        assert_eq!(number_here(0), None);
    }
}
