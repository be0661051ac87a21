//! The settings that all ranks of a job need alike: who comes first says, and the others compare.
//!
//! Before: a rank has joined its job. After: it has the values that the ranks before it have, or an error names the one in
//! which it differs. It costs nothing later: ranks that take different algorithms would wait for each other for ever.
//!
//! | word | by | becomes |
//! |---|---|---|
//! | 0 | the first rank | its fingerprint |
//! | a fingerprint | any other rank | the same |
//! | a fingerprint | the job's memory begins again | 0 |

use pamir_shm::atomic::{AtomicU64, Ordering};

use super::{Job, JobError};

/// Compares each fingerprint with that of the ranks before.
///
/// # Errors
///
/// [`JobError::Disagreement`] names the first that differs.
pub(super) fn agree(
    words: &[AtomicU64],
    fingerprints: &[(&'static str, u64)],
) -> Result<(), JobError> {
    for (word, (name, own)) in words.iter().zip(fingerprints) {
        let before = word.compare_exchange(0, *own, Ordering::Relaxed, Ordering::Relaxed);
        if before.is_err_and(|others| others != *own) {
            return Err(JobError::Disagreement { name });
        }
    }
    Ok(())
}

impl Job {
    /// Compares the settings of this process with those of the ranks that have joined before it.
    ///
    /// # Errors
    ///
    /// [`JobError::Disagreement`] names the first that differs.
    pub fn agree(&self, fingerprints: &[(&'static str, u64)]) -> Result<(), JobError> {
        agree(self.agreed_words()?, fingerprints)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rank_says_and_others_must_have_the_same() {
        let words = [const { AtomicU64::new(0) }; 2];
        assert!(agree(&words, &[("ONE", 5), ("TWO", 7)]).is_ok());
        assert!(agree(&words, &[("ONE", 5), ("TWO", 7)]).is_ok());
        let refused = agree(&words, &[("ONE", 5), ("TWO", 9)]).unwrap_err();
        assert!(refused.to_string().starts_with("TWO "), "{refused}");
    }
}
