//! The command line: arguments, streams and exit codes.
