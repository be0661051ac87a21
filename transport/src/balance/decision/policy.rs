//! How a program says what its balancing does: a name, or parameters, as text.
//!
//! Before: `pamir_partition_create` or `pamir simulate-balance` has a text. After: the
//! [`Settings`] of a controller, and the clock that says how long a member was busy.
//!
//! Words are separated by spaces; the first may be a name, and the others change what it says:
//!
//! | word | meaning |
//! |---|---|
//! | `balanced` | as many receive as it takes for all to end together, with a forecast (default) |
//! | `document` | only the slowest gives, to the fastest alone, by the last cycle |
//! | `static` | nothing moves |
//! | `law=` | `data-per-time`, `linear:ITEMS_PER_US[+ITEMS]`, `table:NS=ITEMS,NS=ITEMS` |
//! | `receivers=` | `needed`; a number for each giver; or `over:NS,NS`: one more at each of these differences |
//! | `forecast` | costs that wander or grow are met where they will be; `forecast=off`: where they were |
//! | `shares=` | `even`, `rank-order`, `relative-time` |
//! | `givers=` | how many of the slowest give in a cycle |
//! | `threshold=` | the least difference, as a share of the slowest's time |
//! | `least-ns=` | the least difference in nanoseconds |
//! | `moving-ns=` | what moving costs once |
//! | `cycles=` | within how many cycles that must have been won back |
//! | `controller=` | who decides for the group: `slowest`, whoever that is, or always a member, by its rank |
//! | `set-up=` | what set-up operations change, a list of `memory`, `windows` and `cache`, or `none` |
//!
//! A law, shares and givers say what each giver gives. So they make `receivers=` 1 where it is not
//! named, and are refused together with `needed`.
//!
//! | word | meaning |
//! |---|---|
//! | `clock=` | `monotonic`, `undelayed`, `processor`, or `auto` ([`Clock::where_oversubscribed`]) |

use std::str::FromStr;

use pamir_driver::waiting::clock::Clock;

use super::controller::Settings;
use super::law::{Law, LawError};
use super::receivers::{Number, Shares};

/// Which resources set-up operations change, besides what the program's functions do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetUp {
    /// Memory beside the own range.
    pub memory: bool,
    /// Slots of the injection FIFOs.
    pub windows: bool,
    /// Ways of the last-level cache.
    pub cache: bool,
}

impl SetUp {
    /// All there are.
    pub const ALL: Self = Self {
        memory: true,
        windows: true,
        cache: true,
    };
}

impl FromStr for SetUp {
    type Err = String;

    /// A list of `memory`, `windows` and `cache`, or `none`.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut set_up = Self {
            memory: false,
            windows: false,
            cache: false,
        };
        for word in text.split(',').filter(|_| text != "none") {
            match word {
                "memory" => set_up.memory = true,
                "windows" => set_up.windows = true,
                "cache" => set_up.cache = true,
                _ => return Err("there are memory, windows, cache, and none".into()),
            }
        }
        Ok(set_up)
    }
}

/// What a program's balancing does.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// How load moves; nothing does without.
    pub settings: Option<Settings>,
    /// The clock of busy times; without one it is chosen by whether ranks share processors.
    pub clock: Option<Clock>,
    /// The member that decides for the group; without one the slowest does.
    pub controller: Option<usize>,
    /// What set-up operations change.
    pub set_up: SetUp,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            settings: Some(Settings::default()),
            clock: None,
            controller: None,
            set_up: SetUp::ALL,
        }
    }
}

/// Why a text is no policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// A word is neither a name nor a parameter.
    #[error(
        "{word:?} is no balancing policy: give balanced, document or static, and parameters such as law=data-per-time, receivers=needed, forecast=off, shares=even, givers=1, threshold=0.02, least-ns=, moving-ns=, cycles=, controller=0, set-up=memory,windows, clock=undelayed"
    )]
    Word {
        /// The word.
        word: String,
    },
    /// A parameter has a value that it cannot have.
    #[error("{value:?} cannot be the balancing policy's {parameter}: {reason}")]
    Value {
        /// Which parameter.
        parameter: String,
        /// Its value.
        value: String,
        /// What would be right.
        reason: String,
    },
}

impl FromStr for Policy {
    type Err = PolicyError;

    fn from_str(text: &str) -> Result<Self, PolicyError> {
        let mut policy = Self::default();
        let mut given = Vec::new();
        for (position, word) in text.split_whitespace().enumerate() {
            match word.split_once('=') {
                Some((parameter, value)) => {
                    policy.set(parameter, value)?;
                    given.push(parameter);
                }
                None if word == "forecast" => policy.set(word, "on")?,
                None if position == 0 => policy = Self::named(word)?,
                None => return Err(unknown(word)),
            }
        }
        policy.agree(&given)?;
        Ok(policy)
    }
}

impl Policy {
    fn named(name: &str) -> Result<Self, PolicyError> {
        let settings = match name {
            "balanced" => Some(Settings::default()),
            "document" => Some(Settings {
                givers: 1,
                ..Settings::pairs()
            }),
            "static" => None,
            _ => return Err(unknown(name)),
        };
        Ok(Self {
            settings,
            ..Self::default()
        })
    }

    /// What each giver gives, and how many receive what is needed, exclude each other; `given` are
    /// the parameters that the text has.
    fn agree(&mut self, given: &[&str]) -> Result<(), PolicyError> {
        let of_givers = ["law", "shares", "givers"];
        let of_givers = of_givers.into_iter().find(|word| given.contains(word));
        let (Some(settings), Some(word)) = (&mut self.settings, of_givers) else {
            return Ok(());
        };
        if settings.number != Number::Needed {
            return Ok(());
        }
        if given.contains(&"receivers") {
            return Err(PolicyError::Value {
                parameter: "receivers".to_owned(),
                value: "needed".to_owned(),
                reason: format!(
                    "{word}= says what each giver gives, and what is needed is what lets all end together; leave one of both out"
                ),
            });
        }
        settings.number = Number::Fixed(1);
        Ok(())
    }

    fn set(&mut self, parameter: &str, value: &str) -> Result<(), PolicyError> {
        let wrong = |reason: String| PolicyError::Value {
            parameter: parameter.to_owned(),
            value: value.to_owned(),
            reason,
        };
        if parameter == "clock" {
            self.clock = match value {
                "auto" => None,
                name => Some(Clock::named(name).ok_or_else(|| {
                    wrong("there are auto, monotonic, undelayed and processor".into())
                })?),
            };
            if self.clock.is_some_and(|clock| !clock.is_there()) {
                return Err(wrong(
                    "this kernel does not count how long threads wait for a processor: give processor".into(),
                ));
            }
            return Ok(());
        }
        if parameter == "controller" {
            let member = value.parse().ok();
            if member.is_none() && value != "slowest" {
                return Err(wrong("give slowest, or a rank of the communicator".into()));
            }
            self.controller = member;
            return Ok(());
        }
        if parameter == "set-up" {
            self.set_up = value.parse().map_err(wrong)?;
            return Ok(());
        }
        let Some(settings) = &mut self.settings else {
            return Err(wrong("nothing moves under the policy static".into()));
        };
        match parameter {
            "law" => settings.law = value.parse().map_err(|e: LawError| wrong(e.to_string()))?,
            "forecast" => settings.forecast = switch(value).map_err(wrong)?,
            "receivers" => settings.number = value.parse().map_err(wrong)?,
            "shares" => settings.shares = value.parse().map_err(wrong)?,
            "givers" => settings.givers = positive(value).map_err(wrong)? as usize,
            "threshold" => settings.threshold.least_share = share(value).map_err(wrong)?,
            "least-ns" => settings.threshold.least_ns = positive(value).map_err(wrong)?,
            "moving-ns" => settings.threshold.moving_ns = positive(value).map_err(wrong)?,
            "cycles" => settings.threshold.cycles = positive(value).map_err(wrong)?,
            _ => return Err(unknown(&format!("{parameter}={value}"))),
        }
        Ok(())
    }
}

fn unknown(word: &str) -> PolicyError {
    let word = word.to_owned();
    PolicyError::Word { word }
}

fn positive(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| *number >= 1);
    number.ok_or_else(|| "give a whole number from 1 on".to_owned())
}

fn switch(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("there are on and off".to_owned()),
    }
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok();
    share
        .filter(|share| (0.0..=1.0).contains(share))
        .ok_or_else(|| "give a number from 0 to 1".to_owned())
}

impl FromStr for Law {
    type Err = LawError;

    /// `data-per-time`, `linear:ITEMS_PER_US[+ITEMS]` or `table:NS=ITEMS,NS=ITEMS`.
    fn from_str(text: &str) -> Result<Self, LawError> {
        let unknown = || LawError::Unknown {
            text: text.to_owned(),
        };
        let (name, parameters) = text.split_once(':').unwrap_or((text, ""));
        match name {
            "data-per-time" if parameters.is_empty() => Ok(Self::DataPerTime),
            "linear" => linear(parameters).ok_or_else(unknown),
            "table" => {
                let entries = parameters.split(',').map(entry).collect::<Option<Vec<_>>>();
                Self::table(entries.ok_or_else(unknown)?)
            }
            _ => Err(unknown()),
        }
    }
}

/// Reads ITEMS_PER_US[+ITEMS].
fn linear(parameters: &str) -> Option<Law> {
    let (factor, constant) = parameters.split_once('+').unwrap_or((parameters, "0"));
    let finite = |text: &str| text.parse::<f64>().ok().filter(|value| value.is_finite());
    Some(Law::Linear {
        load_per_ns: finite(factor)? / 1000.0,
        constant: finite(constant)?,
    })
}

/// Reads NS=ITEMS.
fn entry(text: &str) -> Option<(u64, u64)> {
    let (ns, items) = text.split_once('=')?;
    Some((ns.parse().ok()?, items.parse().ok()?))
}

impl FromStr for Number {
    type Err = String;

    /// A number from 1 on, `over:NS,NS`, or `needed`.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("{text:?} is neither a number from 1 on, nor over:NS,NS, nor needed");
        if text == "needed" {
            return Ok(Self::Needed);
        }
        if let Some(limits) = text.strip_prefix("over:") {
            let limits = limits.split(',').map(str::parse).collect::<Result<_, _>>();
            return limits.map(Self::Thresholds).map_err(|_| wrong());
        }
        let number = text.parse().ok().filter(|number| *number >= 1);
        number.map(Self::Fixed).ok_or_else(wrong)
    }
}

impl FromStr for Shares {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|shares| shares.name() == text);
        found.ok_or_else(|| format!("there are {}", Self::ALL.map(Self::name).join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_is_a_name_and_parameters() {
        let parse = |text: &str| text.parse::<Policy>().unwrap();
        assert_eq!(parse(""), Policy::default());
        assert_eq!(parse("static").settings, None);
        let document = parse("document").settings.unwrap();
        assert_eq!((document.givers, document.forecast), (1, false));
        assert_eq!(document.number, Number::Fixed(1));
        assert!(parse("document forecast").settings.unwrap().forecast);
        let needed = parse("receivers=needed forecast=off").settings.unwrap();
        assert_eq!((needed.number, needed.forecast), (Number::Needed, false));
        // What each giver gives says that there are pairs.
        let even = parse("shares=even").settings.unwrap();
        assert_eq!((even.number, even.forecast), (Number::Fixed(1), true));
        let policy = parse(
            "balanced law=table:100=3,400=9 receivers=over:500 shares=even threshold=0.05 \
             least-ns=20 moving-ns=30 cycles=4 givers=2 set-up=memory,cache clock=processor",
        );
        let settings = policy.settings.unwrap();
        assert_eq!(settings.law, Law::Table(vec![(100, 3), (400, 9)]));
        assert_eq!(settings.number, Number::Thresholds(vec![500]));
        assert_eq!((settings.shares, settings.givers), (Shares::Even, 2));
        let threshold = settings.threshold;
        assert_eq!((threshold.least_ns, threshold.least_share), (20, 0.05));
        assert_eq!((threshold.moving_ns, threshold.cycles), (30, 4));
        assert_eq!(policy.clock, Some(Clock::Processor));
        assert_eq!(policy.controller, None);
        assert_eq!(parse("document controller=3").controller, Some(3));
        assert_eq!(parse("controller=2 controller=slowest").controller, None);
        let windows = policy.set_up.windows;
        assert!(policy.set_up.memory && policy.set_up.cache && !windows);
        assert!(!parse("static set-up=none").set_up.memory);
        let linear = "law=linear:2+5"
            .parse::<Policy>()
            .unwrap()
            .settings
            .unwrap();
        let (load_per_ns, constant) = (0.002, 5.0);
        assert_eq!(
            linear.law,
            Law::Linear {
                load_per_ns,
                constant
            }
        );
    }

    #[test]
    fn what_is_no_policy_is_named_with_what_would_be_one() {
        for (text, found) in [
            ("fair", "\"fair\""),
            ("balanced document", "\"document\""),
            ("colour=red", "\"colour=red\""),
            ("givers=0", "from 1 on"),
            ("threshold=2", "from 0 to 1"),
            ("law=table:5=1,5=2", "ascending"),
            ("law=cubic", "data-per-time"),
            ("shares=all", "rank-order"),
            ("receivers=none", "over:NS"),
            ("receivers=needed givers=2", "leave one of both out"),
            ("forecast=maybe", "on and off"),
            ("clock=sun", "processor"),
            ("set-up=disk", "windows"),
            ("controller=fastest", "a rank"),
            ("static givers=1", "static"),
        ] {
            let error = text.parse::<Policy>().unwrap_err().to_string();
            assert!(error.contains(found), "{text}: {error}");
        }
    }
}
