//! Where ranks run.
