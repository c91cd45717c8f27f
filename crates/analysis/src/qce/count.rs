//! The counts of one function.

use super::visits::Visits;
use super::{Counts, FunctionQce, Link, Location};
use crate::count::Count;
use crate::dependence::summary::{Atom, Out, Summary};
use crate::dependence::{Dependence, Dependents, Input, SetId, VarId, Variable};
use crate::trips::Trips;
use rejoin_ir::{BlockId, Inst, Reg};
use std::collections::BTreeMap;

/// How many columns of the visits are computed at once.
const COLUMNS: usize = 256;

/// How many different sets of variables a summary distinguishes.
const MAX_ATOMS: usize = 16;

/// Known trip counts above this are taken as this: more only makes numbers too large to compare.
const MAX_EVALUATIONS: u32 = 1000;

/// A location whose counts are computed.
struct Point {
    location: Location,
    /// Sites of the block before this instruction do not count on the first visit.
    from: u32,
    total: Count,
    /// The different sets with how many loops around are cut for them, and their counts.
    sets: Vec<(SetId, u32, Count)>,
    /// Variables with their position in `sets`.
    variables: Vec<(VarId, u32)>,
}

/// Counts a function. `before` are instructions (ascending) before which counts are wanted too.
pub(super) fn count(input: Input<'_>, before: &[u32]) -> FunctionQce {
    let mut counter = Counter::new(input, before);
    let evaluations = evaluations(&input);
    counter.run(&visits(&input, &evaluations));
    counter.finish()
}

/// What callers need to know of a function.
pub(super) fn summary(input: Input<'_>) -> Summary {
    let mut counter = Counter::bare(input, &[]);
    let evaluations = evaluations(&input);
    let from_entry = counter.run(&visits(&input, &evaluations));
    counter.summary(&from_entry)
}

/// How often each loop's header is evaluated.
fn evaluations(input: &Input<'_>) -> Vec<u32> {
    let trips = Trips::new(input.m, input.f, input.cfg, input.loops);
    let of = |l| trips.of(l).map_or(input.kappa, |known| known.min(MAX_EVALUATIONS)).max(1);
    input.loops.ids().map(of).collect()
}

fn visits<'a>(input: &Input<'a>, evaluations: &'a [u32]) -> Visits<'a> {
    let Input { f, cfg, loops, beta, .. } = *input;
    Visits { f, cfg, loops, beta, evaluations }
}

struct Counter<'a> {
    input: Input<'a>,
    dependence: Dependence<'a>,
    /// Per block: its points.
    points: Vec<Vec<Point>>,
}

impl<'a> Counter<'a> {
    /// Without points.
    fn bare(input: Input<'a>, asked: &[u32]) -> Self {
        let mut points = Vec::new();
        points.resize_with(input.f.blocks.len(), Vec::new);
        Counter { input, dependence: Dependence::new(input, asked), points }
    }

    fn new(input: Input<'a>, before: &[u32]) -> Self {
        let f = input.f;
        let calls = (0..f.insts.len() as u32).filter(|&i| matches!(f.insts[i as usize], Inst::Call { .. }));
        let mut asked: Vec<u32> = calls.clone().map(|i| i + 1).chain(before.iter().copied()).collect();
        asked.sort_unstable();
        asked.dedup();
        let mut counter = Counter::bare(input, &asked);
        let at_points = std::mem::take(&mut counter.dependence.points);
        for &b in input.loops.order() {
            let head = std::mem::take(&mut counter.dependence.heads[b.index()]);
            let first = f.blocks[b.index()].insts.start;
            let point = counter.point(b, Location::Head(b), first, &head, &[]);
            counter.points[b.index()].push(point);
            counter.dependence.heads[b.index()] = head;
        }
        for (i, dependents) in at_points {
            let Some(b) = f.block_of_inst(i).filter(|b| input.cfg.is_reachable(*b)) else { continue };
            if before.binary_search(&i).is_ok() {
                let point = counter.point(b, Location::Before(i), i, &dependents, &[]);
                counter.points[b.index()].push(point);
            }
            let Some(call) = i.checked_sub(1).filter(|&c| matches!(f.insts[c as usize], Inst::Call { .. }))
            else {
                continue;
            };
            let mut results = Vec::new();
            f.insts[call as usize].for_each_def(f, |reg, _| results.push(VarId(reg.0)));
            for (location, without) in
                [(Location::AfterCall(call), &results[..]), (Location::Returned(call), &[])]
            {
                let point = counter.point(b, location, i, &dependents, without);
                counter.points[b.index()].push(point);
            }
        }
        counter
    }

    fn point(&self, b: BlockId, location: Location, from: u32, at: &Dependents, without: &[VarId]) -> Point {
        let mut around: Vec<_> = self.input.loops.around(b).collect();
        around.reverse();
        let mut point = Point { location, from, total: Count::ZERO, sets: Vec::new(), variables: Vec::new() };
        let mut known = rustc_hash::FxHashMap::default();
        for &(id, set) in at {
            if without.contains(&id) || !self.dependence.counts(set) {
                continue;
            }
            let index = *known.entry(set).or_insert_with(|| {
                let cut = around.iter().take_while(|l| !self.dependence.survives(set, **l)).count();
                point.sets.push((set, cut as u32, Count::ZERO));
                point.sets.len() as u32 - 1
            });
            point.variables.push((id, index));
        }
        point
    }

    /// Counts all points; returns how often each block is visited from the entry.
    fn run(&mut self, visits: &Visits<'_>) -> Vec<Count> {
        let f = self.input.f;
        let table = &self.dependence.sites;
        let own = |b: BlockId| f.blocks[b.index()].insts.indices();
        let weight = |b: BlockId, from: u32| {
            own(b).filter(|i| *i >= from as usize).map(|i| table.total[i]).sum::<Count>()
        };
        let points = &mut self.points;
        visits.run(
            1,
            |b, factor, values| values[0] += factor * weight(b, 0),
            |b, cut, values| {
                for point in points[b.index()].iter_mut().filter(|_| cut == 0) {
                    point.total = values[0] + weight(b, point.from);
                }
            },
        );
        let blocks = (0..f.blocks.len() as u32).map(BlockId);
        let columns: Vec<BlockId> = blocks.filter(|&b| !weight(b, 0).is_zero()).collect();
        let mut column_of = vec![usize::MAX; f.blocks.len()];
        let mut from_entry = vec![Count::ZERO; f.blocks.len()];
        for chunk in columns.chunks(COLUMNS) {
            for (i, b) in chunk.iter().enumerate() {
                column_of[b.index()] = i;
            }
            let of_chunk = |b: BlockId| Some(column_of[b.index()]).filter(|c| chunk.get(*c) == Some(&b));
            let first = table.of(own(chunk[0]).start).start;
            let end = table.of(own(chunk[chunk.len() - 1]).end - 1).end;
            visits.run(
                chunk.len(),
                |b, factor, values| of_chunk(b).into_iter().for_each(|c| values[c] += factor),
                |b, cut, values| {
                    if b == BlockId(0) {
                        chunk.iter().zip(values).for_each(|(b, v)| from_entry[b.index()] = *v);
                    }
                    for point in &mut points[b.index()] {
                        for (set, _, sum) in point.sets.iter_mut().filter(|(_, c, _)| *c == cut) {
                            let bits = self.dependence.sets.get(*set).iter_from(first);
                            for site in bits.take_while(|&s| s < end).map(|s| &table.sites[s]) {
                                let now = site.block == b && site.inst >= point.from;
                                let later = values[column_of[site.block.index()]];
                                let times = if now { later + Count::ONE } else { later };
                                *sum += site.weight * times;
                            }
                        }
                    }
                },
            );
        }
        if let Some(entry) = from_entry.first_mut() {
            *entry += Count::ONE;
        }
        from_entry
    }

    fn summary(&self, from_entry: &[Count]) -> Summary {
        let table = &self.dependence.sites;
        let inputs = self.dependence.inputs();
        let mut on: Vec<Vec<u32>> = vec![Vec::new(); table.sites.len()];
        for (i, (_, set)) in inputs.iter().enumerate() {
            for site in self.dependence.sets.get(*set).iter().take_while(|&s| s < table.sites.len()) {
                on[site].push(i as u32);
            }
        }
        let mut groups: BTreeMap<Vec<u32>, Count> = BTreeMap::new();
        for (site, on) in table.sites.iter().zip(on) {
            *groups.entry(on).or_default() += site.weight * from_entry[site.block.index()];
        }
        let rest = groups.entry(Vec::new()).or_default();
        for (block, times) in self.input.f.blocks.iter().zip(from_entry) {
            let free: Count = table.free[block.insts.indices()].iter().copied().sum();
            *rest += free * *times;
        }
        let mut atoms: Vec<(Vec<u32>, Count)> = groups.into_iter().filter(|(_, w)| !w.is_zero()).collect();
        if atoms.len() > MAX_ATOMS {
            atoms.sort_by(|a, b| b.1.total_cmp(a.1).then_with(|| a.0.cmp(&b.0)));
            let mut last = (Vec::new(), Count::ZERO);
            for (on, weight) in atoms.drain(MAX_ATOMS - 1..) {
                last.0.extend(on);
                last.1 += weight;
            }
            last.0.sort_unstable();
            last.0.dedup();
            atoms.push(last);
        }
        let atom = |(on, weight): (Vec<u32>, Count)| Atom {
            weight,
            on: on.into_iter().map(|i| inputs[i as usize].0).collect(),
        };
        Summary { atoms: atoms.into_iter().map(atom).collect(), outputs: self.dependence.outputs() }
    }

    /// The result keeps only variables that count somewhere, numbered by [`crate::dependence::Variable`].
    fn finish(mut self) -> FunctionQce {
        let counted = |p: &Point| p.variables.iter().map(|(id, _)| *id).collect::<Vec<_>>();
        let mut used: Vec<_> = self.points.iter().flatten().flat_map(counted).collect();
        used.sort_unstable();
        used.dedup();
        let mut variables: Vec<_> = used.iter().map(|&id| (self.dependence.variable(id), id)).collect();
        variables.sort_unstable();
        let mut renumbered = rustc_hash::FxHashMap::default();
        for (new, (_, old)) in variables.iter().enumerate() {
            renumbered.insert(*old, VarId(new as u32));
        }
        let points = std::mem::take(&mut self.points);
        let counts = |p: Point| {
            // Rounding must not make it more than all queries.
            let of = |(id, set): &(VarId, u32)| (renumbered[id], p.sets[*set as usize].2.min(p.total));
            let mut q_add: Vec<(VarId, Count)> =
                p.variables.iter().map(of).filter(|(_, q)| !q.is_zero()).collect();
            q_add.sort_unstable_by_key(|(id, _)| *id);
            let into =
                |(id, set): &(VarId, u32)| (renumbered[id], self.dependence.reached(p.sets[*set as usize].0));
            let mut reaches: Vec<(VarId, u64)> =
                p.variables.iter().map(into).filter(|(_, o)| *o != 0).collect();
            reaches.sort_unstable_by_key(|(id, _)| *id);
            (p.location, Counts { q_t: p.total, q_add, reaches })
        };
        let mut all: Vec<(Location, Counts)> = points.into_iter().flatten().map(counts).collect();
        all.sort_by_key(|(location, _)| *location);
        let (locations, counts) = all.into_iter().unzip();
        let outputs = self.dependence.all_outputs().to_vec();
        let links = self.links();
        FunctionQce {
            variables: variables.into_iter().map(|(v, _)| v).collect(),
            locations,
            counts,
            outputs,
            links,
        }
    }

    /// What the outputs of the functions that are called are here.
    fn links(&self) -> Vec<Link> {
        let Input { m, f, calls, summaries, .. } = self.input;
        let mut links = Vec::new();
        for (i, inst) in f.insts.iter().enumerate() {
            let Inst::Call { dst, args, rets, .. } = inst else { continue };
            let mut results = Vec::new();
            let mut slot = dst.0;
            for ty in rets.of(&f.types) {
                results.push(Variable::Register(Reg(slot)));
                slot += ty.slots();
            }
            for &callee in calls.targets(f, inst) {
                let Some(summary) = summaries.get(callee) else { continue };
                let here = |out: Out| match out {
                    Out::Value(k) => results.get(k as usize).copied(),
                    Out::Memory(cell) => {
                        let callee = &m.functions[callee.index()];
                        self.dependence.actual_cell(callee, cell, args.of(&f.args)).map(Variable::Memory)
                    }
                };
                let outputs = summary.outputs.iter().filter_map(|o| Some((o.what, here(o.what)?))).collect();
                links.push(Link { call: i as u32, callee, outputs });
            }
        }
        links
    }
}
