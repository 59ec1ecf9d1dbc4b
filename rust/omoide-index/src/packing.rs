//! How do small numbers stand in few bits?
//!
//! Values of one width stand bit after bit, the lowest first, and any of them can be read alone.

/// Bits that hold every value up to `most`.
pub fn width(most: u32) -> u8 {
    (u32::BITS - most.leading_zeros()) as u8
}

/// Bytes of `count` values.
pub fn bytes(count: usize, width: u8) -> usize {
    (count * usize::from(width)).div_ceil(8)
}

/// Append values of `width` bits, filled up to a whole byte.
pub fn pack(values: impl Iterator<Item = u32>, width: u8, into: &mut Vec<u8>) {
    let (mut word, mut filled) = (0_u64, 0);
    for value in values {
        word |= u64::from(value) << filled;
        filled += width;
        while filled >= 8 {
            into.push(word as u8);
            word >>= 8;
            filled -= 8;
        }
    }
    if filled > 0 {
        into.push(word as u8);
    }
}

/// The value at a place.
pub fn get(packed: &[u8], width: u8, at: usize) -> u32 {
    let bit = at * usize::from(width);
    let mask = (1_u64 << width) - 1;
    ((word(packed, bit / 8) >> (bit % 8)) & mask) as u32
}

/// The first values, as many as `into` holds.
pub fn unpack(packed: &[u8], width: u8, into: &mut [u32]) {
    if width == 0 {
        into.fill(0);
        return;
    }
    let mask = (1_u64 << width) - 1;
    let mut bit = 0;
    for value in into {
        *value = ((word(packed, bit / 8) >> (bit % 8)) & mask) as u32;
        bit += usize::from(width);
    }
}

/// Eight bytes from a place on; zeros follow the last byte.
fn word(packed: &[u8], at: usize) -> u64 {
    if let Some(bytes) = packed
        .get(at..at + 8)
        .and_then(|bytes| bytes.try_into().ok())
    {
        return u64::from_le_bytes(bytes);
    }
    let mut bytes = [0; 8];
    let rest = packed.get(at..).unwrap_or_default();
    bytes[..rest.len()].copy_from_slice(rest);
    u64::from_le_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_every_width_come_back() {
        for bits in 0..=32_u8 {
            let most = if bits == 32 {
                u32::MAX
            } else {
                (1 << bits) - 1
            };
            assert_eq!(width(most), bits);
            let values: Vec<u32> = (0..130_u32)
                .map(|n| n.wrapping_mul(2_654_435_761) & most)
                .collect();
            let mut packed = vec![7];
            pack(values.iter().copied(), bits, &mut packed);
            assert_eq!(packed.len(), 1 + bytes(values.len(), bits), "{bits}");
            let mut found = vec![9; values.len()];
            unpack(&packed[1..], bits, &mut found);
            assert_eq!(found, values, "{bits}");
            for (at, &value) in values.iter().enumerate() {
                assert_eq!(get(&packed[1..], bits, at), value, "{bits}, {at}");
            }
        }
    }
}
