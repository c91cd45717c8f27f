//! Programs as C source.
//!
//! The source is the same for the engine, for the fast native build and for the sanitized one: operations that
//! may fail are macros, which the fast build defines (`native/fast.h`) so that they check before they act, and
//! which are the plain operations of C otherwise. Each of them stands on a line of its own.

mod buffer;
mod expr;
mod helpers;
mod stmt;
mod world;

use crate::ast::{Array, Function, Int, Output, Program, RECORDS, Shape, Storage};
use helpers::HELPERS;
use std::collections::BTreeSet;
use std::fmt::Write as _;

const PREAMBLE: &str = include_str!("preamble.h");

/// The C source of a program.
pub fn source(program: &Program) -> String {
    let used = reachable(program);
    let bodies: Vec<String> = (0..program.functions.len())
        .map(|index| if used.contains(&index) { function(program, index) } else { String::new() })
        .collect();
    let code = bodies.concat();
    let mut names = identifiers(&code);
    let helpers = helpers::needed(&names);
    for helper in &helpers {
        names.extend(identifiers(helper.text));
    }
    names.insert("acc");

    let mut out = format!("/* seed {} */\n{PREAMBLE}\n", program.seed);
    if program.world.is_some() {
        let _ = writeln!(out, "{}", world::PREAMBLE);
    }
    let mut globals = Vec::new();
    inputs(program, &mut out, &mut globals);
    data(program, &names, &mut out, &mut globals);
    for helper in HELPERS.iter().filter(|helper| helpers.iter().any(|needed| needed.name == helper.name)) {
        out.push_str(helper.text);
        globals.extend(helper.globals.iter().map(|name| (*name).to_string()));
    }
    prototypes(program, &used, &names, &mut out);
    out.push_str(&code);
    footer(program, &globals, &mut out);
    out
}

/// The functions that `main` can reach.
fn reachable(program: &Program) -> BTreeSet<usize> {
    let mut found = BTreeSet::from([0]);
    let mut queue = vec![0];
    while let Some(index) = queue.pop() {
        let text = function(program, index);
        let names = identifiers(&text);
        let direct = (0..program.functions.len()).filter(|i| names.contains(format!("f{i}").as_str()));
        let tables = program.tables.iter().enumerate();
        let called = tables.filter(|(i, _)| names.contains(format!("table{i}").as_str()));
        for callee in direct.chain(called.flat_map(|(_, table)| table.iter().copied())) {
            if found.insert(callee) {
                queue.push(callee);
            }
        }
    }
    found
}

/// The identifiers that occur in a piece of C.
fn identifiers(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect()
}

fn inputs(program: &Program, out: &mut String, globals: &mut Vec<String>) {
    let inputs = &program.inputs;
    let byte = if inputs.signed { "int8_t" } else { "uint8_t" };
    match inputs.shape {
        Shape::Bytes => {
            for index in 0..inputs.ranges.len() {
                let _ = writeln!(out, "static {byte} x{index};");
                globals.push(format!("x{index}"));
            }
        }
        Shape::Array => {
            let _ = writeln!(out, "static uint8_t x[{}];", inputs.ranges.len());
            globals.push("x".into());
        }
        Shape::Half => {
            let _ = writeln!(out, "static {} x;", if inputs.signed { "int16_t" } else { "uint16_t" });
            globals.push("x".into());
        }
    }
}

/// The global objects that the code mentions.
fn data(program: &Program, names: &BTreeSet<&str>, out: &mut String, globals: &mut Vec<String>) {
    out.push_str("static uint32_t acc = 0;\n");
    globals.push("acc".into());
    for (index, global) in program.globals.iter().enumerate() {
        let name = format!("g{index}");
        if names.contains(name.as_str()) {
            let _ = writeln!(
                out,
                "static {} {name} = {};",
                global.ty.name(),
                expr::constant(global.ty, global.init)
            );
            globals.push(name);
        }
    }
    for (index, array) in program.arrays.iter().enumerate() {
        let name = format!("ga{index}");
        if names.contains(name.as_str()) {
            let _ = writeln!(
                out,
                "static {} {name}[{}] = {};",
                array.ty.name(),
                array.init.len(),
                elements(array)
            );
            globals.push(name);
        }
    }
    for (index, record) in program.records.iter().enumerate() {
        let name = format!("s{index}");
        if !names.contains(name.as_str()) {
            continue;
        }
        let _ = writeln!(out, "struct r{index} {{");
        for (at, field) in record.fields.iter().enumerate() {
            let bits = field.bits.map_or(String::new(), |bits| format!(" : {bits}"));
            let _ = writeln!(out, "  {} m{at}{bits};", field.ty.name());
        }
        let _ = writeln!(out, "}};\nstatic struct r{index} {name}[{RECORDS}] = {{{{1, 2}}, {{3}}}};");
        globals.push(name);
        if names.contains(format!("mix{index}").as_str()) {
            let _ = writeln!(out, "static struct r{index} mix{index}(struct r{index} a, uint32_t b) {{");
            for at in 0..record.fields.len() {
                let _ = writeln!(out, "  a.m{at} ^= b + {at};");
            }
            out.push_str("  return a;\n}\n");
        }
    }
    if names.contains("un") {
        out.push_str("static union { uint64_t u3[1]; uint32_t u2[2]; uint16_t u1[4]; int8_t u0[8]; } un = {{0x0123456789abcdefu}};\n");
        globals.push("un".into());
    }
}

fn elements(array: &Array) -> String {
    let all: Vec<String> = array.init.iter().map(|&value| expr::constant(array.ty, value)).collect();
    format!("{{{}}}", all.join(", "))
}

fn signature(function: &Function, name: &str) -> String {
    let depth = function.recursive.then(|| "uint8_t d".to_string());
    let params = function.params.iter().enumerate().map(|(i, ty)| format!("{} p{i}", ty.name()));
    let all: Vec<String> = depth.into_iter().chain(params).collect();
    let params = if all.is_empty() { "void".into() } else { all.join(", ") };
    format!("static {} {name}({params})", function.ret.name())
}

fn prototypes(program: &Program, used: &BTreeSet<usize>, names: &BTreeSet<&str>, out: &mut String) {
    for &index in used.iter().filter(|index| **index != 0) {
        let _ = writeln!(out, "{};", signature(&program.functions[index], &format!("f{index}")));
    }
    for (index, table) in program.tables.iter().enumerate() {
        let name = format!("table{index}");
        if names.contains(name.as_str()) {
            let pointer =
                signature(&program.functions[table[0]], &format!("(*const {name}[{}])", table.len()));
            let members: Vec<String> = table.iter().map(|member| format!("f{member}")).collect();
            let _ = writeln!(out, "{pointer} = {{{}}};", members.join(", "));
        }
    }
}

/// One function: the declarations that its code needs, then the code.
fn function(program: &Program, index: usize) -> String {
    let this = &program.functions[index];
    let mut body = String::new();
    if index == 0 {
        start(program, &mut body);
    }
    body.push_str(&stmt::body(program, index));
    let names = identifiers(&body);
    let needs = |name: &str| names.contains(name);
    let head = match (index, &program.world) {
        (0, None) => "int main(void)".into(),
        (0, Some(_)) => "int main(int argc, char **argv)".into(),
        _ => signature(this, &format!("f{index}")),
    };
    let mut out = format!("\n{head} {{\n");
    for (i, local) in this.locals.iter().enumerate().filter(|(i, _)| needs(&format!("v{i}"))) {
        let _ = writeln!(out, "  {} v{i} = {};", local.ty.name(), expr::constant(local.ty, local.init));
    }
    for i in (0..this.counters).filter(|i| needs(&format!("i{i}"))) {
        let _ = writeln!(out, "  uint32_t i{i} = 0;");
    }
    for (i, array) in this.arrays.iter().enumerate().filter(|(i, _)| needs(&format!("la{i}"))) {
        local_array(&mut out, i, array);
    }
    for (i, text) in this.texts.iter().enumerate().filter(|(i, _)| needs(&format!("t{i}"))) {
        let _ = writeln!(out, "  char t{i}[{}] = \"{}\";", text.size, text.init);
    }
    out.push_str(&body);
    out.push_str("}\n");
    out
}

fn local_array(out: &mut String, index: usize, array: &Array) {
    let (ty, len) = (array.ty.name(), array.init.len());
    let _ = match array.storage {
        Storage::Global | Storage::Local => writeln!(out, "  {ty} la{index}[{len}] = {};", elements(array)),
        Storage::Calloc => writeln!(out, "  {ty} *la{index} = calloc({len}, sizeof({ty}));"),
        Storage::Malloc => writeln!(
            out,
            "  {ty} *la{index} = malloc({len} * sizeof({ty}));\n  for (uint32_t k = 0; k < {len}; k++) {{\n    la{index}[k] = ({ty})(k * 7 + {});\n  }}",
            array.init[0] % 100
        ),
    };
}

/// What `main` does before anything else: inputs, assumptions, and output that is not held back.
fn start(program: &Program, out: &mut String) {
    let inputs = &program.inputs;
    let names: Vec<String> = match inputs.shape {
        Shape::Bytes => (0..inputs.ranges.len()).map(|i| format!("x{i}")).collect(),
        Shape::Array | Shape::Half => vec!["x".into()],
    };
    for line in program.world.iter().flat_map(|world| world::start(program, world)) {
        let _ = writeln!(out, "  {line}");
    }
    for name in names.iter().filter(|_| program.world.is_none()) {
        let _ = writeln!(out, "  rejoin_symbolic(&{name}, sizeof {name}, \"{name}\");");
    }
    for (index, &(low, high)) in inputs.ranges.iter().enumerate() {
        let input = expr::input(program, index);
        if low > 0 {
            let _ = writeln!(out, "  rejoin_assume((uint8_t){input} >= {low});");
        }
        if high < 255 {
            let _ = writeln!(out, "  rejoin_assume((uint8_t){input} <= {high});");
        }
    }
    for assumption in &program.assumptions {
        let _ = writeln!(out, "  rejoin_assume(!!({}));", expr::expr(program, 0, assumption));
    }
    if program.output != Output::ExitCode {
        out.push_str("  setvbuf(stdout, NULL, _IONBF, 0);\n");
    }
}

/// What only the native builds see: the objects to reset between inputs, and the inputs' ranges.
fn footer(program: &Program, globals: &[String], out: &mut String) {
    out.push_str("\n#ifdef ORACLE_NATIVE\nstruct oracle_global oracle_globals[] = {\n");
    for name in globals {
        let _ = writeln!(out, "  {{&{name}, sizeof {name}}},");
    }
    out.push_str("  {0, 0},\n};\nunsigned char oracle_ranges[][2] = {\n");
    for &(low, high) in &program.inputs.ranges {
        let _ = writeln!(out, "  {{{low}, {high}}},");
    }
    let _ = writeln!(out, "}};\nunsigned oracle_inputs = {};", program.inputs.ranges.len());
    if let Some(world) = &program.world {
        let args: Vec<String> = world.args.iter().map(usize::to_string).collect();
        let (count, args) = (args.len(), args.join(", "));
        let _ = writeln!(
            out,
            "struct oracle_world oracle_world = {{{}, {}, {count}, {{{args}}}}};",
            world.stdin, world.file
        );
    }
    out.push_str("#endif\n");
}

/// `value` reduced to below `len`, as an index.
fn fit(value: &str, len: usize) -> String {
    if len.is_power_of_two() {
        format!("(uint32_t)({value}) & {}u", len - 1)
    } else {
        format!("(uint32_t)({value}) % {len}u")
    }
}

/// The least value of a signed type.
fn least(ty: Int) -> String {
    format!("({})(({})1 << {})", ty.name(), ty.unsigned().name(), ty.bits - 1)
}
