//! SIMD kernels: what do the documents of a block score, which candidates have large enough sums, and which numbers may be
//! in a Bloom filter?
//!
//! The fastest kernels that the processor supports are chosen once, at run time, and agree with the portable ones to the bit.

use crate::scoring::Scoring;
use omoide_index::blocks::{BLOCK, DecodedBlock};
use omoide_index::docset::bits;
use omoide_index::postings::{FieldNorm, RUN};
use std::sync::LazyLock;

/// Sums in a group.
pub const GROUP: usize = 64;
/// Groups at most.
pub const GROUPS: usize = 64;

/// Words of a Bloom filter.
pub const BLOOM_WORDS: usize = 128;

/// A set of places of sums, a bit each, the lowest bit for the first.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidates {
    /// Which groups have a candidate.
    pub groups: u64,
    /// Which places of each group are candidates.
    pub places: [u64; GROUPS],
}

#[derive(Clone, Copy)]
struct Kernels {
    scores: fn(&Scoring, &DecodedBlock, &[FieldNorm], &mut [i32; BLOCK]),
    retain: fn(&[[i32; GROUP]], i32, &mut Candidates) -> usize,
    may_contain: fn(&[u32; BLOOM_WORDS], &[u32; RUN]) -> u32,
}

const PLAIN: Kernels = Kernels {
    scores: scores_plain,
    retain: retain_plain,
    may_contain: may_contain_plain,
};

static KERNELS: LazyLock<Kernels> = LazyLock::new(|| available()[0]);

/// The score of each document of a block; `field_norms` are those of all documents from its first to its last. What is behind
/// the end of the block does not matter.
pub fn scores(
    term: &Scoring,
    block: &DecodedBlock,
    field_norms: &[FieldNorm],
    into: &mut [i32; BLOCK],
) {
    (KERNELS.scores)(term, block, field_norms, into);
}

/// Keep the candidates whose sum is at least `least`; returns how many.
pub fn retain(sums: &[[i32; GROUP]], least: i32, candidates: &mut Candidates) -> usize {
    (KERNELS.retain)(sums, least, candidates)
}

/// Which of these numbers have their bit set in a Bloom filter, a bit each, the lowest for the first. Several numbers share a bit.
#[inline]
pub fn may_contain(bloom: &[u32; BLOOM_WORDS], numbers: &[u32; RUN]) -> u32 {
    (KERNELS.may_contain)(bloom, numbers)
}

/// The word of a Bloom filter that contains a number's bit.
#[inline]
pub fn bloom_word(number: u32) -> usize {
    (number / u32::BITS) as usize % BLOOM_WORDS
}

/// The kernels that this machine can run, the fastest first.
fn available() -> Vec<Kernels> {
    let mut found = Vec::new();
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt") {
        found.push(x86::KERNELS);
    }
    found.push(PLAIN);
    found
}

fn scores_plain(
    term: &Scoring,
    block: &DecodedBlock,
    field_norms: &[FieldNorm],
    into: &mut [i32; BLOCK],
) {
    let first = block.docs()[0];
    let entries = block.docs().iter().zip(block.counts());
    for (score, (&doc, &count)) in into.iter_mut().zip(entries) {
        *score = term.score(count, field_norms[(doc - first) as usize]);
    }
}

fn retain_plain(sums: &[[i32; GROUP]], least: i32, candidates: &mut Candidates) -> usize {
    retain_by(sums, candidates, |sums| {
        let bits = sums.iter().enumerate();
        bits.fold(0, |all, (at, &sum)| all | u64::from(sum >= least) << at)
    })
}

fn may_contain_plain(bloom: &[u32; BLOOM_WORDS], numbers: &[u32; RUN]) -> u32 {
    let each = numbers.iter().enumerate();
    each.fold(0, |all, (at, &number)| {
        let bit_set = bloom[bloom_word(number)] >> (number % u32::BITS) & 1;
        all | bit_set << at
    })
}

/// `reaching` says which sums of a group are large enough.
#[inline]
fn retain_by(
    sums: &[[i32; GROUP]],
    candidates: &mut Candidates,
    reaching: impl Fn(&[i32; GROUP]) -> u64,
) -> usize {
    let mut count = 0;
    for group in bits(candidates.groups) {
        let kept = &mut candidates.places[group as usize];
        *kept &= reaching(&sums[group as usize]);
        count += kept.count_ones() as usize;
        candidates.groups ^= u64::from(*kept == 0) << group;
    }
    count
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{
        BLOCK, BLOOM_WORDS, Candidates, DecodedBlock, FieldNorm, GROUP, RUN, Scoring, retain_by,
    };
    use omoide_index::KIND_COUNT;
    use omoide_index::blocks::ByKind;
    use omoide_index::postings::EMPTY_TEXT_NORM;
    use std::arch::x86_64::{
        __m256, __m256i, _mm256_add_ps, _mm256_and_si256, _mm256_andnot_si256, _mm256_castsi256_ps,
        _mm256_cmpgt_epi32, _mm256_cvtepi32_ps, _mm256_cvttps_epi32, _mm256_div_ps,
        _mm256_i32gather_epi32, _mm256_min_epu32, _mm256_movemask_epi8, _mm256_movemask_ps,
        _mm256_mul_ps, _mm256_packs_epi16, _mm256_packs_epi32, _mm256_permutevar_ps,
        _mm256_permutevar8x32_epi32, _mm256_set1_epi32, _mm256_set1_ps, _mm256_sllv_epi32,
        _mm256_srli_epi32, _mm256_sub_epi32,
    };

    /// For machines with avx2 and popcnt.
    pub const KERNELS: super::Kernels = super::Kernels {
        scores,
        retain,
        may_contain,
    };

    const LANES: usize = 8;
    const HALF: usize = GROUP / 2;
    /// The lowest so many bits of a norm are the kind, the others the length; the kind selects among values by kind.
    const KIND_BITS: i32 = 2;
    const _: () = assert!(KIND_COUNT == 1 << KIND_BITS);

    fn scores(
        term: &Scoring,
        block: &DecodedBlock,
        field_norms: &[FieldNorm],
        into: &mut [i32; BLOCK],
    ) {
        // SAFETY: `available` saw avx2 on this machine.
        unsafe { scores_avx2(term, block, field_norms, into) }
    }

    fn retain(sums: &[[i32; GROUP]], least: i32, candidates: &mut Candidates) -> usize {
        // SAFETY: `available` saw avx2 and popcnt on this machine.
        unsafe { retain_avx2(sums, least, candidates) }
    }

    fn may_contain(bloom: &[u32; BLOOM_WORDS], numbers: &[u32; RUN]) -> u32 {
        // SAFETY: `available` saw avx2 on this machine.
        unsafe { may_contain_avx2(bloom, numbers) }
    }

    #[target_feature(enable = "avx2")]
    fn scores_avx2(
        term: &Scoring,
        block: &DecodedBlock,
        field_norms: &[FieldNorm],
        into: &mut [i32; BLOCK],
    ) {
        let (docs, counts) = block.padded();
        let (idf, per_term) = (by_kind(&term.weighted_idf), by_kind(term.norms.per_term()));
        let first = _mm256_set1_epi32(docs[0] as i32);
        let entries = docs.as_chunks().0.iter().zip(counts.as_chunks().0);
        for ((&docs, &counts), into) in entries.zip(into.as_chunks_mut::<LANES>().0) {
            let field_norm = gather(field_norms, _mm256_sub_epi32(load(docs), first));
            let length = _mm256_cvtepi32_ps(_mm256_srli_epi32::<KIND_BITS>(field_norm));
            let length_norm = _mm256_mul_ps(_mm256_permutevar_ps(per_term, field_norm), length);
            let norm = _mm256_add_ps(_mm256_set1_ps(EMPTY_TEXT_NORM), length_norm);
            let count = _mm256_cvtepi32_ps(load(counts));
            let tf_factor = _mm256_div_ps(count, _mm256_add_ps(count, norm));
            let score = _mm256_mul_ps(_mm256_permutevar_ps(idf, field_norm), tf_factor);
            *into = bytemuck::cast(_mm256_cvttps_epi32(score));
        }
    }

    #[target_feature(enable = "avx2,popcnt")]
    fn retain_avx2(sums: &[[i32; GROUP]], least: i32, candidates: &mut Candidates) -> usize {
        let below = _mm256_set1_epi32(least - 1);
        retain_by(sums, candidates, |sums| {
            let [low, high] = bytemuck::cast::<_, [[i32; HALF]; 2]>(*sums);
            u64::from(above_bound(low, below)) | u64::from(above_bound(high, below)) << HALF
        })
    }

    /// Which sums are above a bound, a bit each.
    #[target_feature(enable = "avx2")]
    fn above_bound(sums: [i32; HALF], bound: __m256i) -> u32 {
        let sums: [[i32; LANES]; 4] = bytemuck::cast(sums);
        let [a, b, c, d] = sums.map(|sums| _mm256_cmpgt_epi32(bytemuck::cast(sums), bound));
        // One byte each: of every register the first half, then of every register the second.
        let bytes = _mm256_packs_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
        let order = bytemuck::cast([0, 4, 1, 5, 2, 6, 3, 7]);
        _mm256_movemask_epi8(_mm256_permutevar8x32_epi32(bytes, order)) as u32
    }

    #[target_feature(enable = "avx2")]
    fn may_contain_avx2(bloom: &[u32; BLOOM_WORDS], numbers: &[u32; RUN]) -> u32 {
        let (bloom_word, bit) = (
            _mm256_set1_epi32(BLOOM_WORDS as i32 - 1),
            _mm256_set1_epi32(31),
        );
        let chunks = numbers.as_chunks().0.iter().enumerate();
        chunks.fold(0, |all, (at, &numbers)| {
            let numbers = load(numbers);
            let places = _mm256_and_si256(_mm256_srli_epi32::<5>(numbers), bloom_word);
            // SAFETY: every place is below the number of words, which are `u32`.
            let bloom = unsafe { _mm256_i32gather_epi32::<4>(bloom.as_ptr().cast(), places) };
            // Shifts the bit of each number to the top, for which the shift has to count downwards.
            let left = _mm256_andnot_si256(numbers, bit);
            let bloom = _mm256_castsi256_ps(_mm256_sllv_epi32(bloom, left));
            all | (_mm256_movemask_ps(bloom) as u32) << (at * LANES)
        })
    }

    fn load(values: [u32; LANES]) -> __m256i {
        bytemuck::cast(values)
    }

    /// The values to select from by the lowest bits of a norm.
    fn by_kind(&[a, b, c, d]: &ByKind) -> __m256 {
        bytemuck::cast([a, b, c, d, a, b, c, d])
    }

    /// The norms at some places; for a place beyond the end the last one.
    #[target_feature(enable = "avx2")]
    fn gather(field_norms: &[FieldNorm], places: __m256i) -> __m256i {
        assert!((1..=i32::MAX as usize).contains(&field_norms.len()));
        let last = _mm256_set1_epi32(field_norms.len() as i32 - 1);
        let places = _mm256_min_epu32(places, last);
        // SAFETY: every place is that of a norm, which is a `u32`; as an `i32`, which the instruction takes it for, it is not
        // negative.
        unsafe { _mm256_i32gather_epi32::<4>(field_norms.as_ptr().cast::<i32>(), places) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scoring::ScoreScale;
    use omoide_index::KIND_COUNT;
    use omoide_index::postings::{Norms, Postings};

    /// Texts of every kind, short and long; every third contains the term, up to nine times.
    fn postings() -> Postings {
        let mut postings = Postings::default();
        for doc in 0..1_000_u32 {
            let mut words = vec![
                "抹茶";
                if doc % 3 == 0 {
                    doc as usize % 9 + 1
                } else {
                    0
                }
            ];
            words.resize(words.len() + doc as usize * 7 % 400, "tea");
            postings.append(doc, (doc % 4) as u8, &[words, vec![], vec![]]);
            postings.add_to_statistics(doc);
        }
        postings
    }

    #[test]
    fn every_kernel_scores_a_block_as_each_document_alone() {
        let postings = postings();
        let field = &postings.fields[0];
        let posting = field.posting_list("抹茶").expect("every third has it");
        let rarity: [f32; KIND_COUNT] = [1.5, 0.01, 9.0, 0.5];
        let norms = Norms::of(&field.mean_lengths());
        let term = Scoring::new(norms, rarity, ScoreScale::for_max(9.0));
        let (mut block, mut found) = (DecodedBlock::default(), [0; BLOCK]);
        for at in 0..posting.blocks.len() {
            posting.blocks.decode(at, &mut block);
            let (first, last) = (block.docs()[0], block.docs()[block.docs().len() - 1]);
            let entries = block.docs().iter().zip(block.counts());
            let alone: Vec<i32> = entries
                .map(|(&doc, &count)| term.score(count, field.field_norms(doc, doc)[0]))
                .collect();
            for kernels in available() {
                (kernels.scores)(&term, &block, field.field_norms(first, last), &mut found);
                assert_eq!(found[..alone.len()], alone, "block {at}");
            }
        }
    }

    #[test]
    fn every_kernel_finds_the_same_bits() {
        let numbers_in_set = [0, 5, 31, 32, 4_095, 4_096, 77_777, u32::MAX];
        let mut bloom = [0; BLOOM_WORDS];
        for number in numbers_in_set {
            bloom[bloom_word(number)] |= 1 << (number % u32::BITS);
        }
        for begin in (0..5_000).step_by(7).chain([77_770, u32::MAX - 10]) {
            let numbers: [u32; RUN] = std::array::from_fn(|at| begin.wrapping_add(at as u32));
            let shares = |number: u32| {
                numbers_in_set
                    .iter()
                    .any(|each| each % 4_096 == number % 4_096)
            };
            let each = numbers.iter().enumerate();
            let wanted = each.fold(0, |all, (at, &number)| {
                all | u32::from(shares(number)) << at
            });
            for kernels in available() {
                assert_eq!((kernels.may_contain)(&bloom, &numbers), wanted, "{begin}");
            }
        }
    }

    #[test]
    fn every_kernel_keeps_the_same_candidates() {
        let sums: Vec<[i32; GROUP]> = (0..3)
            .map(|group| std::array::from_fn(|at| ((at as i32 * 37 + group) % 64) << 20))
            .collect();
        for least in [1, 2, 1 << 20, (17 << 20) - 1, 17 << 20, 63 << 20, i32::MAX] {
            let before = Candidates {
                groups: 0b101,
                places: [0x00FF_F0F0_3333_FFFF; GROUPS],
            };
            let (mut wanted, mut count) = (before.clone(), 0);
            for group in [0, 2] {
                let large = (0..GROUP).filter(|&at| sums[group][at] >= least);
                wanted.places[group] &= large.fold(0, |bits, at| bits | 1 << at);
                wanted.groups &= !(u64::from(wanted.places[group] == 0) << group);
                count += wanted.places[group].count_ones() as usize;
            }
            for kernels in available() {
                let mut candidates = before.clone();
                assert_eq!((kernels.retain)(&sums, least, &mut candidates), count);
                assert_eq!(candidates, wanted, "{least}");
            }
        }
    }
}
