#!/usr/bin/env bash
# All tests: the crates' own, then the engine against native execution.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo test --workspace --release
cargo build --release -p rejoin-cli -p rejoin-oracle

rejoin=target/release/rejoin
keep=target/test-keep
rm -rf "$keep"
echo "== the oracle: generated programs on all inputs, natively and symbolically"
target/release/rejoin-oracle run --count 50 --seed 1 --max-paths 60 --time 600 \
  --modes dfs,random-path,round-robin,no-passes,z3,validate,ssm-qce,dsm-qce,loops,summaries \
  --rejoin "$rejoin" --keep "$keep/oracle"
target/release/rejoin-oracle run --count 15 --seed 1 --max-paths 60 --time 600 --features all,buffers \
  --modes dfs,eager-sizes,loops,pattern,pattern-procedure --rejoin "$rejoin" --keep "$keep/buffers"
# Taking a merge back once lost inputs of the programs 46, 50 and 56.
target/release/rejoin-oracle run --count 11 --seed 46 --max-paths 60 --time 600 --features all,buffers \
  --modes loops-undo,pattern-undo,pattern-rivals --rejoin "$rejoin" --keep "$keep/undo"
target/release/rejoin-oracle run --count 15 --seed 1 --max-paths 60 --time 600 --features all,chosen \
  --modes dfs,ssm-qce,dsm-qce,summaries --rejoin "$rejoin" --keep "$keep/chosen"
# One instruction of program 3088 once took minutes under value summaries.
target/release/rejoin-oracle run --count 1 --seed 3088 --max-paths 60 --time 120 --features all,chosen \
  --modes summaries --rejoin "$rejoin" --keep "$keep/steps"
target/release/rejoin-oracle run --count 10 --seed 1 --max-paths 30 --time 600 --features all,world \
  --modes dfs,ssm-qce,dsm-qce,loops,pattern,summaries --rejoin "$rejoin" --keep "$keep/world"
echo "== the oracle has teeth: every planted fault is noticed"
scripts/teeth.sh
echo "== csmith: random programs print the same checksum"
target/release/rejoin-oracle csmith --count 100 --seed 1 --rejoin "$rejoin" --keep "$keep/csmith"

# Building these takes longer than all tests; where somebody did, a tenth of their command lines runs.
programs=${REJOIN_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/rejoin}/bench
if [[ -x $programs/coreutils/src/echo && -x $programs/busybox/busybox ]]; then
  echo "== real programs: output and exit code as natively"
  python3 bench/differential.py --every 10 --rejoin "$rejoin"
fi
