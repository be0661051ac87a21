//! The bindings as text for people: `--report-bindings`.
//!
//! Each rank has a line in the manner of Open MPI: who, where in words, and a picture. In the
//! picture a bracket is a package, a slash separates cores, and a letter is a hardware thread:
//! `B` bound, `.` not bound, `~` forbidden to the job.
//!
//! ```text
//! rank 0 on node7: package 0 core 0 (processor 0,64): [BB/../..][../../..]
//! rank 1 on node7: not bound: [../../..][../../..]
//! ```
//!
//! Step before: [`super::plan`]. Step after: the launcher's standard error.

use std::collections::HashSet;

use super::{RankBinding, list_of_units};
use crate::topology::{Level, Machine};

/// A line for each rank, rank 0 first, each ended by a newline.
pub fn report(machine: &Machine, bindings: &[RankBinding]) -> String {
    let mut text = String::new();
    for (rank, binding) in bindings.iter().enumerate() {
        text.push_str(&report_line(machine, rank, binding));
        text.push('\n');
    }
    text
}

/// The line for one rank, without a newline.
pub fn report_line(machine: &Machine, rank: usize, binding: &RankBinding) -> String {
    let bound: HashSet<u32> = binding.processing_units.iter().copied().collect();
    let everywhere = machine.allowed().iter().all(|unit| bound.contains(unit));
    // Where there is one place only, being bound to all of it is a binding all the same.
    let place = if everywhere && machine.allowed().len() > 1 {
        "not bound".to_string()
    } else {
        format!(
            "{} (processor {})",
            place_in_words(machine, &bound),
            list_of_units(&binding.processing_units)
        )
    };
    format!(
        "rank {rank} on {}: {place}: {}",
        machine.host(),
        picture(machine, &bound, everywhere)
    )
}

/// `package 0 core 0-3, package 1 core 4`; a single hardware thread of a core is named as such.
fn place_in_words(machine: &Machine, bound: &HashSet<u32>) -> String {
    let units: Vec<_> = machine
        .processing_units()
        .iter()
        .filter(|unit| bound.contains(&unit.os_index))
        .collect();
    let mut packages: Vec<(u32, Vec<u32>)> = Vec::new();
    for unit in &units {
        match packages.last_mut() {
            Some((package, cores)) if *package == unit.package => cores.push(unit.core),
            _ => packages.push((unit.package, vec![unit.core])),
        }
    }
    let mut words: Vec<String> = packages
        .iter()
        .map(|(package, cores)| format!("package {package} core {}", list_of_units(cores)))
        .collect();
    if let [unit] = units[..] {
        let threads: Vec<u32> = machine
            .processing_units()
            .iter()
            .filter(|other| other.container(Level::Core) == unit.container(Level::Core))
            .map(|other| other.os_index)
            .collect();
        if threads.len() > 1
            && let Some(index) = threads.iter().position(|&thread| thread == unit.os_index)
        {
            words[0].push_str(&format!(" hwthread {index}"));
        }
    }
    words.join(", ")
}

fn picture(machine: &Machine, bound: &HashSet<u32>, everywhere: bool) -> String {
    let mut text = String::new();
    let mut previous: Option<(u32, u32)> = None;
    for unit in machine.processing_units() {
        match previous {
            None => text.push('['),
            Some((package, _)) if package != unit.package => text.push_str("]["),
            Some((_, core)) if core != unit.core => text.push('/'),
            Some(_) => {}
        }
        let mark = match (unit.allowed, bound.contains(&unit.os_index)) {
            (false, _) => '~',
            (true, true) if !everywhere || machine.allowed().len() == 1 => 'B',
            (true, _) => '.',
        };
        text.push(mark);
        previous = Some((unit.package, unit.core));
    }
    text.push(']');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binding::{BindTo, MapBy, plan};

    #[test]
    fn lines_show_words_and_picture() {
        let machine = Machine::from_description("package:2 core:2 pu:2").unwrap();
        let bindings = plan(&machine, 3, MapBy::Package, &BindTo::Core, true).unwrap();
        assert_eq!(
            report(&machine, &bindings),
            "rank 0 on described: package 0 core 0 (processor 0-1): [BB/..][../..]\n\
             rank 1 on described: package 1 core 2 (processor 4-5): [../..][BB/..]\n\
             rank 2 on described: package 0 core 1 (processor 2-3): [../BB][../..]\n"
        );
    }

    #[test]
    fn forbidden_threads_and_unbound_ranks_are_told() {
        let machine = Machine::from_description("package:2 core:2 pu:2")
            .unwrap()
            .restricted_to(&[0, 1, 6]);
        let bindings = plan(&machine, 1, MapBy::Core, &BindTo::HwThread, true).unwrap();
        assert_eq!(
            report_line(&machine, 0, &bindings[0]),
            "rank 0 on described: package 0 core 0 hwthread 0 (processor 0): [B./~~][~~/.~]"
        );
        let bindings = plan(&machine, 1, MapBy::Core, &BindTo::None, true).unwrap();
        assert_eq!(
            report_line(&machine, 0, &bindings[0]),
            "rank 0 on described: not bound: [../~~][~~/.~]"
        );
        let both = BindTo::List(vec![vec![0, 6]]);
        let bindings = plan(&machine, 1, MapBy::Core, &both, true).unwrap();
        assert_eq!(
            report_line(&machine, 0, &bindings[0]),
            "rank 0 on described: package 0 core 0, package 1 core 3 (processor 0,6): \
             [B./~~][~~/B~]"
        );
    }
}
