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

/// What `made` makes of the first values, one after another, as many as `into` holds; what follows them in `packed` is no
/// matter.
pub fn unpack(packed: &[u8], width: u8, into: &mut [u32], mut made: impl FnMut(u32) -> u32) {
    match width {
        0 => into.fill_with(|| made(0)),
        1 => unpack_eight::<1>(packed, into, made),
        2 => unpack_eight::<2>(packed, into, made),
        3 => unpack_eight::<3>(packed, into, made),
        4 => unpack_eight::<4>(packed, into, made),
        5 => unpack_eight::<5>(packed, into, made),
        6 => unpack_eight::<6>(packed, into, made),
        7 => unpack_eight::<7>(packed, into, made),
        8 => unpack_eight::<8>(packed, into, made),
        _ => unpack_each(packed, width, into, made),
    }
}

/// Eight values of at most eight bits stand in as many bytes as a value has bits: one word tells them all. The lists of
/// common terms, the longest ones, are of such widths.
fn unpack_eight<const WIDTH: usize>(
    packed: &[u8],
    into: &mut [u32],
    mut made: impl FnMut(u32) -> u32,
) {
    for (at, values) in into.chunks_mut(8).enumerate() {
        let mut word = word(packed, at * WIDTH);
        for value in values {
            *value = made((word & ((1 << WIDTH) - 1)) as u32);
            word >>= WIDTH;
        }
    }
}

fn unpack_each(packed: &[u8], width: u8, into: &mut [u32], mut made: impl FnMut(u32) -> u32) {
    let mask = (1_u64 << width) - 1;
    let mut bit = 0;
    for value in into {
        *value = made(((word(packed, bit / 8) >> (bit % 8)) & mask) as u32);
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
            unpack(&packed[1..], bits, &mut found, |value| value);
            assert_eq!(found, values, "{bits}");
            for (at, &value) in values.iter().enumerate() {
                assert_eq!(get(&packed[1..], bits, at), value, "{bits}, {at}");
            }
        }
    }
}
