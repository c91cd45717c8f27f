//! Compares the operations with the machine code that `clang -O0` makes of them.

mod oracle;
mod random;
mod samples;

use oracle::Operation;
use random::Random;
use rejoin_ir::{FloatBinOp, FloatCastOp, FloatPred, FloatType, FloatUnOp, Type};
use rejoin_ops::{float_bin, float_cast, float_class, float_cmp, float_mul_add, float_un};
use samples::{obsolete, tuples};

const TYPES: [FloatType; 6] = [
    FloatType::Half,
    FloatType::BFloat,
    FloatType::Float,
    FloatType::Double,
    FloatType::X86Fp80,
    FloatType::Fp128,
];

/// The name of a type in LLVM, and in the names of its intrinsics.
fn names(ty: FloatType) -> (&'static str, &'static str) {
    match ty {
        FloatType::Half => ("half", "f16"),
        FloatType::BFloat => ("bfloat", "bf16"),
        FloatType::Float => ("float", "f32"),
        FloatType::Double => ("double", "f64"),
        FloatType::X86Fp80 => ("x86_fp80", "f80"),
        FloatType::Fp128 => ("fp128", "f128"),
    }
}

/// An operation on `arity` operands of one type with a result of that type: an instruction, or the
/// intrinsic of that name.
fn operation(
    name: &str,
    ty: FloatType,
    arity: usize,
    model: impl Fn(&[u128]) -> u128 + 'static,
) -> Operation {
    let (llvm, suffix) = names(ty);
    let list = |separator: &str, each: &dyn Fn(usize) -> String| {
        (0..arity).map(each).collect::<Vec<_>>().join(separator)
    };
    let (code, declaration) = if name.starts_with("llvm.") {
        let arguments = list(", ", &|place| format!("{llvm} %{place}"));
        let parameters = list(", ", &|_| llvm.to_string());
        let signature = |list| format!("{llvm} @{name}.{suffix}({list})");
        (format!("call {}", signature(arguments)), Some(format!("declare {}", signature(parameters))))
    } else {
        (format!("{name} {llvm} {}", list(", ", &|place| format!("%{place}"))), None)
    };
    Operation {
        code,
        declaration,
        operands: vec![llvm.into(); arity],
        result: (llvm.into(), ty.bits()),
        model: Box::new(model),
        inputs: tuples(ty, arity, 3000, 1),
    }
}

#[test]
fn operations_with_two_operands() {
    let table = [
        ("fadd", FloatBinOp::Add),
        ("fsub", FloatBinOp::Sub),
        ("fmul", FloatBinOp::Mul),
        ("fdiv", FloatBinOp::Div),
        ("frem", FloatBinOp::Rem),
        ("llvm.minnum", FloatBinOp::MinNum),
        ("llvm.maxnum", FloatBinOp::MaxNum),
        ("llvm.minimum", FloatBinOp::Minimum),
        ("llvm.maximum", FloatBinOp::Maximum),
        ("llvm.copysign", FloatBinOp::CopySign),
    ];
    let mut operations = Vec::new();
    for ty in TYPES {
        for (name, op) in table {
            // LLVM 22 has no code for these.
            let wide = matches!(ty, FloatType::X86Fp80 | FloatType::Fp128);
            if !(wide && matches!(op, FloatBinOp::Minimum | FloatBinOp::Maximum)) {
                operations.push(operation(name, ty, 2, move |x| float_bin(op, ty, x[0], x[1])));
            }
        }
    }
    oracle::check(&operations);
}

#[test]
fn operations_with_one_operand() {
    let table = [
        ("fneg", FloatUnOp::Neg),
        ("llvm.fabs", FloatUnOp::Abs),
        ("llvm.sqrt", FloatUnOp::Sqrt),
        ("llvm.floor", FloatUnOp::Floor),
        ("llvm.ceil", FloatUnOp::Ceil),
        ("llvm.trunc", FloatUnOp::Trunc),
        ("llvm.round", FloatUnOp::Round),
        ("llvm.roundeven", FloatUnOp::RoundEven),
        ("llvm.rint", FloatUnOp::Rint),
        ("llvm.nearbyint", FloatUnOp::NearbyInt),
        ("llvm.canonicalize", FloatUnOp::Canonicalize),
    ];
    let mut operations = Vec::new();
    for ty in TYPES {
        for (name, op) in table {
            operations.push(operation(name, ty, 1, move |x| float_un(op, ty, x[0])));
        }
    }
    oracle::check(&operations);
}

#[test]
fn multiply_and_add() {
    let mut operations = Vec::new();
    for ty in TYPES {
        for (name, fused) in [("llvm.fma", true), ("llvm.fmuladd", false)] {
            let model = move |x: &[u128]| float_mul_add(fused, ty, x[0], x[1], x[2]);
            operations.push(operation(name, ty, 3, model));
        }
    }
    oracle::check(&operations);
}

#[test]
fn comparisons() {
    use FloatPred::*;
    let all = [False, Oeq, Ogt, Oge, Olt, Ole, One, Ord, Uno, Ueq, Ugt, Uge, Ult, Ule, Une, True];
    let mut operations = Vec::new();
    for ty in TYPES {
        for pred in all {
            let name = format!("fcmp {}", format!("{pred:?}").to_lowercase());
            let model = move |x: &[u128]| u128::from(float_cmp(pred, ty, x[0], x[1]));
            let mut operation = operation(&name, ty, 2, model);
            operation.result = ("i1".into(), 1);
            operations.push(operation);
        }
    }
    oracle::check(&operations);
}

#[test]
fn classes() {
    let mut operations = Vec::new();
    for ty in TYPES {
        let (llvm, suffix) = names(ty);
        for class in 0..10 {
            let mask = 1_u16 << class;
            let model = move |x: &[u128]| u128::from(float_class(ty, mask, x[0]));
            // Without an instruction for it, clang quiets a bfloat before it looks.
            let quieted = |x: &Vec<u128>| ty == FloatType::BFloat && float_class(ty, 1, x[0]);
            let mut inputs = tuples(ty, 1, 3000, 5);
            inputs.retain(|x| !quieted(x));
            operations.push(Operation {
                inputs,
                code: format!("call i1 @llvm.is.fpclass.{suffix}({llvm} %0, i32 {mask})"),
                declaration: Some(format!("declare i1 @llvm.is.fpclass.{suffix}({llvm}, i32 immarg)")),
                result: ("i1".into(), 1),
                ..operation("", ty, 1, model)
            });
        }
    }
    oracle::check(&operations);
}

/// The name of a type in LLVM.
fn llvm(ty: Type) -> String {
    match ty {
        Type::Float(float) => names(float).0.into(),
        _ => format!("i{}", ty.bits()),
    }
}

fn cast(name: &str, op: FloatCastOp, from: Type, to: Type, inputs: Vec<Vec<u128>>) -> Operation {
    let (source, target) = (llvm(from), llvm(to));
    let intrinsic = match (from, to) {
        (Type::Float(float), Type::Int(w)) => format!("{target} @{name}.i{w}.{}", names(float).1),
        _ => String::new(),
    };
    let is_intrinsic = name.starts_with("llvm.");
    Operation {
        code: if is_intrinsic {
            format!("call {intrinsic}({source} %0)")
        } else {
            format!("{name} {source} %0 to {target}")
        },
        declaration: is_intrinsic.then(|| format!("declare {intrinsic}({source})")),
        operands: vec![source],
        result: (target, to.bits()),
        model: Box::new(move |x| float_cast(op, from, to, x[0])),
        inputs,
    }
}

#[test]
fn conversions_between_formats() {
    let mut operations = Vec::new();
    for from in TYPES {
        for to in TYPES {
            let known_to_libgcc = to != FloatType::BFloat || from == FloatType::Float;
            if from.bits() != to.bits() && known_to_libgcc {
                let name = if from.bits() < to.bits() { "fpext" } else { "fptrunc" };
                let inputs = tuples(from, 1, 3000, 2);
                operations.push(cast(name, FloatCastOp::FpToFp, Type::Float(from), Type::Float(to), inputs));
            }
        }
    }
    oracle::check(&operations);
}

const WIDTHS: [u16; 12] = [1, 7, 8, 13, 16, 24, 32, 48, 63, 64, 100, 128];

#[test]
fn conversions_from_integers() {
    let mut random = Random(3);
    let mut operations = Vec::new();
    for to in TYPES {
        for w in WIDTHS {
            let ones = u128::MAX >> (128 - w);
            let edges = [0, 1, 2, ones >> 1, (ones >> 1) + 1, ones, ones - 1];
            for (name, op) in [("uitofp", FloatCastOp::UiToFp), ("sitofp", FloatCastOp::SiToFp)] {
                let mut inputs: Vec<_> = edges.iter().map(|&a| vec![a & ones]).collect();
                inputs.extend((0..1500).map(|_| vec![random.patterned() & ones]));
                operations.push(cast(name, op, Type::Int(w), Type::Float(to), inputs));
            }
        }
    }
    oracle::check(&operations);
}

#[test]
fn conversions_to_integers() {
    let table = [
        ("fptoui", FloatCastOp::FpToUi),
        ("fptosi", FloatCastOp::FpToSi),
        ("llvm.fptoui.sat", FloatCastOp::FpToUiSat),
        ("llvm.fptosi.sat", FloatCastOp::FpToSiSat),
    ];
    let mut operations = Vec::new();
    for from in TYPES {
        for w in WIDTHS {
            for (name, op) in table {
                let inputs = tuples(from, 1, 3000, 4);
                operations.push(cast(name, op, Type::Float(from), Type::Int(w), inputs));
            }
        }
    }
    oracle::check(&operations);
}

#[test]
fn obsolete_x87_encodings() {
    let ty = FloatType::X86Fp80;
    let mut operands = obsolete();
    operands.extend(samples::special(ty).into_iter().step_by(3));
    let pairs: Vec<_> = operands.iter().flat_map(|&a| operands.iter().map(move |&b| vec![a, b])).collect();
    let singles: Vec<_> = operands.iter().map(|&a| vec![a]).collect();
    let mut operations = Vec::new();
    let table = [
        ("fadd", FloatBinOp::Add),
        ("fsub", FloatBinOp::Sub),
        ("fmul", FloatBinOp::Mul),
        ("fdiv", FloatBinOp::Div),
    ];
    for (name, op) in table {
        let model = move |x: &[u128]| float_bin(op, ty, x[0], x[1]);
        operations.push(Operation { inputs: pairs.clone(), ..operation(name, ty, 2, model) });
    }
    for (name, pred) in [("fcmp oeq", FloatPred::Oeq), ("fcmp ult", FloatPred::Ult)] {
        let model = move |x: &[u128]| u128::from(float_cmp(pred, ty, x[0], x[1]));
        let result = ("i1".into(), 1);
        operations.push(Operation { inputs: pairs.clone(), result, ..operation(name, ty, 2, model) });
    }
    let model = move |x: &[u128]| float_un(FloatUnOp::Sqrt, ty, x[0]);
    operations.push(Operation { inputs: singles.clone(), ..operation("llvm.sqrt", ty, 1, model) });
    let (from, double) = (Type::Float(ty), Type::Float(FloatType::Double));
    operations.push(cast("fptrunc", FloatCastOp::FpToFp, from, double, singles.clone()));
    operations.push(cast("fptosi", FloatCastOp::FpToSi, from, Type::Int(64), singles));
    oracle::check(&operations);
}

#[test]
fn minimum_and_maximum_of_the_wide_formats() {
    // Infinities, numbers and zeros in order, for both formats by conversion.
    let ordered = [f64::NEG_INFINITY, -2.5, -0.0, 0.0, 1e-300, 3.0, f64::INFINITY];
    for ty in [FloatType::X86Fp80, FloatType::Fp128] {
        let wide = |x: f64| {
            float_cast(
                FloatCastOp::FpToFp,
                Type::Float(FloatType::Double),
                Type::Float(ty),
                x.to_bits().into(),
            )
        };
        for (i, a) in ordered.map(wide).into_iter().enumerate() {
            for (j, b) in ordered.map(wide).into_iter().enumerate() {
                assert_eq!(float_bin(FloatBinOp::Minimum, ty, a, b), wide(ordered[i.min(j)]));
                assert_eq!(float_bin(FloatBinOp::Maximum, ty, a, b), wide(ordered[i.max(j)]));
            }
            let nan = wide(f64::NAN);
            assert_eq!(float_bin(FloatBinOp::Minimum, ty, a, nan), nan);
            assert_eq!(float_bin(FloatBinOp::Maximum, ty, nan, a), nan);
        }
    }
}
