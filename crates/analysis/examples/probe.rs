//! probe
use rejoin_analysis::qce::*;
use rejoin_bitcode::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let libc = (a[2] == "libc").then(|| LibcDir {
        bitcode: "/root/.cache/rejoin/musl/libc.bc".into(),
        include: "/root/.cache/rejoin/musl/include".into(),
    });
    let m = load(&Options {
        inputs: vec![a[1].clone().into()],
        libc,
        include_dirs: vec!["/work/main/runtime/include".into()],
        ..Options::default()
    })
    .unwrap();
    let blocks: usize = m.functions.iter().map(|f| f.blocks.len()).sum();
    eprintln!("{} functions, {} blocks", m.functions.len(), blocks);
    let t = std::time::Instant::now();
    let q = Qce::new(&m, Params::default());
    eprintln!("qce {:?}", t.elapsed());
    let (mut n, mut v, mut mx, mut hot) = (0, 0, 0, 0);
    for f in 0..m.functions.len() as u32 {
        for (_, c) in q.function(rejoin_ir::FuncId(f)).iter() {
            n += 1;
            v += c.q_add.len();
            mx = mx.max(c.q_add.len());
            hot += c.q_add.iter().filter(|x| q.params().is_hot(x.1, c.q_t)).count();
        }
    }
    eprintln!("{n} locations, {v} vars, max {mx}, hot {hot}");
    for name in &a[3..] {
        let f = m.function(name).unwrap();
        print!(
            "{}",
            rejoin_analysis::report::Table {
                module: &m,
                lines: &rejoin_analysis::report::function_lines(&m, &q, f)
            }
        );
    }
}
