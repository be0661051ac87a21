//! The table as a page for users.
//!
//! Before: [`crate::table`]. After: `docs/user/variables.md`, which a test compares with
//! [`markdown`].

use std::fmt::Write as _;

use crate::setting::{Audience, Declared};
use crate::table::ALL;

/// What stands before the variables that users set.
const OPENING: &str = "\
# Variables

Pamir reads these variables of the environment. `pamir info --variables` shows them with their values and
where each value comes from. An empty value counts as none, but for `PAMIR_SELECTION_FILE`. A switch is on with `1`, `on`, `yes` or `true`,
and off with `0`, `off`, `no` or `false`. A bad value ends the job before a rank starts, with exit code 1;
mpiexec tells once of a name beginning with `PAMIR_` that is not listed here.
";

/// What is said of a setting that all ranks need alike.
const AGREED: &str = " All ranks need the same value.";

/// The whole page.
pub fn markdown() -> String {
    let mut text = OPENING.to_owned();
    let users = "\n| variable | value | default | meaning |\n|---|---|---|---|\n";
    text.push_str(users);
    for setting in of(Audience::Users) {
        let (allowed, default) = (setting.allowed(), setting.default_words());
        let (name, meaning) = (setting.name(), setting.meaning());
        let agreed = if setting.is_agreed() { AGREED } else { "" };
        let _ = writeln!(
            text,
            "| `{name}` | {allowed} | {default} | {meaning}{agreed} |"
        );
    }
    text.push_str("\nmpiexec sets these for its ranks; do not set them by hand:\n");
    text.push_str("\n| variable | meaning |\n|---|---|\n");
    for setting in of(Audience::Launcher) {
        let (name, meaning) = (setting.name(), setting.meaning());
        let _ = writeln!(text, "| `{name}` | {meaning} |");
    }
    text.push_str(
        "\nFor scripts, mpiexec also sets `MPI_LOCALRANKID` and `MPI_LOCALNRANKS`: the rank's number\n\
         on its node, and how many ranks the node has.\n",
    );
    text
}

/// The variables for somebody, in the table's order.
pub fn of(audience: Audience) -> impl Iterator<Item = &'static dyn Declared> {
    ALL.iter()
        .copied()
        .filter(move |setting| setting.audience() == audience)
}
