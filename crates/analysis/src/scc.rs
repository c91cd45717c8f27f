//! Strongly connected components, by Tarjan's algorithm without recursion.

const NONE: u32 = u32::MAX;

/// The components of the graph over `0..nodes`, each after all components it leads to.
pub(crate) fn components(nodes: usize, successors: impl Fn(usize) -> Vec<usize>) -> Vec<Vec<u32>> {
    let mut found = Vec::new();
    let mut index = vec![NONE; nodes];
    let mut low = vec![0u32; nodes];
    let mut open = vec![false; nodes];
    let mut path: Vec<u32> = Vec::new();
    let mut next = 0;
    for root in 0..nodes {
        if index[root] != NONE {
            continue;
        }
        let mut calls = vec![(root, Vec::new().into_iter(), false)];
        while let Some((v, rest, entered)) = calls.last_mut() {
            let v = *v;
            if !*entered {
                (index[v], low[v], open[v]) = (next, next, true);
                next += 1;
                path.push(v as u32);
                *rest = successors(v).into_iter();
                *entered = true;
            }
            if let Some(w) = rest.next() {
                if index[w] == NONE {
                    calls.push((w, Vec::new().into_iter(), false));
                } else if open[w] {
                    low[v] = low[v].min(index[w]);
                }
                continue;
            }
            calls.pop();
            if let Some(&(caller, ..)) = calls.last() {
                low[caller] = low[caller].min(low[v]);
            }
            if low[v] == index[v] {
                let start = path.iter().rposition(|&w| w as usize == v).unwrap_or(0);
                let component = path.split_off(start);
                component.iter().for_each(|&w| open[w as usize] = false);
                found.push(component);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    #[test]
    fn components_come_after_what_they_lead_to() {
        let graph: [&[usize]; 6] = [&[1], &[2, 3], &[1], &[4], &[3], &[]];
        let mut found = super::components(6, |v| graph[v].to_vec());
        found.iter_mut().for_each(|c| c.sort_unstable());
        assert_eq!(found, [vec![3, 4], vec![1, 2], vec![0], vec![5]]);
    }
}
