#!/usr/bin/env python3
"""prototypes.py: the functions of the public headers, one per line as RESULT NAME(TYPES), for the test `abi`.
Parameter names are left out: no program depends on them. Used as a module it also returns them, for check-habits,
which requires that the object is the first parameter."""
import re

from include_graph import ROOT, read, tracked

FUNCTION = re.compile(r"^(?:PYR_API|static inline) +([^;{(]*?)\b(pyr_\w+)\(([^;{]*?)\)\s*(?:__attribute__[^;]*)?[;{]",
    re.M | re.S)


def without_comments(text):
    """The text with comments replaced by blanks, so that lines keep their numbers."""
    return re.sub(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/',
                  lambda found: found[0] if found[0][0] == '"' else re.sub(r"[^\n]", " ", found[0]), text, flags=re.DOTALL)


def split(parameters):
    """Splits at commas, but not at those of a callback's own parameters."""
    parts, depth = [""], 0
    for char in " ".join(parameters.split()):
        depth += (char in "([") - (char in ")]")
        if char == "," and not depth:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts]


def type_of(parameter):
    """A parameter without its name."""
    if parameter in ("void", "..."):
        return parameter
    callback = re.match(r"(.*\(\*)\w+(\).*)", parameter)
    if callback:
        return callback[1] + callback[2]
    return re.sub(r"\s*\b\w+((?:\[\w*\])*)$", r"\1", parameter).replace(" *", "*")


def prototypes():
    """(header, line, result, name, parameters) of every public function."""
    for path in tracked("src"):
        if path.suffix != ".h" or path.parent.name != "pyramids":
            continue
        text = without_comments(read(path))
        for found in FUNCTION.finditer(text):
            yield path.relative_to(ROOT), text.count("\n", 0, found.start()) + 1, found[1].strip(), found[2], split(found[3])


def main():
    for _, _, result, name, parameters in sorted(prototypes(), key=lambda one: one[3]):
        print(f"function {result.replace(' *', '*')} {name}({', '.join(map(type_of, parameters))})")


if __name__ == "__main__":
    main()
