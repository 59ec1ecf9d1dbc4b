//! Packs small numbers into few bits.
//!
//! Values of the same width are stored bit after bit, the lowest first, and any of them can be read alone.
//!
//! The fastest code that the processor supports is chosen once, at run time, and agrees with the portable code to the bit.

use std::sync::LazyLock;

/// The number of bits that hold every value up to `most`.
pub fn width(most: u32) -> u8 {
    (u32::BITS - most.leading_zeros()) as u8
}

/// The number of bytes for `count` values.
pub fn bytes(count: usize, width: u8) -> usize {
    (count * usize::from(width)).div_ceil(8)
}

/// Append values of `width` bits, padded to a whole byte.
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

/// The value at an index.
pub fn get(packed: &[u8], width: u8, at: usize) -> u32 {
    let bit = at * usize::from(width);
    let mask = (1_u64 << width) - 1;
    ((word(packed, bit / 8) >> (bit % 8)) & mask) as u32
}

/// Values that are read together.
pub const LANES: usize = 8;

#[derive(Clone, Copy)]
struct Kernels {
    unpack: fn(&[u8], u8, u32, &mut [u32]),
    ascending: fn(&[u8], u8, u32, &mut [u32]),
}

const PLAIN: Kernels = Kernels {
    unpack: unpack_plain,
    ascending: ascending_plain,
};

static KERNELS: LazyLock<Kernels> = LazyLock::new(|| available()[0]);

/// Unpack as many values as `into` holds, adding `more` to each; what follows them in `packed` does not matter, and zeros
/// follow its end. Fastest if `into` holds a multiple of [`LANES`].
pub fn unpack(packed: &[u8], width: u8, more: u32, into: &mut [u32]) {
    (KERNELS.unpack)(packed, width, more, into);
}

/// Unpack values that are gaps: each number is its gap plus one above the previous number, the first above `before`. Numbers
/// wrap around at 32 bits.
pub fn unpack_ascending(packed: &[u8], width: u8, before: u32, into: &mut [u32]) {
    (KERNELS.ascending)(packed, width, before, into);
}

/// The kernels that this machine can run, the fastest first.
fn available() -> Vec<Kernels> {
    let mut found = Vec::new();
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        found.push(x86::KERNELS);
    }
    found.push(PLAIN);
    found
}

fn unpack_plain(packed: &[u8], width: u8, more: u32, into: &mut [u32]) {
    for (at, value) in into.iter_mut().enumerate() {
        *value = get(packed, width, at).wrapping_add(more);
    }
}

fn ascending_plain(packed: &[u8], width: u8, before: u32, into: &mut [u32]) {
    let mut number = before;
    for (at, value) in into.iter_mut().enumerate() {
        number = number.wrapping_add(get(packed, width, at)).wrapping_add(1);
        *value = number;
    }
}

/// Eight bytes from a position on; zeros follow the last byte.
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

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{LANES, ascending_plain, unpack_plain};
    use std::arch::x86_64::{
        __m256i, _mm_loadu_si128, _mm256_add_epi32, _mm256_and_si256, _mm256_blend_epi32,
        _mm256_permutevar8x32_epi32, _mm256_set_m128i, _mm256_set1_epi32, _mm256_setzero_si256,
        _mm256_shuffle_epi8, _mm256_slli_si256, _mm256_srlv_epi32,
    };

    /// For machines with avx2.
    pub const KERNELS: super::Kernels = super::Kernels { unpack, ascending };

    /// Bytes that are loaded together, for half of the lanes.
    const LOADED: usize = 16;
    const HALF: usize = LANES / 2;
    /// A value of up to so many bits spans at most four bytes, wherever in a byte it begins.
    const WIDEST: usize = 25;

    /// How values of one width lie among the bytes loaded for their half of the lanes: the four bytes of each, and the shift
    /// within them.
    #[derive(Clone, Copy)]
    struct Layout {
        bytes: [u8; 4 * LANES],
        shifts: [u32; LANES],
    }

    static LAYOUTS: [Layout; WIDEST + 1] = layouts();

    const fn layouts() -> [Layout; WIDEST + 1] {
        let none = Layout {
            bytes: [0; 4 * LANES],
            shifts: [0; LANES],
        };
        let mut all = [none; WIDEST + 1];
        let mut width = 0;
        while width <= WIDEST {
            let mut lane = 0;
            while lane < LANES {
                let begin = if lane < HALF { 0 } else { second_half(width) };
                let bit = lane * width - 8 * begin;
                all[width].shifts[lane] = (bit % 8) as u32;
                let mut byte = 0;
                while byte < 4 {
                    all[width].bytes[4 * lane + byte] = (bit / 8 + byte) as u8;
                    byte += 1;
                }
                lane += 1;
            }
            width += 1;
        }
        all
    }

    /// The byte in which the second half of the lanes begins.
    const fn second_half(width: usize) -> usize {
        HALF * width / 8
    }

    fn unpack(packed: &[u8], width: u8, more: u32, into: &mut [u32]) {
        let (whole, rest, read) = split(packed, width, into);
        // SAFETY: `available` saw avx2 on this machine.
        unsafe { unpack_avx2(packed, width, more, whole) }
        unpack_plain(&packed[read..], width, more, rest);
    }

    fn ascending(packed: &[u8], width: u8, before: u32, into: &mut [u32]) {
        let (whole, rest, read) = split(packed, width, into);
        // SAFETY: `available` saw avx2 on this machine.
        let before = unsafe { ascending_avx2(packed, width, before, whole) };
        ascending_plain(&packed[read..], width, before, rest);
    }

    /// The part of `into` that can be read many at a time, the rest, and where the rest begins in `packed`.
    fn split<'a>(
        packed: &[u8],
        width: u8,
        into: &'a mut [u32],
    ) -> (&'a mut [[u32; LANES]], &'a mut [u32], usize) {
        let width = usize::from(width);
        // A load reads more bytes than its values take.
        let before_last = packed.len().checked_sub(second_half(width) + LOADED);
        let readable = match before_last {
            Some(bytes) if width <= WIDEST => bytes / width.max(1) + 1,
            _ => 0,
        };
        let whole = readable.min(into.len() / LANES);
        let (lanes, rest) = into.split_at_mut(whole * LANES);
        (lanes.as_chunks_mut().0, rest, whole * width)
    }

    #[target_feature(enable = "avx2")]
    fn unpack_avx2(packed: &[u8], width: u8, more: u32, into: &mut [[u32; LANES]]) {
        let (reader, more) = (Reader::new(packed, width, into.len()), splat(more));
        for (at, values) in into.iter_mut().enumerate() {
            // SAFETY: `at` is below the number of groups that the reader was made for.
            let found = unsafe { reader.read(at) };
            *values = bytemuck::cast(_mm256_add_epi32(found, more));
        }
    }

    /// Returns the last number.
    #[target_feature(enable = "avx2")]
    fn ascending_avx2(packed: &[u8], width: u8, before: u32, into: &mut [[u32; LANES]]) -> u32 {
        let (reader, one) = (Reader::new(packed, width, into.len()), splat(1));
        let (last_of_half, last) = (splat(HALF as u32 - 1), splat(LANES as u32 - 1));
        let mut before = splat(before);
        for (at, values) in into.iter_mut().enumerate() {
            // SAFETY: `at` is below the number of groups that the reader was made for.
            let gaps = _mm256_add_epi32(unsafe { reader.read(at) }, one);
            // Prefix sums of two, then of four, in each half; then the sum of the first half is added to the second.
            let twos = _mm256_add_epi32(gaps, _mm256_slli_si256::<4>(gaps));
            let fours = _mm256_add_epi32(twos, _mm256_slli_si256::<8>(twos));
            let first = _mm256_permutevar8x32_epi32(fours, last_of_half);
            let first = _mm256_blend_epi32::<0b1111_0000>(_mm256_setzero_si256(), first);
            let numbers = _mm256_add_epi32(_mm256_add_epi32(fours, first), before);
            before = _mm256_permutevar8x32_epi32(numbers, last);
            *values = bytemuck::cast(numbers);
        }
        bytemuck::cast::<_, [u32; LANES]>(before)[0]
    }

    /// Reads values of one width, at most [`WIDEST`] bits.
    struct Reader<'a> {
        packed: &'a [u8],
        width: usize,
        second_half: usize,
        bytes: __m256i,
        shifts: __m256i,
        mask: __m256i,
    }

    impl<'a> Reader<'a> {
        /// For `times` groups of as many values as there are lanes.
        #[target_feature(enable = "avx2")]
        fn new(packed: &'a [u8], width: u8, times: usize) -> Self {
            let width = usize::from(width).min(WIDEST);
            let Layout { bytes, shifts } = LAYOUTS[width];
            let second_half = second_half(width);
            let last = times.saturating_sub(1) * width;
            assert!(times == 0 || last + second_half + LOADED <= packed.len());
            Self {
                packed,
                width,
                second_half,
                bytes: bytemuck::cast(bytes),
                shifts: bytemuck::cast(shifts),
                mask: splat((1 << width) - 1),
            }
        }

        /// The values of the group at an index.
        ///
        /// # Safety
        ///
        /// `at` is below the number of groups given to `new`.
        #[inline]
        #[target_feature(enable = "avx2")]
        unsafe fn read(&self, at: usize) -> __m256i {
            // SAFETY: both loads end where `new` saw that bytes are; they need not be aligned.
            let (first, second) = unsafe {
                let first = self.packed.as_ptr().add(at * self.width);
                let second = first.add(self.second_half);
                (
                    _mm_loadu_si128(first.cast()),
                    _mm_loadu_si128(second.cast()),
                )
            };
            let found = _mm256_shuffle_epi8(_mm256_set_m128i(second, first), self.bytes);
            _mm256_and_si256(_mm256_srlv_epi32(found, self.shifts), self.mask)
        }
    }

    #[target_feature(enable = "avx2")]
    fn splat(value: u32) -> __m256i {
        _mm256_set1_epi32(value as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(bits: u8) -> Vec<u32> {
        let most = u32::MAX.checked_shr(32 - u32::from(bits)).unwrap_or(0);
        assert_eq!(width(most), bits);
        let scattered = (0..130_u32).map(|n| n.wrapping_mul(2_654_435_761));
        scattered.map(|value| value & most).collect()
    }

    #[test]
    fn values_of_every_width_come_back() {
        for bits in 0..=32_u8 {
            let values = values(bits);
            let mut packed = vec![7];
            pack(values.iter().copied(), bits, &mut packed);
            assert_eq!(packed.len(), 1 + bytes(values.len(), bits), "{bits}");
            for (at, &value) in values.iter().enumerate() {
                assert_eq!(get(&packed[1..], bits, at), value, "{bits}, {at}");
            }
            for kernels in available() {
                let mut found = vec![9; values.len()];
                (kernels.unpack)(&packed[1..], bits, 0, &mut found);
                assert_eq!(found, values, "{bits}");
            }
        }
    }

    #[test]
    fn every_kernel_reads_as_many_of_every_width_wherever_the_bytes_end() {
        let step = if cfg!(miri) { 8 } else { 1 }; // it takes a minute for what takes a millisecond
        for bits in (0..=32_u8).step_by(step) {
            let mut packed = Vec::new();
            pack(values(bits).into_iter(), bits, &mut packed);
            for count in [0, 1, 7, 8, 9, 120, 127, 128] {
                for end in [bytes(count, bits), packed.len(), packed.len() + 40] {
                    let mut packed = packed.clone();
                    packed.resize(end, 0xAB);
                    let read = |kernel: fn(&[u8], u8, u32, &mut [u32])| {
                        let mut found = vec![9; count];
                        kernel(&packed, bits, u32::MAX / 2, &mut found);
                        found
                    };
                    for kernels in available() {
                        let told = (read(kernels.unpack), read(kernels.ascending));
                        let plain = (read(PLAIN.unpack), read(PLAIN.ascending));
                        assert_eq!(told, plain, "{count} of {bits} bits in {end} bytes");
                    }
                }
            }
        }
    }

    #[test]
    fn gaps_add_up() {
        let mut packed = Vec::new();
        pack([0, 2, 5, 0].into_iter(), 3, &mut packed);
        let mut found = [0; 4];
        unpack_ascending(&packed, 3, 10, &mut found);
        assert_eq!(found, [11, 14, 20, 21]);
    }
}
