//! Settings that all ranks of a job need alike.
//!
//! Before: each program of a command line has its variables; a rank may get others by a script around its program. After: the
//! launcher has refused what differs between programs, and a rank what differs from the ranks that came before it: ranks
//! that take different algorithms would wait for each other for ever.

use std::ffi::{OsStr, OsString};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::setting::Declared;
use crate::table::ALL;

/// Room for the fingerprints of so many settings.
pub const MOST_AGREED: usize = 64;

/// Two programs of a job have different values of a setting.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{name} is {first} for one program of the job and {second} for another, and all ranks need the same value: give it before the first program, as in mpiexec -genv {name} VALUE"
)]
pub struct Disagreement {
    /// The variable.
    pub name: &'static str,
    /// What one program has.
    pub first: String,
    /// What the other one has.
    pub second: String,
}

fn agreed() -> impl Iterator<Item = &'static dyn Declared> {
    ALL.iter().copied().filter(|setting| setting.is_agreed())
}

/// Looks for a setting in which two programs differ though ranks must not.
///
/// # Errors
///
/// [`Disagreement`] names the first one, in the table's order.
pub fn check_agreement(
    first: impl Fn(&str) -> Option<OsString>,
    second: impl Fn(&str) -> Option<OsString>,
) -> Result<(), Disagreement> {
    for setting in agreed() {
        let [one, other] = [first(setting.name()), second(setting.name())];
        if setting.effect(one.as_deref()) != setting.effect(other.as_deref()) {
            let told = |value: Option<OsString>| match value {
                Some(value) => format!("{:?}", value.to_string_lossy()),
                None => "not set".to_owned(),
            };
            return Err(Disagreement {
                name: setting.name(),
                first: told(one),
                second: told(other),
            });
        }
    }
    Ok(())
}

/// Name and fingerprint, never 0, of each setting of this process that all ranks need alike.
pub fn fingerprints() -> Vec<(&'static str, u64)> {
    let of = |setting: &'static dyn Declared| {
        let value = std::env::var_os(setting.name());
        (setting.name(), fingerprint(setting, value.as_deref()))
    };
    agreed().map(of).collect()
}

fn fingerprint(setting: &dyn Declared, value: Option<&OsStr>) -> u64 {
    let mut hasher = DefaultHasher::new();
    setting.effect(value).hash(&mut hasher);
    hasher.finish() | 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_the_same_is_the_same() {
        let of = |name: &'static str, value: &'static str| {
            move |asked: &str| (asked == name).then(|| OsString::from(value))
        };
        let none = |_: &str| None;
        assert_eq!(check_agreement(of("PAMIR_NO_BOARDS", "0"), none), Ok(()));
        assert_eq!(check_agreement(of("PAMIR_ALLREDUCE", ""), none), Ok(()));
        assert_eq!(
            check_agreement(of("PAMIR_PUT", "memory_fifo"), none),
            Ok(())
        );
        let refused = check_agreement(of("PAMIR_ALLREDUCE", "ring"), none).unwrap_err();
        assert_eq!(refused.name, "PAMIR_ALLREDUCE");
        assert!(
            refused
                .to_string()
                .contains("\"ring\" for one program of the job and not set")
        );
        assert!(check_agreement(of("PAMIR_NO_BOARDS", "1"), none).is_err());
    }

    #[test]
    fn there_is_room_for_all() {
        let all = fingerprints();
        assert!(all.len() <= MOST_AGREED && all.iter().all(|(_, value)| *value != 0));
    }
}
