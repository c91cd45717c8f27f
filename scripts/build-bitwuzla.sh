#!/usr/bin/env bash
# Builds the SMT solver Bitwuzla as static libraries into $DEPS/bitwuzla.
#
# The source comes from the crate bitwuzla-sys, which carries all of it; its own
# vendored build is not used because it downloads its dependencies from places
# that are not package registries. CaDiCaL, SymFPU and GMP are Debian's.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

VERSION=0.8.0
# Of the crate file, as cargo records and checks it.
CHECKSUM=ff63cfc9ecd7406fbe2c008bd51091562e88c7b845b29df99679adb4a0e8bad2

fetch_crate() { # DIRECTORY: leaves the crate's content in DIRECTORY/vendor/bitwuzla-sys
    mkdir -p "$1"
    # A package of its own, cut off from any workspace above it.
    cat >"$1/Cargo.toml" <<-EOF
	[package]
	name = "fetch"
	version = "0.0.0"
	edition = "2021"
	[lib]
	path = "lib.rs"
	[dependencies]
	bitwuzla-sys = { version = "=$VERSION", default-features = false }
	[workspace]
	EOF
    : >"$1/lib.rs"
    (cd "$1" && cargo vendor --quiet vendor)
    grep -q "checksum = \"$CHECKSUM\"" "$1/Cargo.lock" || {
        echo "bitwuzla-sys $VERSION does not have the expected checksum $CHECKSUM"
        return 1
    }
}

build() { # WORK OUT
    local work=$1 out=$2 src=$1/src
    need_tool cargo meson ninja c++ pkg-config
    fetch_crate "$work/crate"
    mv "$work/crate/vendor/bitwuzla-sys/bitwuzla" "$src"

    # Debian 12 has GMP 6.2.1, which has all that is used.
    sed -i "s/version: '>=6.3'/version: '>=6.1'/" "$src/src/meson.build"
    # Meson fails when git is absent, and $DEPS may lie inside somebody's work tree.
    sed -i "s/run_command('git', [^)]*)/run_command('false', check: false)/" "$src/src/meson.build"
    sed -i "s/^cmd = \['git', '-C', args.path, 'rev-parse', '--abbrev-ref', 'HEAD'\]/cmd = ['false']/" "$src/src/get_git_id.py"
    # Debian's SymFPU is BSD-licensed (upstream's newest is not), but it has no
    # meson file: put its headers where the wrap would have unpacked them.
    cp -r "$src/subprojects/packagefiles/symfpu" "$src/subprojects/symfpu"
    cp -r /usr/include/symfpu/core /usr/include/symfpu/utils "$src/subprojects/symfpu/"

    env -u CFLAGS -u CXXFLAGS -u LDFLAGS CC=cc CXX=c++ \
        meson setup --wrap-mode=nodownload -Dbuildtype=release -Ddefault_library=static \
        -Dpython=false -Dtesting=disabled -Dunit_testing=disabled "$work/ninja" "$src"
    # Only the libraries: the program would link GMP statically, which its
    # licence makes awkward, and nothing here runs it.
    local libs=(src/libbitwuzla.a src/lib/libbitwuzlabb.a src/lib/libbitwuzlals.a src/lib/libbitwuzlabv.a)
    ninja -C "$work/ninja" -j "$JOBS" "${libs[@]}"

    mkdir -p "$out/include" "$out/lib"
    cp -r "$src/include/bitwuzla" "$out/include/"
    local lib
    for lib in "${libs[@]}"; do
        cp "$work/ninja/$lib" "$out/lib/"
        # A thin archive only points into the build directory, which goes away.
        ! head -c 7 "$work/ninja/$lib" | grep -q '!<thin>' || { echo "$lib is a thin archive"; return 1; }
    done
    # Beside the others, so that one search path is enough to link statically.
    # GMP is deliberately not here: it is LGPL and has to stay a shared library.
    cp "$(c++ -print-file-name=libcadical.a)" "$out/lib/"
    mkdir -p "$out/share/doc"
    cp "$src/COPYING" "$out/share/doc/COPYING.bitwuzla"
    cp /usr/share/doc/libcadical-dev/copyright "$out/share/doc/copyright.cadical"
    cp /usr/share/doc/libsymfpu-dev/copyright "$out/share/doc/copyright.symfpu"

    c++ -O1 -x c "$SCRIPTS/test/bitwuzla.c" -x none -I"$out/include" -L"$out/lib" \
        -lbitwuzla -lbitwuzlabb -lbitwuzlals -lbitwuzlabv -lcadical -lgmp -o "$work/test"
    "$work/test"
}

component bitwuzla "$VERSION $(recipe_hash scripts/build-bitwuzla.sh)" build
