/* inside.h: what the files of the module share among themselves. */
#ifndef PYR_WASM_INSIDE_H
#define PYR_WASM_INSIDE_H

#include <pyramids/match.h>

extern struct pyr_edition wasm_edition;      /* the one read last (exports.c) */
extern struct pyr_fault wasm_fault;
extern struct pyr_match wasm_match;          /* its edition is NULL when there is none (table.c) */

/* Writes a choice as pyr_match_choose reads it; desk is the one before its first step. */
void wasm_write_choice(const struct pyr_desk *desk, const pyr_step *steps, unsigned count, struct pyr_out *out);

#endif
