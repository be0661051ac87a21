//! Sets of processing units as the kernel's scheduler takes them.
//!
//! Why a type of our own: the C library's fixed `cpu_set_t` ends at 1024 units, and the launcher
//! binds a child between fork and exec, where nothing may allocate. An [`AffinityMask`] is built
//! before the fork and applied after it.
//!
//! ```text
//! word 0: units 0..63   word 1: units 64..127   ...   bit b of word w = unit 64 * w + b
//! ```
//!
//! Step before: `binding::plan` chose the units. Step after: the scheduler.
//! This file is one of the few with `unsafe`: it calls `sched_getaffinity` and
//! `sched_setaffinity`.

use std::io;

const BITS: usize = u64::BITS as usize;

/// A set of processing units, by operating-system index, ready for the kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AffinityMask {
    words: Vec<u64>,
}

impl AffinityMask {
    /// The set with these units; an index given twice counts once.
    pub fn new(processing_units: &[u32]) -> AffinityMask {
        let highest = processing_units.iter().copied().max().unwrap_or(0) as usize;
        let mut words = vec![0u64; highest / BITS + 1];
        for &unit in processing_units {
            words[unit as usize / BITS] |= 1 << (unit as usize % BITS);
        }
        AffinityMask { words }
    }

    /// The units the calling thread may run on (affinity and cgroup cpuset together).
    pub fn of_current_thread() -> io::Result<AffinityMask> {
        AffinityMask::of_process(0)
    }

    /// The units the process (its main thread) may run on; 0 is the calling thread.
    pub fn of_process(process: libc::pid_t) -> io::Result<AffinityMask> {
        // The kernel refuses a mask shorter than its own number of units with EINVAL.
        let mut words = vec![0u64; 16];
        loop {
            let bytes = words.len() * size_of::<u64>();
            // SAFETY: the pointer is to `words`, writable and `bytes` long; the kernel writes at
            // most `bytes` bytes and any bit pattern is a valid u64.
            let result =
                unsafe { libc::sched_getaffinity(process, bytes, words.as_mut_ptr().cast()) };
            if result == 0 {
                return Ok(AffinityMask { words });
            }
            let error = io::Error::last_os_error();
            if error.raw_os_error() != Some(libc::EINVAL) || words.len() >= 1 << 16 {
                return Err(error);
            }
            let longer = words.len() * 2;
            words.resize(longer, 0);
        }
    }

    /// Binds the calling thread. Allocates nothing: may be called between fork and exec.
    pub fn apply_to_current_thread(&self) -> io::Result<()> {
        self.apply_to_process(0)
    }

    /// Binds the main thread of a process (and the threads it starts later); 0 is the calling
    /// thread. Allocates nothing.
    pub fn apply_to_process(&self, process: libc::pid_t) -> io::Result<()> {
        let bytes = self.words.len() * size_of::<u64>();
        // SAFETY: the pointer is to `words`, readable and `bytes` long; the kernel only reads.
        let result = unsafe { libc::sched_setaffinity(process, bytes, self.words.as_ptr().cast()) };
        if result == 0 {
            Ok(())
        } else {
            Err(io::Error::last_os_error())
        }
    }

    /// Whether the unit is in the set.
    pub fn contains(&self, processing_unit: u32) -> bool {
        let unit = processing_unit as usize;
        self.words
            .get(unit / BITS)
            .is_some_and(|word| word >> (unit % BITS) & 1 == 1)
    }

    /// The units of the set, ascending.
    pub fn processing_units(&self) -> Vec<u32> {
        let mut units = Vec::new();
        for (index, &word) in self.words.iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                units.push((index * BITS) as u32 + rest.trailing_zeros());
                rest &= rest - 1;
            }
        }
        units
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_survive_the_round_trip_through_words() {
        let units = [0, 1, 63, 64, 127, 1500];
        let mask = AffinityMask::new(&units);
        assert_eq!(mask.processing_units(), units);
        assert!(mask.contains(1500) && !mask.contains(1499) && !mask.contains(100_000));
    }

    #[test]
    fn the_current_thread_may_run_somewhere() {
        let mask = AffinityMask::of_current_thread().unwrap();
        assert!(!mask.processing_units().is_empty());
    }

    #[test]
    fn an_empty_set_is_refused_by_the_kernel() {
        let refused = AffinityMask::new(&[])
            .apply_to_current_thread()
            .unwrap_err();
        assert_eq!(refused.raw_os_error(), Some(libc::EINVAL));
    }
}
