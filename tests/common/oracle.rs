//! The service's hash once more, written plainly from its description and apart from the library.

use serde_json::Value;

/// The bytes that are hashed of a value: its mark, then its content.
pub fn hash_form(value: Option<&Value>) -> Vec<u8> {
    match value {
        None | Some(Value::Array(_) | Value::Object(_)) => vec![0],
        Some(Value::Null) => vec![1],
        Some(Value::Bool(flag)) => vec![if *flag { 3 } else { 2 }],
        Some(Value::Number(number)) => {
            let mut bytes = vec![5];
            bytes.extend(number.as_f64().expect("a double").to_le_bytes());
            bytes
        }
        Some(Value::String(text)) => [&[8], text.as_bytes(), &[0xFF]].concat(),
    }
}

/// `MurmurHash3` x64 128 with seed 0, from its public description.
fn murmur(data: &[u8]) -> (u64, u64) {
    let (c1, c2) = (0x87c3_7b91_1142_53d5_u64, 0x4cf5_ad43_2745_937f_u64);
    let (mut h1, mut h2) = (0_u64, 0_u64);
    let word = |bytes: &[u8]| {
        bytes
            .iter()
            .rev()
            .fold(0_u64, |word, byte| word << 8 | u64::from(*byte))
    };
    let mix1 = |k: u64| k.wrapping_mul(c1).rotate_left(31).wrapping_mul(c2);
    let mix2 = |k: u64| k.wrapping_mul(c2).rotate_left(33).wrapping_mul(c1);
    let blocks = data.len() / 16;
    for block in 0..blocks {
        let (one, two) = data[block * 16..block * 16 + 16].split_at(8);
        h1 ^= mix1(word(one));
        h1 = h1
            .rotate_left(27)
            .wrapping_add(h2)
            .wrapping_mul(5)
            .wrapping_add(0x52dc_e729);
        h2 ^= mix2(word(two));
        h2 = h2
            .rotate_left(31)
            .wrapping_add(h1)
            .wrapping_mul(5)
            .wrapping_add(0x3849_5ab5);
    }
    let tail = &data[blocks * 16..];
    if tail.len() > 8 {
        h2 ^= mix2(word(&tail[8..]));
    }
    if !tail.is_empty() {
        h1 ^= mix1(word(&tail[..tail.len().min(8)]));
    }
    let finish = |mut h: u64| {
        h = (h ^ h >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
        h = (h ^ h >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        h ^ h >> 33
    };
    h1 ^= data.len() as u64;
    h2 ^= data.len() as u64;
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    h1 = finish(h1);
    h2 = finish(h2);
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    (h1, h2)
}

/// The hash of version 2 of such bytes, 126 bits.
pub fn hash(form: &[u8]) -> u128 {
    let (h1, h2) = murmur(form);
    (u128::from(h2) << 64 | u128::from(h1)) & ((1 << 126) - 1)
}
