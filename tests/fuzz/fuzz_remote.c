/* fuzz_remote.c: a server may send anything, in any order, with any actions of the player between. Each line of the
 * input is one message, except those that begin with a control character: see below. */
#include <pyramids/remote.h>

#include "fuzz.h"
#include "plain.h"

static struct pyr_remote remote;
static struct pyr_match match;
static const struct pyr_edition *edition;

/* An action of the player or an event of the connection, chosen by the first byte. */
static void act(unsigned char what, uint64_t *now)
{
    uint8_t id[16] = { what };
    uint8_t number[32] = { what };
    struct pyr_steps steps;
    *now += what * 100u;
    switch (what % 10) {
    case 0: pyr_remote_connected(&remote, *now); break;
    case 1: pyr_remote_lost(&remote, *now, what * 2654435761u); break;
    case 2: pyr_remote_confirm(&remote, id, *now); break;
    case 3: pyr_remote_retract(&remote, id, *now); break;
    case 4: pyr_remote_take(&remote, pyr_step_draw(), id, *now); break;
    case 5: pyr_remote_sit(&remote, PYR_NOBODY, what & 16 ? "key" : "", number, id, *now); break;
    case 6: pyr_remote_set_edition(&remote, edition, *now); break;
    case 7:
        if (remote.you < PYR_MAX_SEATS && match.replay.stage == PYR_STAGE_PLAY) {
            pyr_match_steps(&match, remote.you, &steps);
            struct pyr_rng rng;
            pyr_rng_seed(&rng, what, 0);
            if (steps.count)
                pyr_match_step(&match, remote.you, pyr_steps_pick(&steps, &edition->box, &rng));
        }
        break;
    case 8: pyr_remote_leave(&remote, id, *now); break;
    case 9: pyr_remote_open_here(&remote); break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char saved[PYR_REMOTE_SAVED];
    uint64_t now = 1000;
    edition = plain_edition();
    pyr_remote_init(&remote, &match, "K7QXMWRT");
    pyr_remote_connected(&remote, now);
    while (size) {
        size_t length = 0;
        while (length < size && data[length] != '\n')
            length++;
        if (length && data[0] < ' ')
            act(data[length > 1], &now);
        else
            pyr_remote_receive(&remote, (const char *)data, length, now);
        pyr_remote_wish(&remote, now);
        while (pyr_remote_next(&remote, now))
            ;
        while (pyr_remote_event(&remote).kind)
            ;
        MUST(remote.size < PYR_LOG_SIZE && remote.sent_count <= PYR_REMOTE_SENT && remote.seats <= PYR_MAX_SEATS);
        length += length < size;             /* the end of the line */
        size -= length;
        data += length;
    }
    /* Saved text can be read, and gives the same text when saved again. */
    static char again[PYR_REMOTE_SAVED];
    size_t written = pyr_remote_save(&remote, saved, sizeof saved);
    MUST(written > 0);
    pyr_remote_init(&remote, &match, "K7QXMWRT");
    MUST(pyr_remote_restore(&remote, saved, written));
    MUST(pyr_remote_save(&remote, again, sizeof again) == written);
    for (size_t i = 0; i < written; i++)
        MUST(saved[i] == again[i]);
    return 0;
}
