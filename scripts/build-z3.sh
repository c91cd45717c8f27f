#!/usr/bin/env bash
# Puts the SMT solver Z3 (shared library and headers) into $DEPS/z3.
#
# It comes from the Python wheel z3-solver: Debian's own Z3 is years older and
# several times slower, and a build from source takes a newer C++ compiler and
# far longer. No Python is needed to use the result.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

VERSION=5.4.0.0
CHECKSUM=0549ffad554178a59480ba41b5279cfbb27053ed5a2da269ae1a48214d5db34b # manylinux, x86_64

build() { # WORK OUT
    local work=$1 out=$2 python soname
    need_tool unzip cc
    # A python3 from elsewhere in PATH may lack pip although Debian's has it.
    for python in python3 /usr/bin/python3; do
        ! "$python" -m pip --version || break
    done
    echo "z3-solver==$VERSION --hash=sha256:$CHECKSUM" >"$work/requirements.txt"
    "$python" -m pip download --no-deps --only-binary=:all: --require-hashes \
        -r "$work/requirements.txt" -d "$work"
    unzip -q "$work"/z3_solver-*.whl 'z3/include/*' 'z3/lib/*' '*.dist-info/METADATA' -d "$work/wheel"

    mkdir -p "$out/include" "$out/lib/pkgconfig" "$out/share/doc"
    cp "$work"/wheel/z3/include/*.h "$out/include/"
    # The wheel has the library twice, because wheels cannot hold links.
    soname=$(readelf -d "$work/wheel/z3/lib/libz3.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
    cp "$work/wheel/z3/lib/libz3.so" "$out/lib/$soname"
    ln -s "$soname" "$out/lib/libz3.so"
    # llvm-dev pulls in Debian's libz3-dev, so `-lz3` finds the old library as
    # soon as the order of search paths is wrong, and nothing fails until an
    # enum differs. A name of its own cannot be confused.
    ln -s "$soname" "$out/lib/librejoin_z3.so"
    cp "$work"/wheel/*.dist-info/METADATA "$out/share/doc/METADATA.z3"
    # For crates that look for z3 through pkg-config.
    cat >"$out/lib/pkgconfig/z3.pc" <<-'EOF'
	prefix=${pcfiledir}/../..
	Name: z3
	Description: the SMT solver Z3
	EOF
    cat >>"$out/lib/pkgconfig/z3.pc" <<-EOF
	Version: ${VERSION%.*}
	Libs: -L\${prefix}/lib -lz3
	Cflags: -I\${prefix}/include
	EOF

    cc -O1 "$SCRIPTS/test/z3.c" -I"$out/include" -L"$out/lib" -Wl,-rpath,"$out/lib" -lrejoin_z3 -o "$work/test"
    "$work/test"
    # The engine is linked with libLLVM, which loads Debian's Z3 for itself; the
    # two must not get in each other's way.
    cc -O1 -DWITH_LLVM "$SCRIPTS/test/z3.c" -I"$out/include" -I"$(llvm-config-$LLVM --includedir)" \
        -L"$(llvm-config-$LLVM --libdir)" -lLLVM-$LLVM -L"$out/lib" -Wl,-rpath,"$out/lib" -lrejoin_z3 -o "$work/test-llvm"
    "$work/test-llvm"
}

component z3 "$VERSION $(recipe_hash scripts/build-z3.sh)" build
