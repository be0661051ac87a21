//! Whether a profile and costs are of the machine that is placed on.
//!
//! What: lines of the report that say where costs were measured and under what, and that a profile, or costs, are of
//! another machine. Why: algorithms, and with them who sends what to whom, follow the machine, and so do costs; a
//! network that was changed has to be profiled again.
//!
//! Step before: profiles were read, and the [`Site`]. Step after: standard output, with the summary.
//! Invariant: files that name no machine, such as those made by hand, are said nothing of.

use std::fmt::Write as _;
use std::path::PathBuf;

use pamir_driver::topology::Fingerprint;

use super::source::Site;

/// A profile's file and the machine that it was taken on.
pub type Taken = (PathBuf, Fingerprint);

/// What is to be said; `here` is the machine that this runs on.
pub fn notes(taken: &[Taken], site: &Site, here: Option<&Fingerprint>) -> String {
    let mut text = String::new();
    if let Some(machine) = &site.machine {
        let _ = writeln!(text, "machine       {machine}");
        let others = taken
            .iter()
            .filter(|(_, profiled)| !profiled.has_shape_of(machine));
        for (path, profiled) in others {
            let path = path.display();
            let _ = writeln!(
                text,
                "              {path} is of another one, {profiled}: profile the job again where it shall run"
            );
        }
    }
    if let Some(measured) = &site.measured {
        let meanwhile = measured.meanwhile.as_deref().unwrap_or("nobody knows how");
        let _ = writeln!(text, "costs         measured: {meanwhile}");
    }
    // Costs follow more than the shape: they are those of one host.
    if let (Some(_), Some(machine), Some(here)) = (&site.measured, &site.machine, here)
        && machine != here
    {
        let _ = writeln!(
            text,
            "              of another machine than this, {here}: measure it with pamir place --measure"
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use pamir_driver::topology::Machine;
    use pamir_transport::placement::TopologyGraph;
    use pamir_transport::placement::format::machine::Conditions;

    use super::*;

    fn machine(text: &str) -> Fingerprint {
        Machine::from_description(text).unwrap().fingerprint()
    }

    fn site(measured: Option<Conditions>) -> Site {
        Site {
            topology: TopologyGraph::uniform(&[4], &[2.0, 1.0]).unwrap(),
            machine: Some(machine("core:4 pu:1")),
            measured,
        }
    }

    #[test]
    fn a_profile_of_another_machine_is_told() {
        let taken = |text| [(PathBuf::from("job.profile"), machine(text))];
        let same = notes(&taken("core:4 pu:1"), &site(None), None);
        assert!(same.starts_with("machine       ") && same.lines().count() == 1);
        let other = notes(&taken("core:2 pu:2"), &site(None), None);
        assert!(other.contains("job.profile is of another one, "), "{other}");
    }

    #[test]
    fn measured_costs_say_under_what_and_whose_they_are() {
        let measured = || {
            site(Some(Conditions {
                machine: Some(machine("core:4 pu:1")),
                meanwhile: Some("pairs at once, load 0.10 on 4 units".to_string()),
            }))
        };
        let here = machine("core:4 pu:1");
        let own = notes(&[], &measured(), Some(&here));
        assert!(own.contains("costs         measured: pairs at once, load 0.10 on 4 units\n"));
        assert!(!own.contains("another"), "{own}");
        let here = machine("core:8 pu:1");
        let other = notes(&[], &measured(), Some(&here));
        assert!(other.contains("of another machine than this"), "{other}");
    }
}
