//! Parts of arrays: subarrays and distributed arrays (MPI-5.0 sections 5.1.3
//! and 5.1.4).
//!
//! Both walk the dimensions from the fastest running one outwards; the type
//! so far is repeated along each dimension, and its bounds become those of the
//! whole array at the end.
//!
//! ```text
//!   order C, sizes (4, 6), subsizes (2, 3), starts (1, 2)
//!     ······
//!     ··███·     dimension 1: 3 elements, shifted by 2
//!     ··███·     dimension 0: 2 rows, 6 elements apart, shifted by 1 row
//!     ······
//! ```
//!
//! Step before: the C layer. Step after: `super::piece`.

use std::rc::Rc;

use super::Datatype;
use super::argument::{Distribution, DistributionArgument, Form, Order};
use super::error::{DatatypeError, product, same_length, within};
use super::piece::{Piece, scaled};
use super::recipe::Recipe;

/// Dimensions from the fastest running one outwards.
fn inwards_out(order: Order, dimensions: usize) -> Vec<usize> {
    match order {
        Order::C => (0..dimensions).rev().collect(),
        Order::Fortran => (0..dimensions).collect(),
    }
}

fn dimensions(count: usize) -> Result<(), DatatypeError> {
    if count == 0 {
        return Err(DatatypeError::NoDimensions { found: 0 });
    }
    Ok(())
}

impl Datatype {
    /// `MPI_Type_create_subarray`. Sizes of 0, and no dimensions at all, make a type without data.
    pub fn subarray(
        form: Form,
        sizes: &[i64],
        subsizes: &[i64],
        starts: &[i64],
        order: Order,
        old: &Rc<Self>,
    ) -> Result<Rc<Self>, DatatypeError> {
        same_length("the list of subsizes", sizes.len(), subsizes.len())?;
        same_length("the list of starts", sizes.len(), starts.len())?;
        for ((&size, &subsize), &start) in sizes.iter().zip(subsizes).zip(starts) {
            within("a size", size, 0, i64::MAX)?;
            within("a subsize", subsize, 0, size)?;
            within("a start", start, 0, size - subsize)?;
        }
        let mut piece = old.piece.clone();
        let mut stride = old.extent();
        if sizes.is_empty() {
            piece = piece.repeated(0, stride)?;
            stride = 0;
        }
        for dimension in inwards_out(order, sizes.len()) {
            piece = piece
                .repeated(subsizes[dimension] as usize, stride)?
                .shifted(scaled(starts[dimension], stride)?)?;
            stride = product("the extent", stride, sizes[dimension])?;
        }
        let recipe = Recipe::Subarray {
            form,
            sizes: sizes.into(),
            subsizes: subsizes.into(),
            starts: starts.into(),
            order,
            old: old.clone(),
        };
        Self::from_parts(piece.bounded(0, stride)?, recipe, false)
    }

    /// `MPI_Type_create_darray`: the elements of an array of `sizes` that
    /// belong to process `rank` of `size` in the process `grid`.
    #[allow(clippy::too_many_arguments)] // The standard's signature.
    pub fn darray(
        form: Form,
        size: i64,
        rank: i64,
        sizes: &[i64],
        distributions: &[Distribution],
        arguments: &[DistributionArgument],
        grid: &[i64],
        order: Order,
        old: &Rc<Self>,
    ) -> Result<Rc<Self>, DatatypeError> {
        dimensions(sizes.len())?;
        same_length(
            "the list of distributions",
            sizes.len(),
            distributions.len(),
        )?;
        same_length(
            "the list of distribution arguments",
            sizes.len(),
            arguments.len(),
        )?;
        same_length("the list of process grid sizes", sizes.len(), grid.len())?;
        within("size", size, 1, i64::MAX)?;
        within("rank", rank, 0, size - 1)?;
        let mut places = 1;
        for (&extent, &processes) in sizes.iter().zip(grid) {
            within("a global size", extent, 1, i64::MAX)?;
            within("a process grid size", processes, 1, i64::MAX)?;
            places = product("the process grid", places, processes)?;
        }
        if places != size {
            return Err(DatatypeError::GridMismatch {
                grid: places,
                processes: size,
            });
        }
        // Processes are numbered row-major in the grid, whatever the order of
        // the array (MPI-5.0 section 5.1.4).
        let (mut rest, mut places) = (rank, size);
        let coordinates: Vec<i64> = grid
            .iter()
            .map(|&processes| {
                places /= processes;
                let coordinate = rest / places;
                rest %= places;
                coordinate
            })
            .collect();
        let mut piece = old.piece.clone();
        let mut stride = old.extent();
        for dimension in inwards_out(order, sizes.len()) {
            let share = Share {
                dimension,
                size: sizes[dimension],
                processes: grid[dimension],
                coordinate: coordinates[dimension],
                argument: arguments[dimension],
            };
            piece = match distributions[dimension] {
                Distribution::None => share.undistributed(&piece, stride)?,
                Distribution::Block => share.block(&piece, stride)?,
                Distribution::Cyclic => share.cyclic(&piece, stride)?,
            };
            stride = product("the extent", stride, sizes[dimension])?;
        }
        let recipe = Recipe::Darray {
            form,
            size,
            rank,
            sizes: sizes.into(),
            distributions: distributions.into(),
            arguments: arguments.into(),
            grid: grid.into(),
            order,
            old: old.clone(),
        };
        Self::from_parts(piece.bounded(0, stride)?, recipe, false)
    }
}

/// One process's share of one dimension.
struct Share {
    dimension: usize,
    size: i64,
    processes: i64,
    coordinate: i64,
    argument: DistributionArgument,
}

impl Share {
    fn undistributed(&self, piece: &Piece, stride: i64) -> Result<Piece, DatatypeError> {
        within(
            "the process grid size of an undistributed dimension",
            self.processes,
            1,
            1,
        )?;
        piece.repeated(self.size as usize, stride)
    }

    fn block(&self, piece: &Piece, stride: i64) -> Result<Piece, DatatypeError> {
        let block = match self.argument {
            DistributionArgument::Default => (self.size - 1) / self.processes + 1,
            DistributionArgument::Block(block) => {
                within("a distribution argument", block, 1, i64::MAX)?;
                if block.saturating_mul(self.processes) < self.size {
                    return Err(DatatypeError::BlocksTooSmall {
                        dimension: self.dimension,
                        processes: self.processes,
                        block,
                        size: self.size,
                    });
                }
                block
            }
        };
        let start = block.saturating_mul(self.coordinate).min(self.size);
        let mine = block.min(self.size - start);
        if mine == 0 {
            return Ok(Piece::empty());
        }
        piece
            .repeated(mine as usize, stride)?
            .shifted(scaled(start, stride)?)
    }

    fn cyclic(&self, piece: &Piece, stride: i64) -> Result<Piece, DatatypeError> {
        let block = match self.argument {
            DistributionArgument::Default => 1,
            DistributionArgument::Block(block) => {
                within("a distribution argument", block, 1, i64::MAX)?;
                block
            }
        };
        let cycle = block.saturating_mul(self.processes);
        let start = block.saturating_mul(self.coordinate);
        if start >= self.size {
            return Ok(Piece::empty());
        }
        let full = (self.size - start) / cycle;
        let rest = self.size - start - full * cycle;
        // What is left after the full cycles holds one more block, maybe cut.
        let (full, cut) = if rest >= block {
            (full + 1, 0)
        } else {
            (full, rest)
        };
        let whole = if full == 0 {
            Piece::empty()
        } else {
            piece
                .repeated(block as usize, stride)?
                .repeated(full as usize, scaled(cycle, stride)?)?
                .shifted(scaled(start, stride)?)?
        };
        if cut == 0 {
            return Ok(whole);
        }
        let at = scaled(start + full * cycle, stride)?;
        let tail = piece.repeated(cut as usize, stride)?.shifted(at)?;
        let mut joined = Piece::structure([(1, 0, &whole), (1, 0, &tail)].into_iter())?;
        joined.alignment = piece.alignment;
        Ok(joined)
    }
}
