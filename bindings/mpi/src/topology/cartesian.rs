//! Cartesian grids (MPI-5.0 section 8.5).
//!
//! Ranks run through the grid in row-major order, the last coordinate fastest:
//!
//! ```text
//! extents 2 x 3      coordinate 1:   0  1  2
//!        coordinate 0:   0           0  1  2
//!                        1           3  4  5
//! ```
//!
//! A grid of no dimensions has one place, one with an extent of 0 has none.

use super::error::TopologyError;

/// A grid, periodic in some of its dimensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cartesian {
    extents: Box<[i32]>,
    periodic: Box<[bool]>,
    size: usize,
}

/// The part of a grid that one rank belongs to after `MPI_Cart_sub`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subgrid {
    /// Which part: ranks of one colour form one communicator.
    pub color: usize,
    /// The rank in it.
    pub key: usize,
    /// Its grid.
    pub grid: Cartesian,
}

impl Cartesian {
    /// A grid in a communicator of `ranks`; those beyond the product of the extents are left out.
    ///
    /// # Errors
    ///
    /// [`TopologyError::Extent`], [`TopologyError::Length`], [`TopologyError::TooLarge`].
    pub fn new(extents: &[i32], periodic: &[bool], ranks: usize) -> Result<Self, TopologyError> {
        if periodic.len() != extents.len() {
            let (got, expected) = (periodic.len(), extents.len());
            return Err(TopologyError::Length {
                what: "periods",
                got,
                expected,
            });
        }
        let mut places = 1i64;
        for (dimension, &extent) in extents.iter().enumerate() {
            if extent < 0 {
                return Err(TopologyError::Extent { dimension, extent });
            }
            places = places.saturating_mul(i64::from(extent));
        }
        if places > ranks as i64 {
            return Err(TopologyError::TooLarge { places, ranks });
        }
        let (extents, periodic) = (extents.into(), periodic.into());
        Ok(Self {
            extents,
            periodic,
            size: places as usize,
        })
    }

    /// How many places the grid has.
    pub fn size(&self) -> usize {
        self.size
    }

    /// How many dimensions (`MPI_Cartdim_get`).
    pub fn dimensions(&self) -> usize {
        self.extents.len()
    }

    /// The extent of each dimension.
    pub fn extents(&self) -> &[i32] {
        &self.extents
    }

    /// Whether each dimension wraps around.
    pub fn periodic(&self) -> &[bool] {
        &self.periodic
    }

    /// The coordinates of a rank (`MPI_Cart_coords`).
    ///
    /// # Errors
    ///
    /// [`TopologyError::NoSuchRank`].
    pub fn coordinates(&self, rank: usize) -> Result<Vec<i32>, TopologyError> {
        if rank >= self.size {
            return Err(TopologyError::NoSuchRank {
                rank: rank as i64,
                size: self.size,
            });
        }
        let mut rest = rank;
        let mut coordinates = vec![0; self.extents.len()];
        for (coordinate, &extent) in coordinates.iter_mut().zip(&self.extents).rev() {
            *coordinate = (rest % extent as usize) as i32;
            rest /= extent as usize;
        }
        Ok(coordinates)
    }

    /// The rank at coordinates (`MPI_Cart_rank`), which wrap around in periodic dimensions.
    ///
    /// # Errors
    ///
    /// [`TopologyError::Length`], [`TopologyError::Coordinate`].
    pub fn rank(&self, coordinates: &[i32]) -> Result<usize, TopologyError> {
        if coordinates.len() != self.extents.len() {
            let (got, expected) = (coordinates.len(), self.extents.len());
            return Err(TopologyError::Length {
                what: "coordinates",
                got,
                expected,
            });
        }
        let mut rank = 0;
        for (dimension, &coordinate) in coordinates.iter().enumerate() {
            let extent = self.extents[dimension];
            let wrapped = coordinate.rem_euclid(extent);
            if wrapped != coordinate && !self.periodic[dimension] {
                return Err(TopologyError::Coordinate {
                    dimension,
                    coordinate,
                    extent,
                });
            }
            rank = rank * extent as usize + wrapped as usize;
        }
        Ok(rank)
    }

    /// Source and destination of a shift along a dimension (`MPI_Cart_shift`);
    /// `None` where it leaves the grid (`MPI_PROC_NULL`).
    ///
    /// # Errors
    ///
    /// [`TopologyError::NoSuchDimension`], [`TopologyError::NoSuchRank`].
    pub fn shift(
        &self,
        rank: usize,
        dimension: i32,
        displacement: i32,
    ) -> Result<(Option<usize>, Option<usize>), TopologyError> {
        let dimensions = self.extents.len();
        let along = usize::try_from(dimension)
            .ok()
            .filter(|&along| along < dimensions)
            .ok_or(TopologyError::NoSuchDimension {
                dimension,
                dimensions,
            })?;
        let from = i64::from(self.coordinates(rank)?[along]);
        let extent = i64::from(self.extents[along]);
        let stride: i64 = self.extents[along + 1..]
            .iter()
            .map(|&e| i64::from(e))
            .product();
        let at = |displacement: i64| {
            let target = from + displacement;
            let wrapped = target.rem_euclid(extent);
            (target == wrapped || self.periodic[along])
                .then(|| (rank as i64 + (wrapped - from) * stride) as usize)
        };
        let displacement = i64::from(displacement);
        Ok((at(-displacement), at(displacement)))
    }

    /// The neighbours of a rank in the order of neighbourhood collectives: for each
    /// dimension the one below, then the one above.
    ///
    /// # Errors
    ///
    /// [`TopologyError::NoSuchRank`].
    pub fn neighbours(&self, rank: usize) -> Result<Vec<Option<usize>>, TopologyError> {
        // Also where there is no dimension to ask for.
        self.coordinates(rank)?;
        let mut neighbours = Vec::with_capacity(2 * self.extents.len());
        for dimension in 0..self.extents.len() {
            let (below, above) = self.shift(rank, dimension as i32, 1)?;
            neighbours.extend([below, above]);
        }
        Ok(neighbours)
    }

    /// The part of the grid that keeps some dimensions and has `rank` (`MPI_Cart_sub`).
    ///
    /// # Errors
    ///
    /// [`TopologyError::Length`], [`TopologyError::NoSuchRank`].
    pub fn subgrid(&self, rank: usize, keep: &[bool]) -> Result<Subgrid, TopologyError> {
        if keep.len() != self.extents.len() {
            let (got, expected) = (keep.len(), self.extents.len());
            return Err(TopologyError::Length {
                what: "dimensions to keep",
                got,
                expected,
            });
        }
        let coordinates = self.coordinates(rank)?;
        let (mut color, mut key, mut size) = (0, 0, 1);
        let (mut extents, mut periodic) = (Vec::new(), Vec::new());
        for (dimension, &keep) in keep.iter().enumerate() {
            let extent = self.extents[dimension];
            let index = if keep { &mut key } else { &mut color };
            *index = *index * extent as usize + coordinates[dimension] as usize;
            if keep {
                extents.push(extent);
                periodic.push(self.periodic[dimension]);
                size *= extent as usize;
            }
        }
        let grid = Self {
            extents: extents.into(),
            periodic: periodic.into(),
            size,
        };
        Ok(Subgrid { color, key, grid })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_grid_is_row_major_and_wraps_where_periodic() {
        let grid = Cartesian::new(&[2, 3], &[false, true], 8).unwrap();
        assert_eq!(grid.size(), 6);
        assert_eq!(grid.coordinates(4), Ok(vec![1, 1]));
        assert_eq!(grid.rank(&[1, 4]), Ok(4));
        assert_eq!(grid.rank(&[0, -1]), Ok(2));
        let outside = TopologyError::Coordinate {
            dimension: 0,
            coordinate: 2,
            extent: 2,
        };
        assert_eq!(grid.rank(&[2, 0]), Err(outside));
        assert_eq!(
            grid.neighbours(0),
            Ok(vec![None, Some(3), Some(2), Some(1)])
        );
        assert_eq!(grid.shift(0, 1, 0), Ok((Some(0), Some(0))));
        assert_eq!(grid.shift(0, 0, i32::MIN), Ok((None, None)));
        // -2^31 is 1 more than a multiple of three.
        assert_eq!(grid.shift(0, 1, i32::MIN), Ok((Some(2), Some(1))));
    }

    /// The ranks next to `rank`, below and above in each dimension.
    fn near(grid: &Cartesian, rank: usize) -> Vec<Option<usize>> {
        grid.neighbours(rank).unwrap()
    }

    #[test]
    fn every_place_of_a_torus_has_two_neighbours_in_each_dimension() {
        for (dimensions, extent) in [(2, 5), (3, 3), (4, 3), (5, 3)] {
            let extents = vec![extent; dimensions];
            let ranks = (extent as usize).pow(dimensions as u32);
            let torus = Cartesian::new(&extents, &vec![true; dimensions], ranks).unwrap();
            let mesh = Cartesian::new(&extents, &vec![false; dimensions], ranks).unwrap();
            for rank in 0..ranks {
                let neighbours: Vec<_> = near(&torus, rank).into_iter().flatten().collect();
                assert_eq!(neighbours.len(), 2 * dimensions);
                // Each is another place, and has this one as its neighbour the other way.
                let mut apart = neighbours.clone();
                apart.sort_unstable();
                apart.dedup();
                assert_eq!(apart.len(), 2 * dimensions);
                for (index, neighbour) in neighbours.iter().enumerate() {
                    assert_eq!(near(&torus, *neighbour)[index ^ 1], Some(rank));
                }
                let edges = mesh.coordinates(rank).unwrap();
                let outer = edges.iter().filter(|at| **at == 0 || **at == extent - 1);
                let left = near(&mesh, rank).into_iter().flatten().count();
                assert_eq!(left, 2 * dimensions - outer.count());
            }
        }
        // 27 places in three dimensions: the middle one's neighbours, and a corner's, around.
        let torus = Cartesian::new(&[3; 3], &[true; 3], 27).unwrap();
        let of = |rank| near(&torus, rank).into_iter().flatten().collect::<Vec<_>>();
        assert_eq!(of(13), [4, 22, 10, 16, 12, 14]);
        assert_eq!(of(0), [18, 9, 6, 3, 2, 1]);
    }

    #[test]
    fn wrong_arguments_are_refused() {
        let new = |extents: &[i32]| Cartesian::new(extents, &vec![true; extents.len()], 6);
        assert_eq!(
            new(&[2, -1]).unwrap_err(),
            TopologyError::Extent {
                dimension: 1,
                extent: -1
            }
        );
        assert_eq!(
            new(&[7]).unwrap_err(),
            TopologyError::TooLarge {
                places: 7,
                ranks: 6
            }
        );
        assert!(matches!(
            new(&[i32::MAX; 9]),
            Err(TopologyError::TooLarge { .. })
        ));
        let grid = new(&[2, 3]).unwrap();
        for dimension in [-1, 2] {
            let error = TopologyError::NoSuchDimension {
                dimension,
                dimensions: 2,
            };
            assert_eq!(grid.shift(0, dimension, 1), Err(error));
        }
        let no_such_rank = TopologyError::NoSuchRank { rank: 6, size: 6 };
        assert_eq!(grid.coordinates(6), Err(no_such_rank));
        assert_eq!(grid.neighbours(6), Err(no_such_rank));
        assert!(matches!(grid.rank(&[1]), Err(TopologyError::Length { .. })));
        assert!(matches!(
            grid.subgrid(0, &[true]),
            Err(TopologyError::Length { .. })
        ));
    }

    #[test]
    fn a_grid_with_an_extent_of_0_has_no_place() {
        for extents in [&[0, 2][..], &[7, 0], &[i32::MAX, i32::MAX, i32::MAX, 0]] {
            let grid = Cartesian::new(extents, &vec![true; extents.len()], 6).unwrap();
            assert_eq!(grid.size(), 0);
            assert!(grid.coordinates(0).is_err() && grid.neighbours(0).is_err());
        }
    }

    #[test]
    fn a_grid_of_no_dimensions_has_one_place() {
        let grid = Cartesian::new(&[], &[], 3).unwrap();
        assert_eq!(
            (grid.size(), grid.rank(&[]), grid.coordinates(0)),
            (1, Ok(0), Ok(vec![]))
        );
        assert_eq!(grid.neighbours(0), Ok(vec![]));
        assert!(grid.coordinates(1).is_err() && grid.neighbours(1).is_err());
    }

    #[test]
    fn a_subgrid_keeps_the_dimensions_named() {
        // The standard's example: a 2 x 3 x 4 grid without its second dimension.
        let grid = Cartesian::new(&[2, 3, 4], &[false, true, true], 24).unwrap();
        let keep = [true, false, true];
        let mut members = vec![vec![None; 8]; 3];
        for rank in 0..24 {
            let part = grid.subgrid(rank, &keep).unwrap();
            assert_eq!(
                (part.grid.extents(), part.grid.periodic()),
                (&[2, 4][..], &[false, true][..])
            );
            let all = grid.coordinates(rank).unwrap();
            assert_eq!(part.grid.coordinates(part.key).unwrap(), [all[0], all[2]]);
            assert_eq!(members[part.color][part.key].replace(rank), None);
        }
        assert!(members.iter().flatten().all(Option::is_some));
        let alone = grid.subgrid(5, &[false; 3]).unwrap();
        assert_eq!((alone.color, alone.key, alone.grid.size()), (5, 0, 1));
    }

    proptest! {
        #[test]
        fn coordinates_and_shifts_agree(
            extents in prop::collection::vec(1i32..5, 1..5),
            periods: u8, pick: usize, along: usize, displacement in -9i32..10,
        ) {
            let size = extents.iter().product::<i32>() as usize;
            let periodic: Vec<bool> = (0..extents.len()).map(|d| periods >> d & 1 == 1).collect();
            let grid = Cartesian::new(&extents, &periodic, size).unwrap();
            let (rank, along) = (pick % size, along % extents.len());
            let coordinates = grid.coordinates(rank).unwrap();
            prop_assert_eq!(grid.rank(&coordinates), Ok(rank));
            let mut at = coordinates.clone();
            at[along] -= displacement;
            let source = grid.rank(&at).ok();
            at[along] += 2 * displacement;
            let destination = grid.rank(&at).ok();
            let shifted = grid.shift(rank, along as i32, displacement);
            prop_assert_eq!(shifted, Ok((source, destination)));
        }
    }
}
