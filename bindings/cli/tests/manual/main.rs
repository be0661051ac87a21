//! The manual pages are what the tables of options and of variables say.
//!
//! A page's prose is written by hand; its lists lie between `.\" begin NAME` and `.\" end NAME` and are written by
//! `PAMIR_BLESS=1 cargo test -p pamir-cli --test manual`. Without that variable the test compares.
//! Sources: `launch/options` (mpiexec), `wrapper/help.rs` (mpicc), clap's definition of `pamir`, and the
//! table of settings.

mod command;
mod launcher;
mod page;
mod variables;
mod wrapper;

use page::{Part, compare};

#[test]
fn mpiexec_1_has_every_option_and_variable() {
    compare(
        "mpiexec.1",
        &[
            Part::new("options", launcher::options()),
            Part::new("variables", variables::of_jobs()),
            Part::new("launcher variables", variables::of_the_launcher()),
        ],
    );
}

#[test]
fn mpicc_1_has_every_option_and_variable() {
    compare(
        "mpicc.1",
        &[
            Part::new("options", wrapper::options()),
            Part::new("variables", variables::of_the_wrappers()),
        ],
    );
}

#[test]
fn pamir_1_has_every_subcommand_and_variable() {
    compare(
        "pamir.1",
        &[
            Part::new("synopsis", command::synopsis()),
            Part::new("subcommands", command::subcommands()),
            Part::new("datatypes", command::datatypes()),
            Part::new("variables", variables::of_tables()),
        ],
    );
}
