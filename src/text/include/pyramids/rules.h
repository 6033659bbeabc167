/*
 * rules.h (rules.c): the rules as the program plays them, one entry per tag (R1 to R17, Q1 to Q10, E1 to E5), in the
 * player's language. `pyramids rules` and the terminal client's help show these texts; messages cite the tags. docs/rules.md
 * says where each is implemented.
 */
#ifndef PYR_RULES_H
#define PYR_RULES_H

#include <stdio.h>

#include <pyramids/text.h>

PYR_BEGIN_DECLS

/* Rules are numbered from 0 in reading order. The tag of rule i, such as "R10"; NULL after the last. */
PYR_API const char *pyr_text_rule_tag(unsigned i);

/* The number of the rule with this tag, in capitals or small letters; -1 if there is none. */
PYR_API int pyr_text_rule_find(const char *tag);

/* Of rule i: the heading of its section ("A turn"), a short title ("What cannot be marked"), and paragraph n of its text
 * (NULL after the last). NULL if there is no rule i. */
PYR_API const char *pyr_text_rule_section(unsigned i);
PYR_API const char *pyr_text_rule_title(unsigned i);
PYR_API const char *pyr_text_rule_paragraph(unsigned i, unsigned n);

/* Whether a word or phrase occurs in the title or text of rule i, ignoring case. */
PYR_API bool pyr_text_rule_has(unsigned i, const char *phrase);

/* Prints tag, title and paragraphs of rule i in at most `columns` columns, the paragraphs indented. */
PYR_API void pyr_text_rule_print(FILE *to, unsigned i, int columns);

PYR_END_DECLS

#endif
