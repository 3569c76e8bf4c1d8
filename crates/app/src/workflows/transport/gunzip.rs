//! Decoding a request that was sent in gzip, in small steps and up to a ratio.

use std::io::Write as _;

use flate2::write::GzDecoder;

use crate::workflows::transport::body::Problem;

/// Decodes a body in pieces. Each step makes at most a few dozen kilobytes, however small its input is.
pub(crate) struct Gunzip {
    decoder: GzDecoder<Vec<u8>>,
    encoded: u64,
    decoded: u64,
    /// Decoded bytes that the ratio does not bound.
    free: u64,
    ratio: u64,
}

fn malformed() -> Problem {
    Problem::Malformed("The request is not in gzip as it says.".to_owned())
}

fn long(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

impl Gunzip {
    /// A body of which `free` bytes, and beyond that `ratio` bytes for each encoded one, are decoded.
    pub(crate) fn new(free: u64, ratio: usize) -> Self {
        Self { decoder: GzDecoder::new(Vec::new()), encoded: 0, decoded: 0, free, ratio: long(ratio) }
    }

    /// Decodes the next bytes and hands them over in parts.
    pub(crate) fn decode(
        &mut self,
        bytes: &[u8],
        mut take: impl FnMut(&[u8]) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        let mut rest = bytes;
        self.encoded = self.encoded.saturating_add(long(bytes.len()));
        while !rest.is_empty() {
            let used = self.decoder.write(rest).map_err(|_error| malformed())?;
            let made = self.hand_over(&mut take)?;
            if used == 0 && made == 0 {
                return Err(malformed());
            }
            rest = rest.get(used..).unwrap_or_default();
        }
        Ok(())
    }

    /// Hands over what is left at the end of the body, and checks that the body is complete.
    pub(crate) fn finish(&mut self, mut take: impl FnMut(&[u8]) -> Result<(), Problem>) -> Result<(), Problem> {
        self.decoder.try_finish().map_err(|_error| malformed())?;
        self.hand_over(&mut take).map(drop)
    }

    fn hand_over(&mut self, take: &mut impl FnMut(&[u8]) -> Result<(), Problem>) -> Result<usize, Problem> {
        let part = self.decoder.get_mut();
        let made = part.len();
        self.decoded = self.decoded.saturating_add(long(made));
        if self.decoded > self.encoded.saturating_mul(self.ratio).saturating_add(self.free) {
            let text =
                format!("The request is compressed more than {} times (limit transfers.gzip_ratio).", self.ratio);
            return Err(Problem::OverLimit(text));
        }
        if made > 0 {
            take(part)?;
        }
        part.clear();
        Ok(made)
    }
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn packed(content: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }

    /// The decoded body if it comes in pieces of this size, and the largest part.
    fn decoded(body: &[u8], piece: usize, free: u64) -> Result<(Vec<u8>, usize), Problem> {
        let (mut all, mut largest) = (Vec::new(), 0);
        let mut gunzip = Gunzip::new(free, 20);
        let mut take = |part: &[u8]| {
            all.extend(part);
            largest = largest.max(part.len());
            Ok(())
        };
        body.chunks(piece).try_for_each(|part| gunzip.decode(part, &mut take))?;
        gunzip.finish(&mut take)?;
        Ok((all, largest))
    }

    #[test]
    fn what_was_packed_is_decoded_in_small_parts() {
        let content: Vec<u8> = (0..300_000_u32).flat_map(|number| (number / 7).to_le_bytes()).collect();
        for piece in [1, 1000, 1 << 20] {
            let (all, largest) = decoded(&packed(&content), piece, 10 << 20).unwrap();
            assert!(all == content && largest <= 64 << 10, "{largest}");
        }
    }

    #[test]
    fn a_body_that_unpacks_to_very_much_is_refused_early() {
        let bomb = packed(&vec![0; 5 << 20]);
        assert!(matches!(decoded(&bomb, 1000, 1 << 20), Err(Problem::OverLimit(_))));
        assert!(decoded(&bomb, 1000, 5 << 20).is_ok());
    }

    #[test]
    fn a_body_that_is_cut_or_no_gzip_or_longer_is_refused() {
        let body = packed(b"hello");
        for broken in [b"hello".as_slice(), &body[..body.len() - 9], &[body.clone(), b"x".to_vec()].concat()] {
            assert!(matches!(decoded(broken, 100, 100), Err(Problem::Malformed(_))), "{broken:?}");
        }
    }
}
