//! Which machine a file was made on or for.
//!
//! What: a number that follows from what contains which processing unit, and the host's name. Files of placement
//! (profiles, mappings, measured costs) keep it in a line of their heading:
//!
//! ```text
//! # machine 9e3779b97f4a7c15 host
//! ```
//!
//! Why a comment: who reads such a file for its numbers need not know the line, and files made by hand have none.
//! Why both: a mapping serves on every machine of the same shape, measured costs only where they were measured.
//!
//! Before: a [`Machine`]. After: who reads such a file compares, and tells the user.
//! Invariant: the number does not depend on which units the process may use, nor on the release of the library.

use std::fmt;

use super::machine::{Level, Machine};

/// What begins the line in a file.
const HEADING: &str = "# machine ";

/// Which machine something belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    shape: u64,
    host: String,
}

/// What of a processing unit makes a machine's shape.
const LEVELS: [Level; 6] = [
    Level::ProcessingUnit,
    Level::Core,
    Level::L2Cache,
    Level::L3Cache,
    Level::NumaNode,
    Level::Package,
];

impl Machine {
    /// Which machine this is.
    pub fn fingerprint(&self) -> Fingerprint {
        let containers = self.processing_units().iter().flat_map(|unit| {
            let containers = LEVELS.map(|level| unit.container(level));
            containers.map(|container| container.map_or(u64::MAX, u64::from))
        });
        Fingerprint {
            shape: containers.fold(FNV_BASIS, digest),
            host: self.host().to_string(),
        }
    }
}

const FNV_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0100_0000_01b3;

/// FNV-1a of one more number: the standard library's hashes may differ from release to release.
fn digest(before: u64, number: u64) -> u64 {
    let bytes = number.to_le_bytes().into_iter();
    bytes.fold(before, |digest, byte| {
        (digest ^ u64::from(byte)).wrapping_mul(FNV_PRIME)
    })
}

impl Fingerprint {
    /// Whether both machines have the same processing units, with the same around them.
    pub fn has_shape_of(&self, other: &Fingerprint) -> bool {
        self.shape == other.shape
    }

    /// The line of a file's heading, with its end.
    pub fn line(&self) -> String {
        format!("{HEADING}{:016x} {}\n", self.shape, self.host)
    }

    /// The machine that a file's text names; none if it names none.
    pub fn in_text(text: &str) -> Option<Fingerprint> {
        let named = text.lines().find_map(|line| line.strip_prefix(HEADING))?;
        let (shape, host) = named.trim().split_once(' ')?;
        Some(Fingerprint {
            shape: u64::from_str_radix(shape, 16).ok()?,
            host: host.trim().to_string(),
        })
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({:016x})", self.host, self.shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_known_by_its_shape_and_host() {
        let machine = |text| Machine::from_description(text).unwrap();
        let one = machine("package:2 core:4 pu:2").fingerprint();
        assert_eq!(
            one,
            machine("package:2 core:4 pu:2")
                .restricted_to(&[1, 2])
                .fingerprint()
        );
        for other in [
            "package:2 core:4 pu:1",
            "package:4 core:2 pu:2",
            "package:2 l3cache:2 core:2 pu:2",
        ] {
            assert!(!one.has_shape_of(&machine(other).fingerprint()), "{other}");
        }
        let moved = Fingerprint {
            host: "elsewhere".to_string(),
            ..one.clone()
        };
        assert!(moved.has_shape_of(&one) && moved != one);
    }

    #[test]
    fn a_file_keeps_it_in_its_heading() {
        let machine = Machine::from_description("core:2 pu:1")
            .unwrap()
            .fingerprint();
        let text = format!(
            "# pamir communication 1\nranks 2\n{}0 1 1 8\n",
            machine.line()
        );
        assert_eq!(Fingerprint::in_text(&text), Some(machine));
        for none in ["ranks 2\n", "# machine x\n", "# machine made by hand\n", ""] {
            assert_eq!(Fingerprint::in_text(none), None, "{none}");
        }
    }
}
