//! The forms that byte programs lead to.

use rejoin_expr::{Pool, Term};

fn byte(p: &mut Pool, name: &str) -> Term {
    p.var(8, name)
}

/// `b0 | b1 << 8 | …` on 32-bit words, as a C program assembles them.
fn assemble(p: &mut Pool, bytes: &[Term], add: bool) -> Term {
    let mut word = p.constant(32, 0);
    for (i, &b) in bytes.iter().enumerate() {
        let wide = p.zext(b, 32);
        let by = p.constant(32, 8 * i as u128);
        let placed = p.shl(wide, by);
        word = if add { p.add(word, placed) } else { p.or(word, placed) };
    }
    word
}

#[test]
fn words_assembled_from_bytes_are_concatenations() {
    let mut p = Pool::new();
    let bytes = ["a", "b", "c", "d"].map(|name| byte(&mut p, name));
    let by_or = assemble(&mut p, &bytes, false);
    let by_add = assemble(&mut p, &bytes, true);
    assert_eq!(p.display(by_or).to_string(), "d . (c . (b . a))");
    assert_eq!(by_or, by_add);
    for (i, &b) in bytes.iter().enumerate() {
        assert_eq!(p.extract(by_or, 8 * i as u32, 8), b);
    }
    let magic = p.constant(32, 0x464c_457f);
    let is_elf = p.eq(by_or, magic);
    let [k0, k1, k2, k3] = [0x7f, 0x45, 0x4c, 0x46].map(|k| p.constant(8, k));
    let expected = [(bytes[3], k3), (bytes[2], k2), (bytes[1], k1), (bytes[0], k0)].map(|(b, k)| p.eq(b, k));
    let lower = p.and(expected[2], expected[3]);
    let middle = p.and(expected[1], lower);
    assert_eq!(is_elf, p.and(expected[0], middle));
}

#[test]
fn bytes_of_a_word_join_to_the_word() {
    let mut p = Pool::new();
    let word = p.var(64, "w");
    let bytes: Vec<Term> = (0..8).map(|i| p.extract(word, 8 * i, 8)).collect();
    let again = bytes.iter().skip(1).fold(bytes[0], |low, &b| p.concat(b, low));
    assert_eq!(again, word);
    let left = bytes.iter().rev().skip(1).fold(bytes[7], |high, &b| p.concat(high, b));
    assert_eq!(left, word);
}

#[test]
fn comparisons_of_promoted_characters_are_on_the_character() {
    let mut p = Pool::new();
    let c = byte(&mut p, "c");
    let wide = p.sext(c, 32);
    let k = p.constant(32, u128::from(b'z'));
    let above = p.sgt(wide, k);
    assert_eq!(p.display(above).to_string(), "'{' <=s c");
    let equal = p.eq(wide, k);
    assert_eq!(p.display(equal).to_string(), "c == 'z'");
    let minus_one = p.constant(32, u128::MAX);
    let eof = p.eq(wide, minus_one);
    assert_eq!(p.display(eof).to_string(), "c == 255");
    let far = p.constant(32, 1000);
    let always = p.slt(wide, far);
    assert!(p.is_true(always));
}

#[test]
fn narrow_arithmetic_is_done_narrow() {
    let mut p = Pool::new();
    let c = byte(&mut p, "c");
    let wide = p.sext(c, 32);
    let one = p.constant(32, 1);
    let sum = p.add(wide, one);
    let back = p.extract(sum, 0, 8);
    assert_eq!(p.display(back).to_string(), "c + 1");
}

#[test]
fn pointer_differences_cancel() {
    let mut p = Pool::new();
    let i = p.var(64, "i");
    let base = p.constant(64, 0x1_0000_0000);
    let address = p.add(base, i);
    assert_eq!(p.sub(address, base), i);
    let j = p.var(64, "j");
    let other = p.add(base, j);
    let difference = p.sub(address, other);
    assert_eq!(difference, p.sub(i, j));
    let same = p.eq(address, other);
    assert_eq!(same, p.eq(i, j));
    let [four, one] = [4, 1].map(|k| p.constant(64, k));
    let next = p.add(i, one);
    let (here, there) = (p.mul(i, four), p.mul(next, four));
    assert_eq!(p.sub(there, here), four);
}

#[test]
fn merged_constants_are_compared_arm_by_arm() {
    let mut p = Pool::new();
    let (c, d) = (p.var(1, "c"), p.var(1, "d"));
    let [one, two, three] = [1, 2, 3].map(|k| p.constant(32, k));
    let inner = p.ite(d, two, three);
    let merged = p.ite(c, one, inner);
    let is_two = p.eq(merged, two);
    let not_c = p.not(c);
    assert_eq!(is_two, p.and(not_c, d));
    let small = p.slt(merged, two);
    assert_eq!(small, c);
    let next = p.add(merged, one);
    let four = p.constant(32, 4);
    let below = p.ult(four, next);
    assert!(p.is_false(below));
}

#[test]
fn long_store_chains_are_read_through() {
    let mut p = Pool::new();
    let b = byte(&mut p, "b");
    let mut array = p.const_array(&[7; 4]);
    for i in 4..5_000 {
        let index = p.constant(32, i);
        array = p.store(array, index, b);
    }
    let zero = p.constant(32, 0);
    let read = p.select(array, zero);
    assert_eq!(p.as_const(read), Some(7));
}

#[test]
fn long_chains_of_choices_do_not_overflow_the_stack() {
    let mut p = Pool::new();
    let n = p.var(32, "n");
    let mut merged = n;
    for i in 0..20_000 {
        let k = p.constant(32, i);
        let c = p.ult(n, k);
        merged = p.ite(c, k, merged);
    }
    let k = p.constant(32, 5);
    let equal = p.eq(merged, k);
    let low = p.extract(merged, 0, 8);
    let sum = p.add(merged, k);
    assert!(p.width(equal) == 1 && p.width(low) == 8 && p.width(sum) == 32);
}

#[test]
fn bytes_deep_in_a_wide_concatenation_are_found() {
    let mut p = Pool::new();
    let bytes: Vec<Term> = (0..500).map(|i| p.var(8, &i.to_string())).collect();
    let wide = bytes.iter().skip(1).fold(bytes[0], |low, &b| p.concat(b, low));
    for (i, &b) in bytes.iter().enumerate() {
        assert_eq!(p.extract(wide, 8 * i as u32, 8), b);
    }
}
