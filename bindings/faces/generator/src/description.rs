//! An ABI's numbers: what its constants are, as its table says.
//!
//! What: [`Description`], a constant's value by name. Step before: `table/constants.txt` of a face, which has the format
//! of the interface's. Step after: `constant` and `handle` set these values beside those of the standard ABI.
//! Invariant: a handle is an integer or an object of the library; one ABI has one of both.

use std::collections::HashMap;

use pamir_interface::table::{Kind, Table};

/// A constant's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number, or an address that is one.
    Number(i64),
    /// The address of something that the library exports.
    Symbol {
        /// Its name.
        name: String,
        /// Its size in bytes; 0 for a function.
        size: usize,
        /// Fortran's integer, of a handle that has one.
        fortran: Option<i64>,
    },
}

/// A handle of an ABI's.
#[derive(Clone, Debug)]
pub struct Handle {
    /// The type, such as `MPI_Comm`.
    pub kind: String,
    /// The constant's name.
    pub name: String,
    /// What it is.
    pub value: Value,
}

/// The constants of an ABI.
#[derive(Debug)]
pub struct Description {
    values: HashMap<String, Value>,
    /// The predefined handles, in the table's order.
    pub handles: Vec<Handle>,
    /// What the library has in variables: name, size.
    pub variables: Vec<(String, usize)>,
}

/// A number in decimal or hexadecimal.
pub fn number(text: &str) -> Option<i64> {
    match text.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

fn value(text: &str, is_handle: bool) -> Option<Value> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let symbol = |name: &str, size: &str, fortran: Option<&&str>| {
        Some(Value::Symbol {
            name: name.to_string(),
            size: size.parse().ok()?,
            fortran: fortran.and_then(|text| number(text)),
        })
    };
    match words.as_slice() {
        ["symbol", name, size] => symbol(name, size, None),
        [name, size, rest @ ..] if is_handle => symbol(name, size, rest.first()),
        [.., last] => number(last).map(Value::Number),
        [] => None,
    }
}

impl Description {
    /// Reads a face's table.
    ///
    /// # Errors
    ///
    /// The constant that is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let table = Table::parse("", text)?;
        let mut description = Self {
            values: HashMap::new(),
            handles: Vec::new(),
            variables: Vec::new(),
        };
        for section in &table.sections {
            let kind = match &section.kind {
                Kind::Handle(kind) => Some(kind),
                _ => None,
            };
            for constant in &section.constants {
                let name = constant.name.clone();
                let alias = description.values.get(&constant.value).cloned();
                let value = alias.or_else(|| value(&constant.value, kind.is_some()));
                let value = value.ok_or(format!("{name} = {}: no value", constant.value))?;
                if let (None, Value::Symbol { name, size, .. }) = (kind, &value) {
                    description.variables.push((name.clone(), *size));
                }
                if let Some(kind) = kind {
                    description.handles.push(Handle {
                        kind: kind.clone(),
                        name: name.clone(),
                        value: value.clone(),
                    });
                }
                description.values.insert(name, value);
            }
        }
        Ok(description)
    }

    /// What a constant is, if the ABI has it.
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.values.get(name)
    }

    /// A constant's number, if the ABI has it and it is one.
    pub fn number(&self, name: &str) -> Option<i64> {
        match self.values.get(name)? {
            Value::Number(number) => Some(*number),
            Value::Symbol { .. } => None,
        }
    }
}

/// The standard ABI's numbers of the same names.
#[derive(Debug)]
pub struct Standard {
    numbers: HashMap<String, i64>,
    /// The error classes, in order.
    pub errors: Vec<String>,
    /// The predefined handles: type, name, number.
    pub handles: Vec<(String, String, i64)>,
}

impl Standard {
    /// Reads the interface's constants.
    pub fn new(table: &Table) -> Self {
        let mut standard = Self {
            numbers: HashMap::new(),
            errors: Vec::new(),
            handles: Vec::new(),
        };
        for section in &table.sections {
            for constant in &section.constants {
                let last = constant.value.rsplit(' ').next().unwrap_or("");
                let alias = standard.numbers.get(last).copied();
                let Some(number) = alias.or_else(|| number(last)) else {
                    continue;
                };
                let name = constant.name.clone();
                match &section.kind {
                    Kind::ErrorClass => standard.errors.push(name.clone()),
                    Kind::Handle(kind) => {
                        standard.handles.push((kind.clone(), name.clone(), number));
                    }
                    _ => {}
                }
                standard.numbers.insert(name, number);
            }
        }
        standard
    }

    /// A constant's number.
    pub fn number(&self, name: &str) -> Option<i64> {
        self.numbers.get(name).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_numbers_or_objects() {
        let text = "[handle MPI_Comm] Communicators\nMPI_COMM_WORLD = 0x44000000\n\
                    MPI_COMM_SELF = ompi_mpi_comm_self 512 1\nMPI_X = MPI_COMM_SELF\n\
                    [pointer] Addresses\nMPI_IN_PLACE = void * -1\nMPI_W = symbol w 8";
        let read = Description::parse(text).expect("the text is right");
        assert_eq!(read.number("MPI_COMM_WORLD"), Some(0x4400_0000));
        assert_eq!(read.number("MPI_IN_PLACE"), Some(-1));
        assert_eq!(read.value("MPI_X"), read.value("MPI_COMM_SELF"));
        let symbol = |name: &str, size, fortran| Value::Symbol {
            name: name.to_string(),
            size,
            fortran,
        };
        let own = symbol("ompi_mpi_comm_self", 512, Some(1));
        assert_eq!(read.value("MPI_COMM_SELF"), Some(&own));
        assert_eq!(read.value("MPI_W"), Some(&symbol("w", 8, None)));
        assert_eq!(read.handles.len(), 3);
    }

    #[test]
    fn the_standard_s_numbers_are_those_of_the_interface() {
        let standard = Standard::new(&pamir_interface::read().expect("the tables are right"));
        assert_eq!(standard.number("MPI_ANY_TAG"), Some(-2));
        assert_eq!(standard.number("MPI_C_COMPLEX"), Some(0x212));
        assert_eq!(standard.number("MPI_IN_PLACE"), Some(1));
        assert!(standard.errors.iter().any(|name| name == "MPI_ERR_RANK"));
    }
}
