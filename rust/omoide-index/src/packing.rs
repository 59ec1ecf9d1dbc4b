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
        if filled >= 32 {
            into.extend_from_slice(&(word as u32).to_le_bytes());
            word >>= 32;
            filled -= 32;
        }
    }
    into.extend_from_slice(&word.to_le_bytes()[..usize::from(filled).div_ceil(8)]);
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
    macro_rules! of_width {
        ([$($narrow:literal)*], [$($wide:literal)*]) => {
            match width {
                $($narrow => unpack_narrow::<$narrow>(packed, into, made),)*
                $($wide => unpack_wide::<$wide>(packed, into, made),)*
                _ => into.fill_with(|| made(0)),
            }
        };
    }
    of_width!(
        [1 2 3 4 5 6 7 8],
        [9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32]
    );
}

/// Eight values stand in as many bytes as a value has bits: where each begins there is known when this is compiled. One
/// word tells eight values of at most eight bits.
fn unpack_narrow<const WIDTH: usize>(
    packed: &[u8],
    into: &mut [u32],
    mut made: impl FnMut(u32) -> u32,
) {
    let mut fill = |values: &mut [u32], mut word: u64| {
        for value in values {
            *value = made((word & ((1 << WIDTH) - 1)) as u32);
            word >>= WIDTH;
        }
    };
    let (eights, rest) = into.as_chunks_mut::<8>();
    let behind = eights.len() * WIDTH;
    for (at, values) in eights.iter_mut().enumerate() {
        fill(values, word(packed, at * WIDTH));
    }
    fill(rest, word(packed, behind));
}

/// The same of more than eight bits, each in a word of its own.
fn unpack_wide<const WIDTH: usize>(
    packed: &[u8],
    into: &mut [u32],
    mut made: impl FnMut(u32) -> u32,
) {
    let mask = (1 << WIDTH) - 1;
    let whole = (packed.len().saturating_sub(8) / WIDTH).min(into.len() / 8);
    let (eights, rest) = into.split_at_mut(whole * 8);
    for (at, values) in eights.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        let near = &packed[at * WIDTH..at * WIDTH + WIDTH + 8];
        for (place, value) in values.iter_mut().enumerate() {
            let word = word(near, place * WIDTH / 8) >> (place * WIDTH % 8);
            *value = made((word & mask) as u32);
        }
    }
    for (place, value) in rest.iter_mut().enumerate() {
        let bit = (whole * 8 + place) * WIDTH;
        *value = made(((word(packed, bit / 8) >> (bit % 8)) & mask) as u32);
    }
}

/// Eight bytes from a place on; zeros follow the last byte.
#[inline]
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
