//! From a notation's values to a datatype, by MPI's constructors.
//!
//! What: one function a constructor, in a table that `--help` and errors name them from.
//! Why: arguments are MPI's, in MPI's order, so that a call in C can be copied; counts of lists and
//! dimensions are left out, since the lists have them.
//! Step before: `super::notation`. Step after: [`super`] prints what the datatype compiled to.
//! Invariant: what the standard forbids is refused by `pamir_mpi`, whose message is passed on.

use std::rc::Rc;

use pamir_mpi::datatype::{
    Datatype, DatatypeError, Distribution, DistributionArgument, Form, Order, named,
};
use thiserror::Error;

use super::notation::{Kind, Value};

/// The values are no datatype.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConstructorError {
    /// No such constructor.
    #[error("byte {at}: no constructor is called '{name}'; there are {known}")]
    Unknown {
        /// Where.
        at: usize,
        /// What was written.
        name: String,
        /// All names.
        known: String,
    },
    /// No such predefined type.
    #[error(
        "byte {at}: no predefined datatype is called '{name}'; write one like double, int or MPI_2INT"
    )]
    NotPredefined {
        /// Where.
        at: usize,
        /// What was written.
        name: String,
    },
    /// Another kind of value.
    #[error("byte {at}: here should be {wanted}")]
    Wanted {
        /// Where.
        at: usize,
        /// What belongs there.
        wanted: &'static str,
    },
    /// Too few or too many arguments.
    #[error("byte {at}: write it as {form}")]
    Arguments {
        /// Where.
        at: usize,
        /// The constructor with its arguments.
        form: &'static str,
    },
    /// MPI would refuse it.
    #[error("byte {at}: {source}")]
    Refused {
        /// Where.
        at: usize,
        /// Why.
        source: DatatypeError,
    },
}

type Result<T> = std::result::Result<T, ConstructorError>;
type Made = std::result::Result<Rc<Datatype>, DatatypeError>;

/// A constructor of the notation.
struct Constructor {
    /// As `--help` writes it.
    form: &'static str,
    make: fn(&mut Arguments<'_>) -> Result<Made>,
}

/// Counts as large as a word has room for.
const FORM: Form = Form::Large;

/// One line a constructor.
const CONSTRUCTORS: &[Constructor] = &[
    Constructor {
        form: "contiguous(count,type)",
        make: |of| Ok(Datatype::contiguous(FORM, of.number()?, &of.datatype()?)),
    },
    Constructor {
        form: "vector(count,blocklength,stride,type)",
        make: |of| {
            let [count, length, stride] = of.numbers()?;
            Ok(Datatype::vector(
                FORM,
                count,
                length,
                stride,
                &of.datatype()?,
            ))
        },
    },
    Constructor {
        form: "hvector(count,blocklength,stride_bytes,type)",
        make: |of| {
            let [count, length, stride] = of.numbers()?;
            Ok(Datatype::hvector(
                FORM,
                count,
                length,
                stride,
                &of.datatype()?,
            ))
        },
    },
    Constructor {
        form: "indexed([blocklengths],[displacements],type)",
        make: |of| {
            Ok(Datatype::indexed(
                FORM,
                &of.list()?,
                &of.list()?,
                &of.datatype()?,
            ))
        },
    },
    Constructor {
        form: "hindexed([blocklengths],[displacements_bytes],type)",
        make: |of| {
            Ok(Datatype::hindexed(
                FORM,
                &of.list()?,
                &of.list()?,
                &of.datatype()?,
            ))
        },
    },
    Constructor {
        form: "indexed_block(blocklength,[displacements],type)",
        make: |of| {
            Ok(Datatype::indexed_block(
                FORM,
                of.number()?,
                &of.list()?,
                &of.datatype()?,
            ))
        },
    },
    Constructor {
        form: "hindexed_block(blocklength,[displacements_bytes],type)",
        make: |of| {
            Ok(Datatype::hindexed_block(
                FORM,
                of.number()?,
                &of.list()?,
                &of.datatype()?,
            ))
        },
    },
    Constructor {
        form: "struct([blocklengths],[displacements_bytes],[types])",
        make: |of| {
            Ok(Datatype::structure(
                FORM,
                &of.list()?,
                &of.list()?,
                &of.datatypes()?,
            ))
        },
    },
    Constructor {
        form: "subarray([sizes],[subsizes],[starts],c|fortran,type)",
        make: |of| {
            let [sizes, subsizes, starts] = [of.list()?, of.list()?, of.list()?];
            let (order, old) = (of.order()?, of.datatype()?);
            Ok(Datatype::subarray(
                FORM, &sizes, &subsizes, &starts, order, &old,
            ))
        },
    },
    Constructor {
        form: "darray(size,rank,[sizes],[none|block|block:N|cyclic|cyclic:N],[grid],c|fortran,type)",
        make: darray,
    },
    Constructor {
        form: "resized(lower_bound_bytes,extent_bytes,type)",
        make: |of| {
            let [lower, extent] = of.numbers()?;
            Ok(Datatype::resized(FORM, lower, extent, &of.datatype()?))
        },
    },
    Constructor {
        form: "dup(type)",
        make: |of| Ok(Datatype::dup(&of.datatype()?)),
    },
];

fn darray(of: &mut Arguments<'_>) -> Result<Made> {
    let [size, rank] = of.numbers()?;
    let sizes = of.list()?;
    let (distributions, arguments): (Vec<_>, Vec<_>) = of.distributions()?.into_iter().unzip();
    let (grid, order, old) = (of.list()?, of.order()?, of.datatype()?);
    Ok(Datatype::darray(
        FORM,
        size,
        rank,
        &sizes,
        &distributions,
        &arguments,
        &grid,
        order,
        &old,
    ))
}

impl Constructor {
    fn name(&self) -> &'static str {
        self.form.split('(').next().unwrap_or(self.form)
    }
}

/// All constructors with their arguments, one a line.
pub fn forms() -> impl Iterator<Item = &'static str> {
    CONSTRUCTORS.iter().map(|constructor| constructor.form)
}

/// The datatype that a value stands for.
pub fn datatype(value: &Value) -> Result<Rc<Datatype>> {
    let at = value.at;
    match &value.kind {
        Kind::Word(name) => predefined(at, name),
        Kind::Call(name, arguments) => constructed(at, name, arguments),
        _ => Err(ConstructorError::Wanted {
            at,
            wanted: "a datatype, like double or vector(10,1,20,double)",
        }),
    }
}

/// `double`, `DOUBLE` and `MPI_DOUBLE` are the same.
fn predefined(at: usize, name: &str) -> Result<Rc<Datatype>> {
    let upper = name.to_ascii_uppercase();
    let row = named::find(&upper).or_else(|| named::find(&format!("MPI_{upper}")));
    row.map(Datatype::named)
        .ok_or_else(|| ConstructorError::NotPredefined {
            at,
            name: name.into(),
        })
}

fn constructed(at: usize, name: &str, arguments: &[Value]) -> Result<Rc<Datatype>> {
    let found = CONSTRUCTORS.iter().find(|known| known.name() == name);
    let constructor = found.ok_or_else(|| {
        let known: Vec<&str> = CONSTRUCTORS.iter().map(Constructor::name).collect();
        ConstructorError::Unknown {
            at,
            name: name.into(),
            known: known.join(", "),
        }
    })?;
    let wrong = || ConstructorError::Arguments {
        at,
        form: constructor.form,
    };
    let mut left = Arguments {
        values: arguments.iter(),
        at,
        form: constructor.form,
    };
    let made = (constructor.make)(&mut left)?;
    if left.values.next().is_some() {
        return Err(wrong());
    }
    made.map_err(|source| ConstructorError::Refused { at, source })
}

/// The arguments of a call that have not been taken.
struct Arguments<'a> {
    values: std::slice::Iter<'a, Value>,
    at: usize,
    form: &'static str,
}

impl<'a> Arguments<'a> {
    fn next(&mut self) -> Result<&'a Value> {
        self.values.next().ok_or(ConstructorError::Arguments {
            at: self.at,
            form: self.form,
        })
    }

    fn number(&mut self) -> Result<i64> {
        number(self.next()?)
    }

    fn numbers<const N: usize>(&mut self) -> Result<[i64; N]> {
        let mut numbers = [0; N];
        for place in &mut numbers {
            *place = self.number()?;
        }
        Ok(numbers)
    }

    fn list(&mut self) -> Result<Vec<i64>> {
        each(self.next()?, "a list of numbers, like [1,2]", number)
    }

    fn datatypes(&mut self) -> Result<Vec<Rc<Datatype>>> {
        each(
            self.next()?,
            "a list of datatypes, like [int,double]",
            datatype,
        )
    }

    fn distributions(&mut self) -> Result<Vec<(Distribution, DistributionArgument)>> {
        let wanted = "a list like [none,block,cyclic:2]";
        each(self.next()?, wanted, distribution)
    }

    fn datatype(&mut self) -> Result<Rc<Datatype>> {
        datatype(self.next()?)
    }

    fn order(&mut self) -> Result<Order> {
        let value = self.next()?;
        match &value.kind {
            Kind::Word(word) if word == "c" => Ok(Order::C),
            Kind::Word(word) if word == "fortran" => Ok(Order::Fortran),
            _ => Err(ConstructorError::Wanted {
                at: value.at,
                wanted: "c or fortran",
            }),
        }
    }
}

fn number(value: &Value) -> Result<i64> {
    match value.kind {
        Kind::Number(number) => Ok(number),
        _ => Err(ConstructorError::Wanted {
            at: value.at,
            wanted: "a number",
        }),
    }
}

/// What `read` makes of each value of a list.
fn each<T>(value: &Value, wanted: &'static str, read: fn(&Value) -> Result<T>) -> Result<Vec<T>> {
    match &value.kind {
        Kind::List(values) => values.iter().map(read).collect(),
        _ => Err(ConstructorError::Wanted {
            at: value.at,
            wanted,
        }),
    }
}

fn distribution(value: &Value) -> Result<(Distribution, DistributionArgument)> {
    let wrong = || ConstructorError::Wanted {
        at: value.at,
        wanted: "none, block, block:N, cyclic or cyclic:N",
    };
    let Kind::Word(word) = &value.kind else {
        return Err(wrong());
    };
    let (name, items) = match word.split_once(':') {
        Some((name, items)) => (name, Some(items.parse().map_err(|_| wrong())?)),
        None => (word.as_str(), None),
    };
    let argument = items.map_or(DistributionArgument::Default, DistributionArgument::Block);
    match (name, items) {
        ("none", None) => Ok((Distribution::None, argument)),
        ("block", _) => Ok((Distribution::Block, argument)),
        ("cyclic", _) => Ok((Distribution::Cyclic, argument)),
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::notation::read;
    use super::*;

    fn made(text: &str) -> Result<Rc<Datatype>> {
        datatype(&read(text).unwrap())
    }

    #[test]
    fn every_constructor_makes_its_type() {
        let expected = [
            ("MPI_DOUBLE", 8, 8),
            ("contiguous(3,int)", 12, 12),
            ("vector(1024,1,4096,double)", 8192, 1023 * 32768 + 8),
            ("hvector(2,3,100,char)", 6, 103),
            ("indexed([1,2],[0,4],int)", 12, 24),
            ("hindexed([1,2],[0,40],int)", 12, 48),
            ("indexed_block(2,[0,4],short)", 8, 12),
            ("hindexed_block(2,[0,40],short)", 8, 44),
            ("struct([1,2],[0,8],[char,double])", 17, 24),
            ("subarray([4,6],[2,3],[1,2],c,int)", 24, 96),
            ("subarray([4,6],[2,3],[1,2],fortran,int)", 24, 96),
            ("darray(2,1,[8],[block],[2],c,float)", 16, 32),
            (
                "darray(2,0,[8,2],[cyclic:1,none],[2,1],fortran,float)",
                32,
                64,
            ),
            ("resized(-4,40,dup(int))", 4, 40),
        ];
        for (text, size, extent) in expected {
            let datatype = made(text).unwrap();
            assert_eq!(
                (datatype.size(), datatype.extent()),
                (size, extent),
                "{text}"
            );
        }
        for form in forms() {
            let name = form.split('(').next().unwrap();
            let tested = expected
                .iter()
                .any(|row| row.0.contains(&format!("{name}(")));
            assert!(tested, "{name}");
        }
    }

    #[test]
    fn errors_say_what_to_write() {
        let said = |text| made(text).unwrap_err().to_string();
        assert!(said("vektor(1,int)").contains("there are contiguous, vector,"));
        assert!(said("vector(1,2,int)").contains("byte 11: here should be a number"));
        assert!(
            said("vector(1,2,3)").contains("write it as vector(count,blocklength,stride,type)")
        );
        assert!(said("dup(int,int)").contains("write it as dup(type)"));
        assert!(said("dup(integer_of_mine)").contains("no predefined datatype"));
        assert!(said("dup([int])").contains("here should be a datatype"));
        assert!(said("subarray([4],[2],[1],row,int)").contains("c or fortran"));
        assert!(said("darray(2,1,[8],[none:2],[2],c,int)").contains("cyclic:N"));
        assert!(said("contiguous(-1,int)").starts_with("byte 0: "));
    }
}
