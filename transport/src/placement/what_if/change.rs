//! Other links, and other counts: changes of the machine and of the job, in words.
//!
//! What: a scenario is a list of changes, such as `link:0-4=x0.5,bytes:2-3=x10`, that is applied to a topology graph
//! and to a communication graph.
//!
//! | change | becomes other |
//! |---|---|
//! | `link:ONE-OTHER=AMOUNT` | the cost between two processing entities, by their numbers, both ways |
//! | `level:NAME=AMOUNT` | the cost of all pairs that share nothing nearer than this level of the machine |
//! | `messages:ONE-OTHER=AMOUNT`, `bytes:`, `traffic:` | what two ranks send each other: messages, bytes, or both |
//! | `messages:all=AMOUNT`, and so on | the same of all pairs that communicate |
//!
//! An amount is a number, or `x` and a factor of what is there.
//!
//! Before: `pamir place --what-if=CHANGES`. After: a problem of the changed graphs is searched as any other.
//! Invariant: what a change names is there, or the change is refused: nothing is changed silently by nothing.

use std::str::FromStr;

use super::super::communication::Entry;
use super::super::{CommunicationGraph, PlacementError, TopologyGraph, Traffic, matrix};

/// Changes that are made together.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    text: String,
    changes: Vec<Change>,
}

/// What is to be changed, and how much there is then.
#[derive(Debug, Clone, PartialEq)]
struct Change {
    what: What,
    amount: Amount,
}

#[derive(Debug, Clone, PartialEq)]
enum What {
    Link(u32, u32),
    Level(String),
    Counts(Counted, Option<(u32, u32)>),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Counted {
    Messages,
    Bytes,
    Both,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Amount {
    Of(f64),
    Times(f64),
}

/// A text is no list of changes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} is no change: use link:ONE-OTHER=AMOUNT (numbers of processing units), level:NAME=AMOUNT, or messages:, \
     bytes: or traffic: with ONE-OTHER (ranks) or all; AMOUNT is a number of at least 0, or x and a factor"
)]
pub struct ChangeError {
    text: String,
}

impl Amount {
    fn applied(self, before: f64) -> f64 {
        match self {
            Amount::Of(amount) => amount,
            Amount::Times(factor) => before * factor,
        }
    }

    fn of(text: &str) -> Option<Amount> {
        let number = |text: &str| text.parse().ok().filter(|number| matrix::valid(*number));
        match text.strip_prefix('x') {
            Some(factor) => number(factor).map(Amount::Times),
            None => number(text).map(Amount::Of),
        }
    }
}

fn pair(text: &str) -> Option<(u32, u32)> {
    let (one, other) = text.split_once('-')?;
    Some((one.parse().ok()?, other.parse().ok()?))
}

impl Change {
    fn of(text: &str) -> Option<Change> {
        let (what, amount) = text.split_once('=')?;
        let (kind, name) = what.split_once(':')?;
        let counted = |counted| match name {
            "all" => Some(What::Counts(counted, None)),
            ranks => Some(What::Counts(counted, Some(pair(ranks)?))),
        };
        let what = match kind {
            "link" => pair(name).map(|(one, other)| What::Link(one, other)),
            "level" => Some(What::Level(name.to_string())),
            "messages" => counted(Counted::Messages),
            "bytes" => counted(Counted::Bytes),
            "traffic" => counted(Counted::Both),
            _ => None,
        };
        Some(Change {
            what: what?,
            amount: Amount::of(amount)?,
        })
    }
}

impl FromStr for Scenario {
    type Err = ChangeError;

    fn from_str(text: &str) -> Result<Scenario, ChangeError> {
        let changes = text.split(',').map(|part| {
            let part = part.trim();
            Change::of(part).ok_or_else(|| ChangeError {
                text: part.to_string(),
            })
        });
        Ok(Scenario {
            text: text.to_string(),
            changes: changes.collect::<Result<_, _>>()?,
        })
    }
}

impl std::fmt::Display for Scenario {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl Scenario {
    /// The machine with these changes.
    ///
    /// # Errors
    ///
    /// A unit or level that the machine does not have; a machine too large for a table of every link.
    pub fn on_machine(&self, topology: &TopologyGraph) -> Result<TopologyGraph, PlacementError> {
        let mut changed = topology.clone();
        for Change { what, amount } in &self.changes {
            match what {
                What::Link(one, other) => {
                    changed = changed.with_link((*one, *other), |cost| amount.applied(cost))?;
                }
                What::Level(name) => {
                    changed = changed.with_level(name, |cost| amount.applied(cost))?;
                }
                What::Counts(..) => {}
            }
        }
        Ok(changed)
    }

    /// The job with these changes.
    ///
    /// # Errors
    ///
    /// A rank that the job does not have; a factor for ranks that send each other nothing.
    pub fn on_job(&self, graph: &CommunicationGraph) -> Result<CommunicationGraph, PlacementError> {
        let mut changed = graph.clone();
        for Change { what, amount } in &self.changes {
            if let What::Counts(counted, pair) = what {
                changed = recounted(&changed, *counted, *pair, *amount)?;
            }
        }
        Ok(changed)
    }
}

/// The graph with other counts of a pair, both ways, or of all pairs that communicate.
fn recounted(
    graph: &CommunicationGraph,
    counted: Counted,
    pair: Option<(u32, u32)>,
    amount: Amount,
) -> Result<CommunicationGraph, PlacementError> {
    let mut entries = graph.entries().to_vec();
    if let Some((one, other)) = pair {
        let missing = [(one, other), (other, one)];
        let missing = missing
            .into_iter()
            .filter(|&(from, to)| graph.traffic(from, to) == Traffic::default());
        let missing: Vec<Entry> = missing.map(empty).collect();
        if missing.len() == 2 && matches!(amount, Amount::Times(_)) {
            let name = format!("{one}-{other}");
            return Err(PlacementError::Unknown {
                what: "pair that communicates",
                name,
                known: "others; give a number instead of a factor".to_string(),
            });
        }
        entries.extend(missing);
    }
    let is_meant = |entry: &Entry| {
        pair.is_none_or(|(one, other)| {
            [(one, other), (other, one)].contains(&(entry.origin, entry.target))
        })
    };
    for entry in entries.iter_mut().filter(|entry| is_meant(entry)) {
        let Traffic { messages, bytes } = &mut entry.traffic;
        let changed = |count: &mut u64| *count = amount.applied(*count as f64).round() as u64;
        match counted {
            Counted::Messages => changed(messages),
            Counted::Bytes => changed(bytes),
            Counted::Both => [messages, bytes].into_iter().for_each(changed),
        }
    }
    CommunicationGraph::new(graph.ranks(), entries)
}

fn empty((origin, target): (u32, u32)) -> Entry {
    Entry {
        origin,
        target,
        traffic: Traffic::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scenario(text: &str) -> Scenario {
        text.parse().unwrap()
    }

    fn topology() -> TopologyGraph {
        TopologyGraph::uniform(&[2, 2], &[10.0, 2.0, 1.0]).unwrap()
    }

    fn graph() -> CommunicationGraph {
        let entry = |origin, target, messages, bytes| Entry {
            origin,
            target,
            traffic: Traffic { messages, bytes },
        };
        CommunicationGraph::new(4, [entry(0, 1, 2, 100), entry(2, 3, 1, 7)]).unwrap()
    }

    #[test]
    fn links_and_levels_cost_something_else() {
        let changed = scenario("link:0-2=x0.5").on_machine(&topology()).unwrap();
        let costs = [(0, 2), (2, 0), (0, 3), (0, 1)].map(|(one, other)| changed.cost(one, other));
        assert_eq!(costs, [5.0, 5.0, 10.0, 2.0]);
        let changed = scenario("level:machine=3,level:level 1=x2");
        let changed = changed.on_machine(&topology()).unwrap();
        assert!(changed.tree().is_some(), "multilevel searches need one");
        assert_eq!(
            (changed.cost(0, 2), changed.cost(0, 1), changed.cost(0, 0)),
            (3.0, 4.0, 1.0)
        );
        // Ranks that share a unit share its links.
        let shared = topology().shared_by(2);
        let changed = scenario("link:3-0=1").on_machine(&shared).unwrap();
        assert_eq!((changed.cost(1, 7), changed.cost(1, 5)), (1.0, 10.0));
    }

    #[test]
    fn pairs_send_more_or_less() {
        let job = |text: &str| scenario(text).on_job(&graph()).unwrap();
        let counts = |graph: &CommunicationGraph, from, to| {
            let traffic = graph.traffic(from, to);
            (traffic.messages, traffic.bytes)
        };
        assert_eq!(counts(&job("bytes:0-1=x10"), 0, 1), (2, 1000));
        assert_eq!(counts(&job("messages:1-0=9"), 0, 1), (9, 100));
        let all = job("traffic:all=x3");
        assert_eq!(
            (counts(&all, 0, 1), counts(&all, 2, 3)),
            ((6, 300), (3, 21))
        );
        let more = job("traffic:1-2=5, bytes:2-3=0");
        assert_eq!(counts(&more, 1, 2), (5, 5));
        assert_eq!((counts(&more, 2, 1), counts(&more, 2, 3)), ((5, 5), (1, 0)));
    }

    #[test]
    fn what_changes_nothing_or_is_no_change_is_refused() {
        for text in [
            "",
            "link:0-2",
            "link:0=3",
            "bytes:0-1=-4",
            "cost:0-1=3",
            "level:numa=x",
            "traffic:=2",
            "link:0-1=NaN",
        ] {
            let error = text.parse::<Scenario>().unwrap_err().to_string();
            assert!(error.contains("is no change: use link:"), "{error}");
        }
        for (text, expected) in [
            (
                "link:0-9=1",
                "there is no processing unit \"9\"; there are 0, 1, 2, 3",
            ),
            ("link:1-1=1", "is no link"),
            (
                "level:numa=1",
                "there is no level of the machine \"numa\"; there are machine",
            ),
        ] {
            let error = scenario(text).on_machine(&topology()).unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
        }
        for (text, expected) in [
            ("bytes:0-7=1", "rank 7 does not exist"),
            ("bytes:0-3=x2", "no pair that communicates \"0-3\""),
        ] {
            let error = scenario(text).on_job(&graph()).unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
        }
    }
}
