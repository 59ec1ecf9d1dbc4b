//! How certain is it that a hit is about the query? One number in 0..1, for a caller to compare with a threshold.
//!
//! The question is how many texts of the store would match as well by chance. `surprise` gives, in nats, how unlikely that is
//! for one text: for the query's words (`coverage` is their share of the query's rarity) by Chernoff's bound, with as many
//! independent words as would give the usual coverage and its spread; for the cosine, if vectors know meaning, by the tail of a
//! normal distribution estimated from a few texts (Grubbs 1969). The two are added.
//!
//! The best hit answers the query if its surprise is more than chance brings among all texts searched, and the others if theirs
//! is a sufficient part of the best one's. Half of the words are enough in any store. Particles leave a short question so few
//! effective words that one which many texts have would surprise: that the query is answered takes matches that are as rare.
//! Invariant: never rises down the list: no hit is called more relevant than one ranked above it.

/// Shares and nats below this are rounding errors, not evidence; so are means and spreads below its square.
const NOISE: f64 = 1e-3;
/// The relevance of a memory that only the graph leads to.
const GRAPH_ALONE: f64 = 0.2;

/// The evidence for a hit.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Evidence {
    /// The share of the query's rarity that its words match.
    pub coverage: f64,
    /// The coverage that similar texts have by chance: mean and standard deviation.
    pub usual_coverage: (f64, f64),
    /// The cosine to the query.
    pub cosine: f64,
    /// The cosines of the searched texts: mean, standard deviation, number of texts; none if the cosine is of spelling alone.
    pub usual_cosine: Option<(f64, f64, usize)>,
    /// Whether the graph walk reached it.
    pub graph: bool,
    /// The most that the matched terms can surprise, in nats.
    pub rarity: f64,
}

/// The constants that turn evidence into relevance; `omoide/memory/relevance.py` fits and explains them.
#[expect(missing_docs, reason = "said where their values are")]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Curve {
    pub by_chance: f64,
    pub one_in: f64,
    pub company: f64,
    pub beside: f64,
    pub beside_best: f64,
    pub steepness: f64,
    pub with_meaning: f64,
    pub enough: f64,
    pub half_spelling: f64,
    pub spelling_share: f64,
    pub share_steepness: f64,
}

/// The relevance of ranked hits, given best first, in the same order; `searched` is how many memories were searched.
pub fn relevance(ranked: &[Evidence], searched: usize, curve: &Curve) -> Vec<f64> {
    let said: Vec<f64> = ranked.iter().map(Evidence::surprise).collect();
    let limited = ranked.iter().map(Evidence::limited_surprise);
    let best = Best {
        nats: said.iter().copied().fold(0.0, f64::max),
        limited: limited.fold(0.0, f64::max),
    };
    let each = ranked.iter().zip(&said);
    let alone: Vec<f64> = each
        .map(|(evidence, &nats)| curve.of(evidence, nats, &best, searched))
        .collect();
    monotone(&alone)
}

/// The highest of all hits, in nats.
struct Best {
    /// The surprise...
    nats: f64,
    /// ...and that with the limit of rarity.
    limited: f64,
}

impl Curve {
    fn of(&self, evidence: &Evidence, nats: f64, best: &Best, searched: usize) -> f64 {
        if evidence.coverage >= 1.0 {
            return 1.0;
        }
        let kinds = evidence.usual_cosine.map_or(1.0, |_| self.with_meaning);
        let company = self.company * (searched.max(1) as f64 / self.one_in).ln();
        let chance = kinds * self.by_chance.max(company);
        let beside = (kinds * self.beside).max(self.beside_best * best.nats);
        let answers = saturating(best.limited, chance, self.steepness)
            * saturating(nats, beside, self.steepness);
        let met = if evidence.graph { GRAPH_ALONE } else { 0.0 };
        answers.max(self.by_itself(evidence)).max(met)
    }

    /// The relevance of evidence that is enough in any store.
    fn by_itself(&self, evidence: &Evidence) -> f64 {
        let share = |value, half| saturating(value, half, self.share_steepness);
        let words = share(evidence.coverage, self.enough);
        if evidence.usual_cosine.is_some() {
            return words;
        }
        words.max(self.spelling_share * share(evidence.cosine, self.half_spelling))
    }
}

impl Evidence {
    /// The surprise in nats, at least 0; see the module.
    fn surprise(&self) -> f64 {
        (self.of_words() + self.of_meaning()).max(0.0)
    }

    /// The surprise, with that of words no more than their rarity: what one text in fifty has surprises nobody, however little
    /// else there is to match.
    fn limited_surprise(&self) -> f64 {
        (self.of_words().min(self.rarity) + self.of_meaning()).max(0.0)
    }

    fn of_words(&self) -> f64 {
        let ((mean, spread), share) = (self.usual_coverage, self.coverage.min(1.0 - NOISE));
        let is_beyond = NOISE * NOISE < mean && mean < share;
        if !is_beyond || spread < NOISE * NOISE {
            return 0.0;
        }
        let words = mean * (1.0 - mean) / (spread * spread);
        words * (share * (share / mean).ln() + (1.0 - share) * ((1.0 - share) / (1.0 - mean)).ln())
    }

    /// Below 0 if a text is less near than usual.
    fn of_meaning(&self) -> f64 {
        let (mean, spread, texts) = self.usual_cosine.unwrap_or_default();
        if texts <= 2 || spread < NOISE * NOISE {
            return 0.0;
        }
        let (beyond, others) = ((self.cosine - mean) / spread, (texts - 1) as f64);
        // One of so many values cannot lie further from their mean.
        let share = (beyond * beyond / others).min(1.0 - NOISE);
        let nats = -others / 2.0 * (1.0 - share).ln();
        if beyond > 0.0 { nats } else { -nats }
    }
}

/// 0 at 0, one half at `half`, approaching 1 beyond.
fn saturating(value: f64, half: f64, steepness: f64) -> f64 {
    if value < NOISE {
        return 0.0;
    }
    1.0 / (1.0 + (half / value).powf(steepness))
}

/// The closest sequence (least squares) that never rises, by pooling adjacent violators.
fn monotone(values: &[f64]) -> Vec<f64> {
    let mut pools: Vec<(f64, usize)> = Vec::with_capacity(values.len());
    let mean = |&(total, count): &(f64, usize)| total / count as f64;
    for &value in values {
        let mut pool = (value, 1);
        while let Some(above) = pools.pop_if(|above| mean(above) < mean(&pool)) {
            pool = (pool.0 + above.0, pool.1 + above.1);
        }
        pools.push(pool);
    }
    let spread = |pool: &(f64, usize)| std::iter::repeat_n(mean(pool), pool.1);
    pools.iter().flat_map(spread).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn violators_are_pooled() {
        let rows: [(&[f64], &[f64]); 4] = [
            (&[], &[]),
            (&[0.9, 0.5, 0.1], &[0.9, 0.5, 0.1]),
            (&[0.25, 0.75], &[0.5, 0.5]),
            (&[0.875, 0.25, 0.5, 0.125], &[0.875, 0.375, 0.375, 0.125]),
        ];
        for (values, pooled) in rows {
            assert_eq!(monotone(values), pooled);
        }
    }
}
