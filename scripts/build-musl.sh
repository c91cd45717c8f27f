#!/usr/bin/env bash
# Builds the C library musl twice from Debian's source package:
#
#   $DEPS/musl/libc.bc        all of it as one bitcode module for the engine; every
#                             system call goes through rejoin_syscall
#   $DEPS/musl/lib/           as machine code (libc.a, crt1.o, ...), to run the same
#                             program natively against the same library
#   $DEPS/musl/include/       the headers of both
#   $DEPS/musl/undefined.txt  what libc.bc leaves to the engine or the program
#
# runtime/musl/ holds the files that are laid over musl's source for the bitcode.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

VERSION=1.2.3
CLANG=clang-$LLVM

# The one thing that must not happen to the bitcode is that a branch becomes a
# select: the engine would see a merged value where the program has two paths.
# Hence -O0 (without the attribute that forbids any later pass) and only a pass
# that turns local variables into values and leaves the control flow alone.
# simplifycfg, even with no-speculate-blocks, would make 129 selects more.
BC_FLAGS=(
    -emit-llvm -O0 -Xclang -disable-O0-optnone -gline-tables-only
    # Reports then say musl-1.2.3/src/..., wherever it was built.
    -fdebug-compilation-dir="musl-$VERSION"
    # a*b+c is two operations, and no helper functions for complex products.
    -ffp-contract=off -fcx-limited-range
    -fno-stack-protector -fno-unwind-tables -fno-asynchronous-unwind-tables
    # The engine's allocator is the only one, so musl's private names for its own
    # are the public functions.
    -D__libc_malloc=malloc -D__libc_calloc=calloc -D__libc_realloc=realloc -D__libc_free=free
    -w
)
PASSES='function(sroa<preserve-cfg>)'

# What libc.bc may leave undefined. Anything else means that an overlay file or a
# builtin is missing, and would only show as a failed run much later.
EXPECTED='main rejoin_syscall
malloc calloc realloc free aligned_alloc memalign posix_memalign malloc_usable_size
setjmp longjmp
_DYNAMIC __init_array_start __init_array_end __fini_array_start __fini_array_end'

bitcode_tree() { # TREE: lays the overlay over musl's source
    (
        cd "$1"
        cp -r arch/x86_64 arch/rejoin
        cp -r "$ROOT"/runtime/musl/{arch,src} .
        # The engine's own: allocation and non-local jumps. The dynamic linker has
        # nothing to do.
        rm -r ldso src/malloc/{mallocng,oldmalloc}
        rm src/malloc/{calloc,free,libc_calloc,lite_malloc,memalign,posix_memalign,realloc}.c
        rm src/setjmp/{setjmp,longjmp}.c src/signal/{sigsetjmp,sigsetjmp_tail,siglongjmp}.c
        # Private declarations of what are now the public functions.
        sed -i -E '/^hidden void .*__libc_(malloc|malloc_impl|calloc|realloc|free)\(/d' src/include/stdlib.h
        # A barrier against an optimiser that is not used here.
        sed -i '/__asm__ ( "" /d' src/env/__libc_start_main.c
        # Otherwise each operation becomes a call of a constrained intrinsic. The
        # engine has one rounding mode and no exception flags.
        grep -rlZ FENV_ACCESS src | xargs -0 sed -i '/#pragma STDC FENV_ACCESS/d'
        cat >config.mak <<-EOF
	ARCH = rejoin
	CC = $CLANG
	CFLAGS_AUTO = ${BC_FLAGS[*]}
	EOF
    )
}

count() { # OPCODE FILE: how many instructions of that kind
    llvm-dis-$LLVM "$2" -o - | grep -cE "^  (%[^ ]* = )?$1 " || true
}

build_bitcode() { # WORK OUT
    local tree=$1/bitcode kind before after
    cp -r "$1/src" "$tree"
    bitcode_tree "$tree"
    make -C "$tree" -j "$JOBS" --quiet bitcode
    find "$tree/obj" -name '*.o' | LC_ALL=C sort >"$1/objects"
    llvm-link-$LLVM -o "$1/linked.bc" @"$1/objects"
    opt-$LLVM -passes="$PASSES" "$1/linked.bc" -o "$2/libc.bc"

    # Some selects are there from the start: clang itself makes one of x ? 1 : 2.
    for kind in select 'br i1'; do
        before=$(count "$kind" "$1/linked.bc") after=$(count "$kind" "$2/libc.bc")
        echo "$kind: $before before the passes, $after after"
        ((after == before)) || { echo "the passes change the control flow"; return 1; }
    done
    if llvm-dis-$LLVM "$2/libc.bc" -o - | grep -E 'call .* asm |^module asm|constrained'; then
        echo "inline assembly or constrained floating point is left (above)"
        return 1
    fi
    llvm-nm-$LLVM --undefined-only --format=posix "$2/libc.bc" |
        awk '{ print $1 }' | grep -v '^llvm\.' | LC_ALL=C sort -u >"$2/undefined.txt"
    tr ' ' '\n' <<<"$EXPECTED" | LC_ALL=C sort -u >"$1/expected"
    if LC_ALL=C comm -23 "$2/undefined.txt" "$1/expected" | grep .; then
        echo "libc.bc leaves these undefined (above), which nothing provides"
        return 1
    fi
}

build_native() { # WORK OUT
    cp -r "$1/src" "$1/native"
    (
        cd "$1/native"
        # The caller's flags must not leak in: the result is shared by all checkouts.
        env -u CFLAGS -u CPPFLAGS -u LDFLAGS CC=$CLANG ./configure --target=x86_64-linux-musl \
            --disable-shared --disable-wrapper --prefix="$2" --enable-debug CROSS_COMPILE= \
            AR=llvm-ar-$LLVM RANLIB=llvm-ranlib-$LLVM CFLAGS="-fdebug-compilation-dir=musl-$VERSION"
        make -j "$JOBS" --quiet
        make --quiet install-libs install-headers
    )
}

build() { # WORK OUT
    local work=$1 out=$2
    need_tool $CLANG opt-$LLVM llvm-link-$LLVM llvm-nm-$LLVM llvm-dis-$LLVM make
    fetch_source musl "$work/src"
    [[ $(<"$work/src/VERSION") == "$VERSION" ]] || { echo "this is musl $(<"$work/src/VERSION"), not $VERSION"; return 1; }
    build_bitcode "$work" "$out"
    build_native "$work" "$out"
    mkdir -p "$out/share/doc"
    cp "$work/src/COPYRIGHT" "$out/share/doc/COPYRIGHT.musl"
    check "$work" "$out"
}

# Runs one program on glibc, on the native musl, and on the bitcode behind a shim
# that makes real system calls. All three have to print the same.
check() { # WORK OUT
    local work=$1 out=$2 test=$SCRIPTS/test resource
    resource=$($CLANG -print-resource-dir)
    local headers=(-nostdinc -isystem "$out/include" -isystem "$resource/include")
    $CLANG "$test/musl.c" -o "$work/on-glibc" -lm
    $CLANG "${headers[@]}" -c "$test/musl.c" -o "$work/musl.o"
    $CLANG -fuse-ld=lld-$LLVM -static -nostdlib "$out/lib/crt1.o" "$out/lib/crti.o" "$work/musl.o" \
        "$out/lib/libc.a" "$out/lib/crtn.o" -o "$work/on-native"
    # Builtins would bypass the functions that are to be tested.
    $CLANG "${headers[@]}" -fno-builtin -emit-llvm -c "$test/musl.c" -o "$work/musl.bc"
    $CLANG "${headers[@]}" -emit-llvm -ffreestanding -c "$test/musl-shim.c" -o "$work/shim.bc"
    llvm-link-$LLVM "$work/musl.bc" "$work/shim.bc" "$out/libc.bc" -o "$work/whole.bc"
    # Only what the program reaches, or generating code would take most of the time.
    opt-$LLVM -passes='internalize<preserve-gv=_start;preserve-gv=memcpy;preserve-gv=memmove;preserve-gv=memset>,globaldce' \
        "$work/whole.bc" -o "$work/reached.bc"
    $CLANG -O0 -w -fuse-ld=lld-$LLVM -static -nostdlib "$work/reached.bc" -o "$work/on-bitcode"
    local kind
    for kind in glibc native bitcode; do
        "$work/on-$kind" one 'two words' <<<"12 abc 3.5" >"$work/$kind.txt"
    done
    cat "$work/glibc.txt"
    diff "$work/glibc.txt" "$work/native.txt"
    diff "$work/glibc.txt" "$work/bitcode.txt"
}

component musl "$VERSION $(recipe_hash scripts/build-musl.sh runtime/musl/arch runtime/musl/src)" build
