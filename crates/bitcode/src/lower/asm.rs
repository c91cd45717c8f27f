//! Inline assembly: what does nothing, and the question what the processor can.

use super::Gap;
use super::constants::Scalar;
use super::function::{Body, Leaves};
use crate::llvm::Value;

/// Instructions without an effect that a single thread could see.
const HARMLESS: [&str; 4] = ["", "nop", "pause", "rep; nop"];

/// Whether this asks for the processor's features, as `<cpuid.h>` does.
fn is_cpuid(text: &str) -> bool {
    const WORDS: [&str; 5] = ["cpuid", "xchg", "q", "rbx", "1"];
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty());
    text.contains("cpuid") && words.all(|w| WORDS.contains(&w))
}

impl Body<'_> {
    /// Outputs that are tied to an input have its value; others have none in particular.
    pub(super) fn inline_asm(&mut self, call: Value) -> Result<Leaves, Gap> {
        let (text, constraints) = call.callee().asm();
        if is_cpuid(&text) {
            // A processor with nothing beyond the plain machine: all registers are zero.
            let types = self.p.result_types(call.ty())?;
            let zeros: Vec<_> = types.iter().map(|&ty| self.p.pooled(Scalar::Bits(0), ty)).collect();
            return Ok(self.list(&zeros));
        }
        if !text.lines().all(|line| HARMLESS.contains(&instruction(line))) {
            return Err(format!("inline assembly: {}", text.trim()).into());
        }
        let types = self.p.result_types(call.ty())?;
        let args: Vec<Value> = call.call_args().collect();
        let mut lanes = Vec::new();
        for (output, &ty) in tied_inputs(&constraints).into_iter().zip(&types) {
            let lane = match output.and_then(|i| args.get(i)) {
                Some(&arg) => self.operand(arg)?,
                None => self.p.pooled(Scalar::Undef, ty),
            };
            lanes.push(lane);
        }
        if lanes.len() == types.len() {
            Ok(self.list(&lanes))
        } else {
            Err("inline assembly with odd results".into())
        }
    }
}

/// A line without its comment.
fn instruction(line: &str) -> &str {
    line.split('#').next().unwrap_or_default().trim()
}

/// For each output that is a result: the argument that is tied to it.
fn tied_inputs(constraints: &str) -> Vec<Option<usize>> {
    let (mut outputs, mut results, mut args) = (0usize, Vec::new(), 0usize);
    let mut ties = Vec::new();
    for constraint in constraints.split(',').filter(|c| !c.is_empty() && !c.starts_with(['~', '!'])) {
        if constraint.starts_with('=') {
            // An indirect output is an address among the arguments.
            if constraint.contains('*') {
                args += 1;
            } else {
                results.push(outputs);
            }
            outputs += 1;
        } else {
            if let Ok(output) = constraint.parse::<usize>() {
                ties.push((output, args));
            }
            args += 1;
        }
    }
    results.iter().map(|r| ties.iter().find(|(output, _)| output == r).map(|&(_, arg)| arg)).collect()
}

#[cfg(test)]
mod tests {
    use super::{is_cpuid, tied_inputs};

    #[test]
    fn the_question_for_features_is_known() {
        assert!(is_cpuid("xchg$(q$|$)  $(%$|$)rbx,${1:q}\n  cpuid\n  xchg$(q$|$)  $(%$|$)rbx,${1:q}"));
        assert!(is_cpuid("cpuid"));
        assert!(!is_cpuid("cpuid; hlt") && !is_cpuid("xgetbv") && !is_cpuid(""));
    }

    #[test]
    fn ties_skip_indirect_outputs_and_clobbers() {
        assert_eq!(tied_inputs("=r,0,~{memory}"), [Some(0)]);
        assert_eq!(tied_inputs("=*m,=r,=r,r,2,1"), [Some(3), Some(2)]);
        assert_eq!(tied_inputs("=r,~{dirflag}"), [None]);
        assert_eq!(tied_inputs("r,~{memory}"), []);
    }
}
