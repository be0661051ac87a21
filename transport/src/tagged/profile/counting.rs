//! Counting the messages of a context for a profile.
//!
//! Before: `mpiexec --profile-comm` names the profile's file. After: each instruction is counted in the context's
//! [`TrafficCounter`], which is written there at the end.

use std::ffi::OsString;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use pamir_settings::PROFILE_COMM;

use super::traffic::{ProfileError, TrafficCounter};
use crate::context::Context;

/// The profile's file, which `mpiexec --profile-comm` names.
fn asked_for() -> Option<OsString> {
    PROFILE_COMM.raw().filter(|path| !path.is_empty())
}

impl Context {
    /// Counts what is sent from now on, if the launcher asks for a profile.
    pub fn count_traffic_if_asked(&self) {
        if asked_for().is_some() {
            self.count_traffic();
        }
    }

    /// Says which tasks of the job the tasks of this context's client are, for the profile.
    pub fn number_traffic(&self, tasks: &[usize]) {
        if let Some(counter) = self.traffic() {
            counter.number_tasks(tasks);
        }
    }

    /// Counts what is sent from now on.
    pub fn count_traffic(&self) {
        let counter = TrafficCounter::new(self.unit.ranks(), self.place.contexts);
        let _ = self.traffic.set(Box::new(counter));
        self.active.peers.forget();
    }

    /// What has been counted, if anything is.
    #[inline(always)]
    pub fn traffic(&self) -> Option<&TrafficCounter> {
        self.traffic.get().map(|counter| &**counter)
    }

    /// Adds what has been counted to the profile that the launcher asks for, and counts no more.
    ///
    /// # Errors
    ///
    /// [`ProfileError`].
    pub fn write_traffic(&self) -> Result<(), ProfileError> {
        let (Some(counter), Some(path)) = (self.traffic(), asked_for()) else {
            return Ok(());
        };
        counter.enter(0);
        let text = counter.to_text(self.endpoint().task());
        let opened = std::fs::OpenOptions::new()
            .append(true)
            // A pipe that nobody reads is an error, and nothing to wait for.
            .custom_flags(libc::O_NONBLOCK)
            .open(&path);
        // Tasks write at the same time: lines stay whole since each writes once, at the end.
        let written = opened.and_then(|mut file| file.write_all(text.as_bytes()));
        let path = PathBuf::from(path);
        written.map_err(|source| ProfileError { path, source })
    }

    /// Counts a message to a messaging unit, if messages are counted.
    #[inline(always)]
    pub(crate) fn count_message(&self, target: usize, bytes: usize) {
        if let Some(counter) = self.traffic.get() {
            counter.count(|portion| &mut portion.sent, target, bytes);
        }
    }

    /// Counts data that is read from a messaging unit, if messages are counted.
    #[inline(always)]
    pub(crate) fn count_fetched(&self, from: usize, bytes: usize) {
        if let Some(counter) = self.traffic.get() {
            counter.count(|portion| &mut portion.fetched, from, bytes);
        }
    }
}
