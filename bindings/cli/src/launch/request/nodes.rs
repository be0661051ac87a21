//! How many nodes the command line asks for, and who is on which.
//!
//! Before: `--nodes` is read. After: [`crate::launch::nodes`] makes them.

use std::str::FromStr;

use pamir_driver::bridge::network::Network;

/// Who is on which node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodesRequest {
    count: usize,
    /// In turn, instead of blocks of ranks in a row.
    cyclic: bool,
}

impl Default for NodesRequest {
    fn default() -> Self {
        Self {
            count: 1,
            cyclic: false,
        }
    }
}

impl FromStr for NodesRequest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (number, cyclic) = match text.split_once(':') {
            None | Some((_, "block")) => (text.strip_suffix(":block").unwrap_or(text), false),
            Some((number, "cyclic")) => (number, true),
            Some((_, order)) => {
                return Err(format!(
                    "--nodes: `{order}` is no order: use block or cyclic"
                ));
            }
        };
        let count = number.parse().ok().filter(|count| *count >= 1);
        count.map(|count| Self { count, cyclic }).ok_or_else(|| {
            format!("--nodes: `{number}` is not a whole number of at least 1 that fits 64 bits")
        })
    }
}

impl NodesRequest {
    /// Number of nodes.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Descriptors of the launcher that such nodes take, joined by `network`: connections, and
    /// each one's memory.
    pub fn descriptors(&self, network: Network) -> usize {
        network.descriptors(self.count) + self.count
    }

    /// The node of each of `ranks` ranks.
    pub fn of_ranks(&self, ranks: usize) -> Vec<usize> {
        let of = |rank| {
            if self.cyclic {
                rank % self.count
            } else {
                rank * self.count / ranks
            }
        };
        (0..ranks).map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_dealt_out_in_blocks_or_in_turn() {
        let nodes = |text: &str, ranks| text.parse::<NodesRequest>().unwrap().of_ranks(ranks);
        assert_eq!(nodes("1", 3), [0, 0, 0]);
        assert_eq!(nodes("2", 5), [0, 0, 0, 1, 1]);
        assert_eq!(nodes("3:block", 4), [0, 0, 1, 2]);
        assert_eq!(nodes("2:cyclic", 5), [0, 1, 0, 1, 0]);
        for wrong in ["", "0", "two", "2:random"] {
            assert!(wrong.parse::<NodesRequest>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_node_has_a_rank() {
        for ranks in 1..20 {
            for count in 1..=ranks {
                for order in ["block", "cyclic"] {
                    let request: NodesRequest = format!("{count}:{order}").parse().unwrap();
                    let mut nodes = request.of_ranks(ranks);
                    nodes.sort_unstable();
                    nodes.dedup();
                    assert_eq!(nodes.len(), count);
                }
            }
        }
    }
}
