//! The settings among a program's variables: bad values are refused before a rank starts.
//!
//! Before: [`super::environment`]. After: the ranks, whose rooms parse the same texts with the same
//! parsers.
//! Why the launcher looks: it tells once what every rank would tell.

use std::ffi::OsString;

use pamir_driver::injection::{self, InjectionError};
use pamir_settings::{
    BALANCE, BALANCE_CLOCK, BALANCE_POLICY, BadValue, CLIENTS, CONTEXTS, Disagreement,
    STRIPE_WORKERS, TORUS,
};
use pamir_transport::balance::announcement::{Announced, AnnouncementError};
use pamir_transport::balance::decision::policy::{Policy, PolicyError};
use pamir_transport::client::{ClientError, check_clients, check_contexts};
use pamir_transport::collective::shape::torus::{ShapeError, shape_of};
use pamir_transport::selection::{Configuration, SelectionError};
use pamir_transport::striping::configuration::{self, StripingError};

/// A setting holds what it may not.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingError {
    /// The table of settings says so.
    #[error(transparent)]
    Value(#[from] BadValue),
    /// An injection FIFO cannot be so.
    #[error(transparent)]
    Injection(#[from] InjectionError),
    /// There are no such workers.
    #[error(transparent)]
    Striping(#[from] StripingError),
    /// There is no such torus.
    #[error(transparent)]
    Torus(#[from] ShapeError),
    /// The torus is not one of so many ranks.
    #[error(
        "PAMIR_TORUS is {value:?}, which has {places} places: these do not divide the {ranks} ranks of the job evenly"
    )]
    TorusPlaces {
        /// The shape.
        value: String,
        /// Its places.
        places: usize,
        /// Ranks of the job.
        ranks: usize,
    },
    /// Clients cannot have such contexts.
    #[error(transparent)]
    Contexts(#[from] ClientError),
    /// There are no such calls to announce.
    #[error(transparent)]
    Announcement(#[from] AnnouncementError),
    /// There is no such policy.
    #[error("PAMIR_BALANCE_POLICY: {0}")]
    Policy(#[from] PolicyError),
    /// Programs of one job differ where ranks must not.
    #[error(transparent)]
    Disagreement(#[from] Disagreement),
    /// There are no such algorithms.
    #[error(transparent)]
    Selection(#[from] SelectionError),
}

/// Checks the settings that `variable` finds among those of a program in a job of so many ranks.
///
/// # Errors
///
/// [`SettingError`] names the variable, its value and what is allowed.
pub fn check(
    variable: impl Fn(&str) -> Option<OsString>,
    ranks: usize,
) -> Result<(), SettingError> {
    let text = |name: &str| {
        let value = variable(name).unwrap_or_default();
        value.to_string_lossy().into_owned()
    };
    pamir_settings::check(&variable)?;
    injection::Configuration::of(&variable)?;
    let workers = STRIPE_WORKERS.value_of(variable(STRIPE_WORKERS.name()).as_deref());
    configuration::Configuration::of(workers, None, ranks)?;
    check_torus(text(TORUS.name()), ranks)?;
    check_contexts(&text(CONTEXTS.name()))?;
    check_clients(&text(CLIENTS.name()), ranks)?;
    Announced::parse(&text(BALANCE.name()), &text(BALANCE_CLOCK.name()))?;
    text(BALANCE_POLICY.name()).parse::<Policy>()?;
    Configuration::of(&variable)?;
    Ok(())
}

fn check_torus(value: String, ranks: usize) -> Result<(), SettingError> {
    match shape_of(&value)? {
        Some((_, places)) if !ranks.is_multiple_of(places) => Err(SettingError::TorusPlaces {
            value,
            places,
            ranks,
        }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(name: &str, value: &str) -> Option<String> {
        let outcome = check(|asked| (asked == name).then(|| value.into()), 4);
        outcome.err().map(|error| error.to_string())
    }

    #[test]
    fn each_room_refuses_its_own_variables() {
        for (name, value) in [
            ("PAMIR_ENGINE", "threads"),
            ("PAMIR_NO_BOARDS", "perhaps"),
            ("PAMIR_INJECTION_SLOTS", "1"),
            ("PAMIR_REPLENISH", "never"),
            ("PAMIR_STRIPE_WORKERS", "17"),
            ("PAMIR_TORUS", "2xtwo"),
            ("PAMIR_TORUS", "3x3"),
            ("PAMIR_CONTEXTS", "solver=two"),
            ("PAMIR_CLIENTS", "solver=tasks:0-99"),
            ("PAMIR_BALANCE", "gather"),
            ("PAMIR_BALANCE_POLICY", "unfair"),
            ("PAMIR_SCAN", "liner"),
        ] {
            let said = refused(name, value).unwrap_or_default();
            assert!(
                said.contains(name) && said.contains(value),
                "{name}: {said}"
            );
            assert!(!said.contains('\n'), "{said}");
            assert_eq!(refused(name, ""), None, "{name}");
        }
        assert_eq!(refused("PAMIR_NO_BOARDS", "0"), None);
    }
}
