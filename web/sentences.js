/** sentences.js: made by scripts/texts.py from src/text; do not change it by hand. */
/** Why a step is refused: error code, rule, name on the wire, sentence. */
export const REASONS = /** @type {[number, string, string, string][]} */ ([
    [-195, 'R9', 'wall', 'That space is a wall.'],
    [-194, 'R9', 'marked', 'That space is already marked.'],
    [-193, 'R10', 'no_entrance', 'The first mark on a card must cover the entrance.'],
    [-192, 'R10', 'no_touch', 'It must share a side with a space you marked before.'],
    [-191, 'R8', 'not_pattern', 'Mark the whole pattern, or exactly one space.'],
    [-190, 'R11', 'extra_one', 'An extra mark is one space.'],
    [-189, 'R8', 'must_mark', 'You cannot pass: something can be marked.'],
    [-188, 'Q7', 'must_pass', 'You have no card left, so you pass.'],
    [-196, 'R8', 'not_on_desk', 'That card is not yours.'],
    [-187, 'R12', 'not_in_display', 'That card is not in the display.'],
    [-186, 'R13', 'deck_empty', 'The deck is empty.'],
    [-185, 'R11', 'extra_missing', 'An extra mark is missing.'],
    [-184, 'R11', 'extra_too_many', 'There are more extra marks than crosses.'],
    [-197, 'R4', 'not_dealt', 'That card was not dealt to this player.'],
    [-96, 'R5', 'not_in_deck', 'That card is no longer in the deck.'],
    [-95, 'R6', 'not_in_round', 'All cards of that pattern were already revealed this round.'],
    [-698, '', 'no_undo', 'Nothing to take back.'],
    [-199, '', 'not_due', 'Nothing to decide now.'],
]);
/** What symbols do (R11): characters of an edition, sentence. */
export const SYMBOL_RULES = /** @type {[string, string][]} */ ([
    ['x', 'Red cross: immediately mark one more space, on either card. If it is a cross too, mark another one.'],
    ['re', 'Ruby, emerald: mark the next gem of that colour on the score card. After the tenth nothing happens.'],
    ['f', 'Torch: mark this round’s torch, at most one per round.'],
    ['s', 'Skull: mark the next skull on the score card. After the tenth nothing happens.'],
    ['p', 'Potion: erase your two worst skulls, or as many as you have.'],
    ['T', 'Tomb: the card is complete.'],
]);
