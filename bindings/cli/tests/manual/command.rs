//! The subcommands of `pamir`, from clap's definition.

use clap::Command;
use clap_mangen::Man;
use pamir_cli::command::definition;
use roff::{Roff, roman};

/// A line for each subcommand.
pub fn synopsis() -> Roff {
    let mut roff = Roff::new();
    for subcommand in shown() {
        roff.text([roman(usage(&subcommand))]).control("br", []);
    }
    roff
}

/// A subsection for each subcommand: its usage, its description, its options.
pub fn subcommands() -> String {
    let mut text = String::new();
    for subcommand in shown() {
        let mut heading = Roff::new();
        heading.control("SS", [usage(&subcommand).as_str()]);
        text.push_str(&heading.to_roff());
        let man = Man::new(subcommand.mut_arg("help", |argument| argument.hide(true)));
        text.push_str(&section(|page| man.render_description_section(page)));
        text.push_str(&section(|page| man.render_options_section(page)));
    }
    text
}

/// The notation of datatypes, as `pamir explain-type --help` shows it.
pub fn datatypes() -> Roff {
    let explain = shown()
        .into_iter()
        .find(|command| command.get_name() == "explain-type");
    let notation = explain.and_then(|command| command.get_after_help().map(ToString::to_string));
    let mut roff = Roff::new();
    roff.control("nf", []);
    for line in notation.expect("explain-type tells its notation").lines() {
        roff.text([roman(line)]);
    }
    roff.control("fi", []);
    roff
}

fn shown() -> Vec<Command> {
    let mut definition = definition();
    definition.build();
    let shown = definition
        .get_subcommands()
        .filter(|command| !command.is_hide_set());
    shown.cloned().collect()
}

fn usage(subcommand: &Command) -> String {
    let usage = subcommand.clone().render_usage().to_string();
    usage.trim_start_matches("Usage: ").to_owned()
}

/// What clap_mangen writes of one section, without the heading and what goes before it.
fn section(write: impl Fn(&mut dyn std::io::Write) -> std::io::Result<()>) -> String {
    let mut page = Vec::new();
    write(&mut page).expect("memory takes all");
    let page = String::from_utf8(page).expect("a page is text");
    let body = page
        .split_once(".SH")
        .and_then(|(_, rest)| rest.split_once('\n'));
    body.map_or("", |(_, body)| body).replace("\\*(Aq", "'")
}
