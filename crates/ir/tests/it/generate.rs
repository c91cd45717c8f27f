//! Valid modules from a list of numbers: every list makes one, shorter lists make smaller ones.

use rejoin_ir::builder::{FunctionBuilder, ModuleBuilder};
use rejoin_ir::*;

/// The numbers that decide; zeros when they are used up.
struct Choices<'a>(std::slice::Iter<'a, u32>);

impl Choices<'_> {
    fn below(&mut self, n: usize) -> usize {
        self.0.next().map_or(0, |&c| c as usize % n)
    }

    fn pick<T: std::marker::Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    fn is_done(&self) -> bool {
        self.0.len() == 0
    }
}

const WIDTHS: [u16; 9] = [1, 8, 16, 32, 33, 64, 80, 128, 200];
const FLOATS: [FloatType; 6] = [
    FloatType::Half,
    FloatType::BFloat,
    FloatType::Float,
    FloatType::Double,
    FloatType::X86Fp80,
    FloatType::Fp128,
];

pub(crate) fn module(choices: &[u32]) -> Module {
    let mut c = Choices(choices.iter());
    let mut m = ModuleBuilder::new();
    let external = declare(&mut m, &mut c);
    let global = globals(&mut m, &mut c, external);
    let count = 1 + c.below(3);
    for i in 0..count {
        let f = Body::new(&mut m, &mut c, global, external, i).make();
        m.function(f);
    }
    if c.below(3) == 1 {
        m.constructors(vec![FuncId(1)], vec![FuncId(count as u32), FuncId(1)]);
    }
    let last = FuncId(count as u32);
    m.address(Address::Block(last, BlockId(0)));
    m.finish()
}

fn declare(m: &mut ModuleBuilder, c: &mut Choices<'_>) -> FuncId {
    let name = c.pick(&["printf", "a b\"c\\", "über", "", "x.1$"]);
    let mut f = FunctionBuilder::new(name, &[Type::Int(32)]);
    f.param(Type::Ptr);
    if c.below(2) == 1 {
        f.variadic().weak();
    }
    m.function(f.finish())
}

fn globals(m: &mut ModuleBuilder, c: &mut Choices<'_>, f: FuncId) -> GlobalId {
    let file = m.file("dir/a b.c");
    let loc = m.loc(file, 3, 1);
    let reloc = |offset, address| Reloc { offset, address };
    let target = GlobalId(0);
    let init = match c.below(4) {
        0 => None,
        1 => Some(Init::default()),
        2 => Some(Init { bytes: (0..=255).collect(), relocs: vec![] }),
        _ => Some(Init {
            bytes: b"abc\"\\\0".to_vec(),
            relocs: vec![
                reloc(8, Address::Global(target, -8)),
                reloc(16, Address::Function(f, 0)),
                reloc(24, Address::Global(target, 5)),
            ],
        }),
    };
    m.global(Global {
        name: "g".to_owned(),
        size: 256,
        align: 1 << c.below(8),
        constant: c.below(2) == 1,
        weak: c.below(3) == 1,
        init,
        loc: c.pick(&[loc, LocId::NONE]),
    });
    let align = 1;
    let name = c.pick(&["printf", "h"]).to_owned();
    let name = if m.module().functions[0].name == name { String::new() } else { name };
    m.global(Global { name, size: 0, align, constant: false, weak: false, init: None, loc: LocId::NONE })
}

/// A function of blocks with random edges. Values are only used in their own block, except for the
/// parameters and the one register that every edge copies to.
struct Body<'a, 'c> {
    m: &'a mut ModuleBuilder,
    c: &'a mut Choices<'c>,
    f: FunctionBuilder,
    /// Defined in this block: registers with widths.
    values: Vec<(Reg, u16)>,
    global: GlobalId,
    external: FuncId,
    carried: (Reg, u16),
}

impl<'a, 'c> Body<'a, 'c> {
    fn new(
        m: &'a mut ModuleBuilder,
        c: &'a mut Choices<'c>,
        global: GlobalId,
        external: FuncId,
        i: usize,
    ) -> Self {
        let mut f = FunctionBuilder::new(&format!("f{i}"), &[Type::Int(32)]);
        let w = c.pick(&WIDTHS);
        let params = [(f.param(Type::Int(w)), w), (f.param(Type::Ptr), 64)];
        f.variadic();
        let carried = (f.reg(w), w);
        Body { m, c, f, values: params.to_vec(), global, external, carried }
    }

    fn make(mut self) -> Function {
        let blocks = 2 + self.c.below(4);
        for b in 0..blocks {
            let name = (b % 2 == 0).then(|| self.m.text(&format!("block {b}")));
            self.f.block(name);
        }
        let name = self.m.text("x");
        self.f.debug_var(name, DebugVarPlace::Value(Reg(0)), 7);
        self.f.debug_var(name, DebugVarPlace::Object(self.values[1].0), 0);
        for b in 0..blocks {
            self.f.switch_to(BlockId(b as u32));
            self.place();
            for _ in 0..self.c.below(12) {
                self.inst();
            }
            if b + 1 == blocks || self.c.is_done() {
                self.end();
            } else {
                self.terminator(|c| BlockId(1 + c.below(blocks - 1) as u32));
            }
            // Only the parameters and the carried register are defined at the next block's head.
            self.values.truncate(2);
            self.values.push(self.carried);
        }
        self.f.finish()
    }

    fn place(&mut self) {
        let file = self.m.file(["a.c", "b.c"][self.c.below(2)]);
        let loc = self.m.loc(file, self.c.below(100) as u32, self.c.below(5) as u32);
        let loc = self.c.pick(&[loc, LocId::NONE]);
        let weight = self.c.pick(&[1, 1, 0, 7]);
        self.f.at(loc).weight(weight);
    }

    fn value(&mut self, w: u16) -> Operand {
        let of_width: Vec<Reg> = self.values.iter().filter(|v| v.1 == w).map(|v| v.0).collect();
        if !of_width.is_empty() && self.c.below(4) > 0 {
            return Operand::reg(self.c.pick(&of_width));
        }
        let kind = self.c.below(6);
        if w == 64 && kind == 1 {
            return self.m.address(Address::Global(self.global, self.c.pick(&[0, 4, -4])));
        }
        if w == 64 && kind == 2 {
            return self.m.address(Address::Function(self.external, 0));
        }
        if kind == 3 {
            return self.m.undef(w);
        }
        let word = self.c.pick(&[0, 1, 5, u64::MAX, 1 << 63, 0x1234_5678_9abc, 0xffff_ffff]);
        let words: Vec<u64> = (0..w).step_by(64).map(|low| word & mask(w - low)).collect();
        self.m.wide_constant(&words)
    }

    fn def(&mut self, w: u16, make: impl FnOnce(Reg) -> Inst) {
        let dst = self.f.reg(w);
        self.f.push(make(dst));
        self.values.push((dst, w));
    }

    fn inst(&mut self) {
        self.place();
        match self.c.below(32) {
            kind @ 0..6 => self.integer(kind),
            kind @ 6..13 => self.float(kind),
            kind => self.other(kind),
        }
    }

    fn integer(&mut self, kind: usize) {
        let w = self.c.pick(&WIDTHS);
        let (a, b, c) = (self.value(w), self.value(w), self.value(w));
        let left = self.c.below(2) == 1;
        match kind {
            0 => {
                let op = self.c.pick(&[BinOp::Add, BinOp::UDiv, BinOp::AShr, BinOp::SShlSat, BinOp::UMin]);
                self.def(w, |dst| Inst::Bin { op, w, dst, a, b });
            }
            1 => self.def(w, |dst| Inst::Un { op: UnOp::Ctlz, w, dst, a }),
            2 => {
                let over = self.f.reg(1);
                self.def(w, |dst| Inst::Overflow { op: OverflowOp::SMul, w, dst, flag: over, a, b });
                self.values.push((over, 1));
            }
            3 => self.def(w, |dst| Inst::Funnel { left, w, dst, hi: a, lo: b, amount: c }),
            4 => self.def(1, |dst| Inst::Cmp { pred: IntPred::Sle, w, dst, a, b }),
            _ => self.def(w + 7, |dst| Inst::Cast { op: CastOp::SExt, from: w, to: w + 7, dst, a }),
        }
    }

    fn float(&mut self, kind: usize) {
        let w = self.c.pick(&WIDTHS);
        let ty = self.c.pick(&FLOATS);
        let (x, y, z) = (self.value(ty.bits()), self.value(ty.bits()), self.value(ty.bits()));
        let fused = self.c.below(2) == 1;
        match kind {
            6 => self.def(ty.bits(), |dst| Inst::FloatBin { op: FloatBinOp::MinNum, ty, dst, a: x, b: y }),
            7 => self.def(ty.bits(), |dst| Inst::FloatUn { op: FloatUnOp::RoundEven, ty, dst, a: x }),
            8 => self.def(ty.bits(), |dst| Inst::FloatMulAdd { fused, ty, dst, a: x, b: y, c: z }),
            9 => self.def(1, |dst| Inst::FloatCmp { pred: FloatPred::Une, ty, dst, a: x, b: y }),
            10 => {
                let to = self.c.pick(&FLOATS);
                self.def(to.bits(), |dst| Inst::FloatCast {
                    op: FloatCastOp::FpToFp,
                    from: Type::Float(ty),
                    to: Type::Float(to),
                    dst,
                    a: x,
                });
            }
            11 => self.def(w, |dst| Inst::FloatCast {
                op: FloatCastOp::FpToSiSat,
                from: Type::Float(ty),
                to: Type::Int(w),
                dst,
                a: x,
            }),
            _ => self.def(1, |dst| Inst::FloatClass { ty, mask: 0x3ff, dst, a: x }),
        }
    }

    fn other(&mut self, kind: usize) {
        let w = self.c.pick(&WIDTHS);
        let (a, b) = (self.value(w), self.value(w));
        let (p, q, n) = (self.value(64), self.value(64), self.value(64));
        let flag = self.c.below(2) == 1;
        match kind {
            13 => {
                let cond = self.value(1);
                self.def(w, |dst| Inst::Select { w, dst, cond, a, b });
            }
            14 => self.def(w, |dst| Inst::Move { w, dst, a }),
            15 => self.def(64, |dst| Inst::PtrAdd { w, dst, base: p, index: a, scale: -12 }),
            16 => {
                let scale = self.m.const_id(&[Const::Bits(1 << 40)]);
                self.def(64, |dst| Inst::PtrAddWide { w, dst, base: p, index: a, scale });
            }
            17 => self.def(64, |dst| Inst::Alloca { dst, size: 12, align: 4, count: n }),
            18 => self.def(w, |dst| Inst::Load { w, dst, addr: p }),
            19 => drop(self.f.store(w, a, p)),
            20 => self.def(w, |dst| Inst::AtomicRmw { op: AtomicOp::Nand, w, dst, addr: p, value: a }),
            21 => {
                let ok = self.f.reg(1);
                self.def(w, |dst| Inst::CmpXchg { w, dst, ok, addr: p, expected: a, new: b });
            }
            22 => drop(self.f.push(Inst::MemCopy { overlap: flag, dst: p, src: q, len: n })),
            23 => {
                let value = self.value(8);
                self.f.push(Inst::MemSet { dst: p, value, len: n });
            }
            24 => self.call(p, w, a),
            25 => drop(self.f.push(Inst::VaStart { list: p }).push(Inst::VaCopy { dst: p, src: q })),
            26 => {
                self.def(64, |dst| Inst::StackSave { dst });
                self.f.push(Inst::StackRestore { mark: p });
            }
            27 => self.def(64, |dst| Inst::ThreadPointer { dst }),
            28 => self.def(64, |dst| Inst::FrameAddress { dst, level: 3 }),
            29 => self.def(w, |dst| Inst::ObjectSize { dst, w, min: flag, ptr: p }),
            30 => {
                let what = self.m.text("a gap: \"λ\"\n");
                self.f.push(Inst::Unsupported { what });
            }
            _ => self.def(w, |dst| Inst::Bin { op: BinOp::Xor, w, dst, a, b }),
        }
    }

    fn call(&mut self, p: Operand, w: u16, a: Operand) {
        let args = [
            Arg::new(Type::Ptr, p),
            Arg::new(Type::Int(w), a),
            Arg { value: p, ty: Type::Ptr, byval_size: 24, byval_align: 8 },
        ];
        let args = &args[..self.c.below(4)];
        let rets = [Type::Int(w), Type::Float(FloatType::Fp128), Type::Int(1)];
        let rets = &rets[..self.c.below(4)];
        let callee = self.c.pick(&[Callee::Direct(self.external), Callee::Indirect(p)]);
        let mut dst = self.f.call(callee, args, rets);
        for ty in rets {
            self.values.push((dst, ty.bits()));
            dst.0 += ty.slots();
        }
    }

    fn terminator(&mut self, target: impl Fn(&mut Choices<'_>) -> BlockId) {
        let (dst, w) = self.carried;
        let edge = |body: &mut Self| {
            let src = body.value(w);
            let target = target(body.c);
            body.f.edge(target, &[Copy { w, dst, src }])
        };
        let (first, second) = (edge(self), edge(self));
        match self.c.below(4) {
            0 => {
                let cond = self.value(1);
                self.f.push(Inst::Branch { cond, then: first, els: second });
            }
            1 => {
                let w = self.c.pick(&[8, 64, 128]);
                let value = self.value(w);
                let high = mask(w) as u128;
                self.f.switch(
                    w,
                    value,
                    vec![(high, first), (3, second), (0, second), (high - 1, first)],
                    first,
                );
            }
            2 => {
                let addr = self.value(64);
                self.f.indirect_jump(addr, &[first, second]);
            }
            _ => drop(self.f.push(Inst::Jump { edge: second })),
        }
    }

    fn end(&mut self) {
        match self.c.below(3) {
            0 => {
                let value = self.value(32);
                self.f.ret(&[Arg::new(Type::Int(32), value)]);
            }
            1 => drop(self.f.push(Inst::Unreachable)),
            _ => drop(self.f.push(Inst::Trap)),
        }
    }
}

fn mask(w: u16) -> u64 {
    if w >= 64 { u64::MAX } else { (1 << w) - 1 }
}
