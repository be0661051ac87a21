//! What is said of an algorithm, as `include/pami.h` declares it.
//!
//! Before: [`crate::geometry::algorithms`] lists an algorithm. After: the program reads this.

use crate::structures::collective::Transfer;
use crate::structures::pointer::{In, Text};

/// `pami_metadata_function`.
pub type CheckFunction = Option<extern "C" fn(In<Transfer>) -> u32>;

/// `pami_metadata_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Metadata {
    /// The algorithm's name.
    pub name: Text,
    /// Its version.
    pub version: u32,
    /// Says what an operation lacks, as bits.
    pub check_fn: CheckFunction,
    /// Fewest bytes.
    pub range_lo: usize,
    /// Most bytes.
    pub range_hi: usize,
    /// Alignment of what is sent, in bytes.
    pub send_min_align: u32,
    /// Alignment of where it goes, in bytes.
    pub recv_min_align: u32,
    /// What is to be checked: see [`correct`].
    pub check_correct: u32,
    /// Special hardware.
    pub check_perf: u32,
    /// Fewest bytes that the tables take it for.
    pub range_lo_perf: usize,
    /// Most bytes.
    pub range_hi_perf: usize,
    /// The alignment at which it is fastest, in bytes.
    pub min_align_perf: u32,
}

impl Metadata {
    /// Of no algorithm.
    pub const NOTHING: Self = Self {
        name: Text::NULL,
        version: 0,
        check_fn: None,
        range_lo: 0,
        range_hi: 0,
        send_min_align: 0,
        recv_min_align: 0,
        check_correct: 0,
        check_perf: 0,
        range_lo_perf: 0,
        range_hi_perf: 0,
        min_align_perf: 0,
    };
}

/// Bits of `check_correct`.
pub mod correct {
    /// The check function has to be asked before each operation.
    pub const CHECK_REQUIRED: u32 = 1 << 0;
    /// All types and data functions are served.
    pub const ALL_TYPES: u32 = 1 << 5;
    /// Data may be sent from where it goes (`PAMI_IN_PLACE`).
    pub const IN_PLACE: u32 = 1 << 11;
    /// A member may run ahead of the others.
    pub const RUNS_AHEAD: u32 = 1 << 12;
}

/// Bits of what a check function answers.
pub mod lack {
    /// Something else: the parameters are missing.
    pub const UNSPECIFIED: u32 = 1 << 0;
    /// The data function is not served.
    pub const OPERATION: u32 = 1 << 4;
}
