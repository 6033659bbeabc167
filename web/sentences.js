/** sentences.js: made by scripts/texts.py from src/text; do not change it by hand. */
/** What happened, by the numbers of story.h: values, 1 for news, sentence, its plural. */
export const EVENTS = /** @type {[string, number, string, string?][]} */ ([
    ['n12', 0, '%s keeps cards %d and %d.'],
    ['l', 0, 'New in the display: %s.', 'New in the display: %s.'],
    ['rtp', 0, 'Round %u, turn %u: pattern %s'],
    ['n', 0, '%s has nothing to mark and passes.'],
    ['ns1g', 0, '%s marks %s on %d: %s.'],
    ['ns1', 0, '%s marks %s on %d.'],
    ['ns1g', 0, '%s, extra mark: %s on %d: %s.'],
    ['ns1', 0, '%s, extra mark: %s on %d.'],
    ['n1', 1, '%s loses %u extra mark: no space is left for it (Q3).',
        '%s loses %u extra marks: no space is left for them (Q3).'],
    ['n1c', 1, '%s completes card %d, %s.'],
    ['n1', 0, '%s takes card %d from the display.'],
    ['n1', 0, '%s draws card %d from the deck.'],
    ['n1c', 1, '%s takes %d pyramid points for %s.'],
    ['n1', 0, '%s has %d point.', '%s has %d points.'],
]);
/** Who has won, and why: name of the row, values, sentence, its plural. */
export const RESULTS = /** @type {[string, string, string, string?][]} */ ([
    ['WINS', 'n', '%s wins'],
    ['WINS_TIE', 'n', '%s wins the tie'],
    ['SHARE', 'n', '%s share the win'],
    ['MARGIN', 'pm', '%d points, %d more than the next.', '%d points, %d more than the next.'],
    ['LOWEST', 'lpnk', '%s have %d point. The lowest completed pyramid decides: %s has number %d.',
        '%s have %d points. The lowest completed pyramid decides: %s has number %d.'],
    ['NO_PYRAMID', 'p', 'They have %d point each, and none of them completed a pyramid.',
        'They have %d points each, and none of them completed a pyramid.'],
    ['YOU_WINS', '', 'You win'],
    ['YOU_WINS_TIE', '', 'You win the tie'],
    ['YOU_LOWEST', 'lpk', '%s have %d point. The lowest completed pyramid decides: you have number %d.',
        '%s have %d points. The lowest completed pyramid decides: you have number %d.'],
    ['YOU_NO_PYRAMID', 'p', 'You have %d point each, and none of you completed a pyramid.',
        'You have %d points each, and none of you completed a pyramid.'],
]);
/** Levels of bots: name of a player, of the level. */
export const LEVELS = /** @type {[string, string][]} */ ([
    ['novice', 'Novice'],
    ['casual', 'Casual'],
    ['club', 'Club'],
    ['expert', 'Expert'],
    ['master', 'Master'],
]);
/** How many of a symbol: its character, one, many. */
export const COUNTS = /** @type {[string, string, string][]} */ ([
    ['r', '%u ruby', '%u rubies'],
    ['e', '%u emerald', '%u emeralds'],
    ['s', '%u skull', '%u skulls'],
    ['p', '%u potion', '%u potions'],
    ['x', '%u red cross', '%u red crosses'],
]);
/** Why a server refuses: its code, sentence. */
export const REFUSALS = /** @type {[string, string][]} */ ([
    ['no_table', 'No table has this code.'],
    ['taken', 'That seat is taken, or no seat is free. You can watch.'],
    ['begun', 'The game has started. You can watch.'],
    ['bad_key', 'The seat is reserved for a friend; this is not its key.'],
    ['not_host', 'Only the host of the table can do this.'],
    ['late', 'The turn was over before your choice arrived.'],
    ['not_due', 'Nothing to decide now.'],
    ['not_over', 'The game is not over yet.'],
    ['daily', 'This is not possible in a daily expedition.'],
    ['sealed', 'You can see these cards once you have finished that day yourself, or when it is revealed.'],
    ['attempted', 'You have already used the attempt that counts.'],
    ['no_day', 'There was no expedition on this day.'],
    ['closed_day', 'This day is over. You can still play it, but it no longer counts.'],
    ['here', 'That player is connected.'],
    ['no_hints', 'This table was made without hints.'],
    ['alone', 'There is nobody else at this table.'],
    ['too_many', 'The server has too many tables or visitors right now. Please try again later.'],
    ['too_fast', 'That was too fast. Please wait a moment.'],
    ['banned', 'The operator of this server has banned you.'],
    ['storage', 'The server cannot do this now. Please try again.'],
    ['stopping', 'The server cannot do this now. Please try again.'],
    ['bad_name', 'The server does not accept this name.'],
    ['no_visitor', 'The server does not recognise you: this browser blocks cookies for this page. Please allow them.'],
    ['unknown_visitor', 'The server no longer recognises you. It may be using another database.'],
    ['bad_cookie', 'The server cannot read your cookies, so it does not recognise you. Nothing was changed.'],
    ['no_edition', 'The server does not have this edition.'],
]);
/** Quick reactions: symbol, what it says. */
export const REACTIONS = /** @type {[string, string][]} */ ([
    ['tomb', 'Well done'],
    ['ruby', 'Beautiful'],
    ['torch', 'Close!'],
    ['skull', 'Ouch'],
    ['potion', 'Good luck'],
    ['cross', 'Thank you'],
]);
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
