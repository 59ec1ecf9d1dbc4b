//! Which rows lie nearest to a point, without looking at all of them?
//!
//! Hierarchical navigable small worlds (Malkov and Yashunin 2018): every row is linked to rows near it in different
//! directions, a sixteenth of them again on a level above, and so on; a search walks down the levels towards the point.
//!
//! Useful for: any similarity that is larger when rows are nearer, given as a [`Space`]. Not useful for: keeping the
//! rows themselves (vectors.rs), knowing which of them may be returned (the caller says so at each search).
//! Invariant: links name rows that were linked; once a sweep is over, none names a row that was doomed when it began.

use crate::IndexError;
use crate::column::Column;
use crate::docset::DocSet;
use crate::dot::prefetch;
use crate::snapshot::{Reader, Writer};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Links that a row chooses itself, and holds at most on the upper levels.
const CHOSEN: usize = 16;
/// Links that a row holds at most on the lowest level.
const LOWEST_MOST: usize = 32;
/// How many near rows an insertion chooses among.
const BEAM_INSERT: usize = 96;
/// And how many a swept row chooses among.
const BEAM_SWEEP: usize = 64;
const HIGHEST_LEVEL: u32 = 8;
const NO_ROW: u32 = u32::MAX;
/// A swept row left with fewer links looks for new ones from the top.
const FEW_LINKS: usize = 4;
/// Where no more than one in so many new rows passes, the others are looked behind.
const FEW_PASS: usize = 3;

/// How alike rows are.
pub trait Space {
    /// Similarity of two rows, larger is nearer.
    fn between(&self, left: u32, right: u32) -> f32;
    /// Have a row's values brought near before they are asked for.
    fn prefetch(&self, row: u32);
}

/// A row and how near it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// Similarity, larger is nearer.
    pub score: f32,
    /// The row.
    pub row: u32,
}

impl Eq for Near {}

impl PartialOrd for Near {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Near {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score
            .total_cmp(&other.score)
            .then(other.row.cmp(&self.row))
    }
}

/// New links, worked out by reading alone.
#[derive(Debug)]
pub struct Plan {
    row: u32,
    /// Those of the row, by level.
    own: Vec<Vec<u32>>,
    back: Vec<Back>,
}

/// The links of a row that gets one back.
#[derive(Debug)]
struct Back {
    row: u32,
    level: u32,
    /// What they were, and what they are to be if they still are; `None` while the row is not linked itself.
    change: Option<(Vec<u32>, Vec<u32>)>,
}

/// The links of a row on a level as a sweep leaves them, worked out by reading alone.
#[derive(Debug)]
pub struct Relinked {
    row: u32,
    level: u32,
    links: Vec<u32>,
}

/// A pass over all rows that takes the links to doomed ones away.
#[derive(Debug)]
struct Sweep {
    doomed: DocSet,
    next: u32,
}

/// See the module.
#[derive(Debug)]
pub struct Hnsw {
    /// [`LOWEST_MOST`] places a row, filled up with `NO_ROW`.
    lowest: Column<u32>,
    /// [`CHOSEN`] places a level and row.
    upper: Column<u32>,
    /// Where the upper levels of a row begin.
    upper_at: FxHashMap<u32, u32>,
    levels: Column<u8>,
    linked: DocSet,
    linked_count: usize,
    entry: u32,
    sweep: Option<Sweep>,
}

impl Default for Hnsw {
    fn default() -> Self {
        Self {
            lowest: Column::default(),
            upper: Column::default(),
            upper_at: FxHashMap::default(),
            levels: Column::default(),
            linked: DocSet::default(),
            linked_count: 0,
            entry: NO_ROW,
            sweep: None,
        }
    }
}

/// The best so far, best first, and which of them were looked around from.
#[derive(Default)]
struct Beam {
    near: Vec<(Near, bool)>,
    width: usize,
}

impl Beam {
    fn start(&mut self, width: usize, first: Near) {
        self.width = width;
        self.near.clear();
        self.near.push((first, false));
    }

    /// Where it now stands, if it is among the best.
    fn insert(&mut self, near: Near) -> Option<usize> {
        let full = self.near.len() == self.width;
        if full && self.near.last().is_some_and(|last| near <= last.0) {
            return None;
        }
        if full {
            self.near.pop();
        }
        let place = self.near.partition_point(|each| each.0 > near);
        self.near.insert(place, (near, false));
        Some(place)
    }
}

/// What one search notes down; kept by each thread from search to search.
#[derive(Default)]
struct Notes {
    seen: Vec<u64>,
    touched: Vec<u32>,
    beam: Beam,
    around: Vec<u32>,
    /// Rows that were looked behind.
    between: Vec<u32>,
}

impl Notes {
    fn clear(&mut self, rows: usize) {
        for &word in &self.touched {
            self.seen[word as usize] = 0;
        }
        self.touched.clear();
        if self.seen.len() * 64 < rows {
            self.seen.resize(rows.div_ceil(64), 0);
        }
    }

    /// Whether the row is seen for the first time.
    fn see(&mut self, row: u32) -> bool {
        let (word, bit) = (row as usize / 64, 1 << (row % 64));
        let before = self.seen[word];
        if before == 0 {
            self.touched.push(word as u32);
        }
        self.seen[word] = before | bit;
        before & bit == 0
    }
}

thread_local! {
    static NOTES: RefCell<Notes> = RefCell::default();
}

impl Hnsw {
    /// Whether a row can be found by its links.
    pub fn is_linked(&self, row: u32) -> bool {
        self.linked.contains(row)
    }

    /// How many rows are linked.
    pub fn len(&self) -> usize {
        self.linked_count
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.entry == NO_ROW
    }

    /// About `width` rows nearest to the point that `to` measures from, best first.
    pub fn nearest(&self, space: &impl Space, to: impl Fn(u32) -> f32, width: usize) -> Vec<Near> {
        NOTES.with_borrow_mut(|notes| {
            let Some(first) = self.descend(&to, 1) else {
                return Vec::new();
            };
            self.walk(notes, space, &to, (0, width), first);
            notes.beam.near.iter().map(|near| near.0).collect()
        })
    }

    /// About `width` rows that pass, nearest to the point, best first. `None` when more than `patience` rows were
    /// measured or looked behind: few pass where the point lies.
    pub fn nearest_of(
        &self,
        space: &impl Space,
        to: impl Fn(u32) -> f32,
        passes: impl Fn(u32) -> bool,
        width: usize,
        patience: usize,
    ) -> Option<Vec<Near>> {
        NOTES.with_borrow_mut(|notes| {
            let Some(first) = self.descend(&to, 1) else {
                return Some(Vec::new());
            };
            notes.clear(self.rows());
            notes.see(first.row);
            let mut found = Passing::new(width);
            let mut waiting = BinaryHeap::from([first]);
            found.offer(first, &passes);
            let mut met = 0;
            while let Some(nearest) = waiting.pop() {
                if found.worst().is_some_and(|worst| nearest < worst) {
                    break;
                }
                self.look_behind(notes, space, nearest.row, &passes);
                met += notes.around.len() + notes.between.len();
                if met > patience {
                    return None;
                }
                for &row in &notes.around {
                    let near = Near {
                        score: to(row),
                        row,
                    };
                    if found.worst().is_none_or(|worst| near > worst) {
                        waiting.push(near);
                        found.offer(near, &passes);
                    }
                }
            }
            Some(found.into_sorted())
        })
    }

    /// The links a new row would have, and those of others that change with it. `mates` are rows that will be linked
    /// before it.
    pub fn plan(&self, row: u32, mates: &[u32], space: &impl Space) -> Plan {
        let to = |other: u32| space.between(row, other);
        let level = self.level_for(row);
        let mut plan = Plan {
            row,
            own: vec![Vec::new(); level as usize + 1],
            back: Vec::new(),
        };
        let mut near = self.descend(&to, level + 1);
        for level in (0..=level).rev() {
            let beam = near.filter(|_| level <= self.top());
            let mut found =
                beam.map_or_else(Vec::new, |near| self.beam_at(space, &to, level, near));
            near = found.first().copied().or(near);
            found.retain(|near| near.row != row && !self.is_doomed(near.row));
            let mates = mates.iter().filter(|&&mate| self.level_for(mate) >= level);
            found.extend(mates.map(|&row| Near {
                score: to(row),
                row,
            }));
            found.sort_unstable_by(|a, b| b.cmp(a));
            let chosen = chosen(space, found.into_iter(), CHOSEN);
            let back = chosen
                .iter()
                .map(|&other| self.back(space, other, level, row));
            plan.back.extend(back);
            plan.own[level as usize] = chosen;
        }
        plan
    }

    fn back(&self, space: &impl Space, row: u32, level: u32, new: u32) -> Back {
        let change = self.is_linked(row).then(|| {
            let before = self.links(row, level).collect();
            (before, self.with_link(space, row, level, new))
        });
        Back { row, level, change }
    }

    /// Make the links of a plan. Since it was made, only plans may have been carried out, those of its mates among
    /// them, and sweeps have gone on.
    pub fn link(&mut self, plan: Plan, space: &impl Space) {
        let row = plan.row;
        self.make_room(row);
        for (level, links) in plan.own.iter().enumerate() {
            self.set(row, level as u32, links);
        }
        for Back {
            row: other,
            level,
            change,
        } in plan.back
        {
            let as_planned =
                change.filter(|(before, _)| self.links(other, level).eq(before.iter().copied()));
            let links = as_planned.map_or_else(
                || self.with_link(space, other, level, row),
                |change| change.1,
            );
            self.set(other, level, &links);
        }
        self.mark_linked(row);
        if self.is_empty() || self.level(row) > self.top() {
            self.entry = row;
        }
    }

    /// Begin to take the links to `doomed` away, unless that is under way.
    pub fn begin_sweep(&mut self, doomed: DocSet) {
        if self.sweep.is_none() {
            self.sweep = Some(Sweep { doomed, next: 0 });
        }
    }

    /// How many rows the sweep that is under way will free.
    pub fn doomed(&self) -> usize {
        self.sweep.as_ref().map_or(0, |sweep| sweep.doomed.len())
    }

    /// Whether links are being taken away.
    pub fn is_sweeping(&self) -> bool {
        self.sweep.is_some()
    }

    /// What the sweep that is under way will change in a piece of `rows` rows, so many pieces from where it stands. Hand
    /// all pieces in their order to [`Self::sweep`], before rows are linked.
    pub fn plan_sweep(&self, space: &impl Space, rows: u32, piece: u32) -> Vec<Relinked> {
        let Some(sweep) = &self.sweep else {
            return Vec::new();
        };
        let from = sweep.next + rows * piece;
        let to = (from + rows).min(self.rows() as u32);
        (from..to)
            .filter(|&row| self.is_linked(row) && !self.is_doomed(row))
            .flat_map(|row| self.cleaned(space, row))
            .collect()
    }

    /// Go on over the next `rows` rows, as was planned; at the end, the rows that are free now.
    pub fn sweep(&mut self, rows: u32, planned: impl Iterator<Item = Relinked>) -> Vec<u32> {
        for Relinked { row, level, links } in planned {
            self.set(row, level, &links);
        }
        let end = self.rows() as u32;
        if let Some(sweep) = &mut self.sweep {
            sweep.next = (sweep.next + rows).min(end);
            if sweep.next < end {
                return Vec::new();
            }
        }
        self.finish_sweep()
    }

    fn finish_sweep(&mut self) -> Vec<u32> {
        let Some(Sweep { doomed, .. }) = self.sweep.take() else {
            return Vec::new();
        };
        let freed: Vec<u32> = doomed.iter().filter(|&row| self.is_linked(row)).collect();
        for &row in &freed {
            for level in 0..=self.level(row) {
                self.set(row, level, &[]);
            }
            self.linked.remove(row);
            self.linked_count -= 1;
        }
        if doomed.contains(self.entry) {
            self.entry = self.highest();
        }
        freed
    }

    /// The row with most levels, the first of several.
    fn highest(&self) -> u32 {
        let above = self
            .upper_at
            .keys()
            .copied()
            .filter(|&row| self.is_linked(row));
        let highest = above.min_by_key(|&row| (HIGHEST_LEVEL - self.level(row), row));
        highest
            .or_else(|| self.linked.iter().next())
            .unwrap_or(NO_ROW)
    }

    /// The levels of a row that link to doomed rows, with links to what lies behind those instead.
    fn cleaned(&self, space: &impl Space, row: u32) -> Vec<Relinked> {
        let levels = (0..=self.level(row)).filter(|&level| {
            let mut links = self.links(row, level);
            links.any(|other| self.is_doomed(other))
        });
        levels
            .map(|level| Relinked {
                row,
                level,
                links: self.around_doomed(space, row, level),
            })
            .collect()
    }

    fn around_doomed(&self, space: &impl Space, row: u32, level: u32) -> Vec<u32> {
        let mut others: FxHashSet<u32> = FxHashSet::default();
        for other in self.links(row, level) {
            if self.is_doomed(other) {
                others.extend(self.links(other, level));
            } else {
                others.insert(other);
            }
        }
        others.retain(|&other| other != row && !self.is_doomed(other));
        let to = |other: u32| space.between(row, other);
        let mut near: Vec<Near> = others
            .into_iter()
            .map(|row| Near {
                score: to(row),
                row,
            })
            .collect();
        if near.len() < FEW_LINKS
            && let Some(first) = self.descend(&to, level + 1)
        {
            let known: FxHashSet<u32> = near.iter().map(|near| near.row).collect();
            let found = self.beam_at(space, &to, level.min(self.top()), first);
            near.extend(found.into_iter().filter(|near| {
                near.row != row && !known.contains(&near.row) && !self.is_doomed(near.row)
            }));
        }
        near.sort_unstable_by(|a, b| b.cmp(a));
        near.truncate(BEAM_SWEEP);
        chosen(space, near.into_iter(), most_links(level))
    }

    fn is_doomed(&self, row: u32) -> bool {
        self.sweep
            .as_ref()
            .is_some_and(|sweep| sweep.doomed.contains(row))
    }

    /// The links of `row` when `new` is one of them.
    fn with_link(&self, space: &impl Space, row: u32, level: u32, new: u32) -> Vec<u32> {
        let mut links: Vec<u32> = self
            .links(row, level)
            .filter(|&other| other != new)
            .collect();
        links.push(new);
        if links.len() <= most_links(level) {
            return links;
        }
        let mut near: Vec<Near> = links
            .into_iter()
            .map(|other| Near {
                score: space.between(row, other),
                row: other,
            })
            .collect();
        near.sort_unstable_by(|a, b| b.cmp(a));
        chosen(space, near.into_iter(), most_links(level))
    }

    fn rows(&self) -> usize {
        self.lowest.len() / LOWEST_MOST
    }

    /// The level the entry stands on.
    fn top(&self) -> u32 {
        self.level(self.entry)
    }

    /// The highest level of a row, also one that has no room yet.
    fn level_for(&self, row: u32) -> u32 {
        let known = (row as usize) < self.rows();
        if known {
            self.level(row)
        } else {
            level_of(row)
        }
    }

    /// The highest level of a row that has room.
    fn level(&self, row: u32) -> u32 {
        u32::from(self.levels.get(row as usize))
    }

    /// From the entry down to `level`, always to the nearest; `None` where nothing is linked.
    fn descend(&self, to: &impl Fn(u32) -> f32, level: u32) -> Option<Near> {
        if self.is_empty() {
            return None;
        }
        let mut near = Near {
            score: to(self.entry),
            row: self.entry,
        };
        for level in (level..=self.top()).rev() {
            loop {
                let links = self.links(near.row, level);
                let best = links
                    .map(|row| Near {
                        score: to(row),
                        row,
                    })
                    .max();
                match best.filter(|best| *best > near) {
                    Some(best) => near = best,
                    None => break,
                }
            }
        }
        Some(near)
    }

    fn beam_at(
        &self,
        space: &impl Space,
        to: &impl Fn(u32) -> f32,
        level: u32,
        first: Near,
    ) -> Vec<Near> {
        NOTES.with_borrow_mut(|notes| {
            self.walk(notes, space, to, (level, BEAM_INSERT), first);
            notes.beam.near.iter().map(|near| near.0).collect()
        })
    }

    /// Look around from the best that was not looked around from, until there is none among the best `width`.
    fn walk(
        &self,
        notes: &mut Notes,
        space: &impl Space,
        to: &impl Fn(u32) -> f32,
        (level, width): (u32, usize),
        first: Near,
    ) {
        notes.clear(self.rows());
        notes.see(first.row);
        notes.beam.start(width, first);
        let mut next = 0;
        while next < notes.beam.near.len() {
            let (near, done) = &mut notes.beam.near[next];
            if std::mem::replace(done, true) {
                next += 1;
                continue;
            }
            let row = near.row;
            self.look_around(notes, space, row, level);
            for &row in &notes.around {
                let near = Near {
                    score: to(row),
                    row,
                };
                if let Some(place) = notes.beam.insert(near) {
                    next = next.min(place);
                }
            }
        }
    }

    /// The rows linked from `row` that are seen for the first time, on their way to the processor.
    fn look_around(&self, notes: &mut Notes, space: &impl Space, row: u32, level: u32) {
        let mut around = std::mem::take(&mut notes.around);
        around.clear();
        around.extend(self.links(row, level).filter(|&other| notes.see(other)));
        around.iter().for_each(|&other| space.prefetch(other));
        notes.around = around;
    }

    /// The same on the lowest level, but where few of those rows pass, the ones that do not are looked behind: in their
    /// place comes what passes there, or where nothing does they come themselves, for there may be more farther on.
    fn look_behind(
        &self,
        notes: &mut Notes,
        space: &impl Space,
        row: u32,
        passes: &impl Fn(u32) -> bool,
    ) {
        let mut around = std::mem::take(&mut notes.around);
        let mut between = std::mem::take(&mut notes.between);
        between.clear();
        around.clear();
        around.extend(self.links(row, 0).filter(|&other| notes.see(other)));
        let passing = around.iter().filter(|&&other| passes(other)).count();
        if around.len() >= FEW_PASS * (passing + 1) {
            between.extend(around.extract_if(.., |other| !passes(*other)));
        }
        between
            .iter()
            .for_each(|&row| prefetch(self.places(row, 0)));
        for &row in &between {
            let mut behind = self.links(row, 0).filter(|&other| passes(other)).peekable();
            around.extend(behind.peek().is_none().then_some(row));
            around.extend(behind.filter(|&other| notes.see(other)));
        }
        around.iter().for_each(|&other| space.prefetch(other));
        (notes.around, notes.between) = (around, between);
    }

    fn links(&self, row: u32, level: u32) -> impl Iterator<Item = u32> {
        let places = self.places(row, level);
        places.iter().copied().take_while(|&other| other != NO_ROW)
    }

    fn places(&self, row: u32, level: u32) -> &[u32] {
        if level == 0 {
            let start = row as usize * LOWEST_MOST;
            return self.lowest.slice(start..start + LOWEST_MOST);
        }
        let start = self.upper_at[&row] as usize + (level as usize - 1) * CHOSEN;
        self.upper.slice(start..start + CHOSEN)
    }

    fn set(&mut self, row: u32, level: u32, links: &[u32]) {
        let places = if level == 0 {
            let start = row as usize * LOWEST_MOST;
            self.lowest.slice_mut(start..start + LOWEST_MOST)
        } else {
            let start = self.upper_at[&row] as usize + (level as usize - 1) * CHOSEN;
            self.upper.slice_mut(start..start + CHOSEN)
        };
        places[..links.len()].copy_from_slice(links);
        places[links.len()..].fill(NO_ROW);
    }

    fn make_room(&mut self, row: u32) {
        for row in self.rows() as u32..=row {
            self.lowest.extend(&[NO_ROW; LOWEST_MOST]);
            self.make_levels(row, level_of(row));
        }
    }

    fn make_levels(&mut self, row: u32, levels: u32) {
        self.levels.push(levels as u8);
        if levels > 0 {
            self.upper_at.insert(row, self.upper.len() as u32);
            (0..levels).for_each(|_| self.upper.extend(&[NO_ROW; CHOSEN]));
        }
    }

    fn mark_linked(&mut self, row: u32) {
        self.linked_count += usize::from(!self.linked.contains(row));
        self.linked.insert(row);
    }

    /// The same links under other numbers of rows; rows that get none must not be linked.
    pub(crate) fn renumbered(&self, places: &[u32]) -> Self {
        let mut new = Self::default();
        let kept = (0..self.rows() as u32).filter(|&row| places[row as usize] != NO_ROW);
        for old in kept {
            let row = places[old as usize];
            new.lowest.extend(&[NO_ROW; LOWEST_MOST]);
            new.make_levels(row, self.level(old));
            for level in 0..=self.level(old) {
                let links = self.links(old, level).map(|other| places[other as usize]);
                new.set(row, level, &links.collect::<Vec<_>>());
            }
            if self.is_linked(old) {
                new.mark_linked(row);
            }
        }
        new.entry = places.get(self.entry as usize).copied().unwrap_or(NO_ROW);
        new
    }

    pub(crate) fn write(&self, out: &mut Writer) -> Result<(), IndexError> {
        let mut upper_at: Vec<(u32, u32)> = self.upper_at.iter().map(|(&k, &v)| (k, v)).collect();
        upper_at.sort_unstable();
        out.column("graph.lowest", &self.lowest)?;
        out.column("graph.upper", &self.upper)?;
        out.column("graph.levels", &self.levels)?;
        out.slice("graph.linked", self.linked.words())?;
        out.value("graph.rest", &(self.entry, upper_at))
    }

    pub(crate) fn read(from: &Reader) -> Result<Self, IndexError> {
        let (entry, upper_at): (u32, Vec<(u32, u32)>) = from.value("graph.rest")?;
        let linked = DocSet::from_words(from.column::<u64>("graph.linked")?.iter().collect());
        Ok(Self {
            lowest: from.column("graph.lowest")?,
            upper: from.column("graph.upper")?,
            levels: from.column("graph.levels")?,
            upper_at: upper_at.into_iter().collect(),
            linked_count: linked.len(),
            linked,
            entry,
            sweep: None,
        })
    }

    /// Resident bytes, about.
    pub fn bytes(&self) -> usize {
        self.lowest.bytes() + self.upper.bytes() + self.upper_at.capacity() * 9
    }
}

/// The best `width` that pass.
struct Passing {
    width: usize,
    found: BinaryHeap<std::cmp::Reverse<Near>>,
}

impl Passing {
    fn new(width: usize) -> Self {
        Self {
            width,
            found: BinaryHeap::with_capacity(width + 1),
        }
    }

    /// The worst of them once there are `width`.
    fn worst(&self) -> Option<Near> {
        let full = self.found.len() == self.width;
        self.found.peek().filter(|_| full).map(|worst| worst.0)
    }

    fn offer(&mut self, near: Near, passes: &impl Fn(u32) -> bool) {
        if passes(near.row) {
            self.found.push(std::cmp::Reverse(near));
            if self.found.len() > self.width {
                self.found.pop();
            }
        }
    }

    fn into_sorted(self) -> Vec<Near> {
        let sorted = self.found.into_sorted_vec();
        sorted.into_iter().map(|near| near.0).collect()
    }
}

/// Of candidates, best first: those nearer to the row than to any chosen before, so that links point in different
/// directions.
fn chosen(space: &impl Space, candidates: impl Iterator<Item = Near>, most: usize) -> Vec<u32> {
    let mut chosen: Vec<u32> = Vec::with_capacity(most);
    for near in candidates {
        if chosen.len() == most {
            break;
        }
        let is_own_way = |&other: &u32| space.between(near.row, other) < near.score;
        if chosen.iter().all(is_own_way) {
            chosen.push(near.row);
        }
    }
    chosen
}

fn most_links(level: u32) -> usize {
    if level == 0 { LOWEST_MOST } else { CHOSEN }
}

/// A sixteenth of the rows of a level stand on the one above; which ones is a function of the row.
fn level_of(row: u32) -> u32 {
    let mixed = (u64::from(row) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    ((mixed ^ (mixed >> 32)).trailing_zeros() / 4).min(HIGHEST_LEVEL)
}
