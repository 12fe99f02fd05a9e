//! The thin binary around the library.

fn main() {}
