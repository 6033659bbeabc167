/* verify.c: whether the cards of a finished game were shuffled fairly (docs/fair-shuffle.md). */
#include <pyramids/fair.h>

#include "exports.h"
#include "inside.h"

static struct pyr_fair_report report;

/* Checks the whole record in the first `size` bytes of the buffer: PYR_FAIR_GOOD, which is 0, or a code of fair.h. */
EXPORT(record_verify) int32_t wasm_record_verify(uint32_t size)
{
    return (int32_t)pyr_fair_verify(&wasm_edition, wasm_buffer(), size < wasm_buffer_size() ? size : wasm_buffer_size(), &report);
}

/* Of the record that was checked last: the line at fault, and how many lines of chance were compared. */
EXPORT(verify_line) uint32_t wasm_verify_line(void) { return report.line; }
EXPORT(verify_compared) uint32_t wasm_verify_compared(void) { return report.deals + report.shows + report.reveals + report.draws; }
