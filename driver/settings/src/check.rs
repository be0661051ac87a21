//! Bad values and unknown names.
//!
//! Before: the launcher, with the variables of each program, and each rank, when it joins its job.
//! After: one line, and the end of the job; or one line about a name that is probably misspelt.

use std::ffi::{OsStr, OsString};

use crate::setting::Audience;
use crate::table::ALL;

/// What all names begin with.
const PREFIX: &str = "PAMIR_";

/// A variable holds what it may not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} is {value:?}: it is {allowed}")]
pub struct BadValue {
    /// The variable.
    pub name: &'static str,
    /// What it holds.
    pub value: String,
    /// What is allowed.
    pub allowed: String,
}

/// A name that is in no table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The name.
    pub name: String,
    /// The name that is most like it, if any is.
    pub nearest: Option<&'static str>,
}

impl std::fmt::Display for Unknown {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} is no variable of Pamir's", self.name)?;
        match self.nearest {
            Some(nearest) => write!(formatter, "; did you mean {nearest}?"),
            None => write!(formatter, "; pamir info --variables lists them"),
        }
    }
}

/// Checks every variable among those that `variable` finds.
///
/// # Errors
///
/// [`BadValue`] names the first that is bad, in the table's order.
pub fn check(variable: impl Fn(&str) -> Option<OsString>) -> Result<(), BadValue> {
    for setting in ALL {
        let value = variable(setting.name());
        if let Some(value) = value.filter(|value| !setting.takes(value)) {
            return Err(BadValue {
                name: setting.name(),
                value: value.to_string_lossy().into_owned(),
                allowed: setting.allowed(),
            });
        }
    }
    Ok(())
}

/// Checks the variables of this process.
///
/// # Errors
///
/// As for [`check()`].
pub fn check_environment() -> Result<(), BadValue> {
    check(|name| std::env::var_os(name))
}

/// Those of these names that look like settings and are none, each once.
pub fn unknown<'a>(names: impl Iterator<Item = &'a OsStr>) -> Vec<Unknown> {
    let names = names.filter_map(|name| name.to_str());
    let mut unknown: Vec<&str> = names.filter(|name| is_unknown(name)).collect();
    unknown.sort_unstable();
    unknown.dedup();
    let told = |name: &str| Unknown {
        name: name.into(),
        nearest: nearest(name),
    };
    unknown.into_iter().map(told).collect()
}

fn is_unknown(name: &str) -> bool {
    name.starts_with(PREFIX) && ALL.iter().all(|setting| setting.name() != name)
}

/// The user's variable that a name was meant to be, if one is like it.
fn nearest(name: &str) -> Option<&'static str> {
    let own = name.strip_prefix(PREFIX)?;
    let far = |known: &str| strsim::osa_distance(own, &known[PREFIX.len()..]);
    let users = ALL
        .iter()
        .filter(|setting| setting.audience() == Audience::Users);
    let nearest = users.map(|setting| setting.name()).min_by_key(|n| far(n))?;
    (far(nearest) <= own.len().div_ceil(3)).then_some(nearest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(names: &[&str]) -> Vec<String> {
        let names = names.iter().map(OsStr::new);
        unknown(names).iter().map(Unknown::to_string).collect()
    }

    #[test]
    fn a_bad_value_is_told_with_what_is_allowed() {
        let of = |name: &'static str, value: &'static str| {
            check(|asked| (asked == name).then(|| value.into()))
        };
        let error = of("PAMIR_ENGINE", "threads").unwrap_err().to_string();
        assert_eq!(
            error,
            "PAMIR_ENGINE is \"threads\": it is service, none, thread or node"
        );
        assert!(of("PAMIR_NO_BOARDS", "perhaps").is_err());
        assert_eq!(of("PAMIR_NO_BOARDS", "0"), Ok(()));
        assert_eq!(of("PAMIR_ENGINE", ""), Ok(()));
        assert_eq!(of("PATH", "nonsense"), Ok(()));
    }

    #[test]
    fn an_unknown_name_is_told_once_with_the_nearest() {
        let names = [
            "PAMIR_ALREDUCE",
            "PATH",
            "PAMIR_ENGINE",
            "PAMIR_ALREDUCE",
            "PAMIR_RANK",
        ];
        let expected = "PAMIR_ALREDUCE is no variable of Pamir's; did you mean PAMIR_ALLREDUCE?";
        assert_eq!(told(&names), [expected]);
    }

    #[test]
    fn a_name_that_is_like_none_gets_no_advice() {
        let expected =
            "PAMIR_TELEPORTATION is no variable of Pamir's; pamir info --variables lists them";
        assert_eq!(told(&["PAMIR_TELEPORTATION"]), [expected]);
    }

    #[test]
    fn what_the_launcher_sets_is_not_advised() {
        let advised = told(&["PAMIR_RANKK"]);
        assert!(!advised[0].contains("PAMIR_RANK?"), "{advised:?}");
    }
}
