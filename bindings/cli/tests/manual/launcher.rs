//! The options of `mpiexec`.

use pamir_cli::launch::arguments::options::{OPTION_GROUPS, dashed};
use roff::Roff;

use crate::page::{item, spellings};

/// A subsection a group, an item an option.
pub fn options() -> Roff {
    let mut roff = Roff::new();
    for group in OPTION_GROUPS {
        roff.control("SS", [group.title]);
        for option in group.options {
            let names: Vec<String> = option.names.iter().map(|name| dashed(name)).collect();
            item(&mut roff, spellings(&names, option.values), option.help);
        }
    }
    roff
}
