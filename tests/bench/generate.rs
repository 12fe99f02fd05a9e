//! Writes data for measurements to standard output: items, small items, or a log of operations.
//!
//!     cargo run --release --example generate -- items 1000000 > items.jsonl

mod data;

use std::io::{self, ErrorKind, Write};

use clap::{Parser, Subcommand, ValueEnum};

use data::{Data, ItemForm, LogForm, write_small};

/// Writes data for measurements to standard output; the same seed, the same bytes
#[derive(Parser)]
struct Arguments {
    /// Draws the data
    #[arg(long, default_value_t = 1, global = true)]
    seed: u64,

    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Items of about 1 KB
    Items {
        /// How many
        items: u64,

        /// How they are written
        #[arg(long, default_value = "lines")]
        form: Items,
    },
    /// Items of at most 64 bytes, each with an id of its own
    Small {
        /// How many
        items: u64,
    },
    /// Operations on the items of about 1 KB, as a native log
    Log {
        /// How many
        operations: u64,

        /// How they are written
        #[arg(long, default_value = "csv")]
        form: Log,

        /// How many items there are
        #[arg(long, default_value_t = 1_000_000)]
        items: u64,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum Items {
    /// One JSON object a line
    Lines,
    /// One JSON array, indented
    Array,
    /// A table of 15 columns
    Csv,
}

#[derive(Clone, Copy, ValueEnum)]
enum Log {
    /// A table
    Csv,
    /// One JSON object a line
    Jsonl,
}

fn write(arguments: &Arguments, to: &mut dyn Write) -> io::Result<()> {
    let seed = arguments.seed;
    match &arguments.what {
        What::Items { items, form } => {
            let form = match form {
                Items::Lines => ItemForm::Lines,
                Items::Array => ItemForm::Array,
                Items::Csv => ItemForm::Csv,
            };
            Data::new(seed, *items).write_items(form, to)
        }
        What::Small { items } => write_small(seed, *items, to),
        What::Log {
            operations,
            form,
            items,
        } => {
            let form = match form {
                Log::Csv => LogForm::Csv,
                Log::Jsonl => LogForm::Jsonl,
            };
            Data::new(seed, *items).write_log(*operations, form, to)
        }
    }
}

fn main() -> io::Result<()> {
    match write(&Arguments::parse(), &mut io::stdout().lock()) {
        // The reader has read enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        outcome => outcome,
    }
}
