//! The buffers that buffered sends copy into.
