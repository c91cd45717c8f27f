"""The subjects of part `libraries` of bench/regions.py: functions of libraries, and applets of busybox.

A library's subjects are the DRIVER(name) of bench/drivers/LIBRARY.c. They are linked with the library that
bench/fetch-libraries built, by `rejoin cc`, when first wanted. An applet is busybox itself with symbolic arguments
and files. Capacities are those of "State Merging with Quantifiers in Symbolic Execution" (ESEC/FSE 2023), table 2.
"""
import hashlib
import re
import subprocess
import sys
from dataclasses import dataclass

from common import DEPS, REJOIN, ROOT

DRIVERS = ROOT / "bench" / "drivers"
BUILT = DEPS / "bench"


@dataclass
class Library:
    capacity: int
    flags: str  # for the compiler, in the library's directory
    archives: str  # for the linker, likewise
    paper: float | None  # speed-up of pattern over loops in the paper


LIBRARIES = {
    "libosip2": Library(10, "-Iinclude -Isrc/osipparser2", "src/osipparser2/.libs/libosipparser2.a", 7.18),
    "wget": Library(200, "-Isrc -Ilib", "src/libunittest.a lib/libgnu.a", 2.69),
    "libtasn1": Library(100, "-Ilib -Ilib/includes", "lib/.libs/libtasn1.a", 0.94),
    "libpng": Library(200, "-I. -I../zlib", ".libs/libpng16.a ../zlib/libz.a", 0.70),
    "apr": Library(50, "-Iinclude", ".libs/libapr-1.a", 3.50),
    "json-c": Library(100, "-I.", "libjson-c.a", 3.16),
    "busybox": Library(100, "", "", 1.68),
}
# The command line of an applet for a capacity. Symbolic arguments do not begin with a dash, as in the paper.
APPLETS = {
    "basename": "basename --sym-arg {} --non-option", "basename_suffix": "basename --sym-arg {} .c --non-option",
    "dirname": "dirname --sym-arg {} --non-option", "echo": "echo --sym-arg {} --non-option",
    "expr": "expr --sym-arg {} = a --non-option", "expr_length": "expr length --sym-arg {} --non-option",
    "printf": "printf --sym-arg {} --non-option", "test": "test --sym-arg {} = ab --non-option",
    "tr": "tr --sym-arg {} x --non-option", "tr_input": "tr a-c x --sym-stdin {}",
    "cut": "cut -d , -f 2 A --sym-files 1 {}", "cut_chars": "cut -c --sym-arg {} --non-option",
    "wc": "wc A --sym-files 1 {}", "fold": "fold -w 8 A --sym-files 1 {}", "head": "head -n 1 A --sym-files 1 {}",
    "tail": "tail -n 1 A --sym-files 1 {}", "nl": "nl A --sym-files 1 {}", "paste": "paste A B --sym-files 2 {}",
    "uniq": "uniq A --sym-files 1 {}", "expand": "expand A --sym-files 1 {}", "tac": "tac A --sym-files 1 {}",
    "rev": "rev A --sym-files 1 {}", "cat": "cat -v A --sym-files 1 {}", "cmp": "cmp A B --sym-files 2 {}",
    "strings": "strings A --sym-files 1 {}", "sum": "sum A --sym-files 1 {}",
}


@dataclass(frozen=True)
class Subject:
    library: str
    name: str

    def command(self, capacity, fixed):
        """What to give `rejoin run`: a program and its arguments."""
        if self.library == "busybox":
            return [BUILT / "busybox/busybox.bc", *APPLETS[self.name].format(capacity).split()]
        return [f"{program(self.library)}.bc", self.name, str(capacity), *(["fixed"] if fixed else [])]


def program(library):
    return BUILT / "drivers" / library


def names(library):
    """The drivers of a library. A macro of its file that makes one begins its line, as DRIVER does."""
    if library == "busybox":
        return list(APPLETS)
    return re.findall(r"^[A-Z]+\((\w+)\)", (DRIVERS / f"{library}.c").read_text(), re.M)


def build(library):
    """Links the drivers of a library with it, unless that was done with the same sources."""
    if library == "busybox":
        return
    sources = [DRIVERS / f"{library}.c", DRIVERS / "driver.h", BUILT / library / ".stamp"]
    stamp = hashlib.sha256(b"".join(s.read_bytes() for s in sources)).hexdigest()
    kept = program(library).with_suffix(".stamp")
    if kept.is_file() and kept.read_text() == stamp:
        return
    kept.parent.mkdir(parents=True, exist_ok=True)
    drivers = " ".join(f"X({name})" for name in names(library))
    command = [REJOIN, "cc", "-w", f"-DSUBJECTS={drivers}", *LIBRARIES[library].flags.split(), sources[0],
               *LIBRARIES[library].archives.split(), "-o", program(library)]
    if subprocess.run(command, cwd=BUILT / library).returncode != 0:
        sys.exit(f"cannot build the drivers of {library}")
    kept.write_text(stamp)


def subjects(libraries, only):
    """The subjects of these libraries with a text of `only` in `library/name`, ready to run."""
    chosen = [Subject(l, n) for l in libraries for n in names(l) if any(text in f"{l}/{n}" for text in only)]
    for library in dict.fromkeys(s.library for s in chosen):
        if not (BUILT / library / ".stamp").is_file():
            sys.exit(f"there is no {BUILT / library}: run bench/fetch-libraries or bench/fetch busybox first")
        build(library)
    return chosen
