#!/usr/bin/env bash
# fetch-source.sh NAME DEST
# Fetches Debian's source package NAME and unpacks it, patched, as the new
# directory DEST. Uses the machine's own apt sources; needs no root.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

(($# == 2)) || die "usage: fetch-source.sh NAME DEST"
fetch_source "$1" "$2"
say "$1: unpacked in $2"
