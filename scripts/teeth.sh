#!/usr/bin/env bash
# Builds an engine with faults and checks that the oracle catches each.
#
#   scripts/teeth.sh                                  the programs of crates/oracle/teeth.txt
#   scripts/teeth.sh --find NAME,NAME --modes dfs     looks for programs that reveal new faults
set -euo pipefail
cd "$(dirname "$0")/.."

# In the same target directory, so that only what can be faulty is built again; cargo keeps both.
cargo build --release -q -p rejoin-cli --features faults
cp target/release/rejoin target/release/rejoin-faults
cargo build --release -q -p rejoin-cli -p rejoin-oracle
target/release/rejoin-oracle teeth --rejoin target/release/rejoin-faults --count 300 --time 120 "$@"
