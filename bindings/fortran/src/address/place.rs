//! Where a variable of this library is in this process.
//!
//! Step before: the loader, which has filled the global offset table. Step after: a face's sentinels.
//! Invariant: a program's own variable of that name takes the place of this library's.

/// Where a variable of this library is in this process: a word of the global offset table, which the loader has filled.
#[cfg(target_arch = "x86_64")]
macro_rules! place_of {
    ($variable:ident) => {{
        let address: usize;
        // SAFETY: reads one entry of the global offset table, which the loader has filled.
        unsafe {
            std::arch::asm!(
                "mov {0}, qword ptr [rip + {1}@GOTPCREL]",
                out(reg) address,
                sym $variable,
                options(pure, nomem, nostack, preserves_flags)
            );
        }
        address
    }};
}

/// As above, in two steps.
#[cfg(target_arch = "aarch64")]
macro_rules! place_of {
    ($variable:ident) => {{
        let address: usize;
        // SAFETY: reads one entry of the global offset table, which the loader has filled.
        unsafe {
            std::arch::asm!(
                "adrp {0}, :got:{1}",
                "ldr {0}, [{0}, :got_lo12:{1}]",
                out(reg) address,
                sym $variable,
                options(pure, readonly, nostack, preserves_flags)
            );
        }
        address
    }};
}

pub(super) use place_of;
