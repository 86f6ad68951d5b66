//! A file that is given as input; `-` is stdin.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// A snapshot of 50,000 locks has about 20 MB; a file that never ends must end here.
const MOST: u64 = 1 << 30;

pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let reader: Box<dyn Read> = match path.to_str() {
        Some("-") => Box::new(io::stdin().lock()),
        _ => Box::new(File::open(path)?),
    };
    let mut bytes = Vec::new();
    reader.take(MOST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST {
        return Err(io::Error::other("it is larger than 1 GiB"));
    }
    Ok(bytes)
}
