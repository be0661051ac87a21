//! The text of `--help`, from the table.
//!
//! Invariant: no line is wider than a terminal of 96 columns.

use super::table::{OPTION_GROUPS, dashed};

const COLUMN: usize = 30;
const WIDTH: usize = 96;

/// The whole text.
pub fn help() -> String {
    let mut text = String::from(
        "Start the ranks of an MPI job on this machine.\n\n\
         Usage: mpiexec [OPTIONS] PROGRAM [ARGUMENTS] [: [OPTIONS] PROGRAM [ARGUMENTS]]...\n",
    );
    for group in OPTION_GROUPS {
        text.push_str(&format!("\n{}:\n", group.title));
        for option in group.options {
            let mut names: Vec<String> = option.names.iter().map(|name| dashed(name)).collect();
            if let Some(last) = names.last_mut() {
                for value in option.values {
                    last.push_str(&format!(" {value}"));
                }
            }
            let mut lines = spellings(&names);
            let last = lines.pop().unwrap_or_default();
            for line in lines {
                text.push_str(&format!("{line}\n"));
            }
            text.push_str(&two_columns(&last, option.help));
        }
    }
    text.push_str(
        "\nOptions take one dash or two, and `=` before a value (--bind-to=core). A colon\n\
         separates programs; the ranks of the first come first.\n\
         Standard input goes to rank 0. Lines of different ranks are never mixed.\n\
         \nExit code: 0 when every rank ended well; otherwise that of the first rank that failed\n\
         (128 + number for a signal), 124 after --timeout, 127 when a program is not found,\n\
         126 when it cannot be executed, 2 for a wrong command line.\n",
    );
    text
}

/// An option's spellings, in as many lines as they need.
fn spellings(names: &[String]) -> Vec<String> {
    let mut lines = vec![String::from(" ")];
    for (index, name) in names.iter().enumerate() {
        let comma = if index + 1 < names.len() { "," } else { "" };
        let fits = |line: &String| line.len() + 1 + name.len() + comma.len() <= WIDTH;
        if !lines.last().is_some_and(fits) {
            lines.push(String::from(" "));
        }
        if let Some(line) = lines.last_mut() {
            line.push_str(&format!(" {name}{comma}"));
        }
    }
    lines
}

fn two_columns(left: &str, right: &str) -> String {
    let mut text = String::from(left);
    let mut position = left.len();
    if position >= COLUMN {
        text.push('\n');
        position = 0;
    }
    text.push_str(&" ".repeat(COLUMN - position));
    position = COLUMN;
    for word in right.split_whitespace() {
        if position > COLUMN && position + 1 + word.len() > WIDTH {
            text.push('\n');
            text.push_str(&" ".repeat(COLUMN));
            position = COLUMN;
        } else if position > COLUMN {
            text.push(' ');
            position += 1;
        }
        text.push_str(word);
        position += word.len();
    }
    text.push('\n');
    text
}
