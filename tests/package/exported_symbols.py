"""Fails unless libprofdb.so exports what its headers declare, and nothing else.

    exported_symbols.py LIBRARY SOURCE_DIR
"""

import pathlib
import re
import subprocess
import sys


def exported(library):
    text = subprocess.run(["nm", "-D", "--defined-only", "-C", library], check=True, capture_output=True, text=True).stdout
    return {line.split(" ", 2)[2] for line in text.splitlines()}


def declared_in_c(source):
    return set(re.findall(r"PROFDB_API [^;(]*?\b(profdb_\w+)\(", (source / "c/include/profdb.h").read_text()))


def declared_in_cpp(source):
    """Names of the functions at the outer level of the C++ headers, and of the classes with members elsewhere."""
    names = set()
    for header in sorted(source.glob("*/include/profdb/*.h")):
        text = header.read_text()
        names |= set(re.findall(r"^class (\w+)", text, re.MULTILINE))
        names |= set(re.findall(r"^(?!inline|template)\w[\w:<>*& ]*[ *&](\w+)\([^{};]*\);", text, re.MULTILINE))
    return {f"profdb::{name}" for name in names}


def main(library, source):
    symbols = exported(library)
    c_names, cpp_names = declared_in_c(source), declared_in_cpp(source)
    assert len(c_names) > 20 and len(cpp_names) > 5, "the headers were not understood"
    plain = {re.sub(r"^(typeinfo name for|typeinfo for|vtable for) ", "", symbol) for symbol in symbols}
    plain = {re.sub(r"\[abi:\w+\]", "", name).partition("(")[0] for name in plain}

    def declared(name):
        return name in c_names or name in cpp_names or name.rpartition("::")[0] in cpp_names

    surplus = sorted(name for name in plain if not declared(name))
    missing = sorted(
        name for name in c_names | cpp_names if not any(p == name or p.startswith(name + "::") for p in plain)
    )
    for title, names in (("exported, but in no public header", surplus), ("declared, but not exported", missing)):
        if names:
            print(f"{title}:", *names, sep="\n  ")
    return 1 if surplus or missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], pathlib.Path(sys.argv[2])))
