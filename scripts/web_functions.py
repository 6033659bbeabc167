"""web_functions.py: the functions of a JavaScript file with their lengths and complexities, for check-habits.

Counted as pmccabe does for C: 1, and 1 more for each if, loop, case, catch, ?:, &&, || and ??. The branches of a function
inside another count only for the inner one; its lines are also lines of the outer one. This works with words and brackets
instead of a grammar, which is enough for code that ends its statements with semicolons."""
import re

WORD = re.compile(r"""
    (?P<skip>\s+|//[^\n]*|/\*.*?\*/)
  | (?P<string>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")
  | (?P<name>[\w$#]+)
  | (?P<sign>=>|\?\?=?|\?\.(?!\d)|&&=?|\|\|=?|[-+]{2}|.)
""", re.VERBOSE | re.DOTALL)
REGEX = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\[\n])+/\w*")
# A slash after one of these begins a regular expression; after anything else it is a division.
BEFORE_REGEX = {"return", "typeof", "case", "in", "of", "=>", "&&", "||", "??", *"({[,;:=!?+-*%<>&|~^}"}
BRANCHES = {"if", "for", "while", "case", "catch", "?", "&&", "||", "??", "&&=", "||=", "??="}
BLOCKS = {"if", "for", "while", "switch", "catch", "with", "await"}
OPEN, CLOSE = {"(", "[", "{", "${"}, {")", "]", "}"}


def template(text, at):
    """The end of a template's piece of text that begins at `at`, and whether a ${ ends it."""
    while at < len(text):
        if text[at] == "\\":
            at += 2
        elif text[at] == "`":
            return at + 1, False
        elif text.startswith("${", at):
            return at + 2, True
        else:
            at += 1
    return at, False


def words(text):
    """(word, line) of all that is neither blank nor comment; a string, template text or regular expression is one word."""
    at, last, braces = 0, ";", []
    while at < len(text):
        line = text.count("\n", 0, at) + 1
        if text[at] == "`" or (text[at] == "}" and braces and braces[-1] == "${"):
            if text[at] == "}":
                braces.pop()
                yield "}", line
            at, inside = template(text, at + 1)
            if inside:
                braces.append("${")
                yield "${", line
            else:
                yield "``", line
            last = "${" if inside else "``"
            continue
        found = REGEX.match(text, at) if last in BEFORE_REGEX and text[at:at + 2] not in ("//", "/*") else None
        found = found or WORD.match(text, at)
        at = found.end()
        if found.re is WORD and found["skip"]:
            continue
        last = "''" if found.re is REGEX or found["string"] else found[0]
        if last == "{":
            braces.append("{")
        elif last == "}" and braces:
            braces.pop()
        yield last, line


def pairs(all_words):
    """For each opening bracket its closing one, and the other way round."""
    match, stack = {}, []
    for i, (word, _) in enumerate(all_words):
        if word in OPEN:
            stack.append(i)
        elif word in CLOSE and stack:
            match[i] = stack.pop()
            match[match[i]] = i
    return match


def name_before(all_words, at):
    """The name of a function, from `name =`, `name:` or `name(` before it."""
    if at >= 0 and all_words[at][0] == "async":
        at -= 1
    if at > 0 and all_words[at][0] in ("=", ":"):
        at -= 1
    word = all_words[at][0] if at >= 0 else ""
    return word if re.fullmatch(r"[\w$#]+", word) and word not in BEFORE_REGEX else "(function)"


def expression_end(all_words, match, at):
    """The last word of the expression that begins at `at`: the body of an arrow without braces."""
    while at < len(all_words) and all_words[at][0] not in (",", ";", *CLOSE):
        at = match.get(at, at) + 1 if all_words[at][0] in OPEN else at + 1
    return at - 1


def bodies(all_words, match):
    """(name, first word, first and last word of the body) of each function."""
    for i, (word, _) in enumerate(all_words):
        behind = all_words[i + 1][0] if i + 1 < len(all_words) else ""
        if word == "=>":
            first = match.get(i - 1, i - 1) if all_words[i - 1][0] == ")" else i - 1
            last = match[i + 1] if behind == "{" else expression_end(all_words, match, i + 1)
            yield name_before(all_words, first - 1), first, i + 1, last
        elif word == ")" and behind == "{" and i in match:
            named = match[i] - 1
            name = all_words[named][0]
            if name == "function":
                yield name_before(all_words, named - 1), named, i + 1, match[i + 1]
            elif name not in BLOCKS:
                yield name, named, i + 1, match[i + 1]


def functions_of(text):
    """(name, first line, lines, complexity) of each function, in the order of the text."""
    all_words = list(words(text))
    match = pairs(all_words)
    found = sorted(bodies(all_words, match), key=lambda one: (one[1], -one[3]))
    owner = {}
    for i, (_, _, first, last) in enumerate(found):      # inner functions come later and take over their words
        owner.update(dict.fromkeys(range(first, last + 1), i))
    counts = [1] * len(found)
    for at, i in owner.items():
        word, behind = all_words[at][0], all_words[at + 1][0] if at + 1 < len(all_words) else ""
        if word in BRANCHES and behind != ":" and all_words[at - 1][0] not in (".", "?."):
            counts[i] += 1
    for (name, start, _, last), count in zip(found, counts):
        line = all_words[start][1]
        yield name, line, all_words[last][1] - line + 1, count
