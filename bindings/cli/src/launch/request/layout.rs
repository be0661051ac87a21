//! How ranks lie, beyond what the driver's policies have words for.
//!
//! Before: `--map-by`, `--rank-by` and the like are read. After: [`crate::launch::placement`] gives each rank its place.

use std::path::PathBuf;
use std::str::FromStr;

use pamir_driver::binding::BindingError;
use pamir_driver::topology::Level;

/// How ranks lie, beyond the policies.
#[derive(Debug, Default, PartialEq, Eq, Clone)]
pub struct Layout {
    /// Cores (or hardware threads, where they are mapped) of each rank.
    pub width: Option<usize>,
    /// So many ranks to each object of a level, in the order of objects.
    pub per_object: Option<(usize, Level)>,
    /// In which order ranks go to the places that were mapped.
    pub rank_by: RankBy,
    /// A file that says where each rank goes, as Open MPI writes it.
    pub rank_file: Option<PathBuf>,
    /// The processors that the job is confined to.
    pub processors: Option<Vec<u32>>,
}

/// In which order ranks are given to the places that the mapping dealt out.
#[derive(Debug, Default, PartialEq, Eq, Clone, Copy)]
pub enum RankBy {
    /// As they were dealt out.
    #[default]
    Mapping,
    /// The places of an object, then those of the next.
    Filled,
    /// A place of each object of this level in turn.
    InTurn(Level),
}

/// A word that is not known where it stands.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// The policy itself.
    #[error(transparent)]
    Policy(#[from] BindingError),
    /// What stands behind a colon.
    #[error("{option} {text:?}: {word:?} is not {wanted}")]
    Word {
        /// The option.
        option: &'static str,
        /// The whole value.
        text: String,
        /// The word.
        word: String,
        /// What may stand there.
        wanted: &'static str,
    },
}

/// The level that a word names.
pub fn object(word: &str) -> Option<Level> {
    Some(match word.to_ascii_lowercase().as_str() {
        "node" | "slot" | "board" => Level::Machine,
        "package" | "socket" => Level::Package,
        "numa" | "numanode" => Level::NumaNode,
        "l3cache" | "l3" => Level::L3Cache,
        "core" => Level::Core,
        _ => return None,
    })
}

impl FromStr for RankBy {
    type Err = RequestError;

    fn from_str(text: &str) -> Result<Self, RequestError> {
        let word = text.split(':').next().unwrap_or_default();
        Ok(match word.to_ascii_lowercase().as_str() {
            "slot" | "span" | "node" => RankBy::Mapping,
            "fill" => RankBy::Filled,
            "hwthread" | "pu" => RankBy::InTurn(Level::ProcessingUnit),
            word => match object(word) {
                Some(level) => RankBy::InTurn(level),
                None => {
                    return Err(RequestError::Word {
                        option: "--rank-by",
                        text: text.to_string(),
                        word: word.to_string(),
                        wanted: "known: use slot, fill, span, node, package, numa, l3cache, core or \
                                 hwthread",
                    });
                }
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_have_an_order_of_their_own() {
        let by = |text: &str| text.parse::<RankBy>().ok();
        assert_eq!(by("slot"), Some(RankBy::Mapping));
        assert_eq!(by("fill"), Some(RankBy::Filled));
        assert_eq!(by("socket:span"), Some(RankBy::InTurn(Level::Package)));
        assert_eq!(by("rack"), None);
    }
}
