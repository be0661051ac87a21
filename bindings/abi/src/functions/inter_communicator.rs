//! Communicators that join two groups.
