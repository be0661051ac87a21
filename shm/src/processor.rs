//! What was measured of processors, and decides how data is copied from one to another.
//!
//! Before: a lane is mapped, or long data is to be read. After: [`crate::lane::mapped`] and `long_read` do as
//! suits this processor. Facts that differ from lane to lane, or change while a program runs, are measured there
//! instead (`lane_copy`, `line_distance`).
//!
//! | processor | records apart from | string moves store lines without fetching them | vectors of 64 bytes read |
//! |---|---|---|---|
//! | AMD, from family 26 (Zen 5) on | 3 lines | yes | from 8 KiB |
//! | other AMD | 3 lines | perhaps: each lane measures it | from 4 KiB |
//! | others | 10 lines | perhaps | from 4 KiB |
//!
//! - AMD's fetch further ahead of a reader, so shorter records stand apart. On an Intel Xeon that costs more than it brings.
//! - A string move of a Zen 5 takes whole lines over without fetching them. Between near cores, every line that is fetched
//!   besides slows down a row of packets that one writes while the other reads; between far ones anything that has to be
//!   fetched takes two to three times as long.
//! - Vectors of 64 bytes read 4 KiB slower there than those of 32.
//!
//! The figures are in `docs/decisions/001-lanes.md` and `005-protocols.md`.

use std::sync::OnceLock;

use crate::lane::FEWEST_APART;

/// How data is best copied on a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Processor {
    /// From how many lines on records are kept apart.
    pub(crate) apart_from: u64,
    /// Whether string moves are known to store to lines of another core without fetching them.
    pub(crate) stores_without_fetch: bool,
    /// From how many bytes on vectors of 64 bytes read faster than those of 32, where there are such.
    pub(crate) wide_bytes: usize,
}

/// Those of no vendor or family that more is known of.
const USUAL: Processor = Processor {
    apart_from: 10,
    stores_without_fetch: false,
    wide_bytes: 4096,
};

/// The family of Zen 5.
#[cfg(any(target_arch = "x86_64", test))]
const ZEN_5: u32 = 26;

#[cfg(any(target_arch = "x86_64", test))]
fn of_vendor(vendor: [u8; 4], family: u32) -> Processor {
    // The beginning of "AuthenticAMD".
    if vendor != *b"Auth" {
        return USUAL;
    }
    let is_zen_5 = family >= ZEN_5;
    Processor {
        apart_from: FEWEST_APART,
        stores_without_fetch: is_zen_5,
        wide_bytes: if is_zen_5 { 8192 } else { USUAL.wide_bytes },
    }
}

/// This machine's.
pub(crate) fn this() -> Processor {
    static THIS: OnceLock<Processor> = OnceLock::new();
    *THIS.get_or_init(found)
}

/// Whether this machine's string moves are known to store to lines of another core without fetching them.
pub fn stores_without_fetch() -> bool {
    this().stores_without_fetch
}

#[cfg(target_arch = "x86_64")]
fn found() -> Processor {
    use std::arch::x86_64::__cpuid;
    // Not unsafe in later versions of Rust than the first that is supported.
    #[allow(unused_unsafe)]
    // SAFETY: every processor of this architecture has the instruction, and these leaves.
    let (vendor, version) = unsafe { (__cpuid(0).ebx, __cpuid(1).eax) };
    of_vendor(vendor.to_le_bytes(), family(version))
}

#[cfg(not(target_arch = "x86_64"))]
fn found() -> Processor {
    USUAL
}

/// The family in what the processor says of its version: four bits, and eight more to be added where those are all set.
#[cfg(any(target_arch = "x86_64", test))]
fn family(version: u32) -> u32 {
    match version >> 8 & 0xF {
        0xF => 0xF + (version >> 20 & 0xFF),
        family => family,
    }
}

/// The processor's clock, in ticks of its own that all cores count alike; 0 where it is not known.
#[inline]
pub fn ticks() -> u64 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every such processor has this instruction, which only reads its clock.
    unsafe {
        std::arch::x86_64::_rdtsc()
    }
    #[cfg(not(target_arch = "x86_64"))]
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_counted_as_their_vendors_do() {
        // A Granite Rapids, a Zen 4 and a Zen 5.
        assert_eq!(family(0x000A_06D1), 6);
        assert_eq!(family(0x00A1_0F11), 25);
        assert_eq!(family(0x00B0_0F21), ZEN_5);
    }

    #[test]
    fn what_was_not_measured_is_done_as_usual() {
        assert_eq!(of_vendor(*b"Genu", 6), USUAL);
        assert_eq!(of_vendor(*b"Genu", ZEN_5), USUAL);
        let zen_4 = of_vendor(*b"Auth", 25);
        assert_eq!(zen_4.apart_from, FEWEST_APART);
        assert!(!zen_4.stores_without_fetch && zen_4.wide_bytes == USUAL.wide_bytes);
        let zen_5 = of_vendor(*b"Auth", ZEN_5);
        assert!(zen_5.stores_without_fetch && zen_5.wide_bytes > USUAL.wide_bytes);
    }
}
