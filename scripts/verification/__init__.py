"""What proves that Pamir works: its own checks and tests, and MPI codes written elsewhere."""
