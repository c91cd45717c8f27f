//! Runs LLVM instructions natively: one program made by `clang -O0` that answers requests.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// The function under test, from the operands to the result.
pub(crate) type Model = Box<dyn Fn(&[u128]) -> u128>;

/// An LLVM instruction, and what it is supposed to compute.
pub(crate) struct Operation {
    /// The instruction with `%0`, `%1`, … for its operands.
    pub(crate) code: String,
    /// The intrinsic it calls, declared.
    pub(crate) declaration: Option<String>,
    /// LLVM types of the operands.
    pub(crate) operands: Vec<String>,
    /// LLVM type of the result, and its width.
    pub(crate) result: (String, u16),
    /// What computes it.
    pub(crate) model: Model,
    /// Operands to try.
    pub(crate) inputs: Vec<Vec<u128>>,
}

const MOST_OPERANDS: usize = 3;

/// Compares each operation's model with the machine on all its inputs.
pub(crate) fn check(operations: &[Operation]) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let program = build(directory.path(), operations);
    let mut requests = Vec::new();
    for (index, operation) in operations.iter().enumerate() {
        for input in &operation.inputs {
            requests.extend((index as u128).to_le_bytes());
            for place in 0..MOST_OPERANDS {
                requests.extend(input.get(place).unwrap_or(&0).to_le_bytes());
            }
        }
    }
    let request_file = directory.path().join("requests");
    std::fs::write(&request_file, requests).expect("requests written");
    let output = Command::new(program)
        .stdin(std::fs::File::open(request_file).expect("requests"))
        .stderr(Stdio::inherit())
        .output()
        .expect("the program runs");
    assert!(output.status.success(), "{}", output.status);
    compare(operations, &output.stdout);
}

fn compare(operations: &[Operation], answers: &[u8]) {
    let mut answers = answers.chunks_exact(16).map(|answer| u128::from_le_bytes(answer.try_into().unwrap()));
    let mut report = String::new();
    for operation in operations {
        let mut wrong = Vec::new();
        for input in &operation.inputs {
            let native =
                answers.next().expect("an answer to each request") & u128::MAX >> (128 - operation.result.1);
            let model = (operation.model)(input);
            if native != model {
                wrong.push((input, native, model));
            }
        }
        if !wrong.is_empty() {
            let all = operation.inputs.len();
            writeln!(report, "{}: {} of {all} differ", operation.code, wrong.len()).unwrap();
            for (input, native, model) in wrong.iter().take(8) {
                writeln!(report, "    {input:x?} native {native:x} model {model:x}").unwrap();
            }
        }
    }
    assert!(report.is_empty(), "{report}");
}

fn build(directory: &Path, operations: &[Operation]) -> std::path::PathBuf {
    let declarations: BTreeSet<_> = operations.iter().filter_map(|op| op.declaration.as_deref()).collect();
    let mut module = declarations.into_iter().fold(String::new(), |text, line| text + line + "\n");
    let mut table = String::new();
    for (index, operation) in operations.iter().enumerate() {
        writeln!(module, "define void @op{index}(ptr %in, ptr %out) {{").unwrap();
        let mut code = operation.code.clone();
        for (place, ty) in operation.operands.iter().enumerate() {
            writeln!(module, "  %p{place} = getelementptr i8, ptr %in, i64 {}", 16 * place).unwrap();
            writeln!(module, "  %x{place} = load {ty}, ptr %p{place}").unwrap();
            code = code.replace(&format!("%{place}"), &format!("%x{place}"));
        }
        writeln!(module, "  %r = {code}\n  store {} %r, ptr %out\n  ret void\n}}", operation.result.0)
            .unwrap();
        writeln!(table, "OP({index})").unwrap();
    }
    let file = |name: &str, text: &str| {
        let path = directory.join(name);
        std::fs::write(&path, text).expect("source written");
        path
    };
    file("table.h", &table);
    let sources = [file("operations.ll", &module), file("main.c", include_str!("main.c"))];
    let program = directory.join("program");
    let compiler = std::env::var("CLANG").unwrap_or_else(|_| "clang-22".into());
    let status = Command::new(&compiler)
        .args(["-O0", "-w", "-o"])
        .arg(&program)
        .args(sources)
        .arg("-lm")
        .status()
        .unwrap_or_else(|error| panic!("{compiler}: {error}"));
    assert!(status.success(), "{compiler}: {status}");
    program
}
