//! The table of algorithms by speed, and its file.
//!
//! Before: [`super::measure`] has measured, or a file was written earlier. After: the algorithms for a geometry and a size,
//! the fastest first: those of the number of members that is nearest, and there of the nearest size; the smaller one
//! where two are equally near.
//!
//! ```toml
//! [[broadcast]]
//! members = 4
//! bytes = 1024          # 0 for kinds whose members do not all know a size
//! algorithms = ["binomial", "linear"]
//! nanoseconds = [1800, 2600]
//! ```

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Deserialize;

use crate::extension::collsel::plan::is_sized;
use crate::structures::kind::TransferKind;

/// Algorithms and their times in nanoseconds, the fastest first.
type Order = Vec<(String, u64)>;

/// Orders by bytes, by members, by kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Table(BTreeMap<TransferKind, BTreeMap<usize, BTreeMap<usize, Order>>>);

/// An entry as it stands in a file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    members: usize,
    bytes: usize,
    algorithms: Vec<String>,
    nanoseconds: Vec<u64>,
}

/// The kind that a file calls so.
fn kind_of(name: &str) -> Option<TransferKind> {
    let mut kinds = TransferKind::ALL.iter().copied();
    kinds.find(|kind| !kind.is_active() && kind.name().eq_ignore_ascii_case(name))
}

impl Table {
    /// Adds what was measured; it takes the place of what was there.
    pub(super) fn add(
        &mut self,
        kind: TransferKind,
        members: usize,
        bytes: usize,
        times: &[(&str, f64)],
    ) {
        let mut times = times.to_vec();
        times.sort_by(|one, other| one.1.total_cmp(&other.1));
        let order = times
            .iter()
            .map(|(name, time)| (String::from(*name), *time as u64));
        let bytes = if is_sized(kind) { bytes } else { 0 };
        let of_kind = self.0.entry(kind).or_default();
        of_kind
            .entry(members)
            .or_default()
            .insert(bytes, order.collect());
    }

    /// Takes over everything that `newer` has.
    pub(super) fn take(&mut self, newer: Self) {
        for (kind, geometries) in newer.0 {
            let of_kind = self.0.entry(kind).or_default();
            for (members, sizes) in geometries {
                of_kind.entry(members).or_default().extend(sizes);
            }
        }
    }

    /// The kinds that it has.
    pub(super) fn kinds(&self) -> impl Iterator<Item = TransferKind> + '_ {
        self.0.keys().copied()
    }

    /// The algorithms of a kind in a geometry of so many members, by the most bytes that they are advised for.
    pub(super) fn advice(&self, kind: TransferKind, members: usize) -> Vec<(usize, Vec<&str>)> {
        let Some(geometries) = self.0.get(&kind) else {
            return Vec::new();
        };
        let nearest = geometries
            .keys()
            .copied()
            .min_by_key(|one| one.abs_diff(members));
        let sizes = nearest.and_then(|nearest| geometries.get(&nearest));
        let sizes: Vec<_> = sizes.into_iter().flatten().collect();
        let bound = |index: usize| match (sizes[index].0, sizes.get(index + 1)) {
            (_, None) => usize::MAX,
            (bytes, Some((next, _))) => bytes + (*next - bytes) / 2,
        };
        (0..sizes.len())
            .map(|index| {
                let order = sizes[index].1.iter().map(|(name, _)| name.as_str());
                (bound(index), order.collect())
            })
            .collect()
    }

    /// As a file has it.
    pub(super) fn to_text(&self) -> String {
        let mut text = String::from(
            "# Algorithms of PAMI's collective operations by speed, as EXT_collsel has measured them.\n",
        );
        for (kind, geometries) in &self.0 {
            let name = kind.name().to_lowercase();
            for (members, sizes) in geometries {
                for (bytes, order) in sizes {
                    let (names, times): (Vec<_>, Vec<_>) = order.iter().cloned().unzip();
                    let _ = writeln!(text, "\n[[{name}]]\nmembers = {members}\nbytes = {bytes}");
                    let _ = writeln!(text, "algorithms = {names:?}\nnanoseconds = {times:?}");
                }
            }
        }
        text
    }

    /// The table of a file's text.
    ///
    /// # Errors
    ///
    /// Why it is none.
    pub(super) fn of_text(text: &str) -> Result<Self, String> {
        let document: BTreeMap<String, Vec<Entry>> =
            toml::from_str(text).map_err(|error| error.to_string())?;
        let mut table = Self::default();
        for (name, entries) in document {
            let kind = kind_of(&name).ok_or(format!("there is no kind of operation {name:?}"))?;
            let known = kind.table().map_or(Vec::new(), |table| table.algorithms());
            for entry in entries {
                let unknown = |name: &&String| !known.iter().any(|known| known.0 == **name);
                if let Some(unknown) = entry.algorithms.iter().find(unknown) {
                    return Err(format!("{name} has no algorithm {unknown:?}"));
                }
                if entry.algorithms.len() != entry.nanoseconds.len() || entry.members == 0 {
                    return Err(format!(
                        "an entry of {name} has no members, or not a time for each algorithm"
                    ));
                }
                let order = entry.algorithms.into_iter().zip(entry.nanoseconds);
                let of_kind = table.0.entry(kind).or_default();
                let sizes = of_kind.entry(entry.members).or_default();
                sizes.insert(entry.bytes, order.collect());
            }
        }
        Ok(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use TransferKind::{Broadcast, Gatherv};

    fn table() -> Table {
        let mut table = Table::default();
        table.add(Broadcast, 4, 1000, &[("linear", 30.0), ("binomial", 20.5)]);
        table.add(Broadcast, 4, 8, &[("linear", 1.0), ("binomial", 2.0)]);
        table.add(Broadcast, 16, 8, &[("binomial", 2.0)]);
        table.add(Gatherv, 2, 512, &[("linear", 7.0)]);
        table
    }

    #[test]
    fn the_nearest_geometry_and_size_advise_the_fastest_first() {
        let table = table();
        let of_four = [
            (504, vec!["linear", "binomial"]),
            (usize::MAX, vec!["binomial", "linear"]),
        ];
        assert_eq!(table.advice(Broadcast, 4), of_four);
        assert_eq!(table.advice(Broadcast, 1), of_four);
        // As near to 16 as to 4.
        assert_eq!(table.advice(Broadcast, 10), of_four);
        assert_eq!(
            table.advice(Broadcast, 11),
            [(usize::MAX, vec!["binomial"])]
        );
        assert_eq!(table.advice(Gatherv, 3), [(usize::MAX, vec!["linear"])]);
        assert!(table.advice(TransferKind::Scan, 4).is_empty());
    }

    #[test]
    fn a_table_comes_back_from_its_text() {
        let table = table();
        assert_eq!(Table::of_text(&table.to_text()), Ok(table.clone()));
        assert!(table.kinds().eq([Broadcast, Gatherv]));
    }

    #[test]
    fn what_is_measured_anew_takes_the_place_of_what_was() {
        let mut old = table();
        let mut newer = Table::default();
        newer.add(Broadcast, 4, 8, &[("binomial", 1.0)]);
        old.take(newer);
        assert_eq!(old.advice(Broadcast, 4)[0], (504, vec!["binomial"]));
        assert_eq!(old.advice(Broadcast, 4).len(), 2);
    }

    #[test]
    fn texts_that_are_no_table_are_refused() {
        for (text, reason) in [
            ("swap = []", "no kind"),
            ("ambroadcast = []", "no kind"),
            ("broadcast = 3", ""),
            ("[[broadcast]]\nmembers = 2", ""),
            (
                "[[broadcast]]\nmembers = 2\nbytes = 1\nalgorithms = [\"fast\"]\nnanoseconds = [1]",
                "no algorithm",
            ),
            (
                "[[broadcast]]\nmembers = 2\nbytes = 1\nalgorithms = [\"linear\"]\nnanoseconds = []",
                "not a time",
            ),
        ] {
            let refused = Table::of_text(text).unwrap_err();
            assert!(refused.contains(reason), "{text}: {refused}");
        }
    }
}
