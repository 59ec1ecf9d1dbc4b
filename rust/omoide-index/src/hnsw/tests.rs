use super::*;
use std::collections::BTreeSet;

/// Rows swept in one piece.
const PIECE: u32 = 8;
const MOST_ROWS: usize = 400;

/// Points by row; a row that is used again gets another.
#[derive(Default)]
struct Points(Vec<[f32; 4]>);

impl Space for Points {
    fn between(&self, left: u32, right: u32) -> f32 {
        let pairs = self.0[left as usize].iter().zip(&self.0[right as usize]);
        pairs.map(|(a, b)| -(a - b).powi(2)).sum()
    }

    fn prefetch(&self, _row: u32) {}
}

/// What may happen to a graph, in an order that depends on `state`.
#[derive(Default)]
struct History {
    state: u64,
    graph: Hnsw,
    points: Points,
    live: Vec<u32>,
    dead: DocSet,
    free: Vec<u32>,
    /// How many rows the running sweep has passed.
    swept: u32,
}

impl History {
    fn below(&mut self, sides: usize) -> usize {
        let (factor, summand) = (6_364_136_223_846_793_005, 1_442_695_040_888_963_407);
        self.state = self.state.wrapping_mul(factor).wrapping_add(summand);
        (self.state >> 33) as usize % sides
    }

    /// A third of the points are one of seven, so that many rows lie at the same.
    fn point(&mut self) -> [f32; 4] {
        if self.below(3) == 0 {
            return [1.0, self.below(7) as f32, 2.0, 3.0];
        }
        [(); 4].map(|()| self.below(2_000) as f32 / 100.0 - 9.0)
    }

    fn new_row(&mut self) -> u32 {
        let point = self.point();
        if let Some(row) = self.free.pop() {
            self.points.0[row as usize] = point;
            return row;
        }
        self.points.0.push(point);
        self.points.0.len() as u32 - 1
    }

    /// Plans several rows at once; the sweep may go on before they are linked.
    fn link(&mut self) {
        let count = 1 + self.below(6);
        let rows: Vec<u32> = (0..count).map(|_| self.new_row()).collect();
        let plan = |at: usize| self.graph.plan(rows[at], &rows[..at], &self.points);
        let plans: Vec<Plan> = (0..count).map(plan).collect();
        if self.below(2) == 0 {
            self.sweep();
        }
        for plan in plans {
            self.graph.link(plan, &self.points);
        }
        self.live.extend(rows);
    }

    fn remove(&mut self) {
        let most = self.live.len().min(4);
        for _ in 0..most {
            let at = self.below(self.live.len());
            self.dead.insert(self.live.swap_remove(at));
        }
    }

    fn begin_sweep(&mut self) {
        if !self.graph.is_sweeping() && !self.dead.is_empty() {
            self.graph.begin_sweep(std::mem::take(&mut self.dead));
            self.swept = 0;
        }
    }

    fn sweep(&mut self) {
        if !self.graph.is_sweeping() {
            return;
        }
        let pieces = 1 + self.below(3) as u32;
        let planned = (0..pieces).map(|piece| self.graph.plan_sweep(&self.points, PIECE, piece));
        let planned: Vec<Vec<Relinked>> = planned.collect();
        let freed = self
            .graph
            .sweep(PIECE * pieces, planned.into_iter().flatten());
        self.free.extend(freed);
        self.swept += PIECE * pieces;
    }

    /// Drops the free rows; a sweep that is running begins anew some time.
    fn renumber(&mut self) {
        let rows = 0..self.points.0.len() as u32;
        self.dead.unite(
            &rows
                .filter(|&row| self.graph.is_being_removed(row))
                .collect(),
        );
        let mut new_rows = vec![NO_ROW; self.points.0.len()];
        let kept = (0..new_rows.len() as u32).filter(|row| !self.free.contains(row));
        let kept: Vec<u32> = kept.collect();
        for (new, &old) in kept.iter().enumerate() {
            new_rows[old as usize] = new as u32;
        }
        self.graph = self.graph.renumbered(&new_rows);
        self.points = Points(
            kept.iter()
                .map(|&row| self.points.0[row as usize])
                .collect(),
        );
        let new_row = |row: u32| new_rows[row as usize];
        self.live.iter_mut().for_each(|row| *row = new_row(*row));
        self.dead = self.dead.iter().map(new_row).collect();
        self.free.clear();
    }

    fn step(&mut self) {
        match self.below(12) {
            0..5 if self.points.0.len() - self.free.len() < MOST_ROWS => self.link(),
            0..8 => self.remove(),
            8 => self.begin_sweep(),
            9 if self.below(20) == 0 => self.renumber(),
            _ => self.sweep(),
        }
    }

    /// See the module's invariant.
    fn check(&self) {
        let graph = &self.graph;
        let levels = graph.linked.iter().map(|row| graph.level(row));
        let highest = levels.max();
        assert_eq!(highest.is_none(), graph.is_empty());
        assert!(highest.is_none_or(|level| graph.is_linked(graph.entry) && level == graph.top()));
        assert_eq!(graph.len(), graph.linked.len());
        let removed = graph.removed_by_sweep();
        assert_eq!(graph.len(), self.live.len() + self.dead.len() + removed);
        for row in 0..graph.rows() as u32 {
            (0..=graph.level(row)).for_each(|level| self.check_links(row, level));
        }
    }

    fn check_links(&self, row: u32, level: u32) {
        let graph = &self.graph;
        let links: Vec<u32> = graph.links(row, level).collect();
        assert!(graph.is_linked(row) || links.is_empty(), "{row}");
        assert!(links.len() <= max_links(level));
        let different: BTreeSet<u32> = links.iter().copied().collect();
        assert_eq!(different.len(), links.len(), "{row}: {links:?}");
        let is_swept = row < self.swept && !graph.is_being_removed(row);
        for other in links {
            assert!(other != row && graph.is_linked(other), "{row} to {other}");
            assert!(graph.level(other) >= level, "{row} to {other}");
            assert!(
                !(is_swept && graph.is_being_removed(other)),
                "{row} to {other}"
            );
        }
    }

    /// How many of the three live rows nearest to a point, or of others as near, are not found.
    fn missed(&mut self) -> usize {
        let query = [(); 4].map(|()| self.below(2_000) as f32 / 100.0 - 9.0);
        self.points.0.push(query);
        let query = self.points.0.len() as u32 - 1;
        let to = |row: u32| self.points.between(query, row);
        let found = self.graph.nearest(&self.points, to, 40);
        let mut exact: Vec<f32> = self.live.iter().copied().map(to).collect();
        exact.sort_by(|a, b| b.total_cmp(a));
        exact.truncate(3);
        let least = exact.last().copied().unwrap_or_default();
        let hits = found
            .iter()
            .filter(|near| near.score >= least && self.live.contains(&near.row))
            .count();
        self.points.0.pop();
        exact.len().saturating_sub(hits)
    }
}

#[test]
fn after_any_history_links_lead_to_linked_rows_and_the_nearest_are_found() {
    let mut missed = 0;
    for seed in 0..4 {
        let mut history = History {
            state: seed,
            ..History::default()
        };
        for at in 0..1_500 {
            history.step();
            history.check();
            missed += if at % 30 == 0 { history.missed() } else { 0 };
        }
        while !history.live.is_empty() || history.graph.is_sweeping() {
            history.remove();
            history.begin_sweep();
            history.sweep();
            history.check();
        }
    }
    assert!(missed <= 6, "{missed} of 600");
}
