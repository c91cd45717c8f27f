//! Coverage of the program's source from what the machine counted.

use rejoin_exec::Machine;
use rejoin_ir::Inst;
use rejoin_report::Coverage;

/// Lines and branches of all functions whose source is known and is not libc's.
pub(crate) fn coverage(m: &Machine) -> Coverage {
    let mut coverage = Coverage::default();
    for (f, code) in m.module.functions.iter().zip(&m.code.functions) {
        if f.is_declaration() || m.is_library(f.loc) {
            continue;
        }
        let all_hits = code.hits(f);
        for (segment, hits) in code.segments.iter().zip(&all_hits) {
            for pc in segment.start..segment.end {
                if let Some((file, loc)) = m.module.place(f.locs[pc as usize])
                    && loc.line != 0
                {
                    let lines = &mut coverage.file(file).lines;
                    let count = lines.entry(loc.line).or_insert(0);
                    *count = (*count).max(*hits);
                }
            }
        }
        let mut number = 0;
        for (pc, inst) in f.insts.iter().enumerate() {
            let edges = match inst {
                Inst::Branch { then, els, .. } => vec![*then, *els],
                Inst::Switch { table, .. } => {
                    let table = &f.switches[*table as usize];
                    let mut edges: Vec<_> = table.cases.iter().map(|c| c.1).chain([table.default]).collect();
                    edges.sort();
                    edges.dedup();
                    edges
                }
                _ => continue,
            };
            let Some((file, loc)) = m.module.place(f.locs[pc]) else { continue };
            for (arm, edge) in edges.iter().enumerate() {
                let key = (loc.line, number, arm as u32);
                coverage.file(file).branches.insert(key, code.taken[edge.index()]);
            }
            number += 1;
        }
        if let Some((file, loc)) = m.module.place(f.loc) {
            let entered = all_hits.first().copied().unwrap_or(0);
            coverage.file(file).functions.insert(f.name.clone(), (loc.line, entered));
        }
    }
    coverage
}
