//! Dependence through memory.

use rejoin_analysis::dependence::{Base, Cell, Extent, Sites, Variable, dependents};
use rejoin_ir::{BlockId, FuncId, GlobalId, Reg};

fn at(text: &str, block: u32, sites: Sites) -> Vec<Variable> {
    let module = rejoin_ir::text::parse(text).unwrap();
    rejoin_ir::verify::verify(&module).unwrap_or_else(|e| panic!("{}", e[0]));
    let f = FuncId(module.functions.iter().position(|f| !f.is_declaration()).unwrap() as u32);
    dependents(&module, f, sites, BlockId(block)).into_iter().map(|(v, _)| v).collect()
}

/// The variables that the only branch depends on at the head of a block.
fn on(text: &str, block: u32) -> Vec<Variable> {
    at(text, block, Sites::Branches)
}

fn reg(r: u32) -> Variable {
    Variable::Register(Reg(r))
}

fn bytes(r: u32, offset: i64, size: u32) -> Variable {
    Variable::Memory(Cell { base: Base::Pointer(Reg(r)), extent: Extent::Bytes { offset, size } })
}

fn whole(r: u32) -> Variable {
    Variable::Memory(Cell { base: Base::Pointer(Reg(r)), extent: Extent::Whole })
}

const LOCAL: &str = "func @f(i32 %0, i32 %1) slots 9 {
    b0: %2 = alloca size 4 align 4 count 1
        store i32 %0, %2
        jump b1
    b1: ; here
        jump b2
    b2: %3 = load i32 %2
        %4 = icmp.eq i32 %3, 0
        branch %4, b3, b4
    b3: return ()
    b4: return ()
}";

#[test]
fn a_value_is_followed_through_a_local() {
    assert_eq!(on(LOCAL, 2), [bytes(2, 0, 4)]);
    assert_eq!(on(LOCAL, 1), [bytes(2, 0, 4)]);
    assert_eq!(on(LOCAL, 0), [reg(0)]);
}

#[test]
fn a_covering_store_ends_the_dependence_on_the_old_content() {
    let killed = LOCAL.replace("; here", "\nstore i32 %1, %2");
    assert_eq!(on(&killed, 1), [reg(1)]);
    assert_eq!(on(&killed, 0), [reg(1)]);
}

#[test]
fn a_smaller_store_does_not() {
    let partial = LOCAL.replace("; here", "\nstore i8 7, %2");
    assert_eq!(on(&partial, 1), [bytes(2, 0, 4)]);
    let beside = LOCAL
        .replace("size 4 align 4", "size 8 align 4")
        .replace("; here", "\n%5 = ptradd %2, i64 4 scale 1\nstore i32 %1, %5");
    assert_eq!(on(&beside, 1), [bytes(2, 0, 4)]);
    let overlapping = LOCAL.replace("; here", "\n%5 = trunc i32 %1 to i8\nstore i8 %5, %2");
    assert_eq!(on(&overlapping, 1), [reg(1), bytes(2, 0, 4)]);
}

#[test]
fn a_store_on_one_path_only_does_not_kill() {
    let text = "func @f(ptr %0, i32 %1, i1 %2) slots 9 {
        b0: branch %2, b1, b2
        b1: store i32 %1, %0
            jump b2
        b2: %3 = load i32 %0
            %4 = icmp.eq i32 %3, 0
            branch %4, b3, b3
        b3: return ()
    }";
    assert_eq!(on(text, 1), [reg(0), reg(1)]);
    assert_eq!(on(text, 0), [reg(0), reg(1), reg(2), bytes(0, 0, 4)]);
}

#[test]
fn globals_are_variables_unless_they_are_constant() {
    let text = "func @f() slots 9 {
        b0: jump b1
        b1: %0 = load i32 @g+4
            %1 = icmp.eq i32 %0, 0
            branch %1, b2, b2
        b2: return ()
    }
    global @g size 8 align 4 init \"\"";
    let extent = Extent::Bytes { offset: 4, size: 4 };
    assert_eq!(on(text, 0), [Variable::Memory(Cell { base: Base::Global(GlobalId(0)), extent })]);
    assert_eq!(on(&text.replace("align 4 init", "align 4 constant init"), 0), []);
}

#[test]
fn fields_behind_pointer_arguments_are_found_by_their_offset() {
    let text = "func @f(ptr %0, i32 %1) slots 9 {
        b0: jump b1
        b1: %2 = ptradd %0, i64 3 scale 4
            %3 = load i32 %2
            %4 = icmp.eq i32 %3, %1
            branch %4, b2, b2
        b2: return ()
    }";
    assert_eq!(on(text, 0), [reg(0), reg(1), bytes(0, 12, 4)]);
}

#[test]
fn an_index_that_varies_means_the_whole_object() {
    let text = "func @f(ptr %0, i32 %1) slots 9 {
        b0: jump b1
        b1: %2 = ptradd %0, i32 %1 scale 4
            %3 = load i32 %2
            %4 = icmp.eq i32 %3, 0
            branch %4, b2, b2
        b2: return ()
    }";
    assert_eq!(on(text, 0), [reg(0), reg(1), whole(0)]);
}

#[test]
fn a_pointer_that_walks_means_the_whole_object() {
    let text = "func @f(ptr %0) slots 9 {
        b0: jump b1(%1 = i64 %0)
        b1: %2 = load i8 %1
            %3 = icmp.eq i8 %2, 0
            branch %3, b3, b2
        b2: %4 = ptradd %1, i64 1 scale 1
            jump b1(%1 = i64 %4)
        b3: return ()
    }";
    assert_eq!(on(text, 1), [reg(1), whole(1)]);
    assert_eq!(on(text, 0), [reg(0), whole(0)]);
}

#[test]
fn heap_objects_begin_at_their_allocation() {
    let text = "func @malloc(i64 %0) -> ptr
    func @f(i32 %0) slots 9 {
        b0: %1 = call @malloc(i64 8) -> ptr
            store i32 %0, %1
            jump b1
        b1: %2 = load i32 %1
            %3 = icmp.eq i32 %2, 0
            branch %3, b2, b2
        b2: return ()
    }";
    assert_eq!(on(text, 1), [reg(1), bytes(1, 0, 4)]);
    assert_eq!(on(text, 0), [reg(0)]);
}

#[test]
fn block_copies_carry_pieces_at_their_offsets() {
    let text = "func @f(ptr %0) slots 9 {
        b0: %1 = alloca size 16 align 8 count 1
            jump b1
        b1: %2 = ptradd %0, i64 8 scale 1
            memcpy %1, %2, 16
            %3 = ptradd %1, i64 4 scale 1
            %4 = load i32 %3
            %5 = icmp.eq i32 %4, 0
            branch %5, b2, b2
        b2: return ()
    }";
    assert_eq!(on(text, 1), [reg(0), bytes(0, 12, 4)]);
    assert_eq!(on(&text.replace("memcpy %1, %2, 16", "memset %1, 0, 16"), 1), []);
}

#[test]
fn a_choice_of_pointers_leads_to_both_objects() {
    let text = "func @f(ptr %0, ptr %1, i1 %2) slots 9 {
        b0: jump b1
        b1: %3 = select i64 %2, %0, %1
            %4 = load i32 %3
            %5 = icmp.eq i32 %4, 0
            branch %5, b2, b2
        b2: return ()
    }";
    assert_eq!(on(text, 0), [reg(0), reg(1), reg(2), bytes(0, 0, 4), bytes(1, 0, 4)]);
}

#[test]
fn addresses_divisors_and_shifts_are_sites_too_if_they_can_vary() {
    let body = |inst: &str| {
        format!(
            "func @f(ptr %0, i32 %1) slots 9 {{ b0: jump b1 b1: %2 = alloca size 4 align 4 count 1 {inst} return () }}"
        )
    };
    let all = |inst: &str| at(&body(inst), 0, Sites::All);
    assert_eq!(all("%3 = load i32 %0"), [reg(0)]);
    assert_eq!(all("store i32 %1, %0"), [reg(0)]);
    assert_eq!(all("store i32 %1, %2"), []);
    assert_eq!(all("%3 = udiv i32 7, %1"), [reg(1)]);
    assert_eq!(all("%3 = udiv i32 %1, 7"), []);
    assert_eq!(all("%3 = shl i32 7, %1"), [reg(1)]);
    assert_eq!(all("%3 = add i32 7, %1"), []);
    assert_eq!(all("memset %0, 0, 8"), [reg(0)]);
    assert_eq!(all("call *%0()"), [reg(0)]);
    assert_eq!(at(&body("%3 = load i32 %0 %4 = udiv i32 %3, %1"), 0, Sites::Branches), []);
}

/// `g->pos` for a global `g`, and `p->next->pos` for an argument.
#[test]
fn fields_behind_a_stored_pointer_are_followed() {
    let text = "func @f(ptr %0, i32 %1) slots 9 {
        b0: jump b1
        b1: %2 = ptradd %0, i64 8 scale 1
            %3 = load i64 %2
            %4 = ptradd %3, i64 4 scale 1
            %5 = load i32 %4
            %6 = icmp.eq i32 %5, 0
            branch %6, b2, b2
        b2: return ()
    }
    global @g size 8 align 8 init \"\"";
    let extent = Extent::Bytes { offset: 4, size: 4 };
    let field = |base| Variable::Memory(Cell { base, extent });
    assert_eq!(on(text, 0), [reg(0), bytes(0, 8, 8), field(Base::StoredPointer(Reg(0), 8))]);
    let global = text.replace("load i64 %2", "load i64 @g");
    let pointer = Variable::Memory(Cell {
        base: Base::Global(GlobalId(0)),
        extent: Extent::Bytes { offset: 0, size: 8 },
    });
    assert_eq!(on(&global, 0), [pointer, field(Base::GlobalPointer(GlobalId(0), 0))]);
    let set = global.replace("jump b1", "store i64 %0, @g jump b1");
    assert_eq!(on(&set, 0), [reg(0), bytes(0, 4, 4)]);
    let written =
        global.replace("jump b1", "%7 = load i64 @g %8 = ptradd %7, i64 4 scale 1 store i32 %1, %8 jump b1");
    assert_eq!(on(&written, 0), [reg(1), pointer]);
}

/// `while (p) { if (p->x) … p = p->next; }`
#[test]
fn a_list_is_followed_one_step_far() {
    let text = "func @f(ptr %0) slots 9 {
        b0: jump b1(%1 = i64 %0)
        b1: %2 = icmp.ne i64 %1, 0
            branch %2, b2, b4
        b2: %3 = load i32 %1
            %4 = icmp.eq i32 %3, 0
            branch %4, b3, b3
        b3: %5 = ptradd %1, i64 8 scale 1
            %6 = load i64 %5
            jump b1(%1 = i64 %6)
        b4: return ()
    }";
    let found = on(text, 0);
    let next = Variable::Memory(Cell {
        base: Base::StoredPointer(Reg(0), 8),
        extent: Extent::Bytes { offset: 0, size: 4 },
    });
    assert!([reg(0), bytes(0, 0, 4), bytes(0, 8, 8), next].iter().all(|v| found.contains(v)), "{found:?}");
}

/// `while (*g) g++;` with the pointer in a global: the cells behind it rename each other.
#[test]
fn a_pointer_that_walks_in_memory_means_the_whole_object() {
    let text = "func @f() slots 9 {
        b0: jump b1
        b1: %0 = load i64 @g
            %1 = load i8 %0
            %2 = icmp.eq i8 %1, 0
            branch %2, b3, b2
        b2: %3 = load i64 @g
            %4 = ptradd %3, i64 1 scale 1
            store i64 %4, @g
            jump b1
        b3: return ()
    }
    global @g size 8 align 8 init \"\"";
    let base = Base::GlobalPointer(GlobalId(0), 0);
    let pointer = Cell { base: Base::Global(GlobalId(0)), extent: Extent::Bytes { offset: 0, size: 8 } };
    let first = Cell { base, extent: Extent::Bytes { offset: 0, size: 1 } };
    let rest = Cell { base, extent: Extent::Whole };
    assert_eq!(on(text, 0), [pointer, first, rest].map(Variable::Memory));
}
