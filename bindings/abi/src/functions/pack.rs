//! Packing data into contiguous memory and back.
