//! The instruction table: what the text syntax and the def/use queries know of each instruction.
//!
//! A row reads `Variant [names, field that picks the name] (results with widths) { fields }`. The
//! fields come in the order of the text, each with its kind; `value(w)` is an operand of width `w`,
//! a literal before the kind is a keyword of the text. A user of the table passes a macro that
//! turns the rows into one `match` (or one parser) and gives every kind a method.

macro_rules! instructions {
    ($with:ident) => {
        $with! {
            Bin [BINARY, op] (dst: w) { w: width, a: value(w), b: value(w) }
            Un [UNARY, op] (dst: w) { w: width, a: value(w) }
            Overflow [OVERFLOW, op] (dst: w, flag: 1) { w: width, a: value(w), b: value(w) }
            Funnel [FUNNEL, left] (dst: w) { w: width, hi: value(w), lo: value(w), amount: value(w) }
            Cmp [COMPARE, pred] (dst: 1) { w: width, a: value(w), b: value(w) }
            Cast [CAST, op] (dst: to) { from: width, a: value(from), to: "to" width }
            FloatBin [FLOAT_BINARY, op] (dst: ty.bits()) {
                ty: float, a: value(ty.bits()), b: value(ty.bits())
            }
            FloatUn [FLOAT_UNARY, op] (dst: ty.bits()) { ty: float, a: value(ty.bits()) }
            FloatMulAdd [MUL_ADD, fused] (dst: ty.bits()) {
                ty: float, a: value(ty.bits()), b: value(ty.bits()), c: value(ty.bits())
            }
            FloatCmp [FLOAT_COMPARE, pred] (dst: 1) {
                ty: float, a: value(ty.bits()), b: value(ty.bits())
            }
            FloatCast [FLOAT_CAST, op] (dst: to.bits()) { from: ty, a: value(from.bits()), to: "to" ty }
            FloatClass [only("fpclass")] (dst: 1) { ty: float, a: value(ty.bits()), mask: "mask" number }
            Select [only("select")] (dst: w) { w: width, cond: value(1), a: value(w), b: value(w) }
            Move [only("move")] (dst: w) { w: width, a: value(w) }
            PtrAdd [only("ptradd")] (dst: 64) {
                base: value(64), w: width, index: value(w), scale: "scale" number
            }
            PtrAddWide [only("ptradd.wide")] (dst: 64) {
                base: value(64), w: width, index: value(w), scale: "scale" constant(64)
            }
            Alloca [only("alloca")] (dst: 64) {
                size: "size" number, align: "align" number, count: "count" value(64)
            }
            Load [only("load")] (dst: w) { w: width, addr: value(64) }
            Store [only("store")] () { w: width, value: value(w), addr: value(64) }
            AtomicRmw [ATOMIC, op] (dst: w) { w: width, addr: value(64), value: value(w) }
            CmpXchg [only("cmpxchg")] (dst: w, ok: 1) {
                w: width, addr: value(64), expected: value(w), new: value(w)
            }
            MemCopy [MEM_COPY, overlap] () { dst: value(64), src: value(64), len: value(64) }
            MemSet [only("memset")] () { dst: value(64), value: value(8), len: value(64) }
            Call [only("call")] () { dst: call_results, callee: callee, args: call_args, rets: call_rets }
            VaStart [only("va_start")] () { list: value(64) }
            VaCopy [only("va_copy")] () { dst: value(64), src: value(64) }
            StackSave [only("stacksave")] (dst: 64) {}
            StackRestore [only("stackrestore")] () { mark: value(64) }
            ThreadPointer [only("threadpointer")] (dst: 64) {}
            FrameAddress [only("frameaddress")] (dst: 64) { level: "level" number }
            ObjectSize [OBJECT_SIZE, min] (dst: w) { w: width, ptr: value(64) }
            Unsupported [only("unsupported")] () { what: text }
            Jump [only("jump")] () { edge: edge }
            Branch [only("branch")] () { cond: value(1), then: edge, els: edge }
            Switch [only("switch")] () { w: width, value: value(w), table: cases(w) }
            IndirectJump [only("goto")] () { addr: value(64), edges: edge_list }
            Return [only("return")] () { values: values }
            Unreachable [only("unreachable")] () {}
            Trap [only("trap")] () {}
        }
    };
}

pub(crate) use instructions;

#[cfg(test)]
mod tests {
    use crate::names::*;

    #[test]
    fn every_name_means_one_instruction() {
        let mut names: Vec<&str> = Vec::new();
        macro_rules! collect_names {
            ($($variant:ident [$names:expr $(, $op:ident)?] ($($def:ident: $def_w:expr),*)
               { $($field:ident: $($label:literal)? $kind:ident $(($arg:expr))?),* })*) => {
                $(names.extend($names.iter().map(|(name, _)| name));)*
            };
        }
        instructions!(collect_names);
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(names.iter().all(|name| !name.starts_with('b') || name[1..].parse::<u32>().is_err()));
    }
}
