//! Counting what arrived (MPI-5.0 sections 3.2.5 and 5.1.11), and the size of
//! packed data (section 5.2).
//!
//! Step before: a status says how many bytes were received. Step after: the C
//! layer turns `None` into `MPI_UNDEFINED`.

use super::Datatype;

impl Datatype {
    /// Whole elements of this type in `bytes` received bytes (`MPI_Get_count`);
    /// `None` where the last one is incomplete.
    pub fn count_in(&self, bytes: usize) -> Option<usize> {
        match self.size() {
            0 => (bytes == 0).then_some(0),
            size => bytes.is_multiple_of(size).then(|| bytes / size),
        }
    }

    /// Basic elements in `bytes` received bytes (`MPI_Get_elements`); `None`
    /// where the last one is incomplete. A pair counts two, a complex one.
    pub fn elements_in(&self, bytes: usize) -> Option<usize> {
        match self.size() {
            0 => (bytes == 0).then_some(0),
            size => {
                let signature = self.signature();
                let inside = signature.elements_within(bytes % size)?;
                (bytes / size)
                    .checked_mul(signature.elements())?
                    .checked_add(inside)
            }
        }
    }

    /// Received bytes that hold `elements` basic elements
    /// (`MPI_Status_set_elements`); `None` where they do not fit in memory.
    pub fn bytes_of_elements(&self, elements: usize) -> Option<usize> {
        let signature = self.signature();
        match signature.elements() {
            0 => (elements == 0).then_some(0),
            each => (elements / each)
                .checked_mul(self.size())?
                .checked_add(signature.bytes_of(elements % each)),
        }
    }

    /// Bytes that `count` elements take when packed (`MPI_Pack_size`): packed
    /// data has no header. `None` where that does not fit.
    pub fn packed_bytes(&self, count: usize) -> Option<usize> {
        self.size().checked_mul(count)
    }
}

#[cfg(test)]
mod tests {
    use crate::datatype::{Datatype, Form, named};

    #[test]
    fn counts_and_elements() {
        let of = |name| Datatype::named(named::find(name).unwrap());
        let record = Datatype::structure(
            Form::Int,
            &[2, 1, 1],
            &[0, 8, 16],
            &[of("MPI_INT"), of("MPI_DOUBLE"), of("MPI_SHORT_INT")],
        )
        .unwrap();
        assert_eq!(record.size(), 22);
        let expected = [
            (0, 0),
            (4, 1),
            (8, 2),
            (16, 3),
            (18, 4),
            (22, 5),
            (44, 10),
            (48, 11),
        ];
        for (bytes, elements) in expected {
            assert_eq!(record.elements_in(bytes), Some(elements), "{bytes} bytes");
            assert_eq!(record.bytes_of_elements(elements), Some(bytes));
        }
        assert_eq!(record.elements_in(12), None);
        assert_eq!(record.elements_in(45), None);
        assert_eq!(record.count_in(44), Some(2));
        assert_eq!(record.count_in(40), None);
        let none = Datatype::contiguous(Form::Int, 0, &record).unwrap();
        assert_eq!((none.count_in(0), none.count_in(1)), (Some(0), None));
        assert_eq!((none.elements_in(0), none.elements_in(1)), (Some(0), None));
    }
}
