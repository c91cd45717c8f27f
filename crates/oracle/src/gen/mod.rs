//! Random programs.
//!
//! Each program draws its own subset of the features that are switched on, so that features meet in changing
//! company and no class of statement drowns in the others. Work is bounded by construction: loops run at most a
//! handful of rounds, calls go to later functions only, recursion counts down.

mod buffer;
mod expr;
mod fault;
mod stmt;
mod world;

use crate::ast::*;
use crate::feature::{FEATURES, Feature, Features};
use crate::rng::Rng;

/// The program of a seed. Attempts differ from each other and get smaller, for the case that one is refused.
pub fn program(seed: u64, attempt: u64, allowed: Features) -> Program {
    let mut rng = Rng::new(seed, attempt);
    let mut features = allowed;
    for (feature, _) in FEATURES {
        if matches!(feature, Feature::Buffers | Feature::Chosen | Feature::World) {
            continue; // Whoever asks for it wants it in every program.
        }
        let keep = if feature == Feature::Errors { !rng.one_in(5) } else { rng.one_in(2) };
        if !keep {
            features = features.without(feature);
        }
    }
    let size = rng.range(5, 12).saturating_sub(attempt as usize).max(4);
    let mut generator = Gen { rng, features, program: empty(seed), function: 0, scope: Scope::default() };
    generator.objects();
    generator.signatures();
    for function in 0..generator.program.functions.len() {
        let statements = if function == 0 { size } else { size / 3 };
        generator.function(function, statements.max(2));
    }
    generator.program
}

fn empty(seed: u64) -> Program {
    Program {
        seed,
        inputs: Inputs { shape: Shape::Bytes, signed: false, ranges: vec![(0, 255)] },
        world: None,
        output: Output::Putchar,
        assumptions: Vec::new(),
        globals: Vec::new(),
        arrays: Vec::new(),
        records: Vec::new(),
        tables: Vec::new(),
        functions: Vec::new(),
    }
}

/// Where the statement in the making stands.
#[derive(Clone, Copy, Default)]
struct Scope {
    /// Loops around it, backward jumps included.
    rounds: usize,
    /// Whether `continue` and `break` have a meaning.
    in_loop: bool,
    in_switch: bool,
    /// Blocks around it.
    depth: usize,
    /// Counters that the function has handed out so far.
    counters: usize,
}

struct Gen {
    rng: Rng,
    features: Features,
    program: Program,
    function: usize,
    scope: Scope,
}

impl Gen {
    fn has(&self, feature: Feature) -> bool {
        self.features.has(feature)
    }

    /// The weight of a choice that a feature permits.
    fn if_has(&self, feature: Feature, weight: usize) -> usize {
        if self.has(feature) { weight } else { 0 }
    }

    fn ty(&mut self) -> Int {
        let wide = self.if_has(Feature::Wide, 1);
        self.rng.weighted(&[
            (3, U8),
            (2, I8),
            (2, U16),
            (2, I16),
            (4, U32),
            (4, I32),
            (3 * wide, U64),
            (3 * wide, I64),
            (wide, U128),
            (wide, I128),
        ])
    }

    /// A value from the places where arithmetic changes its mind.
    fn value(&mut self, ty: Int) -> u128 {
        let top = 1u128 << (ty.bits - 1);
        let small = self.rng.below(17) as u128;
        let wide = u128::from(self.rng.bits()) << 64 | u128::from(self.rng.bits());
        let byte = u128::from(self.rng.bits() as u8);
        let value = self.rng.weighted(&[
            (6, small),
            (4, byte),
            (1, top),
            (1, top - 1),
            (1, u128::MAX),
            (1, 127),
            (1, 255),
            (1, wide),
        ]);
        ty.cut(value)
    }

    fn scalars(&mut self, count: usize) -> Vec<Scalar> {
        (0..count)
            .map(|_| {
                let ty = self.ty();
                Scalar { ty, init: self.value(ty) }
            })
            .collect()
    }

    fn array(&mut self, storage: Storage) -> Array {
        let (ty, len) = (self.ty(), self.rng.pick(&[2, 3, 4, 5, 6, 8, 8, 13, 14, 16]));
        let init = (0..len).map(|_| if storage == Storage::Calloc { 0 } else { self.value(ty) }).collect();
        Array { ty, init, storage }
    }

    fn field(&mut self) -> Field {
        let ty = self.ty();
        let bits = (ty.bits <= 64 && self.rng.one_in(2)).then(|| self.rng.range(1, ty.bits as usize) as u32);
        Field { ty, bits }
    }

    fn objects(&mut self) {
        let shape = self.rng.weighted(&[(5, Shape::Bytes), (2, Shape::Array), (2, Shape::Half)]);
        let ranges = match (shape, self.rng.below(4)) {
            (Shape::Half, _) => vec![(0, 255); 2],
            (_, 0) => vec![(0, 255)],
            (_, 3) => {
                self.rng.pick(&[[(0, 255), (0, 15), (48, 63)], [(0, 39), (97, 136), (200, 239)]]).to_vec()
            }
            _ => vec![(0, 255); 2],
        };
        self.program.inputs = Inputs { shape, signed: shape != Shape::Array && self.rng.one_in(3), ranges };
        if self.has(Feature::Buffers) {
            let bytes = self.rng.range(5, 7);
            self.program.inputs =
                Inputs { shape: Shape::Array, signed: false, ranges: vec![(b'a', b'c'); bytes] };
        }
        if self.has(Feature::World) {
            self.world_inputs();
        }
        let printf = self.if_has(Feature::Printf, 5);
        self.program.output =
            self.rng.weighted(&[(3, Output::Putchar), (printf, Output::Printf), (2, Output::ExitCode)]);
        let count = self.rng.range(1, 3);
        self.program.globals = self.scalars(count);
        if self.has(Feature::Index) || self.has(Feature::Errors) {
            self.program.arrays = (0..self.rng.range(1, 2)).map(|_| self.array(Storage::Global)).collect();
        }
        if self.has(Feature::Records) {
            for _ in 0..self.rng.range(1, 2) {
                let fields = (0..self.rng.range(2, 5)).map(|_| self.field()).collect();
                self.program.records.push(Record { fields });
            }
        }
    }

    fn signatures(&mut self) {
        self.program.functions.push(blank(Vec::new(), I32, false));
        let plain = if self.has(Feature::Calls) { self.rng.range(1, 2) } else { 0 };
        for index in 0..plain + usize::from(self.has(Feature::Recursion)) {
            let params = (0..self.rng.range(0, 3)).map(|_| self.ty()).collect();
            let ret = self.ty();
            self.program.functions.push(blank(params, ret, index >= plain));
        }
        if self.has(Feature::Pointers) {
            let (params, ret): (Vec<Int>, Int) =
                ((0..self.rng.range(1, 2)).map(|_| self.ty()).collect(), self.ty());
            let first = self.program.functions.len();
            let count = self.rng.pick(&[2, 4]);
            self.program.functions.extend((0..count).map(|_| blank(params.clone(), ret, false)));
            self.program.tables.push((first..first + count).collect());
        }
    }

    fn function(&mut self, index: usize, statements: usize) {
        self.function = index;
        self.scope = Scope::default();
        let count = self.rng.range(1, 4);
        let locals = self.scalars(count);
        let mut arrays = Vec::new();
        if self.has(Feature::Index) || self.has(Feature::Errors) {
            let heap = self.if_has(Feature::Heap, 2);
            for _ in 0..self.rng.range(1, 2) {
                let storage = self.rng.weighted(&[
                    (3, Storage::Local),
                    (heap, Storage::Malloc),
                    (heap, Storage::Calloc),
                ]);
                arrays.push(self.array(storage));
            }
        }
        let mut texts = Vec::new();
        if self.has(Feature::Strings) {
            for _ in 0..2 {
                texts.push(Text { size: self.rng.range(5, 12), init: self.rng.pick(stmt::LITERALS) });
            }
        }
        let this = &mut self.program.functions[index];
        (this.locals, this.arrays, this.texts) = (locals, arrays, texts);
        if index == 0 && self.rng.one_in(6) {
            let assumption = self.condition();
            self.program.assumptions.push(assumption);
        }
        let body = self.block(statements);
        let result = self.expr(2);
        let this = &mut self.program.functions[index];
        (this.body, this.result, this.counters) = (body, result, self.scope.counters);
    }
}

fn blank(params: Vec<Int>, ret: Int, recursive: bool) -> Function {
    Function {
        params,
        ret,
        recursive,
        locals: Vec::new(),
        arrays: Vec::new(),
        texts: Vec::new(),
        counters: 0,
        body: Vec::new(),
        result: Expr::int(0),
    }
}
