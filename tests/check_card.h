/* check_card.h: cards and spaces as tests write them. Include it after check.h. */
#ifndef CHECK_CARD_H
#define CHECK_CARD_H

#include <pyramids/box.h>

/* Spaces such as "a1b1a2". */
static inline pyr_spaces spaces(const char *text)
{
    pyr_spaces set = 0;
    for (; text[0] >= 'a' && text[0] <= 'e'; text += 2)
        set |= PYR_SPACE(text[1] - '1', text[0] - 'a');
    return set;
}

/* Draws a card: five rows in the characters of an edition, with anything between them. */
static inline void check_card(struct pyr_card_face *face, const char *rows)
{
    int at = 0;
    for (; *rows && at < 25; rows++) {
        if (!strchr("#.vTxrefsp", *rows))
            continue;
        pyr_spaces space = PYR_SPACE(at / 5, at % 5);
        at++;
        face->open |= *rows != '#' ? space : 0;
        face->entrance |= *rows == 'v' ? space : 0;
        face->tomb |= *rows == 'T' ? space : 0;
        face->cross |= *rows == 'x' ? space : 0;
        face->ruby |= *rows == 'r' ? space : 0;
        face->emerald |= *rows == 'e' ? space : 0;
        face->torch |= *rows == 'f' ? space : 0;
        face->skull |= *rows == 's' ? space : 0;
        face->potion |= *rows == 'p' ? space : 0;
    }
    CHECK_INT(at, 25);
}

#endif
