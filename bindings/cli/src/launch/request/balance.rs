//! What of balancing the command line asks for.
//!
//! Before: `--balance` and the like are read. After: [`crate::launch::balance`] does it, and ranks are told by variables.

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;

use pamir_settings::{BALANCE, BALANCE_CLOCK, WAIT};
use pamir_transport::balance::announcement::WATCHED;

/// What the command line asks for.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Move processor share from early to late ranks.
    pub balance: bool,
    /// Say what is decided.
    pub report: bool,
    /// A file for the cycles.
    pub record: Option<PathBuf>,
    /// A command for the time that ranks wait.
    pub fill: Option<String>,
    /// Who keeps it out of the ranks' way.
    pub fill_by: FillBy,
}

impl Request {
    /// Whether anything of this is asked for.
    pub fn is_any(&self) -> bool {
        self.balance || self.report || self.record.is_some() || self.fill.is_some()
    }

    /// What ranks are told: that all synchronisations announce themselves, and that somebody looks
    /// at that; how long the rank ran, and to spin for short only where a second program could run
    /// instead. What the environment says already stays.
    pub fn variables(&self) -> Vec<(OsString, OsString)> {
        let variables = [
            (BALANCE_CLOCK.name(), "processor", self.is_any()),
            (WAIT.name(), "brief", self.fill.is_some()),
        ];
        let own = variables.iter().filter(|(_, _, is_needed)| *is_needed);
        own.filter(|(name, ..)| std::env::var_os(name).is_none())
            .map(|(name, value, _)| (name.into(), value.into()))
            .chain(self.is_any().then(announced))
            .collect()
    }
}

/// The calls that announce themselves: those that the environment names, else all.
fn announced() -> (OsString, OsString) {
    let mut kinds = std::env::var_os(BALANCE.name()).unwrap_or_else(|| "all".into());
    kinds.push(",");
    kinds.push(WATCHED);
    (BALANCE.name().into(), kinds)
}

/// Who keeps the second program out of the ranks' way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FillBy {
    /// The kernel, by the idle class, unless ranks go on late.
    #[default]
    Auto,
    /// The kernel in any case.
    Class,
    /// The launcher, which stops it but for the gaps that it foresees.
    Gaps,
}

impl FromStr for FillBy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "class" => Ok(Self::Class),
            "gaps" => Ok(Self::Gaps),
            _ => Err(format!(
                "--fill-by is auto, class (the scheduler's idle class) or gaps, not `{text}`"
            )),
        }
    }
}

impl FillBy {
    /// Whether the program is stopped but for gaps; `trusted` is whether ranks go on in time.
    pub fn keeps_gaps(self, trusted: bool) -> bool {
        match self {
            Self::Auto => !trusted,
            Self::Class => false,
            Self::Gaps => true,
        }
    }
}
