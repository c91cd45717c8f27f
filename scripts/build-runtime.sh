#!/usr/bin/env bash
# Builds what programs need besides musl, from runtime/compat:
#
#   $DEPS/runtime/compat.bc     names that bitcode compiled against glibc's headers, or by clang
#                               for complex numbers and C++, expects of its libraries
#   $DEPS/runtime/lib/          what `rejoin cc` links: what clang expects of them as machine code, with
#                               the replay runtime (librejoin.a), and clang's own helpers (libbuiltins.a)
#   $DEPS/runtime/include/      the harness headers
#   $DEPS/runtime/kernel/       links to the Linux headers of this machine, without its C library's
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

VERSION=1
CLANG=clang-$LLVM

build() { # WORK OUT
    local work=$1 out=$2 source name objects=()
    need_tool $CLANG llvm-link-$LLVM llvm-ar-$LLVM
    [[ -d $DEPS/musl/include ]] || { echo "musl is missing: run scripts/build-musl.sh first"; return 1; }
    local flags=(--target=x86_64-linux-musl -nostdlibinc -isystem "$DEPS/musl/include" -I "$ROOT/runtime/include"
        -O0 -Xclang -disable-O0-optnone -gline-tables-only -fno-builtin
        # Reports then say rejoin/runtime/..., wherever it was built.
        -ffile-prefix-map="$ROOT=rejoin" -fdebug-compilation-dir=.
        -ffp-contract=off -fno-stack-protector -Wall -Werror -Wno-unused-parameter)
    mkdir -p "$out/lib" "$out/kernel"
    for source in "$ROOT"/runtime/compat/*.c; do
        name=$(basename "$source" .c)
        # No glibc names in executables: a configure script would find functions that musl's headers
        # do not declare.
        case $name in complex | cxx | new)
            $CLANG "${flags[@]}" -c "$source" -o "$work/$name.o"
            objects+=("$work/$name.o")
            ;;
        esac
        # The engine's own: the heap.
        [[ $name == new ]] || $CLANG "${flags[@]}" -emit-llvm -c "$source" -o "$work/$name.bc"
    done
    $CLANG "${flags[@]}" -c "$ROOT/runtime/replay/replay.c" -o "$work/replay.o"
    llvm-link-$LLVM "$work"/*.bc -o "$out/compat.bc"
    local defined=(llvm-nm-$LLVM --defined-only --extern-only --format=posix)
    if comm -12 <("${defined[@]}" "$out/compat.bc" | cut -d' ' -f1 | LC_ALL=C sort) \
        <("${defined[@]}" "$DEPS/musl/libc.bc" | cut -d' ' -f1 | LC_ALL=C sort) | grep .; then
        echo "musl has these itself (above)"
        return 1
    fi
    llvm-ar-$LLVM rcs "$out/lib/librejoin.a" "${objects[@]}" "$work/replay.o"
    cp "$($CLANG --rtlib=compiler-rt -print-libgcc-file-name)" "$out/lib/libbuiltins.a"
    cp -r "$ROOT/runtime/include" "$out/include"
    for name in /usr/include/{linux,asm-generic,mtd} "/usr/include/$(uname -m)-linux-gnu/asm"; do
        [[ ! -d $name ]] || ln -s "$name" "$out/kernel/$(basename "$name")"
    done
}

component runtime "$VERSION $(recipe_hash scripts/build-runtime.sh runtime/compat runtime/replay runtime/include)" build
