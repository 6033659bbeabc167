/** rulebook.js: made by scripts/texts.py from src/text; do not change it by hand. */
/** Sections, ['', title], and their rules, [tag, paragraphs]. */
export const RULEBOOK = /** @type {string[][]} */ ([
    ['', 'Components'],
    ['R1', 'There are 48 pyramid cards: 16 green, 16 orange and 16 purple. Each shows a chamber of five by five ' +
        'spaces. One space in the top row is the entrance, and one in the bottom row is the tomb. A space can be a ' +
        'wall, be empty, or hold one symbol.',
        'Each card has a number from 1 to 48. The numbers decide who replaces cards first, who takes pyramid points ' +
        'first, and who wins a tie: the lower number always comes first.'],
    ['R2', 'Eight expedition cards show six different patterns of two to four spaces.'],
    ['R3', 'Each player has a score card: ten rubies, ten emeralds, four torches (one per round), ten skulls with ' +
        'growing penalties, and pyramid points of 10, 6 and 3 for each colour.'],
    ['', 'Setup'],
    ['R4', 'Each player gets four pyramid cards, keeps two face up and returns two. All players choose at the same ' +
        'time.'],
    ['R5', 'All other cards are shuffled into the deck, and four are laid out as the display.'],
    ['R6', 'The eight expedition cards are shuffled for every round.'],
    ['', 'A turn'],
    ['R7', 'Reveal: turn up the top expedition card. Everyone uses its pattern.'],
    ['R8',
        'Mark: at the same time, each player marks the whole pattern on one of their two cards. You may turn it by ' +
        'quarters and mirror it, but never mark only part of it. Instead of the pattern you may always mark exactly ' +
        'one space. Doing nothing is not allowed.'],
    ['R9', 'You cannot mark walls or spaces that are already marked, and all marks must stay inside the chamber.'],
    ['R10', 'Your first mark on a card must cover the entrance. In every later mark, at least one space must share a ' +
        'side with a space that was marked before.'],
    ['R11', 'Symbols take effect when they are marked:'],
    ['R12', 'Replace: if you completed a card, set it aside and take a new one, from the display or unseen from the ' +
        'deck. If you completed two, replace them one at a time. The display is refilled when you are done. The ' +
        'player who completed the lowest number chooses first.',
        'Completed cards stay face up until the end of the game. Everyone may look at their colours and numbers at ' +
        'any time.'],
    ['R13', 'When the deck is empty, the display is no longer refilled. The game continues.'],
    ['R14', 'Pyramid points: when you complete your 2nd, 4th or 6th pyramid of a colour, you take the highest points ' +
        'left for that colour: 10, then 6, then 3. If several players do so in one turn, the lowest number among ' +
        'those pyramids goes first.',
        'One player may take points of the same colour several times: with the 2nd, the 4th and the 6th pyramid. ' +
        'Once 10, 6 and 3 are taken, that colour has no more points.'],
    ['R15',
        'A round ends after seven turns; the eighth expedition card stays hidden. The game ends after four rounds.'],
    ['', 'Scoring'],
    ['R16',
        'Score 10 per completed pyramid, 5 per torch, your pyramid points, 5 per pair of one ruby and one emerald, ' +
        'and 1 per unpaired gem, minus the penalty of your worst skull. Unfinished cards score nothing.'],
    ['R17', 'Most points win; ties go to whoever completed the lowest-numbered pyramid.'],
    ['', 'Rulings'],
    ['Q1', 'The spaces of a pattern are marked together. Then gems, torch, skulls and potions take effect, in this ' +
        'order; then the crosses are resolved one by one, each with its own symbol before the next.',
        'So a potion in the pattern does not erase a skull that an extra mark adds later.'],
    ['Q2', 'A card whose tomb is marked is still yours until it is set aside: an extra mark may go there.'],
    ['Q3', 'If an extra mark fits nowhere, it is lost. If it fits somewhere, you must make it.'],
    ['Q4', 'If you completed two cards, you replace both before the display is refilled, and you see the first new ' +
        'card before choosing the second. Your lower number decides when it is your turn to choose.'],
    ['Q5', 'You see a card from the deck only after you take it, and you cannot change your mind.'],
    ['Q6', 'If a player completed two pyramids of that colour in the turn, the lower number decides the order.'],
    ['Q7', 'If no cards are left to take, you continue with one card, or with none. A player with no card passes.'],
    ['Q8', 'If none of the tied players completed a pyramid, they share the win.'],
    ['Q9', 'Points are taken after all replacements.'],
    ['Q10',
        'These are secret: the order of the deck and of the expedition cards; until the game ends, the cards dealt ' +
        'and returned; and the other players’ choices while everyone is choosing. Everything else is open.'],
    ['', 'Examples'],
    ['E1', 'Seven pyramids, two torches, points 10, 6 and 3, three pairs and three single rubies, worst skull 6:',
        '70 + 10 + 19 + 18 - 6 = 111',
        'Four green pyramids and two orange ones earned the 19 pyramid points; the seventh pyramid is purple.'],
    ['E2',
        'The 10 for purple is taken. In one turn, one player completes a 2nd purple pyramid, number 33, and another ' +
        'player a 4th, number 15. Number 15 goes first and takes 6; number 33 takes 3. Nothing is left for purple.'],
    ['E3', 'In one turn one player completes a 2nd green and another a 2nd purple pyramid: each takes the 10 of that ' +
        'colour.'],
    ['E4', 'A torch in round 1 marks the first torch. A second torch in round 1 marks nothing; the second torch can ' +
        'only be marked in round 2.'],
    ['E5', 'The L pattern, turned and mirrored, opens a card because it covers the entrance.'],
]);
