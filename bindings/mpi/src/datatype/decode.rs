//! Decoding a datatype: envelope and contents (MPI-5.0 section 5.1.13).
//!
//! Each type keeps the arguments it was made with (its *recipe*); the record
//! in the standard's order is written when asked for. Types made by the large
//! count functions put every `MPI_Count` argument into the third list, and can
//! only be decoded by the large count functions (the C layer refuses the
//! others when [`Envelope::counts`] is not 0).
//!
//! Step before: a constructor stored the recipe. Step after: the C layer turns
//! each [`Integer`] into the number of its constant.

use std::rc::Rc;

use super::Datatype;
use super::argument::{Combiner, Distribution, DistributionArgument, Form, Order};
use super::recipe::Recipe;

/// One entry of the array of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integer {
    /// A plain number.
    Number(i64),
    /// `MPI_ORDER_C` or `MPI_ORDER_FORTRAN`.
    Order(Order),
    /// `MPI_DISTRIBUTE_BLOCK`, `_CYCLIC` or `_NONE`.
    Distribution(Distribution),
    /// `MPI_DISTRIBUTE_DFLT_DARG`.
    DefaultArgument,
    /// `MPI_UNDEFINED`, as passed for a Fortran precision or range.
    Undefined,
}

/// Lengths of the four lists, and the combiner (`MPI_Type_get_envelope`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// Entries in the array of integers.
    pub integers: usize,
    /// Entries in the array of addresses.
    pub addresses: usize,
    /// Entries in the array of large counts.
    pub counts: usize,
    /// Entries in the array of datatypes.
    pub datatypes: usize,
    /// How the type was made.
    pub combiner: Combiner,
}

/// The arguments a type was made with (`MPI_Type_get_contents`).
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// The array of integers.
    pub integers: Vec<Integer>,
    /// The array of addresses.
    pub addresses: Vec<i64>,
    /// The array of large counts.
    pub counts: Vec<i64>,
    /// The array of datatypes.
    pub datatypes: Vec<Rc<Datatype>>,
}

/// Puts counts where the form wants them.
struct Writer {
    contents: Contents,
    form: Form,
}

impl Writer {
    fn new(form: Form, old: &Rc<Datatype>) -> Self {
        let contents = Contents {
            datatypes: vec![old.clone()],
            ..Contents::default()
        };
        Self { contents, form }
    }

    fn integers(mut self, values: &[i64]) -> Self {
        self.contents
            .integers
            .extend(values.iter().map(|&value| Integer::Number(value)));
        self
    }

    fn list<T>(mut self, values: &[T], entry: impl Fn(&T) -> Integer) -> Self {
        self.contents.integers.extend(values.iter().map(entry));
        self
    }

    fn counts(mut self, values: &[i64]) -> Self {
        match self.form {
            Form::Int => self.integers(values),
            Form::Large => {
                self.contents.counts.extend(values);
                self
            }
        }
    }

    fn addresses(mut self, values: &[i64]) -> Self {
        match self.form {
            Form::Int => self.contents.addresses.extend(values),
            Form::Large => self.contents.counts.extend(values),
        }
        self
    }
}

impl Datatype {
    /// How it was made.
    pub fn combiner(&self) -> Combiner {
        match &self.recipe {
            Recipe::Named(_) | Recipe::Released => Combiner::Named,
            Recipe::Dup { .. } => Combiner::Dup,
            Recipe::Contiguous { .. } => Combiner::Contiguous,
            Recipe::Vector { .. } => Combiner::Vector,
            Recipe::Hvector { .. } => Combiner::Hvector,
            Recipe::Indexed { .. } => Combiner::Indexed,
            Recipe::Hindexed { .. } => Combiner::Hindexed,
            Recipe::IndexedBlock { .. } => Combiner::IndexedBlock,
            Recipe::HindexedBlock { .. } => Combiner::HindexedBlock,
            Recipe::Structure { .. } => Combiner::Struct,
            Recipe::Subarray { .. } => Combiner::Subarray,
            Recipe::Darray { .. } => Combiner::Darray,
            Recipe::Resized { .. } => Combiner::Resized,
            Recipe::Fortran { combiner, .. } => *combiner,
        }
    }

    /// Lengths of the lists that [`Datatype::contents`] answers.
    pub fn envelope(&self) -> Envelope {
        let contents = self.contents();
        Envelope {
            integers: contents.integers.len(),
            addresses: contents.addresses.len(),
            counts: contents.counts.len(),
            datatypes: contents.datatypes.len(),
            combiner: self.combiner(),
        }
    }

    /// The constructor's arguments in the standard's order; all lists are
    /// empty for a named type, for which `MPI_Type_get_contents` is an error.
    pub fn contents(&self) -> Contents {
        let writer = match &self.recipe {
            Recipe::Named(_) | Recipe::Released => return Contents::default(),
            Recipe::Dup { old } => Writer::new(Form::Int, old),
            Recipe::Contiguous { form, count, old } => Writer::new(*form, old).counts(&[*count]),
            Recipe::Vector {
                form,
                count,
                blocklength,
                stride,
                old,
            } => Writer::new(*form, old).counts(&[*count, *blocklength, *stride]),
            Recipe::Hvector {
                form,
                count,
                blocklength,
                stride,
                old,
            } => Writer::new(*form, old)
                .counts(&[*count, *blocklength])
                .addresses(&[*stride]),
            Recipe::Indexed {
                form,
                blocklengths,
                displacements,
                old,
            } => Writer::new(*form, old)
                .counts(&[blocklengths.len() as i64])
                .counts(blocklengths)
                .counts(displacements),
            Recipe::Hindexed {
                form,
                blocklengths,
                displacements,
                old,
            } => Writer::new(*form, old)
                .counts(&[blocklengths.len() as i64])
                .counts(blocklengths)
                .addresses(displacements),
            Recipe::IndexedBlock {
                form,
                blocklength,
                displacements,
                old,
            } => Writer::new(*form, old)
                .counts(&[displacements.len() as i64, *blocklength])
                .counts(displacements),
            Recipe::HindexedBlock {
                form,
                blocklength,
                displacements,
                old,
            } => Writer::new(*form, old)
                .counts(&[displacements.len() as i64, *blocklength])
                .addresses(displacements),
            Recipe::Structure {
                form,
                blocklengths,
                displacements,
                types,
            } => {
                let contents = Contents {
                    datatypes: types.to_vec(),
                    ..Contents::default()
                };
                Writer {
                    contents,
                    form: *form,
                }
                .counts(&[blocklengths.len() as i64])
                .counts(blocklengths)
                .addresses(displacements)
            }
            Recipe::Subarray {
                form,
                sizes,
                subsizes,
                starts,
                order,
                old,
            } => Writer::new(*form, old)
                .integers(&[sizes.len() as i64])
                .counts(sizes)
                .counts(subsizes)
                .counts(starts)
                .list(&[*order], |&order| Integer::Order(order)),
            Recipe::Darray {
                form,
                size,
                rank,
                sizes,
                distributions,
                arguments,
                grid,
                order,
                old,
            } => Writer::new(*form, old)
                .integers(&[*size, *rank, sizes.len() as i64])
                .counts(sizes)
                .list(distributions, |&distribution| {
                    Integer::Distribution(distribution)
                })
                .list(arguments, |argument| match argument {
                    DistributionArgument::Default => Integer::DefaultArgument,
                    DistributionArgument::Block(value) => Integer::Number(*value),
                })
                .integers(grid)
                .list(&[*order], |&order| Integer::Order(order)),
            Recipe::Resized {
                form,
                lower,
                extent,
                old,
            } => Writer::new(*form, old).addresses(&[*lower, *extent]),
            Recipe::Fortran { arguments, .. } => Writer {
                contents: Contents::default(),
                form: Form::Int,
            }
            .list(arguments, |value| {
                value.map_or(Integer::Undefined, Integer::Number)
            }),
        };
        writer.contents
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datatype::named;

    fn numbers(values: &[i64]) -> Vec<Integer> {
        values.iter().map(|&value| Integer::Number(value)).collect()
    }

    #[test]
    fn both_forms_of_a_structure() {
        let int = Datatype::named(named::find("MPI_INT").unwrap());
        let types = [int.clone(), int.clone()];
        let small = Datatype::structure(Form::Int, &[3, 4], &[0, 64], &types).unwrap();
        let contents = small.contents();
        assert_eq!(contents.integers, numbers(&[2, 3, 4]));
        assert_eq!(
            (contents.addresses, contents.counts.len()),
            (vec![0, 64], 0)
        );
        assert_eq!(contents.datatypes.len(), 2);
        let large = Datatype::structure(Form::Large, &[3, 4], &[0, 64], &types).unwrap();
        let contents = large.contents();
        assert_eq!(contents.counts, [2, 3, 4, 0, 64]);
        assert!(contents.integers.is_empty() && contents.addresses.is_empty());
        let envelope = large.envelope();
        assert_eq!((envelope.counts, envelope.datatypes), (5, 2));
        assert_eq!(envelope.combiner, Combiner::Struct);
    }

    #[test]
    fn named_dup_vector_and_resized() {
        let int = Datatype::named(named::find("MPI_INT").unwrap());
        assert_eq!(int.envelope().combiner, Combiner::Named);
        assert_eq!(int.envelope().datatypes, 0);
        let dup = Datatype::dup(&int).unwrap();
        assert!(Rc::ptr_eq(&dup.contents().datatypes[0], &int));
        let vector = Datatype::vector(Form::Int, 3, 2, 5, &int).unwrap();
        assert_eq!(vector.contents().integers, numbers(&[3, 2, 5]));
        let hvector = Datatype::hvector(Form::Int, 3, 2, 5, &int).unwrap();
        assert_eq!(hvector.contents().integers, numbers(&[3, 2]));
        assert_eq!(hvector.contents().addresses, [5]);
        let hvector = Datatype::hvector(Form::Large, 3, 2, 5, &int).unwrap();
        assert_eq!(hvector.contents().counts, [3, 2, 5]);
        let resized = Datatype::resized(Form::Int, -8, 32, &int).unwrap();
        assert_eq!(resized.contents().addresses, [-8, 32]);
    }
}
