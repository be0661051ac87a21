//! The variables of the table of settings, each in the page of those who need it.

use pamir_settings::document::of;
use pamir_settings::{Audience, CC, CXX, Declared, FC, SEND};
use roff::{Roff, bold, roman};

use crate::page::{item, words};

/// Those that a job's ranks and `mpiexec` read, but for the tables of algorithms.
pub fn of_jobs() -> Roff {
    list(of(Audience::Users).filter(|setting| !is_table(*setting) && !is_of_wrappers(*setting)))
}

/// Those that `mpiexec` sets.
pub fn of_the_launcher() -> Roff {
    let mut roff = Roff::new();
    for setting in of(Audience::Launcher) {
        item(&mut roff, vec![bold(setting.name())], setting.meaning());
    }
    roff
}

/// Those that `mpicc`, `mpicxx` and `mpifort` read.
pub fn of_the_wrappers() -> Roff {
    list(of(Audience::Users).filter(|setting| is_of_wrappers(*setting)))
}

/// Those that hold rows of a table of algorithms.
pub fn of_tables() -> Roff {
    list(of(Audience::Users).filter(|setting| is_table(*setting)))
}

fn is_table(setting: &dyn Declared) -> bool {
    setting.allowed() == Declared::allowed(&SEND)
}

fn is_of_wrappers(setting: &dyn Declared) -> bool {
    [CC.name(), CXX.name(), FC.name()].contains(&setting.name())
}

fn list(settings: impl Iterator<Item = &'static dyn Declared>) -> Roff {
    let mut roff = Roff::new();
    for setting in settings {
        item(&mut roff, vec![bold(setting.name())], setting.meaning());
        let (allowed, default) = (setting.allowed(), setting.default_words());
        roff.control("br", []);
        roff.text(
            [roman("Value: ")]
                .into_iter()
                .chain(words(&allowed))
                .chain([roman(format!(". Default: {default}."))])
                .collect::<Vec<_>>(),
        );
    }
    roff
}
