//! What LLVM's constructs become, feature by feature.

mod common;

use common::{function, lower, text_of};
use rejoin_ir::{Address, Inst, Module};

/// The instructions of the function `f` of a module.
fn f(text: &str) -> Vec<String> {
    text_of(&lower(text), "f")
}

fn global<'m>(module: &'m Module, name: &str) -> &'m rejoin_ir::Global {
    module.globals.iter().find(|g| g.name == name).expect("the global")
}

#[test]
fn vectors_are_scalars_lane_by_lane() {
    let text = "define <2 x i32> @f(<2 x i32> %a, <2 x i32> %b) {
        %s = add <2 x i32> %a, %b
        %c = icmp slt <2 x i32> %s, %b
        %r = select <2 x i1> %c, <2 x i32> %s, <2 x i32> <i32 7, i32 8>
        ret <2 x i32> %r }";
    assert_eq!(
        f(text),
        [
            "%4 = add i32 %0, %2",
            "%5 = add i32 %1, %3",
            "%6 = icmp.slt i32 %4, %2",
            "%7 = icmp.slt i32 %5, %3",
            "%8 = select i32 %6, %4, 7",
            "%9 = select i32 %7, %5, 8",
            "return (i32 %8, i32 %9)",
        ]
    );
}

#[test]
fn taking_apart_and_putting_together_is_renaming() {
    let text = "define i32 @f({ i8, { i32, i32 } } %a, <4 x i32> %v) {
        %x = extractvalue { i8, { i32, i32 } } %a, 1, 1
        %b = insertvalue { i8, { i32, i32 } } %a, i32 %x, 1, 0
        %y = extractvalue { i8, { i32, i32 } } %b, 1, 0
        %w = shufflevector <4 x i32> %v, <4 x i32> poison, <2 x i32> <i32 3, i32 poison>
        %u = insertelement <2 x i32> %w, i32 %y, i32 1
        %p = extractelement <2 x i32> %u, i32 0
        %q = extractelement <2 x i32> %u, i32 1
        %s = add i32 %p, %q
        ret i32 %s }";
    assert_eq!(f(text), ["%7 = add i32 %6, %2", "return (i32 %7)"]);
}

#[test]
fn variable_lanes_are_selections() {
    let text = "define i8 @f(<3 x i8> %v, i32 %i) { %r = extractelement <3 x i8> %v, i32 %i ret i8 %r }";
    assert_eq!(
        f(text),
        [
            "%4 = icmp.eq i32 %3, 1",
            "%5 = select i8 %4, %1, %0",
            "%6 = icmp.eq i32 %3, 2",
            "%7 = select i8 %6, %2, %5",
            "return (i8 %7)",
        ]
    );
}

#[test]
fn bitcasts_keep_the_bits() {
    let text = "define i16 @f(<2 x i8> %v) { %r = bitcast <2 x i8> %v to i16 ret i16 %r }";
    assert_eq!(
        f(text),
        [
            "%2 = zext i8 %0 to i16",
            "%3 = zext i8 %1 to i16",
            "%4 = shl i16 %3, 8",
            "%5 = or i16 %2, %4",
            "return (i16 %5)",
        ]
    );
    let back = "define <2 x i64> @f(i128 %v) { %r = bitcast i128 %v to <2 x i64> ret <2 x i64> %r }";
    assert_eq!(
        f(back),
        [
            "%2 = trunc i128 %0 to i64",
            "%3 = lshr i128 %0, 0x40",
            "%5 = trunc i128 %3 to i64",
            "return (i64 %2, i64 %5)"
        ]
    );
    let renamed = "define i64 @f(double %v) { %r = bitcast double %v to i64 ret i64 %r }";
    assert_eq!(f(renamed), ["return (i64 %0)"]);
}

#[test]
fn aggregates_are_loaded_field_by_field() {
    let text = "define void @f(ptr %p, ptr %q) { %s = load { i8, i64 }, ptr %p store { i8, i64 } %s, ptr %q ret void }";
    assert_eq!(
        f(text),
        [
            "%2 = load i8 %0",
            "%3 = ptradd %0, i64 8 scale 1",
            "%4 = load i64 %3",
            "store i8 %2, %1",
            "%5 = ptradd %1, i64 8 scale 1",
            "store i64 %4, %5",
            "return ()",
        ]
    );
}

#[test]
fn vectors_of_odd_width_are_packed_in_memory() {
    let text = "@bits = constant <8 x i1> <i1 1, i1 0, i1 1, i1 0, i1 0, i1 0, i1 0, i1 1>
        @nibbles = constant <4 x i4> <i4 1, i4 2, i4 3, i4 -1>
        @bytes = constant <3 x i24> <i24 1, i24 2, i24 3>
        define i1 @f(ptr %p) { %v = load <2 x i1>, ptr %p %e = extractelement <2 x i1> %v, i32 1 ret i1 %e }";
    let module = lower(text);
    let bytes = |name| global(&module, name).init.clone().expect("a content").bytes;
    assert_eq!(bytes("bits"), [0x85]);
    assert_eq!(bytes("nibbles"), [0x21, 0xf3]);
    assert_eq!(bytes("bytes"), [1, 0, 0, 2, 0, 0, 3]);
    assert_eq!(text_of(&module, "f")[0], "%1 = load i2 %0");
    assert_eq!(text_of(&module, "f").last().expect("a return"), "return (i1 %4)");
}

#[test]
fn addresses_fold_constant_indices() {
    let text = "@g = global [8 x { i8, i16 }] zeroinitializer
        define i16 @f(i32 %i, i64 %j, ptr %p) {
        %a = getelementptr { i32, [8 x { i8, i16 }] }, ptr %p, i32 %i, i32 1, i64 %j, i32 1
        %b = getelementptr [8 x { i8, i16 }], ptr @g, i64 0, i64 3, i32 1
        %x = load i16, ptr %a %y = load i16, ptr %b %z = add i16 %x, %y ret i16 %z }";
    assert_eq!(
        f(text)[..5],
        [
            "%3 = ptradd %2, i64 6 scale 1",
            "%4 = ptradd %3, i32 %0 scale 36",
            "%5 = ptradd %4, i64 %1 scale 4",
            "%6 = load i16 %5",
            "%7 = load i16 @g+14",
        ]
    );
    let lanes = "define <2 x ptr> @f(ptr %p, <2 x i32> %i) { %r = getelementptr i32, ptr %p, <2 x i32> %i ret <2 x ptr> %r }";
    assert_eq!(f(lanes)[..2], ["%3 = ptradd %0, i32 %1 scale 4", "%4 = ptradd %0, i32 %2 scale 4"]);
    let wide =
        "define ptr @f(ptr %p, i64 %i) { %r = getelementptr [3000000000 x i8], ptr %p, i64 %i ret ptr %r }";
    let module = lower(wide);
    assert!(matches!(function(&module, "f").insts[0], Inst::PtrAddWide { .. }));
}

#[test]
fn globals_have_bytes_and_addresses() {
    let text = "@g = global [4 x i32] [i32 1, i32 2, i32 3, i32 4]
        @p = global { i32, ptr } { i32 5, ptr getelementptr (i8, ptr @g, i64 8) }
        @d = constant i64 sub (i64 ptrtoint (ptr getelementptr (i8, ptr @g, i64 12) to i64), i64 ptrtoint (ptr @g to i64))
        @w = extern_weak global i32
        @e = external global i32
        @c = common global [100 x i8] zeroinitializer, align 32
        @wide = constant i128 -2
        @floats = constant { half, float, x86_fp80, fp128 } { half 1.0, float 1.5, x86_fp80 0xK3FFF8000000000000000, fp128 0xL00000000000000013FFF000000000000 }
        @unknown = constant i32 trunc (i64 sub (i64 ptrtoint (ptr @p to i64), i64 ptrtoint (ptr @g to i64)) to i32)
        define void @f() { ret void }";
    let module = lower(text);
    let init = |name| global(&module, name).init.clone();
    assert_eq!(init("g").expect("g").bytes, [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4]);
    let p = init("p").expect("p");
    assert_eq!((p.bytes, p.relocs[0].offset), (vec![5], 8));
    assert!(matches!(p.relocs[0].address, Address::Global(id, 8) if module.globals[id.index()].name == "g"));
    assert_eq!(init("d").expect("d").bytes, [12]);
    assert!(global(&module, "w").weak && init("w").is_none());
    assert!(!global(&module, "e").weak && init("e").is_none());
    assert_eq!((global(&module, "c").size, global(&module, "c").align), (100, 32));
    assert!(init("c").expect("c").bytes.is_empty());
    assert_eq!(init("wide").expect("wide").bytes[0..2], [0xfe, 0xff]);
    let floats = init("floats").expect("floats").bytes;
    assert_eq!(floats[0..2], [0, 0x3c]);
    assert_eq!(floats[4..8], 1.5f32.to_le_bytes());
    assert_eq!(floats[16..26], [0, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0x3f]);
    assert_eq!(floats[32..], [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0x3f]);
    assert!(init("unknown").is_none());
}

#[test]
fn constructors_run_by_priority() {
    let text = "@llvm.global_ctors = appending global [2 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 200, ptr @late, ptr null }, { i32, ptr, ptr } { i32 100, ptr @early, ptr null }]
        @llvm.global_dtors = appending global [2 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 100, ptr @early, ptr null }, { i32, ptr, ptr } { i32 200, ptr @late, ptr null }]
        define void @late() { ret void } define void @early() { ret void } define void @f() { ret void }";
    let module = lower(text);
    let names = |ids: &[rejoin_ir::FuncId]| {
        ids.iter().map(|i| module.functions[i.index()].name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(&module.constructors), ["early", "late"]);
    assert_eq!(names(&module.destructors), ["late", "early"]);
}

#[test]
fn aliases_are_what_they_name() {
    let text = "@g = global [2 x i32] zeroinitializer
        @second = alias i32, getelementptr (i8, ptr @g, i64 4)
        @other = alias i32 (i32), ptr @real
        define i32 @real(i32 %x) { ret i32 %x }
        define i32 @f() { %v = load i32, ptr @second %r = call i32 @other(i32 %v) ret i32 %r }";
    assert_eq!(f(text)[..2], ["%0 = load i32 @g+4", "%1 = call @real(i32 %0) -> i32"]);
}

#[test]
fn phis_are_copies_and_cases_share_edges() {
    let text = "@g = global i32 0
        define i32 @f(i32 %x, i32 %y) {
        entry: switch i32 %x, label %d [ i32 5, label %a  i32 -1, label %a  i32 1, label %b  i32 7, label %d ]
        a: %pa = phi i32 [ %y, %entry ], [ %y, %entry ]
           br label %d
        b: br label %d
        d: %r = phi i32 [ 0, %entry ], [ 0, %entry ], [ %pa, %a ], [ ptrtoint (ptr @g to i32), %b ]
           ret i32 %r }";
    let module = lower(text);
    assert_eq!(
        text_of(&module, "f"),
        [
            "switch i32 %0, [default: b3(%3 = i32 0) | 1: b2 | 5, -1: b1(%2 = i32 %1)]",
            "jump b3(%3 = i32 %2)",
            "%4 = trunc i64 @g to i32",
            "jump b3(%3 = i32 %4)",
            "return (i32 %3)",
        ]
    );
    let function = function(&module, "f");
    assert_eq!(function.switches[0].cases.iter().map(|c| c.0).collect::<Vec<_>>(), [1, 5, 0xffff_ffff]);
    assert_eq!(function.edges.len(), 5);
}

#[test]
fn swapping_phis_are_parallel_copies() {
    let text = "define i32 @f(i32 %n) {
        entry: br label %loop
        loop: %a = phi i32 [ 1, %entry ], [ %b, %loop ]
              %b = phi i32 [ 2, %entry ], [ %a, %loop ]
              %c = icmp eq i32 %a, %n
              br i1 %c, label %out, label %loop
        out: ret i32 %b }";
    assert_eq!(f(text)[2], "branch %3, b2, b1(%1 = i32 %2, %2 = i32 %1)");
}

#[test]
fn straight_lines_are_one_block_and_dead_blocks_are_gone() {
    let text = "define i32 @f(i32 %x) {
        entry: br label %next
        next: %p = phi i32 [ %x, %entry ]
              br label %last
        last: ret i32 %p
        dead: br label %dead }";
    assert_eq!(f(text), ["return (i32 %0)"]);
}

#[test]
fn computed_jumps_have_their_targets() {
    let text = "@table = constant [2 x ptr] [ptr blockaddress(@f, %a), ptr blockaddress(@f, %b)]
        define i32 @f(i64 %i) {
        %slot = getelementptr [2 x ptr], ptr @table, i64 0, i64 %i
        %t = load ptr, ptr %slot
        indirectbr ptr %t, [label %a, label %b]
        a: ret i32 1
        b: ret i32 2 }";
    let module = lower(text);
    assert_eq!(text_of(&module, "f")[2], "goto %2, [ b1, b2 ]");
    let relocs = global(&module, "table").init.clone().expect("a content").relocs;
    assert!(matches!(relocs[1].address, Address::Block(_, block) if block.0 == 2));
}

#[test]
fn arguments_by_value_are_copied() {
    let text = "declare void @var(...)
        define void @callee(ptr byval({ i64, i64, i64 }) %p) { ret void }
        define void @f(ptr %q) {
        call void @callee(ptr byval({ i64, i64, i64 }) align 16 %q)
        call void (...) @var(ptr byval({ i64, i64, i64 }) align 8 %q)
        ret void }";
    assert_eq!(
        f(text),
        [
            "%1 = alloca size 24 align 16 count 1",
            "memcpy %1, %0, 24",
            "call @callee(ptr %1)",
            "call @var(ptr %0 byval 24 align 8)",
            "return ()",
        ]
    );
}

/// `struct { float a, b, c; }` takes two vector registers.
#[test]
fn variadic_vectors_stay_together() {
    let text = "declare void @var(...)
        define void @f(<2 x float> %v, float %c) { call void (...) @var(<2 x float> %v, float %c) ret void }";
    assert_eq!(
        f(text),
        [
            "%3 = zext i32 %0 to i64",
            "%4 = zext i32 %1 to i64",
            "%5 = shl i64 %4, 32",
            "%6 = or i64 %3, %5",
            "call @var(double %6, float %2)",
            "return ()",
        ]
    );
}

#[test]
fn calls_that_do_not_fit_are_indirect() {
    let text = "define i32 @real(i32 %x) { ret i32 %x } define i32 @f() { %r = call i32 @real(i64 1, i64 2) ret i32 %r }";
    assert_eq!(f(text)[0], "%0 = call *@real(i64 1, i64 2) -> i32");
}

#[test]
fn invokes_are_calls() {
    let text = "declare i32 @p(...) declare i32 @may_throw(i32)
        define i32 @f() personality ptr @p { %r = invoke i32 @may_throw(i32 1) to label %n unwind label %u
        n: ret i32 %r
        u: %l = landingpad { ptr, i32 } cleanup
           resume { ptr, i32 } %l }";
    assert_eq!(f(text), ["%0 = call @may_throw(i32 1) -> i32", "jump b1", "return (i32 %0)"]);
}

#[test]
fn gaps_end_only_their_own_path() {
    let text = "declare i64 @llvm.smul.fix.i64(i64, i64, i32)
        define i64 @f(i64 %x) { %r = call i64 @llvm.smul.fix.i64(i64 %x, i64 %x, i32 3) %s = add i64 %r, 1 ret i64 %s }
        define void @scalable(<vscale x 2 x i64> %x) { ret void }
        define void @assembly() { call void asm sideeffect \"hlt\", \"\"() ret void }
        define i32 @segment() { %v = load i32, ptr addrspace(257) null ret i32 %v }";
    let module = lower(text);
    assert_eq!(
        text_of(&module, "f")[..2],
        ["unsupported \"the intrinsic llvm.smul.fix.i64\"", "%1 = add i64 undef, 1"]
    );
    assert_eq!(text_of(&module, "scalable"), ["unsupported \"the type <vscale x 2 x i64>\"", "unreachable"]);
    assert_eq!(text_of(&module, "assembly")[0], "unsupported \"inline assembly: hlt\"");
    assert_eq!(text_of(&module, "segment")[0], "unsupported \"the type ptr addrspace(257)\"");
}

#[test]
fn empty_assembly_passes_its_inputs_on() {
    let text = "define i32 @f(i32 %x) { call void asm sideeffect \"\", \"~{memory}\"() %r = call i32 asm \"\", \"=r,0\"(i32 %x) ret i32 %r }";
    assert_eq!(f(text), ["return (i32 %0)"]);
}

#[test]
fn a_trap_ends_its_block() {
    let text = "declare void @llvm.trap() define void @f() { call void @llvm.trap() unreachable }";
    assert_eq!(f(text), ["trap"]);
}

#[test]
fn weights_count_every_instruction_once() {
    let text = "define i32 @f(i1 %c, { i32, i32 } %s) {
        entry: %a = extractvalue { i32, i32 } %s, 0
               %b = freeze i32 %a
               br i1 %c, label %x, label %y
        x: br label %y
        y: %p = phi i32 [ %b, %entry ], [ 1, %x ]
           %q = add i32 %p, 1
           ret i32 %q }";
    assert_eq!(function(&lower(text), "f").weights, [3, 1, 2, 1]);
}

/// One call of each kind, with what it becomes.
#[test]
fn intrinsics_become_instructions() {
    let cases = [
        ("i32 @llvm.smax.i32(i32, i32)", "i32 %x, i32 5", "%1 = smax i32 %0, 5"),
        ("i32 @llvm.usub.sat.i32(i32, i32)", "i32 %x, i32 5", "%1 = usub.sat i32 %0, 5"),
        ("i32 @llvm.ctlz.i32(i32, i1)", "i32 %x, i1 true", "%1 = ctlz i32 %0"),
        ("i32 @llvm.bswap.i32(i32)", "i32 %x", "%1 = bswap i32 %0"),
        ("i32 @llvm.fshl.i32(i32, i32, i32)", "i32 %x, i32 1, i32 2", "%1 = fshl i32 %0, 1, 2"),
        ("i32 @llvm.expect.i32(i32, i32)", "i32 %x, i32 1", "return (i32 %0)"),
        ("i32 @llvm.abs.i32(i32, i1)", "i32 %x, i1 false", "%1 = abs i32 %0"),
        ("i32 @llvm.vector.reduce.add.v2i32(<2 x i32>)", "<2 x i32> <i32 1, i32 2>", "%1 = add i32 1, 2"),
        ("i32 @llvm.fptosi.sat.i32.f32(float)", "float 2.0", "%1 = fptosi.sat float 1073741824 to i32"),
    ];
    for (declaration, args, expected) in cases {
        let name = declaration.split(['@', '(']).nth(1).expect("a name");
        let text = format!(
            "declare {declaration}\ndefine i32 @f(i32 %x) {{ %r = call i32 @{name}({args}) ret i32 %r }}"
        );
        assert_eq!(f(&text)[0], expected, "{declaration}");
    }
}

#[test]
fn strict_floating_point_is_ordinary() {
    let text = "declare double @llvm.experimental.constrained.fadd.f64(double, double, metadata, metadata)
        declare i1 @llvm.experimental.constrained.fcmp.f64(double, double, metadata, metadata)
        define i1 @f(double %x) strictfp {
        %s = call double @llvm.experimental.constrained.fadd.f64(double %x, double %x, metadata !\"round.dynamic\", metadata !\"fpexcept.strict\") strictfp
        %c = call i1 @llvm.experimental.constrained.fcmp.f64(double %s, double %x, metadata !\"ult\", metadata !\"fpexcept.strict\") strictfp
        ret i1 %c }";
    assert_eq!(f(text)[..2], ["%1 = fadd double %0, %0", "%2 = fcmp.ult double %1, %0"]);
}

#[test]
fn memory_intrinsics_have_64_bit_lengths() {
    let text = "declare void @llvm.memcpy.p0.p0.i32(ptr, ptr, i32, i1) declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
        define void @f(ptr %p, ptr %q, i32 %n) {
        call void @llvm.memcpy.p0.p0.i32(ptr %p, ptr %q, i32 %n, i1 false)
        call void @llvm.memcpy.p0.p0.i32(ptr %p, ptr %q, i32 -1, i1 false)
        call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 9, i1 false)
        ret void }";
    assert_eq!(
        f(text)[..4],
        ["%3 = zext i32 %2 to i64", "memcpy %0, %1, %3", "memcpy %0, %1, 4294967295", "memset %0, 0, 9"]
    );
}

#[test]
fn overflow_of_vectors_gives_sums_then_flags() {
    let text = "declare { <2 x i8>, <2 x i1> } @llvm.uadd.with.overflow.v2i8(<2 x i8>, <2 x i8>)
        define i1 @f(<2 x i8> %a) {
        %r = call { <2 x i8>, <2 x i1> } @llvm.uadd.with.overflow.v2i8(<2 x i8> %a, <2 x i8> %a)
        %flags = extractvalue { <2 x i8>, <2 x i1> } %r, 1
        %e = extractelement <2 x i1> %flags, i32 1
        ret i1 %e }";
    let lines = f(text);
    assert_eq!(lines[1], "%4, %5 = uadd.overflow i8 %1, %1");
    assert_eq!(lines[2], "return (i1 %5)");
}

#[test]
fn atomics_are_ordinary() {
    let text = "define i32 @f(ptr %p) { %o = atomicrmw nand ptr %p, i32 3 seq_cst
        %c = cmpxchg ptr %p, i32 0, i32 1 seq_cst seq_cst
        %v = extractvalue { i32, i1 } %c, 0
        fence seq_cst
        ret i32 %v }";
    assert_eq!(f(text), ["%1 = atomic.nand i32 %0, 3", "%2, %3 = cmpxchg i32 %0, 0, 1", "return (i32 %2)"]);
}

#[test]
fn names_stand_in_for_missing_debug_information() {
    let text = "define void @f(i32 %count) { %room = alloca i32 store i32 %count, ptr %room call void @f(i32 1) ret void }";
    let options = rejoin_bitcode::Options {
        entry: "f".to_owned(),
        passes: rejoin_bitcode::Passes::None,
        ..rejoin_bitcode::Options::default()
    };
    let module = common::verified(common::load_text("names.ll", text, &options));
    let names: Vec<_> =
        function(&module, "f").debug_vars.iter().map(|v| module.texts[v.name.index()].as_str()).collect();
    assert_eq!(names, ["count", "room"]);
}
