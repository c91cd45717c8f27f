#!/usr/bin/env bash
# install.sh [COMPONENT...]
# Installs everything that building and using Rejoin needs besides Rust: Debian
# packages, and the components bitwuzla, z3, musl and runtime, which are built or fetched
# into ${REJOIN_DEPS:-${XDG_CACHE_HOME:-~/.cache}/rejoin}. Can be run again at any
# time: what is there and unchanged is left alone.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

PACKAGES=(
    # The compiler, the library that reads its bitcode, and the linker that
    # leaves whole-program bitcode behind.
    clang-$LLVM llvm-$LLVM llvm-$LLVM-dev lld-$LLVM libclang-rt-$LLVM-dev
    # To build Bitwuzla.
    g++ meson ninja-build pkg-config libgmp-dev libcadical-dev libsymfpu-dev
    # To fetch and unpack Debian's sources and wheels.
    ca-certificates dpkg-dev make patch xz-utils unzip python3
    # To run found inputs in a sandbox, and to test with random programs.
    bubblewrap csmith libcsmith-dev
)

missing_packages() {
    local package have
    # Lists only what it knows; an unknown package is simply not in the output.
    have=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${PACKAGES[@]}" 2>/dev/null || true)
    for package in "${PACKAGES[@]}"; do
        grep -qxF "installed $package" <<<"$have" || echo "$package"
    done
}

install_packages() {
    local missing apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=600)
    mapfile -t missing < <(missing_packages)
    if ((${#missing[@]} == 0)); then
        say "Debian packages: all ${#PACKAGES[@]} there"
        return
    fi
    say "Debian packages missing: ${missing[*]}"
    command -v apt-get >/dev/null || die "no apt-get; this script knows only Debian"
    ((EUID == 0)) || die "not root, so they cannot be installed; as root run: apt-get install --no-install-recommends ${missing[*]}"
    # The package lists are only loaded when they do not know the packages, or
    # when they turn out to be so old that the files are gone.
    local install=("${apt[@]}" install -y --no-install-recommends "${missing[@]}")
    if ! "${install[@]}" --simulate >/dev/null 2>&1 || ! "${install[@]}"; then
        "${apt[@]}" update
        "${install[@]}"
    fi
}

[[ $(uname -sm) == 'Linux x86_64' ]] || die "only Linux on x86_64 is supported, this is $(uname -sm)"
command -v pip3 >/dev/null || PACKAGES+=(python3-pip)

components=("$@")
(($#)) || components=(bitwuzla z3 musl runtime)
for name in "${components[@]}"; do
    [[ -x $SCRIPTS/build-$name.sh ]] || die "no component $name"
done

# Two invocations at once must not both install packages. The builds have locks of
# their own.
mkdir -p "$DEPS" || die "cannot create $DEPS; set REJOIN_DEPS to a directory that can be written"
exec {lock}>"$DEPS/.lock-install"
flock $lock
install_packages
exec {lock}>&-

command -v cargo >/dev/null || die "cargo not found; install Rust first"
for name in "${components[@]}"; do
    "$SCRIPTS/build-$name.sh"
done
say "installed in $DEPS"
