//! What do the documents of a block score, and which candidates have sums that are large enough? Many at a time.
//!
//! The fast paths are chosen once, at run time, and agree with the plain ones to the bit.

use crate::scoring::Scoring;
use omoide_index::blocks::{BLOCK, Decoded};
use omoide_index::docset::bits;
use omoide_index::postings::Measure;
use std::sync::LazyLock;

/// Sums that are looked at together.
pub const GROUP: usize = 64;
/// As many groups, at most.
pub const GROUPS: usize = 64;

/// Places of sums, a bit each, the lowest for the first.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidates {
    /// Which groups have one.
    pub groups: u64,
    /// Which places of each of these are.
    pub places: [u64; GROUPS],
}

#[derive(Clone, Copy)]
struct Kernels {
    scores: fn(&Scoring, &Decoded, &[Measure], &mut [i32; BLOCK]),
    retain: fn(&[[i32; GROUP]], i32, &mut Candidates) -> usize,
}

const PLAIN: Kernels = Kernels {
    scores: scores_plain,
    retain: retain_plain,
};

static KERNELS: LazyLock<Kernels> = LazyLock::new(|| available()[0]);

/// What each document of a block scores; `measures` are those of all documents from its first to its last. What stands
/// behind the end of the block is no matter.
pub fn scores(term: &Scoring, block: &Decoded, measures: &[Measure], into: &mut [i32; BLOCK]) {
    (KERNELS.scores)(term, block, measures, into);
}

/// Keep those candidates whose sum is no less than `least`; how many they are.
pub fn retain(sums: &[[i32; GROUP]], least: i32, candidates: &mut Candidates) -> usize {
    (KERNELS.retain)(sums, least, candidates)
}

/// What this machine can run, the fastest first.
fn available() -> Vec<Kernels> {
    let mut found = Vec::new();
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        found.push(x86::KERNELS);
    }
    found.push(PLAIN);
    found
}

fn scores_plain(term: &Scoring, block: &Decoded, measures: &[Measure], into: &mut [i32; BLOCK]) {
    let first = block.docs()[0];
    let entries = block.docs().iter().zip(block.counts());
    for (score, (&doc, &count)) in into.iter_mut().zip(entries) {
        *score = term.score(count, measures[(doc - first) as usize]);
    }
}

fn retain_plain(sums: &[[i32; GROUP]], least: i32, candidates: &mut Candidates) -> usize {
    retain_by(sums, candidates, |sums| {
        let bits = sums.iter().enumerate();
        bits.fold(0, |all, (at, &sum)| all | u64::from(sum >= least) << at)
    })
}

/// `reaching` tells which sums of a group are large enough.
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
    use super::{BLOCK, Candidates, Decoded, GROUP, Measure, Scoring, retain_by};
    use omoide_index::KIND_COUNT;
    use omoide_index::blocks::ByKind;
    use omoide_index::postings::BARE;
    use std::arch::x86_64::{
        __m256, __m256i, _mm256_add_ps, _mm256_castsi256_ps, _mm256_cmpgt_epi32,
        _mm256_cvtepi32_ps, _mm256_cvttps_epi32, _mm256_div_ps, _mm256_i32gather_epi32,
        _mm256_min_epu32, _mm256_movemask_ps, _mm256_mul_ps, _mm256_permutevar_ps,
        _mm256_set1_epi32, _mm256_set1_ps, _mm256_srli_epi32, _mm256_sub_epi32,
    };

    /// For machines with avx2.
    pub const KERNELS: super::Kernels = super::Kernels { scores, retain };

    const LANES: usize = 8;
    /// A measure is a length above so many bits, which tell the kind and choose among values by kind.
    const KIND_BITS: i32 = 2;
    const _: () = assert!(KIND_COUNT == 1 << KIND_BITS);

    fn scores(term: &Scoring, block: &Decoded, measures: &[Measure], into: &mut [i32; BLOCK]) {
        // SAFETY: `available` saw avx2 on this machine.
        unsafe { scores_avx2(term, block, measures, into) }
    }

    fn retain(sums: &[[i32; GROUP]], least: i32, candidates: &mut Candidates) -> usize {
        // SAFETY: `available` saw avx2 on this machine.
        unsafe { retain_avx2(sums, least, candidates) }
    }

    #[target_feature(enable = "avx2")]
    fn scores_avx2(term: &Scoring, block: &Decoded, measures: &[Measure], into: &mut [i32; BLOCK]) {
        let (docs, counts) = block.lanes();
        let (rarity, a_term) = (by_kind(&term.rarity), by_kind(term.norms.a_term()));
        let first = _mm256_set1_epi32(docs[0] as i32);
        let entries = docs.as_chunks().0.iter().zip(counts.as_chunks().0);
        for ((&docs, &counts), into) in entries.zip(into.as_chunks_mut::<LANES>().0) {
            let measure = gather(measures, _mm256_sub_epi32(lanes(docs), first));
            let length = _mm256_cvtepi32_ps(_mm256_srli_epi32::<KIND_BITS>(measure));
            let longer = _mm256_mul_ps(_mm256_permutevar_ps(a_term, measure), length);
            let under = _mm256_add_ps(_mm256_set1_ps(BARE), longer);
            let count = _mm256_cvtepi32_ps(lanes(counts));
            let share = _mm256_div_ps(count, _mm256_add_ps(count, under));
            let score = _mm256_mul_ps(_mm256_permutevar_ps(rarity, measure), share);
            *into = bytemuck::cast(_mm256_cvttps_epi32(score));
        }
    }

    #[target_feature(enable = "avx2")]
    fn retain_avx2(sums: &[[i32; GROUP]], least: i32, candidates: &mut Candidates) -> usize {
        let below = _mm256_set1_epi32(least - 1);
        retain_by(sums, candidates, |sums| {
            let chunks = sums.as_chunks().0.iter().enumerate();
            chunks.fold(0, |all, (at, &sums)| {
                let above = _mm256_cmpgt_epi32(bytemuck::cast::<[i32; LANES], _>(sums), below);
                let bits = _mm256_movemask_ps(_mm256_castsi256_ps(above)) as u64;
                all | bits << (at * LANES)
            })
        })
    }

    fn lanes(values: [u32; LANES]) -> __m256i {
        bytemuck::cast(values)
    }

    /// Values to choose from by the lowest bits of a measure.
    fn by_kind(&[a, b, c, d]: &ByKind) -> __m256 {
        bytemuck::cast([a, b, c, d, a, b, c, d])
    }

    /// The measures at some places; the last one for a place beyond it.
    #[target_feature(enable = "avx2")]
    fn gather(measures: &[Measure], places: __m256i) -> __m256i {
        assert!(!measures.is_empty());
        let last = _mm256_set1_epi32(measures.len() as i32 - 1);
        let places = _mm256_min_epu32(places, last);
        // SAFETY: every place is that of a measure, which is a `u32`.
        unsafe { _mm256_i32gather_epi32::<4>(measures.as_ptr().cast::<i32>(), places) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scoring::Steps;
    use omoide_index::KIND_COUNT;
    use omoide_index::postings::{Norms, Postings};

    /// Texts of every kind, short and long ones; every third holds the term, up to nine times.
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
            postings.enter(doc);
        }
        postings
    }

    #[test]
    fn every_kernel_scores_a_block_as_each_document_alone() {
        let postings = postings();
        let field = &postings.fields[0];
        let posting = field.posting("抹茶").expect("every third has it");
        let rarity: [f32; KIND_COUNT] = [1.5, 0.01, 9.0, 0.5];
        let norms = Norms::of(&field.mean_lengths());
        let term = Scoring::new(norms, rarity, Steps::up_to(9.0));
        let (mut block, mut found) = (Decoded::default(), [0; BLOCK]);
        for at in 0..posting.blocks.len() {
            posting.blocks.decode(at, &mut block);
            let (first, last) = (block.docs()[0], block.docs()[block.docs().len() - 1]);
            let entries = block.docs().iter().zip(block.counts());
            let alone: Vec<i32> = entries
                .map(|(&doc, &count)| term.score(count, field.measures(doc, doc)[0]))
                .collect();
            for kernels in available() {
                (kernels.scores)(&term, &block, field.measures(first, last), &mut found);
                assert_eq!(found[..alone.len()], alone, "block {at}");
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
