//! From bytes to items and operations: files, compression, encodings and formats.
