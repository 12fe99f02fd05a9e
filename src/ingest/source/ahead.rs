//! Reading ahead on a thread of its own, so that inflating goes on while what was inflated is read.

use std::io::{self, BufRead, Read};
use std::sync::mpsc::{self, Receiver};
use std::thread;

use super::BUFFER_BYTES;

/// Pieces that wait to be read.
const PIECES_WAITING: usize = 4;

/// What another thread reads.
pub(super) struct Ahead {
    pieces: Receiver<io::Result<Vec<u8>>>,
    piece: Vec<u8>,
    at: usize,
}

impl Ahead {
    /// Reads to the end, or until nobody wants more.
    pub(super) fn new(mut input: Box<dyn Read + Send>) -> Self {
        let (sender, pieces) = mpsc::sync_channel(PIECES_WAITING);
        thread::spawn(move || {
            loop {
                let mut piece = Vec::with_capacity(BUFFER_BYTES);
                let read = input
                    .by_ref()
                    .take(BUFFER_BYTES as u64)
                    .read_to_end(&mut piece);
                let is_end = piece.is_empty();
                // What came before an error is read first.
                if (!is_end && sender.send(Ok(piece)).is_err()) || (is_end && read.is_ok()) {
                    break;
                }
                if let Err(error) = read {
                    // Whoever is gone needs no error.
                    let _ = sender.send(Err(error));
                    break;
                }
            }
        });
        Self {
            pieces,
            piece: Vec::new(),
            at: 0,
        }
    }
}

impl BufRead for Ahead {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at == self.piece.len() {
            // The other thread is gone at the end.
            self.piece = self.pieces.recv().unwrap_or(Ok(Vec::new()))?;
            self.at = 0;
        }
        Ok(&self.piece[self.at..])
    }

    fn consume(&mut self, bytes: usize) {
        self.at += bytes;
    }
}

impl Read for Ahead {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(bytes)?;
        self.consume(count);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives some bytes and then an error.
    struct Broken(io::Cursor<Vec<u8>>);

    impl Read for Broken {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            match self.0.read(bytes)? {
                0 => Err(io::ErrorKind::InvalidData.into()),
                count => Ok(count),
            }
        }
    }

    #[test]
    fn all_is_read_in_order_and_what_comes_before_an_error_too() {
        let text: Vec<u8> = (0..3 * BUFFER_BYTES + 17)
            .map(|n| (n % 251) as u8)
            .collect();
        let mut read = Vec::new();
        let mut whole = Ahead::new(Box::new(io::Cursor::new(text.clone())));
        assert_eq!(whole.read_to_end(&mut read).expect("memory"), text.len());
        assert!(read == text);
        read.clear();
        let mut broken = Ahead::new(Box::new(Broken(io::Cursor::new(text.clone()))));
        let error = broken.read_to_end(&mut read).expect_err("an error");
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        assert!(read == text);
    }

    #[test]
    fn nobody_has_to_read_all() {
        let mut endless = Ahead::new(Box::new(io::repeat(7)));
        let mut some = [0; 10];
        endless.read_exact(&mut some).expect("bytes");
        assert_eq!(some, [7; 10]);
    }
}
