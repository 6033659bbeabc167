/* inside.h: what the files of the module share among themselves. */
#ifndef PYR_WASM_INSIDE_H
#define PYR_WASM_INSIDE_H

#include <pyramids/choice.h>
#include <pyramids/match.h>

extern struct pyr_edition wasm_edition;      /* the one read last (exports.c) */
extern struct pyr_fault wasm_fault;
extern struct pyr_match wasm_match;          /* its edition is NULL when there is none (table.c) */

#endif
