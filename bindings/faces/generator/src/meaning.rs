//! What integers mean: the families of constants, and the arguments that take them.
//!
//! What: [`Meanings`], the family of a parameter. Step before: `table/meanings.txt`. Step after: `constant` writes a
//! family's translation, `argument` uses it. Invariant: a parameter has one family at most; a rule for one function
//! goes before one for all.

use pamir_interface::c_type::Parameter;

/// Constants of which an argument is one.
#[derive(Clone, Debug)]
pub struct Family {
    /// Its name, which is that of the functions written for it.
    pub name: String,
    /// Whether its constants are combined by or.
    pub is_bits: bool,
    /// The constants' names.
    pub constants: Vec<String>,
}

/// How a parameter carries a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// As itself.
    Value,
    /// At an address, for the call to write.
    Written,
    /// In an array that the call reads, as long as this parameter says.
    Array(String),
}

#[derive(Clone, Debug)]
struct Rule {
    function: Option<String>,
    parameter: String,
    carrier: Carrier,
    family: usize,
}

/// All families and rules.
#[derive(Debug, Default)]
pub struct Meanings {
    /// The families, in the table's order.
    pub families: Vec<Family>,
    rules: Vec<Rule>,
}

impl Meanings {
    /// Reads the table.
    ///
    /// # Errors
    ///
    /// The line that is wrong, with its number.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut meanings = Self::default();
        for (index, line) in text.lines().map(str::trim).enumerate() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let wrong = || format!("table/meanings.txt:{}: {line}", index + 1);
            match line.strip_prefix('[') {
                Some(rest) => {
                    let (head, constants) = rest.split_once(']').ok_or_else(wrong)?;
                    meanings.families.push(Family {
                        name: head.split(' ').next().unwrap_or(head).to_string(),
                        is_bits: head.ends_with(" bits"),
                        constants: constants.split_whitespace().map(str::to_string).collect(),
                    });
                }
                None => {
                    let family = meanings.families.len().checked_sub(1).ok_or_else(wrong)?;
                    meanings.rules.push(rule(line, family).ok_or_else(wrong)?);
                }
            }
        }
        Ok(meanings)
    }

    /// The family of a function's parameter, and how it carries it.
    pub fn of(&self, function: &str, parameter: &Parameter) -> Option<(&Family, &Carrier)> {
        let short = function.trim_start_matches("MPI_").trim_end_matches("_c");
        let fits = |rule: &&Rule| {
            let carries = match rule.carrier {
                Carrier::Value => parameter.pointers == 0 && parameter.brackets.is_empty(),
                Carrier::Written => parameter.pointers == 1 && !parameter.is_const,
                Carrier::Array(_) => parameter.brackets == "[]",
            };
            carries && rule.parameter == parameter.name
        };
        let own = |rule: &&Rule| rule.function.as_deref() == Some(short);
        let all = |rule: &&Rule| rule.function.is_none();
        let rules = || self.rules.iter().filter(fits);
        let found = rules().find(own).or_else(|| rules().find(all))?;
        // A handle may have the name of an integer elsewhere.
        let is_number = !parameter.base.starts_with("MPI_") || parameter.base.starts_with("MPI_T_");
        is_number.then(|| (&self.families[found.family], &found.carrier))
    }
}

fn rule(line: &str, family: usize) -> Option<Rule> {
    let (function, rest) = match line.split_once('.') {
        Some((function, rest)) => (Some(function.to_string()), rest),
        None => (None, line),
    };
    let (parameter, carrier) = match (rest.strip_prefix('*'), rest.split_once('[')) {
        (Some(name), _) => (name, Carrier::Written),
        (None, Some((name, length))) => {
            (name, Carrier::Array(length.strip_suffix(']')?.to_string()))
        }
        (None, None) => (rest, Carrier::Value),
    };
    let parameter = parameter.to_string();
    (!parameter.is_empty()).then_some(Rule {
        function,
        parameter,
        carrier,
        family,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_for_one_function_is_for_no_other() {
        let meanings = Meanings::parse(crate::MEANINGS).expect("the table is right");
        let family = |function: &str, text: &str| {
            let parameter = Parameter::parse(text).expect("a parameter");
            let found = meanings.of(function, &parameter);
            found.map(|(family, _)| family.name.as_str())
        };
        assert_eq!(family("MPI_Recv_c", "int tag"), Some("tag"));
        assert_eq!(family("MPI_Send", "int tag"), None);
        assert_eq!(family("MPI_Send", "int dest"), Some("rank"));
        assert_eq!(family("MPI_Comm_rank", "int *rank"), None);
        assert_eq!(family("MPI_Query_thread", "int *provided"), Some("thread"));
    }
}
