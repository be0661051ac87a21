//! Which rank a process is, by the variables that launchers set.
//!
//! What: a table of variables, our own first, then those of Open MPI, MPICH and Intel MPI, and
//! Slurm's. Policies need the number among the ranks of this host; a mapping file has the numbers
//! of the whole job.
//! Why in this order: a launcher inside another one (mpiexec in a batch script) leaves both sets of
//! variables, and the inner one is right. Slurm's are therefore looked at last, but for one case:
//! what PMI calls a rank counts over all hosts, and under `srun` that is set beside Slurm's number on
//! the host. MPICH's launcher sets a number on the host of its own, which comes before both.

/// Which number of a rank is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbering {
    /// Among the ranks of this host.
    Host,
    /// Among all ranks of the job.
    Job,
}

/// Variables with a rank's number: the name, and which number it is.
const VARIABLES: [(&str, Numbering); 10] = [
    // Jobs of Pamir have one host, so both numbers are the same.
    (pamir_settings::RANK.name(), Numbering::Host),
    (pamir_settings::RANK.name(), Numbering::Job),
    ("OMPI_COMM_WORLD_LOCAL_RANK", Numbering::Host),
    ("OMPI_COMM_WORLD_RANK", Numbering::Job),
    ("MPI_LOCALRANKID", Numbering::Host),
    ("PMI_RANK", Numbering::Job),
    ("PMIX_RANK", Numbering::Job),
    ("SLURM_LOCALID", Numbering::Host),
    ("PMI_RANK", Numbering::Host),
    ("SLURM_PROCID", Numbering::Job),
];

/// Why the rank is not known.
#[derive(Debug, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum RankError {
    /// A variable holds no number.
    #[error("{variable} is {value:?}, which is no rank: unset it, or use --rank")]
    NoNumber {
        /// The variable.
        variable: &'static str,
        /// What it holds.
        value: String,
    },
}

/// The rank; 0 for a process that no launcher has numbered.
pub fn rank_of(
    numbering: Numbering,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<usize, RankError> {
    let known = VARIABLES.iter().filter(|(_, of)| *of == numbering);
    for (name, _) in known {
        if let Some(value) = variable(name) {
            return value.trim().parse().map_err(|_| RankError::NoNumber {
                variable: name,
                value,
            });
        }
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(numbering: Numbering, set: &[(&str, &str)]) -> Result<usize, RankError> {
        rank_of(numbering, &|name| {
            let found = set.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| value.to_string())
        })
    }

    #[test]
    fn every_launcher_is_understood() {
        use Numbering::{Host, Job};
        let slurm = [("SLURM_LOCALID", "1"), ("SLURM_PROCID", "9")];
        assert_eq!((rank(Host, &slurm), rank(Job, &slurm)), (Ok(1), Ok(9)));
        let mpich = [("PMI_RANK", "5"), ("MPI_LOCALRANKID", "2")];
        assert_eq!((rank(Host, &mpich), rank(Job, &mpich)), (Ok(2), Ok(5)));
        assert_eq!(rank(Host, &[("PMI_RANK", "3")]), Ok(3));
        // srun on its second host: PMI's rank is the job's.
        let slurm = [
            ("PMI_RANK", "9"),
            ("SLURM_LOCALID", "1"),
            ("SLURM_PROCID", "9"),
        ];
        assert_eq!((rank(Host, &slurm), rank(Job, &slurm)), (Ok(1), Ok(9)));
        // mpiexec of MPICH in a batch script, whose only task is Slurm's 0.
        let inside = [
            ("PMI_RANK", "5"),
            ("MPI_LOCALRANKID", "2"),
            ("SLURM_LOCALID", "0"),
        ];
        assert_eq!((rank(Host, &inside), rank(Job, &inside)), (Ok(2), Ok(5)));
        let open_mpi = [
            ("OMPI_COMM_WORLD_LOCAL_RANK", "4"),
            ("OMPI_COMM_WORLD_RANK", "12"),
        ];
        assert_eq!(
            (rank(Host, &open_mpi), rank(Job, &open_mpi)),
            (Ok(4), Ok(12))
        );
        assert_eq!(rank(Host, &[("PAMIR_RANK", "6")]), Ok(6));
        assert_eq!(rank(Host, &[]), Ok(0));
    }

    #[test]
    fn the_inner_launcher_is_right() {
        let both = [("SLURM_LOCALID", "0"), ("PAMIR_RANK", "3")];
        assert_eq!(rank(Numbering::Host, &both), Ok(3));
    }

    #[test]
    fn nonsense_is_refused() {
        let error = rank(Numbering::Host, &[("PMI_RANK", "x")]).unwrap_err();
        assert!(error.to_string().contains("PMI_RANK is \"x\""), "{error}");
    }
}
