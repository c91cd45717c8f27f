# Shared by the install scripts; sourced, never run.
#
# Everything that is built lives in $DEPS, outside the repository and outside
# target/, so that `cargo clean` does not throw away minutes of C++ builds and
# several checkouts share one build.
#
# Layout:  $DEPS/NAME/          a finished component, with a file .stamp
#          $DEPS/.work-NAME/    a build in progress (removed afterwards)
#          $DEPS/logs/NAME.log  what the last build of NAME printed
#          $DEPS/.lock-NAME     held while NAME is being built

SCRIPTS=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=$(dirname "$SCRIPTS")
DEPS=${REJOIN_DEPS:-${XDG_CACHE_HOME:-${HOME:?HOME is not set}/.cache}/rejoin}
# Relative paths would change meaning with every cd below.
case $DEPS in /*) ;; *) DEPS=$PWD/$DEPS ;; esac
JOBS=${REJOIN_JOBS:-$(nproc)}
# The release every LLVM tool has to come from: the bitcode reader that is
# linked into the engine reads what these tools write.
LLVM=22

say() { printf 'rejoin: %s\n' "$*"; }
die() { printf 'rejoin: error: %s\n' "$*" >&2; exit 1; }

need_tool() { # TOOL...
    local tool
    for tool in "$@"; do
        command -v "$tool" >/dev/null || die "$tool not found; scripts/install.sh installs what is missing"
    done
}

# One hash over a recipe: the names (so that a renamed overlay file counts) and
# the contents of every file that influences the result.
recipe_hash() { # FILE-OR-DIRECTORY...
    (cd "$ROOT" && find "$@" -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum | cut -c1-16)
}

is_current() { # NAME STAMP
    [[ -f $DEPS/$1/.stamp && $(<"$DEPS/$1/.stamp") == "$2" ]]
}

# Builds NAME by calling FUNCTION with two directories: one to work in and one
# whose content becomes $DEPS/NAME. The stamp is written last and the directory
# is renamed into place, so an interrupted build is never taken for a finished
# one; the lock makes a second invocation wait and then find the work done.
component() { # NAME STAMP FUNCTION
    local name=$1 stamp=$2 function=$3 log=$DEPS/logs/$1.log work=$DEPS/.work-$1 lock rc=0 start
    if is_current "$name" "$stamp"; then
        say "$name: up to date"
        return
    fi
    mkdir -p "$DEPS/logs" || die "cannot create $DEPS"
    exec {lock}>"$DEPS/.lock-$name"
    if ! flock --nonblock $lock; then
        say "$name: another build is under way, waiting for it"
        flock $lock
    fi
    if is_current "$name" "$stamp"; then
        say "$name: up to date"
        exec {lock}>&-
        return
    fi
    say "$name: building ${stamp%% *} (log: $log)"
    start=$SECONDS
    rm -rf "$work" # left over from an interrupted build; we hold the lock
    mkdir -p "$work/build" "$work/out"
    # Not inside `if` or `||`: bash would switch off set -e in the function.
    # The builds must not inherit the lock, or a stray child would keep it.
    set +e
    (
        set -e
        exec {lock}>&-
        cd "$work/build"
        "$function" "$work/build" "$work/out"
    ) >"$log" 2>&1 </dev/null
    rc=$?
    set -e
    if ((rc)); then
        tail -n 40 "$log" >&2
        die "building $name failed (status $rc); the whole log is in $log"
    fi
    printf '%s\n' "$stamp" >"$work/out/.stamp"
    # A directory cannot be renamed onto a full one, so the old one moves away first.
    [[ ! -e $DEPS/$name ]] || mv -T "$DEPS/$name" "$work/old"
    mv -T "$work/out" "$DEPS/$name"
    rm -rf "$work"
    exec {lock}>&-
    say "$name: done in $((SECONDS - start)) s"
}

# Writes into DIRECTORY copies of the machine's own apt sources with deb-src in
# place of deb, so that source packages can be fetched from wherever this
# machine gets its packages, without naming a server here and without touching
# the machine's configuration. Both formats of apt are understood; the files
# that apt would ignore (by their extension) are ignored here too.
deb_src() { # DIRECTORY
    local Etc_list=/etc/apt/sources.list Etc_parts=/etc/apt/sources.list.d/ file n=0
    eval "$(apt-config shell Etc_list Dir::Etc::sourcelist/f Etc_parts Dir::Etc::sourceparts/d)"
    for file in "$Etc_list" "${Etc_parts%/}"/*.list "${Etc_parts%/}"/*.sources; do
        [[ -f $file ]] || continue
        n=$((n + 1))
        case $file in
        *.sources)
            # A stanza may hold "deb", "deb-src" or both; one that is switched
            # off stays so, because its Enabled field is copied.
            sed -E 's/^[Tt]ypes:.*/Types: deb-src/' "$file" >"$1/$n.sources"
            ;;
        *)
            # Continuation lines do not exist here. Installation media have no sources.
            sed -nE '/cdrom:/d; s/^[[:space:]]*deb(-src)?[[:space:]]+/deb-src /p' "$file" | sort -u >"$1/$n.list"
            ;;
        esac
    done
    ((n)) || die "this machine has no apt sources (looked at $Etc_list and $Etc_parts)"
}

# Fetches the source package NAME and unpacks it, with Debian's patches, as DEST.
fetch_source() ( # NAME DEST
    set -e
    name=$1 dest=$2
    [[ ! -e $dest ]] || die "$dest exists already"
    need_tool apt-get dpkg-source
    mkdir -p "$DEPS" "$(dirname "$dest")"
    # Beside the destination, so that the last step is a rename.
    tmp=$(mktemp -d "$(dirname "$dest")/.fetch-XXXXXX")
    trap 'rm -rf "$tmp"' EXIT
    # The package lists are kept, so that a second fetch need not load them again.
    exec {lock}>"$DEPS/.lock-apt"
    flock $lock
    mkdir -p "$tmp/sources" "$DEPS/apt/lists/partial" "$DEPS/apt/cache/archives/partial"
    deb_src "$tmp/sources"
    # apt would download as another user, who cannot enter root's home directory.
    apt=(apt-get -q
        -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$tmp/sources"
        -o Dir::State::Lists="$DEPS/apt/lists" -o Dir::Cache="$DEPS/apt/cache"
        -o APT::Sandbox::User= -o Acquire::Retries=3)
    # A third party's repository may have no sources or be out of reach; what
    # counts is whether the package can be had.
    "${apt[@]}" update || true
    (cd "$tmp" && "${apt[@]}" source --download-only --only-source "$name") ||
        die "cannot fetch the source package $name from the apt sources of this machine"
    exec {lock}>&-
    # apt has checked the hashes against the signed index.
    dpkg-source --no-copy -x "$tmp"/*.dsc "$tmp/tree"
    mv -T "$tmp/tree" "$dest"
)
