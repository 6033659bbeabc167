/*
 * rules.c: the texts of the rules; see rules.h. Most paragraphs are word for word those of the page (web/rules.js,
 * web/words.js), so that one translation serves both: change both together.
 */
#include <string.h>

#include <pyramids/rules.h>

#define MOST_PARAGRAPHS 8
#define MOST_BYTES 2048          /* of a paragraph in any language; the longest is 500 */

/* Sections, in the order of the enum below. */
static const char *const sections[] = { N_("Components"), N_("Setup"), N_("A turn"), N_("Scoring"),
    N_("Rulings"), N_("Examples") };

enum section { TABLE, SETUP, TURN, SCORING, RULINGS, EXAMPLES };

static const struct {
    char tag[4];
    unsigned char section;
    const char *title;
    const char *paragraph[MOST_PARAGRAPHS];
} rules[] = {
    { "R1", TABLE, N_("Pyramid cards"), {
        N_("There are 48 pyramid cards: 16 green, 16 orange and 16 purple. Each shows a chamber of five by five spaces. "
           "One space in the top row is the entrance, and one in the bottom row is the tomb. A space can be a wall, be "
           "empty, or hold one symbol."),
        N_("Each card has a number from 1 to 48. The numbers decide who replaces cards first, who takes pyramid "
           "points first, and who wins a tie: the lower number always comes first.") } },
    { "R2", TABLE, N_("Expedition cards"), {
        N_("Eight expedition cards show six different patterns of two to four spaces.") } },
    { "R3", TABLE, N_("The score card"), {
        N_("Each player has a score card: ten rubies, ten emeralds, four torches (one per round), ten skulls with "
           "growing penalties, and pyramid points of 10, 6 and 3 for each colour.") } },
    { "R4", SETUP, N_("Your first two cards"), {
        N_("Each player gets four pyramid cards, keeps two face up and returns two. All players choose at the same "
           "time.") } },
    { "R5", SETUP, N_("Deck and display"), {
        N_("All other cards are shuffled into the deck, and four are laid out as the display.") } },
    { "R6", SETUP, N_("Shuffling the expedition cards"), {
        N_("The eight expedition cards are shuffled for every round.") } },
    { "R7", TURN, N_("Reveal"), {
        N_("Reveal: turn up the top expedition card. Everyone uses its pattern.") } },
    { "R8", TURN, N_("Mark the pattern or one space"), {
        N_("Mark: at the same time, each player marks the whole pattern on one of their two cards. You may turn it by "
           "quarters and mirror it, but never mark only part of it. Instead of the pattern you may always mark "
           "exactly one space. Doing nothing is not allowed.") } },
    { "R9", TURN, N_("What cannot be marked"), {
        N_("You cannot mark walls or spaces that are already marked, and all marks must stay inside the chamber.") } },
    { "R10", TURN, N_("From the entrance, side by side"), {
        N_("Your first mark on a card must cover the entrance. In every later mark, at least one space must share a "
           "side with a space that was marked before.") } },
    { "R11", TURN, N_("Symbols"), {
        N_("Symbols take effect when they are marked:"),
        N_("Red cross: immediately mark one more space, on either card. If it is a cross too, mark another one."),
        N_("Ruby, emerald: mark the next gem of that colour on the score card. After the tenth nothing happens."),
        N_("Torch: mark this round’s torch, at most one per round."),
        N_("Skull: mark the next skull on the score card. After the tenth nothing happens."),
        N_("Potion: erase your two worst skulls, or as many as you have."),
        N_("Tomb: the card is complete.") } },
    { "R12", TURN, N_("Replace completed cards"), {
        N_("Replace: if you completed a card, set it aside and take a new one, from the display or unseen from the deck. "
           "If you completed two, replace them one at a time. The display is refilled when you are done. The player who "
           "completed the lowest number chooses first."),
        N_("Completed cards stay face up until the end of the game. Everyone may look at their colours and "
           "numbers at any time.") } },
    { "R13", TURN, N_("An empty deck"), {
        N_("When the deck is empty, the display is no longer refilled. The game continues.") } },
    { "R14", TURN, N_("Pyramid points"), {
        N_("Pyramid points: when you complete your 2nd, 4th or 6th pyramid of a colour, you take the highest points left "
           "for that colour: 10, then 6, then 3. If several players do so in one turn, the lowest number among those "
           "pyramids goes first."),
        N_("One player may take points of the same colour several times: with the 2nd, the 4th and the 6th "
           "pyramid. Once 10, 6 and 3 are taken, that colour has no more points.") } },
    { "R15", TURN, N_("Rounds and the end of the game"), {
        N_("A round ends after seven turns; the eighth expedition card stays hidden. The game ends after four "
           "rounds.") } },
    { "R16", SCORING, N_("Adding up"), {
        N_("Score 10 per completed pyramid, 5 per torch, your pyramid points, 5 per pair of one ruby and one emerald, "
           "and 1 per unpaired gem, minus the penalty of your worst skull. Unfinished cards score nothing.") } },
    { "R17", SCORING, N_("The winner"), {
        N_("Most points win; ties go to whoever completed the lowest-numbered pyramid.") } },
    { "Q1", RULINGS, N_("The order of symbols"), {
        N_("The spaces of a pattern are marked together. Then gems, torch, skulls and potions take effect, in this order; "
           "then the crosses are resolved one by one, each with its own symbol before the next."),
        N_("So a potion in the pattern does not erase a skull that an extra mark adds later.") } },
    { "Q2", RULINGS, N_("Extra marks on a finished card"), {
        N_("A card whose tomb is marked is still yours until it is set aside: an extra mark may go there.") } },
    { "Q3", RULINGS, N_("Extra marks are not optional"), {
        N_("If an extra mark fits nowhere, it is lost. If it fits somewhere, you must make it.") } },
    { "Q4", RULINGS, N_("Two cards completed in one turn"), {
        N_("If you completed two cards, you replace both before the display is refilled, and you see the first new "
           "card before choosing the second. Your lower number decides when it is your turn to choose.") } },
    { "Q5", RULINGS, N_("Cards from the deck"), {
        N_("You see a card from the deck only after you take it, and you cannot change your mind.") } },
    { "Q6", RULINGS, N_("Two pyramids of one colour in one turn"), {
        N_("If a player completed two pyramids of that colour in the turn, the lower number decides the order.") } },
    { "Q7", RULINGS, N_("Nothing left to take"), {
        N_("If no cards are left to take, you continue with one card, or with none. A player with no card passes.") } },
    { "Q8", RULINGS, N_("A tie without pyramids"), {
        N_("If none of the tied players completed a pyramid, they share the win.") } },
    { "Q9", RULINGS, N_("When points are taken"), {
        N_("Points are taken after all replacements.") } },
    { "Q10", RULINGS, N_("What is secret"), {
        N_("These are secret: the order of the deck and of the expedition cards; until the game ends, the cards dealt "
           "and returned; and the other players’ choices while everyone is choosing. Everything else is open.") } },
    { "E1", EXAMPLES, N_("Adding up a score card"), {
        N_("Seven pyramids, two torches, points 10, 6 and 3, three pairs and three single rubies, worst skull 6:"),
        "70 + 10 + 19 + 18 - 6 = 111",
        N_("Four green pyramids and two orange ones earned the 19 pyramid points; the seventh pyramid is purple.") } },
    { "E2", EXAMPLES, N_("The lower number takes points first"), {
        N_("The 10 for purple is taken. In one turn, one player completes a 2nd purple pyramid, number 33, and "
           "another player a 4th, number 15. Number 15 goes first and takes 6; number 33 takes 3. Nothing is left for "
           "purple.") } },
    { "E3", EXAMPLES, N_("Two colours in one turn"), {
        N_("In one turn one player completes a 2nd green and another a 2nd purple pyramid: each takes the 10 of "
           "that colour.") } },
    { "E4", EXAMPLES, N_("One torch per round"), {
        N_("A torch in round 1 marks the first torch. A second torch in round 1 marks nothing; the second torch "
           "can only be marked in round 2.") } },
    { "E5", EXAMPLES, N_("A pattern turned and mirrored"), {
        N_("The L pattern, turned and mirrored, opens a card because it covers the entrance.") } },
};

enum { RULES = sizeof rules / sizeof *rules };

const char *pyr_text_rule_tag(unsigned i)
{
    return i < RULES ? rules[i].tag : NULL;
}

static char small(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

int pyr_text_rule_find(const char *tag)
{
    for (int i = 0; i < RULES; i++) {
        size_t at = 0;
        while (tag[at] && small(tag[at]) == small(rules[i].tag[at]))
            at++;
        if (!tag[at] && !rules[i].tag[at])
            return i;
    }
    return -1;
}

const char *pyr_text_rule_section(unsigned i)
{
    return i < RULES ? _(sections[rules[i].section]) : NULL;
}

const char *pyr_text_rule_title(unsigned i)
{
    return i < RULES ? _(rules[i].title) : NULL;
}

const char *pyr_text_rule_paragraph(unsigned i, unsigned n)
{
    return i < RULES && n < MOST_PARAGRAPHS && rules[i].paragraph[n] ? _(rules[i].paragraph[n]) : NULL;
}

/* One byte of UTF-8 in small letters: a to z, and the accented letters of Western Europe (0xc3 and a second byte). */
static unsigned char fold(const char *text, size_t at)
{
    unsigned char c = (unsigned char)text[at];
    if (at && (unsigned char)text[at - 1] == 0xc3 && c >= 0x80 && c <= 0x9e)
        return (unsigned char)(c + 0x20);
    return (unsigned char)small((char)c);
}

static bool contains(const char *text, const char *phrase)
{
    for (size_t start = 0; text[start]; start++) {
        size_t length = 0;
        while (phrase[length] && text[start + length] && fold(text, start + length) == fold(phrase, length))
            length++;
        if (!phrase[length])
            return true;
    }
    return !*phrase;
}

bool pyr_text_rule_has(unsigned i, const char *phrase)
{
    if (i >= RULES)
        return false;
    bool has = contains(pyr_text_rule_title(i), phrase);
    for (unsigned n = 0; !has && pyr_text_rule_paragraph(i, n); n++)
        has = contains(pyr_text_rule_paragraph(i, n), phrase);
    return has;
}

#define INDENT 5                 /* the longest tag and two blanks */

void pyr_text_rule_print(FILE *to, unsigned i, int columns)
{
    if (i >= RULES)
        return;
    fprintf(to, "%-*s%s\n", INDENT, rules[i].tag, pyr_text_rule_title(i));
    for (unsigned n = 0; pyr_text_rule_paragraph(i, n); n++) {
        char text[MOST_BYTES];
        snprintf(text, sizeof text, "%*s%s\n", INDENT, "", pyr_text_rule_paragraph(i, n));
        pyr_text_flow(to, text, columns, INDENT);
    }
}
