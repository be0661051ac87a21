//! The bytes two processes agree on: segments, offsets, lanes, waiting.
