//! The arguments that `mpicc` keeps for itself.

use pamir_cli::wrapper::help::GROUPS;
use roff::Roff;

use crate::page::{item, spellings};

/// A section a group, an item an entry.
pub fn options() -> Roff {
    let mut roff = Roff::new();
    for (index, group) in GROUPS.iter().enumerate() {
        roff.control("SH", [group.title]);
        // The first group's sentence stands in the page's description.
        if index > 0 {
            roff.text([roff::roman(group.opening)]);
        }
        for entry in group.entries {
            let names: Vec<String> = entry.names.iter().map(|name| (*name).to_owned()).collect();
            item(&mut roff, spellings(&names, &[]), &sentence(entry.meaning));
        }
    }
    roff
}

/// A meaning with a capital letter and a full stop.
fn sentence(meaning: &str) -> String {
    let (first, rest) = meaning.split_at(1);
    format!("{}{rest}.", first.to_uppercase())
}
