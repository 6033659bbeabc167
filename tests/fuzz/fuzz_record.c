/* Any bytes give a code; an accepted record can be loaded, and its log replays to the same position. */
#include <pyramids/match.h>

#include <string.h>

#include "plain.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct pyr_match match;
    static struct pyr_replay replay, again;
    const struct pyr_edition *edition = plain_edition();
    struct pyr_fault fault;
    pyr_replay_init(&replay, PYR_NOBODY);
    enum pyr_err err = pyr_record_read(&replay, edition, (const char *)data, size, &fault);
    MUST(err == fault.code);
    if (err)
        return 0;
    if (replay.stage == PYR_STAGE_PLAY || replay.stage == PYR_STAGE_OVER)
        MUST(pyr_state_check(&replay.state, &edition->box, NULL) == PYR_OK);
    err = pyr_match_load(&match, edition, (const char *)data, size, PYR_NOBODY, &fault);
    MUST(!err || err == PYR_ERR_TEXT_FULL);
    if (err)
        return 0;
    pyr_replay_init(&again, PYR_NOBODY);
    MUST(pyr_record_read(&again, edition, match.log.text, match.log.start[match.log.lines], NULL) == PYR_OK);
    MUST(again.stage >= replay.stage);
    return 0;
}
