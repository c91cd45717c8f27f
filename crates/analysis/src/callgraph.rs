//! Who calls whom.
//!
//! An indirect call may reach every function whose address is taken and whose parameters and
//! results have exactly the types of the call, if those are at most [`MAX_TARGETS`]; a call that
//! could go to more counts as going nowhere, since a list of everything says nothing.

use rejoin_ir::{Address, Callee, Const, FuncId, Function, Inst, Module, Type};
use rustc_hash::FxHashMap;

/// How many functions an indirect call may be taken to reach.
pub const MAX_TARGETS: usize = 8;

/// The call graph of a module.
#[derive(Clone, Debug)]
pub struct CallGraph {
    callees: Vec<Vec<FuncId>>,
    components: Vec<Vec<FuncId>>,
    address_taken: Vec<FuncId>,
    by_signature: FxHashMap<Signature, Vec<FuncId>>,
}

type Signature = (Vec<Type>, Vec<Type>);

impl CallGraph {
    /// The call graph of `m`.
    #[must_use]
    pub fn new(m: &Module) -> Self {
        let address_taken = address_taken(m);
        let mut by_signature: FxHashMap<Signature, Vec<FuncId>> = FxHashMap::default();
        for &id in &address_taken {
            let f = &m.functions[id.index()];
            by_signature.entry(signature(f)).or_default().push(id);
        }
        let mut graph =
            CallGraph { callees: Vec::new(), components: Vec::new(), address_taken, by_signature };
        let calls_of = |f: &Function| {
            let mut callees: Vec<FuncId> =
                f.insts.iter().flat_map(|i| graph.targets(f, i).iter().copied()).collect();
            callees.sort_unstable();
            callees.dedup();
            callees
        };
        graph.callees = m.functions.iter().map(calls_of).collect();
        let successors = |v: usize| graph.callees[v].iter().map(|c| c.index()).collect();
        let components = crate::scc::components(m.functions.len(), successors);
        graph.components = components.into_iter().map(|c| c.into_iter().map(FuncId).collect()).collect();
        graph.components.iter_mut().for_each(|c: &mut Vec<FuncId>| c.sort_unstable());
        graph
    }

    /// The functions that an instruction of `f` may call, defined or declared; none unless it is a
    /// call.
    #[must_use]
    pub fn targets<'a>(&'a self, f: &Function, inst: &'a Inst) -> &'a [FuncId] {
        match inst {
            Inst::Call { callee: Callee::Direct(callee), .. } => std::slice::from_ref(callee),
            Inst::Call { callee: Callee::Indirect(_), args, rets, .. } => {
                let params = args.of(&f.args).iter().map(|a| a.ty).collect();
                let found = self.by_signature.get(&(params, rets.of(&f.types).to_vec()));
                found.filter(|targets| targets.len() <= MAX_TARGETS).map_or(&[], Vec::as_slice)
            }
            _ => &[],
        }
    }

    /// The functions that `f` may call, ascending.
    #[must_use]
    pub fn callees(&self, f: FuncId) -> &[FuncId] {
        &self.callees[f.index()]
    }

    /// Groups of functions that call each other, callees before callers.
    #[must_use]
    pub fn bottom_up(&self) -> &[Vec<FuncId>] {
        &self.components
    }

    /// Whether the functions of a group of [`CallGraph::bottom_up`] are recursive.
    #[must_use]
    pub fn is_recursive(&self, group: &[FuncId]) -> bool {
        group.len() > 1 || group.iter().any(|&f| self.callees(f).contains(&f))
    }

    /// The functions whose address occurs as a value, ascending.
    #[must_use]
    pub fn address_taken(&self) -> &[FuncId] {
        &self.address_taken
    }
}

fn signature(f: &Function) -> Signature {
    (f.params.iter().map(|p| p.ty).collect(), f.rets.clone())
}

fn address_taken(m: &Module) -> Vec<FuncId> {
    let values = m.consts.iter().filter_map(|c| match c {
        Const::Address(a) => Some(*a),
        _ => None,
    });
    let stored = m.globals.iter().filter_map(|g| g.init.as_ref()).flat_map(|i| &i.relocs).map(|r| r.address);
    let functions = values.chain(stored).filter_map(|a| match a {
        Address::Function(f, _) => Some(f),
        _ => None,
    });
    let mut functions: Vec<FuncId> = functions.collect();
    functions.sort_unstable();
    functions.dedup();
    functions
}
