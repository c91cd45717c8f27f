//! Statements as C, one per line.

use super::expr::{expr, place};
use super::{fit, least};
use crate::ast::{
    Arm, Block, BufferOp, Expr, Fault, Form, HeapOp, Output, Place, Program, Stmt, TextOp, WorldOp,
};

/// The formats of [`Stmt::Out`] with `printf`; the value is below 16.
pub(crate) const FORMATS: &[&str] = &[
    "printf(\"%d\\n\", (int)$)",
    "printf(\"%u \", $)",
    "printf(\"%x,\", $ * 11)",
    "printf(\"%4d|\", (int)$ - 8)",
    "printf(\"%c\", (int)('A' + $))",
    "printf(\"%lld;\", -(long long)$ * 100000000000ll)",
    "printf(\"%03d\", (int)$ * 9)",
    "printf(\"%-4s.\", $ > 3 ? \"big\" : \"no\")",
    "putchar((int)('a' + $))",
];

struct Printer<'p> {
    program: &'p Program,
    function: usize,
    out: String,
    indent: usize,
    labels: usize,
    /// Loops around the statement, and loops or switches around it.
    loops: usize,
    breakable: usize,
}

/// The code of a function up to and including its return.
pub(super) fn body(program: &Program, function: usize) -> String {
    let mut printer =
        Printer { program, function, out: String::new(), indent: 1, labels: 0, loops: 0, breakable: 0 };
    let this = &program.functions[function];
    printer.block(&this.body);
    let result = printer.result(&this.result);
    printer.line(&format!("return {result};"));
    printer.out
}

impl Printer<'_> {
    fn line(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.out.push_str("  ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn lines(&mut self, lines: &[String]) {
        self.line("{");
        self.indent += 1;
        lines.iter().for_each(|line| self.line(line));
        self.indent -= 1;
        self.line("}");
    }

    fn expr(&self, e: &Expr) -> String {
        expr(self.program, self.function, e)
    }

    fn place(&self, p: &Place) -> String {
        place(self.program, self.function, p)
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("L{}", self.labels)
    }

    /// What `return` returns: of `main`, an exit code with few values.
    fn result(&self, value: &Expr) -> String {
        let value = self.expr(value);
        match (self.function, self.program.output) {
            (0, Output::ExitCode) => format!("(int)(((uint32_t)({value}) + acc) & 63u)"),
            (0, _) => format!("(int)(((uint32_t)({value}) + acc) & 3u)"),
            (index, _) => format!("({})({value})", self.program.functions[index].ret.name()),
        }
    }

    fn block(&mut self, block: &Block) {
        block.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn nested(&mut self, head: &str, block: &Block, tail: &str) {
        self.line(head);
        self.indent += 1;
        self.block(block);
        self.indent -= 1;
        self.line(tail);
    }

    fn guarded(&mut self, when: &Expr, action: &str) {
        let when = self.expr(when);
        self.line(&format!("if ({when}) {{"));
        self.indent += 1;
        self.line(action);
        self.indent -= 1;
        self.line("}");
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Assign(to, value) => {
                let (to, value) = (self.place(to), self.expr(value));
                self.line(&format!("{to} = {value};"));
            }
            Stmt::Swap(one, two) => {
                let ty = self.program.functions[self.function].locals[*one].ty.name();
                self.lines(&[
                    format!("{ty} w_ = v{one};"),
                    format!("v{one} = v{two};"),
                    format!("v{two} = w_;"),
                ]);
            }
            Stmt::If(when, yes, no) => {
                let head = format!("if ({}) {{", self.expr(when));
                self.nested(&head, yes, if no.is_empty() { "}" } else { "} else {" });
                if !no.is_empty() {
                    self.indent += 1;
                    self.block(no);
                    self.indent -= 1;
                    self.line("}");
                }
            }
            Stmt::Loop { form, counter, limit, bound, body } => {
                self.looping(*form, *counter, *limit, bound.as_ref(), body);
            }
            Stmt::Break(when) if self.breakable > 0 => self.guarded(when, "break;"),
            Stmt::Continue(when) if self.loops > 0 => self.guarded(when, "continue;"),
            Stmt::Break(_) | Stmt::Continue(_) => {}
            Stmt::Switch { on, mask, arms, default } => self.switch(on, *mask, arms, default),
            Stmt::Skip(..) | Stmt::Again { .. } | Stmt::Enter { .. } => self.jump(stmt),
            Stmt::Call { .. } | Stmt::CallTable { .. } | Stmt::Variadic { .. } | Stmt::Recur { .. } => {
                self.call(stmt);
            }
            Stmt::Walk { to, global, array, from, end } => self.walk(to, *global, *array, from, end),
            Stmt::Return(when, value) => {
                let result = self.result(value);
                self.guarded(when, &format!("return {result};"));
            }
            Stmt::Exit(when, code) => self.guarded(when, &format!("exit({code});")),
            Stmt::Assume(when) => {
                let when = self.expr(when);
                self.line(&format!("rejoin_assume(!!({when}));"));
            }
            Stmt::Out { value, mask, format } => self.show(value, *mask, *format),
            Stmt::OutText(index) => self.show_text(*index),
            Stmt::Text(op) => self.text(op),
            Stmt::Heap(op) => self.heap(op),
            Stmt::Buffer(op) => self.buffer(op),
            Stmt::CopyRecord(record, to, from) => {
                let (to, from) = (fit(&self.expr(to), 4), fit(&self.expr(from), 4));
                self.line(&format!("s{record}[{to}] = s{record}[{from}];"));
            }
            Stmt::Mix(record, to, from, value) => {
                let (to, from) = (fit(&self.expr(to), 4), fit(&self.expr(from), 4));
                let value = self.expr(value);
                self.line(&format!("s{record}[{to}] = mix{record}(s{record}[{from}], {value});"));
            }
            Stmt::Through { record, which, one, two, field, value } => {
                let (which, value) = (self.expr(which), self.expr(value));
                self.lines(&[
                    format!("struct r{record} *q_ = ({which}) ? &s{record}[{one}] : &s{record}[{two}];"),
                    format!("q_->m{field} = {value};"),
                ]);
            }
            Stmt::ChosenFloat { .. } | Stmt::ChosenCall { .. } | Stmt::ChosenJump { .. } => {
                self.chosen(stmt);
            }
            Stmt::World(op) => self.world(op),
            Stmt::Fault(fault) => self.fault(fault),
        }
    }

    fn looping(&mut self, form: Form, counter: usize, limit: u32, bound: Option<&Expr>, body: &Block) {
        let bound = match bound {
            Some(bound) => format!("({})", fit(&self.expr(bound), limit as usize + 1)),
            None => format!("{limit}u"),
        };
        let (head, tail) = match form {
            Form::For => (format!("for (i{counter} = 0; i{counter} < {bound}; i{counter}++) {{"), "}".into()),
            Form::While => (format!("while (i{counter}++ < {bound}) {{"), "}".into()),
            Form::Do => ("do {".into(), format!("}} while (++i{counter} < {bound});")),
        };
        if form != Form::For {
            self.line(&format!("i{counter} = 0;"));
        }
        self.loops += 1;
        self.breakable += 1;
        self.nested(&head, body, &tail);
        self.loops -= 1;
        self.breakable -= 1;
    }

    fn switch(&mut self, on: &Expr, mask: u8, arms: &[Arm], default: &Block) {
        let on = self.expr(on);
        self.line(&format!("switch ((uint8_t)({on}) & {mask}) {{"));
        self.breakable += 1;
        self.indent += 1;
        for arm in arms {
            let head = match arm.labels {
                (low, high) if low == high => format!("case {low}: {{"),
                (low, high) => format!("case {low} ... {high}: {{"),
            };
            self.nested(&head, &arm.body, "}");
            if !arm.falls {
                self.line("break;");
            }
        }
        self.nested("default: {", default, "}");
        self.indent -= 1;
        self.breakable -= 1;
        self.line("}");
    }

    fn jump(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Skip(when, body) => {
                let label = self.label();
                self.guarded(when, &format!("goto {label};"));
                self.block(body);
                self.line(&format!("{label}:;"));
            }
            Stmt::Again { counter, limit, when, body } => {
                let label = self.label();
                self.line(&format!("i{counter} = 0;"));
                self.line(&format!("{label}:;"));
                self.block(body);
                self.back(*counter, *limit, when, &label);
            }
            Stmt::Enter { counter, limit, when, first, second } => {
                let (one, two) = (self.label(), self.label());
                self.line(&format!("i{counter} = 0;"));
                self.guarded(when, &format!("goto {two};"));
                self.line(&format!("{one}:;"));
                self.block(first);
                self.line(&format!("{two}:;"));
                self.block(second);
                self.back(*counter, *limit, when, &one);
            }
            _ => {}
        }
    }

    fn back(&mut self, counter: usize, limit: u32, when: &Expr, label: &str) {
        let when = self.expr(when);
        self.lines(&[
            format!("i{counter}++;"),
            format!("if (i{counter} < {limit}u && ({when}))"),
            format!("  goto {label};"),
        ]);
    }

    fn call(&mut self, stmt: &Stmt) {
        let list = |args: &[Expr]| args.iter().map(|arg| self.expr(arg)).collect::<Vec<_>>();
        let text = match stmt {
            Stmt::Call { to, callee, depth, args } => {
                let mut args = list(args);
                if self.program.functions[*callee].recursive {
                    args.insert(0, format!("(uint8_t)(({}) & 3)", self.expr(depth)));
                }
                format!("{} = f{callee}({});", self.place(to), args.join(", "))
            }
            Stmt::CallTable { to, table, select, args } => {
                let at = fit(&self.expr(select), self.program.tables[*table].len());
                format!("{} = table{table}[{at}]({});", self.place(to), list(args).join(", "))
            }
            Stmt::Variadic { to, args } => {
                let wide = |(at, arg): (usize, String)| match at % 2 {
                    0 => format!(", (uint32_t)({arg})"),
                    _ => format!(", (uint64_t)({arg})"),
                };
                let count = args.len();
                let args: String = list(args).into_iter().enumerate().map(wide).collect();
                format!("{} = total({count}{args});", self.place(to))
            }
            Stmt::Recur { to, args } => {
                let args: Vec<String> = ["(uint8_t)(d - 1)".into()].into_iter().chain(list(args)).collect();
                let call = format!("{} = f{}({});", self.place(to), self.function, args.join(", "));
                self.line("if (d > 0) {");
                self.line(&format!("  {call}"));
                "}".into()
            }
            _ => return,
        };
        self.line(&text);
    }

    /// Values that no solver knows, set by branches.
    fn chosen(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::ChosenFloat { to, one, two } => {
                let (one, two, to) = (self.expr(one), self.expr(two), self.place(to));
                self.lines(&[
                    "double a_ = 0.75, b_ = 1.5;".into(),
                    format!("if ({one})"),
                    "  a_ = -2.25;".into(),
                    format!("if ({two})"),
                    "  b_ = a_ * 0.5;".into(),
                    "else".into(),
                    "  a_ = a_ + b_;".into(),
                    format!("{to} = (a_ > b_ ? 16 : 0) + (int)(a_ * b_ + 4.5);"),
                ]);
            }
            Stmt::ChosenCall { to, table, one, two, args } => {
                let members = &self.program.tables[*table];
                let pointer = super::signature(&self.program.functions[members[0]], "(*q_)");
                let pointer = pointer.trim_start_matches("static ").to_owned();
                let args: Vec<String> = args.iter().map(|arg| self.expr(arg)).collect();
                let lines = [
                    format!("{pointer} = table{table}[0];"),
                    format!("if ({})", self.expr(one)),
                    format!("  q_ = table{table}[1];"),
                    format!("if ({})", self.expr(two)),
                    format!("  q_ = table{table}[{}];", members.len() - 1),
                    format!("{} = q_({});", self.place(to), args.join(", ")),
                ];
                self.lines(&lines);
            }
            Stmt::ChosenJump { when, first, second } => {
                let (one, two) = (self.label(), self.label());
                let when = self.expr(when);
                self.lines(&[
                    format!("void *q_ = &&{one};"),
                    format!("if ({when})"),
                    format!("  q_ = &&{two};"),
                    "goto *q_;".into(),
                ]);
                self.line(&format!("{one}:;"));
                self.block(first);
                self.line(&format!("{two}:;"));
                self.block(second);
            }
            _ => {}
        }
    }

    fn show(&mut self, value: &Expr, mask: u8, format: usize) {
        let bits = format!("((uint32_t)({}) & {mask}u)", self.expr(value));
        let text = match self.program.output {
            Output::ExitCode => format!("acc = acc * 3 + {bits}"),
            Output::Putchar => format!("putchar((int)('a' + {bits}))"),
            Output::Printf => FORMATS[format % FORMATS.len()].replace('$', &bits),
        };
        self.line(&format!("{text};"));
    }

    fn show_text(&mut self, index: usize) {
        match self.program.output {
            Output::ExitCode => self.line(&format!("acc += (uint32_t)strlen(t{index});")),
            Output::Printf => self.line(&format!("printf(\"[%s]\", t{index});")),
            Output::Putchar => self.lines(&[
                format!("for (uint32_t k_ = 0; t{index}[k_]; k_++)"),
                format!("  putchar(t{index}[k_]);"),
            ]),
        }
    }

    fn text(&mut self, op: &TextOp) {
        let this = &self.program.functions[self.function];
        let size = |t: &usize| this.texts[*t].size;
        let sign = |to: &Place, call: String| {
            vec![format!("int r_ = {call};"), format!("{} = (r_ > 0) - (r_ < 0);", self.place(to))]
        };
        let walk = |to: &Place, t: &usize, test: &str, step: &str| {
            vec![
                "uint32_t h_ = 1;".into(),
                format!("for (const char *c_ = t{t}; {test}; c_++)"),
                format!("  h_ = {step};"),
                format!("{} = h_;", self.place(to)),
            ]
        };
        let lines = match op {
            TextOp::Put(t, at, c) => {
                vec![format!("t{t}[{}] = (char)({});", fit(&self.expr(at), size(t) - 1), self.expr(c))]
            }
            TextOp::Fill(t, c, n) => {
                vec![format!("memset(t{t}, (int)({}), {});", self.expr(c), fit(&self.expr(n), size(t)))]
            }
            TextOp::Set(t, literal) => vec![format!("strcpy(t{t}, \"{literal}\");")],
            TextOp::Slide(t, true) => vec![format!("memmove(t{t} + 1, t{t}, {});", size(t) - 2)],
            TextOp::Slide(t, false) => vec![format!("memmove(t{t}, t{t} + 1, {});", size(t) - 2)],
            TextOp::Copy(to, from, n) if to != from => {
                vec![format!("memcpy(t{to}, t{from}, {});", fit(&self.expr(n), size(to).min(size(from))))]
            }
            TextOp::Copy(..) => Vec::new(),
            TextOp::Length(to, t) => vec![format!("{} = strlen(t{t});", self.place(to))],
            TextOp::Compare(to, t, literal) => sign(to, format!("strcmp(t{t}, \"{literal}\")")),
            TextOp::CompareBytes(to, a, b, n) => {
                sign(to, format!("memcmp(t{a}, t{b}, {})", (*n).min(size(a)).min(size(b))))
            }
            TextOp::Find(to, t, c) => vec![
                format!("char *q_ = strchr(t{t}, (int)({}));", self.expr(c)),
                format!("{} = q_ ? q_ - t{t} : 99;", self.place(to)),
            ],
            TextOp::Hash(to, t) => walk(to, t, "*c_", "h_ * 31 + (unsigned char)*c_"),
            TextOp::Number(to, t) => {
                walk(to, t, "*c_ >= '0' && *c_ <= '9'", "h_ * 10 + (uint32_t)(*c_ - '0')")
            }
        };
        self.lines(&lines);
    }

    fn buffer(&mut self, op: &BufferOp) {
        let bytes = self.program.inputs.ranges.len();
        let lines = super::buffer::lines(op, bytes, &|e| self.expr(e), &|p| self.place(p));
        self.lines(&lines);
    }

    fn world(&mut self, op: &WorldOp) {
        if let Some(world) = &self.program.world {
            let lines = super::world::lines(op, world, &|e| self.expr(e), &|p| self.place(p));
            self.lines(&lines);
        }
    }

    fn heap(&mut self, op: &HeapOp) {
        let text = match op {
            HeapOp::Push(value) => format!("push({});", self.expr(value)),
            HeapOp::Insert(value) => format!("insert({});", self.expr(value)),
            HeapOp::Pop(to) => format!("{} = pop();", self.place(to)),
            HeapOp::Remove(value) => format!("drop({});", self.expr(value)),
            HeapOp::Reverse => "reverse();".into(),
            HeapOp::Sum(to) => format!("{} = sum();", self.place(to)),
            HeapOp::Grow(value) => format!("grow({});", self.expr(value)),
            HeapOp::Depth(to, value) => format!("{} = depth(root, {});", self.place(to), self.expr(value)),
        };
        self.line(&text);
    }

    fn fault(&mut self, fault: &Fault) {
        let lines = match fault {
            Fault::Load { global, array, low, index, to } => {
                let (name, len) = self.array(*global, *array);
                vec![
                    format!("int e_ = (int)({}) + {low};", fit(&self.expr(index), len + 2)),
                    format!("{} = ELEM({name}, {len}, e_);", self.place(to)),
                ]
            }
            Fault::Store { global, array, low, index, value } => {
                let (name, len) = self.array(*global, *array);
                vec![
                    format!("int e_ = (int)({}) + {low};", fit(&self.expr(index), len + 2)),
                    format!("ELEM({name}, {len}, e_) = {};", self.expr(value)),
                ]
            }
            Fault::Null { when, write, value } => vec![
                format!("uint32_t w_ = {};", self.expr(value)),
                format!("uint32_t *q_ = ({}) ? NULL : &w_;", self.expr(when)),
                (if *write { "AT(q_) = 5;" } else { "acc += AT(q_);" }).into(),
                "acc += w_;".into(),
            ],
            Fault::AfterFree { when, write, value } => vec![
                "uint32_t *q_ = malloc(sizeof *q_);".into(),
                format!("*q_ = {};", self.expr(value)),
                format!("if ({})", self.expr(when)),
                "  free(q_);".into(),
                (if *write { "AT(q_) = 5;" } else { "acc += AT(q_);" }).into(),
            ],
            Fault::DoubleFree { when } => vec![
                "uint8_t *q_ = malloc(3);".into(),
                format!("if ({})", self.expr(when)),
                "  free(q_);".into(),
                "free(q_);".into(),
            ],
            Fault::BadFree { when, inside } => vec![
                "uint32_t w_ = 1, *q_ = malloc(2 * sizeof *q_);".into(),
                format!(
                    "uint32_t *z_ = ({}) ? {} : q_;",
                    self.expr(when),
                    if *inside { "q_ + 1" } else { "&w_" }
                ),
                "free(z_);".into(),
            ],
            Fault::Divide { ty, rem, left, right } => vec![
                format!("{} a_ = {}, b_ = {};", ty.name(), self.expr(left), self.expr(right)),
                format!(
                    "acc += (uint32_t){}({}, a_, b_);",
                    if *rem { "REM" } else { "DIV" },
                    ty.promoted().name()
                ),
            ],
            Fault::MinByMinusOne { ty, rem, when } => vec![
                format!("{} a_ = ({}) ? {} : 9, b_ = -1;", ty.name(), self.expr(when), least(*ty)),
                format!("acc += (uint32_t){}({}, a_, b_);", if *rem { "REM" } else { "DIV" }, ty.name()),
            ],
            Fault::Shift { ty, left, value, amount } => vec![
                format!("{} a_ = {};", ty.name(), self.expr(value)),
                format!("uint32_t b_ = {};", fit(&self.expr(amount), ty.bits as usize + 3)),
                format!("acc += (uint32_t){}({}, a_, b_);", if *left { "SHL" } else { "SHR" }, ty.name()),
            ],
            Fault::Constant { when } => vec![
                "static const uint32_t k_ = 7;".into(),
                "uint32_t w_ = 7;".into(),
                format!("const uint32_t *q_ = ({}) ? &k_ : &w_;", self.expr(when)),
                "PUT(q_, &k_, 5);".into(),
                "acc += w_;".into(),
            ],
            Fault::NullCall { when, value } => vec![
                format!("int (*q_)(int) = ({}) ? NULL : abs;", self.expr(when)),
                format!("int a_ = (int16_t)({});", self.expr(value)),
                "acc += (uint32_t)CALL(q_)(a_);".into(),
            ],
            Fault::Unreachable { when } => {
                vec![format!("if ({})", self.expr(when)), "  UNREACHABLE();".into()]
            }
            Fault::Assert { holds } => vec![format!("CHECK({});", self.expr(holds))],
            Fault::Abort { when } => vec![format!("if ({})", self.expr(when)), "  ABORT();".into()],
            Fault::Report { when } => vec![format!("if ({})", self.expr(when)), "  REPORT();".into()],
        };
        self.lines(&lines);
    }

    fn walk(&mut self, to: &Place, global: bool, array: usize, from: &Expr, end: &Expr) {
        let (name, len) = self.array(global, array);
        let arrays =
            if global { &self.program.arrays } else { &self.program.functions[self.function].arrays };
        let ty = arrays[array].ty.name();
        self.lines(&[
            format!("const {ty} *a_ = {name} + ({});", fit(&self.expr(from), len)),
            format!("const {ty} *b_ = {name} + ({});", fit(&self.expr(end), len)),
            "uint32_t h_ = (uint32_t)(b_ - a_);".into(),
            "while (a_ < b_)".into(),
            "  h_ = h_ * 5 + (uint32_t)*a_++;".into(),
            format!("{} = h_;", self.place(to)),
        ]);
    }

    fn array(&self, global: bool, index: usize) -> (String, usize) {
        let (name, arrays) = match global {
            true => (format!("ga{index}"), &self.program.arrays),
            false => (format!("la{index}"), &self.program.functions[self.function].arrays),
        };
        (name, arrays[index].init.len())
    }
}
