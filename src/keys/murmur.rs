//! `MurmurHash3`, the two variants that the service uses, with seed 0.
//!
//! After the algorithm that Austin Appleby placed in the public domain.

const C1_64: u64 = 0x87c3_7b91_1142_53d5;
const C2_64: u64 = 0x4cf5_ad43_2745_937f;

/// The x64 128-bit variant: (h1, h2).
pub(super) fn x64_128(data: &[u8]) -> (u64, u64) {
    let (mut h1, mut h2) = (0_u64, 0_u64);
    let mut blocks = data.chunks_exact(16);
    for block in &mut blocks {
        h1 ^= mix1(word64(&block[..8]));
        h1 = h1
            .rotate_left(27)
            .wrapping_add(h2)
            .wrapping_mul(5)
            .wrapping_add(0x52dc_e729);
        h2 ^= mix2(word64(&block[8..]));
        h2 = h2
            .rotate_left(31)
            .wrapping_add(h1)
            .wrapping_mul(5)
            .wrapping_add(0x3849_5ab5);
    }
    let tail = blocks.remainder();
    if tail.len() > 8 {
        h2 ^= mix2(word64(&tail[8..]));
    }
    h1 ^= mix1(word64(&tail[..tail.len().min(8)]));

    h1 ^= data.len() as u64;
    h2 ^= data.len() as u64;
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    h1 = finish64(h1);
    h2 = finish64(h2);
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    (h1, h2)
}

/// The x86 32-bit variant.
pub(super) fn x86_32(data: &[u8]) -> u32 {
    let mix = |block: &[u8]| {
        word32(block)
            .wrapping_mul(0xcc9e_2d51)
            .rotate_left(15)
            .wrapping_mul(0x1b87_3593)
    };
    let mut hash = 0_u32;
    let mut blocks = data.chunks_exact(4);
    for block in &mut blocks {
        hash = (hash ^ mix(block))
            .rotate_left(13)
            .wrapping_mul(5)
            .wrapping_add(0xe654_6b64);
    }
    hash ^= mix(blocks.remainder());
    hash ^= data.len() as u32;
    hash ^= hash >> 16;
    hash = hash.wrapping_mul(0x85eb_ca6b);
    hash ^= hash >> 13;
    hash = hash.wrapping_mul(0xc2b2_ae35);
    hash ^ hash >> 16
}

/// Up to eight bytes as a little-endian word, zero-extended.
fn word64(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |word, byte| word << 8 | u64::from(*byte))
}

/// Up to four bytes as a little-endian word, zero-extended.
fn word32(bytes: &[u8]) -> u32 {
    bytes
        .iter()
        .rev()
        .fold(0, |word, byte| word << 8 | u32::from(*byte))
}

fn mix1(word: u64) -> u64 {
    word.wrapping_mul(C1_64).rotate_left(31).wrapping_mul(C2_64)
}

fn mix2(word: u64) -> u64 {
    word.wrapping_mul(C2_64).rotate_left(33).wrapping_mul(C1_64)
}

fn finish64(mut hash: u64) -> u64 {
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ hash >> 33
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_check_values_hold() {
        assert_eq!(x86_32(b"hello"), 613_153_351);
        assert_eq!(
            x64_128(b"sample-test"),
            (9_863_137_013_172_825_203, 15_859_947_107_521_786_564)
        );
    }
}
