/**
 * words.js: converts codes and lines to sentences in the player's language: why something is illegal, what happened.
 * faults.js has the errors of a text. A whole sentence per cause, most of them in sentences.js. Rules are cited by
 * their tag, which the page turns into a link.
 */
import { NONE, html, sentence } from './html.js';
import { _, capital, fillInOrder, ngettext, listWords, number } from './i18n.js';
import { ROMAN, SYMBOLS, symbolOf } from './draw.js';
import { COLOURS, spaceName, spacesFrom, spacesOf } from './core.js';
import { GAME, STORY, WORTH } from './codes.js';
import { COUNTS, EVENTS, LEVELS as LEVEL_NAMES, REASONS, RESULTS, SYMBOL_RULES } from './sentences.js';

/** @typedef {import('./core.js').Edition} Edition */
/** @typedef {import('./core.js').Desk} Desk */

/** @param {string} colour */
export const colourName = (colour) => colour === 'green' ? _('green') : colour === 'orange' ? _('orange') : _('purple');
/** @param {string} colour */
export const shapeName = (colour) => colour === 'green' ? _('step pyramid') : colour === 'orange' ? _('true pyramid') :
    _('bent pyramid');

/** The content of a space in words. @param {string} c */
export function spaceWord(c) {
    switch (c) {
    case 'r': return _('ruby');
    case 'e': return _('emerald');
    case 'f': return _('torch');
    case 's': return _('skull');
    case 'p': return _('potion');
    case 'x': return _('red cross');
    case 'v': return _('entrance');
    case 'T': return _('tomb');
    case '#': return _('wall');
    default: return _('empty');
    }
}

/** What each symbol does (R11), as a list with pictures. */
export const symbolList = () => html`<ul class="syms">${SYMBOL_RULES.map(([characters, text]) => html`<li>${
    [...characters].map(symbolOf)}<span>${_(text)}</span></li>`)}</ul>`;

export const LEVELS = LEVEL_NAMES.map(([level]) => level);
/** @param {string} level */
const levelRow = (level) => LEVEL_NAMES.find(([name]) => name === level);
/** @param {string} level */
export const levelName = (level) => _(levelRow(level)?.[1] ?? level);

/** The name of a player of a record in this language: servers and the command line name bots by level, "club" or "club
 * 2". @param {string} name */
export function playerName(name) {
    const [, level = '', number = ''] = /^([a-z]+)( [1-4])?$/.exec(name) ?? [];
    const row = levelRow(level);
    return row ? capital(_(row[0])) + number : name;
}

/** A card in words. @param {Edition} edition @param {number} card */
export const cardName = (edition, card) => _('Card %{n}, %{colour}', { n: card,
    colour: colourName(edition.cards[card].colour) });

/** Completed cards by colour, lowest number first. @param {Edition} edition @param {number[]} done */
export const doneByColour = (edition, done) => COLOURS.map((colour) => ({ colour,
    cards: done.filter((n) => edition.cards[n].colour === colour) }));

/** The same for screen readers: "green 5, 28; purple 4". @param {Edition} edition @param {number[]} done */
export function doneWords(edition, done) {
    const parts = doneByColour(edition, done).filter(({ cards }) => cards.length).map(({ colour, cards }) =>
        _('%{colour} %{cards}', { colour: colourName(colour), cards: cards.join(', ') }));
    return parts.join('; ') || _('none yet');
}

/** "a1 b1 a2". @param {number[]} cells */
export const spaceNames = (cells) => cells.map(spaceName).join(' ');

/** A number with a real minus sign. @param {number} n */
export const signed = (n) => n < 0 ? `−${-n}` : `${n}`;
/** @param {number} n */
export const withSign = (n) => n > 0 ? `+${n}` : signed(n);

/** The symbols of a card in words. @param {Edition} edition @param {number} card */
export function cardSymbols(edition, card) {
    const count = /** @type {Record<string, number>} */ ({});
    for (const c of edition.cards[card].cells)
        count[c] = (count[c] ?? 0) + 1;
    return ['r', 'e', 'f', 's', 'p', 'x'].filter((c) => count[c]).map((c) => ({ c, n: count[c] }));
}

/** How many of a symbol. @param {string} c @param {number} n */
function countWord(c, n) {
    const [, one, many] = COUNTS.find(([known]) => known === c) ?? [];
    return one && many ? fillInOrder(ngettext(one, many, n), [n]) : ngettext('%{n} torch', '%{n} torches', n);
}

/** @param {Edition} edition @param {number} card */
export const cardContents = (edition, card) => cardSymbols(edition, card).map(({ c, n }) => countWord(c, n)).join(', ');

/** For screen readers: the card and its content. @param {Edition} edition @param {number} card */
export function cardInWords(edition, card) {
    const name = cardName(edition, card), symbols = cardContents(edition, card);
    return symbols ? _('%{card}: %{symbols}', { card: name, symbols }) : name;
}

/** Round and turn of a view, from 1, and how many there are. @param {import('./core.js').View} view */
export const turnOfGame = (view) => ({ round: view.round + 1, rounds: GAME.rounds, turn: view.turn + 1, turns: GAME.turns });

/** Round and turn, from 1, of a turn of the game, from 0. @param {number} turn */
export const roundAndTurn = (turn) => ({ round: 1 + (turn / GAME.turns | 0), turn: 1 + turn % GAME.turns });

/** The pattern's size in words. @param {{name: string, size: number}} pattern */
export const patternName = (pattern) => _('%{name} pattern', { name: pattern.name });

/** Why a step is illegal: a sentence and its rule. @param {number} code @returns {{text: string, rule: string}} */
export function reason(code) {
    const found = REASONS.find(([known]) => known === code);
    return found ? { text: _(found[3]), rule: found[1] } : { text: _('That is not possible now.'), rule: '' };
}

/** The code of err.h for a name from the server; 0 if this page does not know the name. @param {string} name */
export const codeOf = (name) => REASONS.find(([, , known]) => known === name)?.[0] ?? 0;

/** A rule as a link. @param {string} rule */
export const ruleLink = (rule) => rule ? html` <a class="rule" href="#${rule}">${rule}</a>` : NONE;

/** What a symbol does, in the words of R11. @param {string} name as in draw.js */
export const symbolRule = (name) => _(SYMBOL_RULES.find(([characters]) => [...characters].some((c) =>
    SYMBOLS[c] === name))?.[1] ?? name);

/** A message as HTML: rules that it cites in brackets become links. @param {string} text */
export const withRules = (text) => html`${text.split(/ \(([RQ]\d+)\)/).map((part, i) => i % 2 ? ruleLink(part) : part)}`;

/** "2 rubies, torch, tomb", as the terminal writes it. @param {string[]} chars of an edition */
const charWords = (chars) => [...'refspxT'].filter((c) => chars.includes(c)).map((c) => 'fT'.includes(c) ? spaceWord(c) :
    countWord(c, chars.filter((one) => one === c).length)).join(', ');

/** The gains of marks, in words. @param {Edition} edition @param {{card: number, cells: number[]}[]} parts */
export const gainWords = (edition, parts) => charWords(parts.flatMap(({ card, cells }) => cells.map((i) =>
    edition.cards[card].cells[i])));

/** The parts of a choice such as 17:a1a2+22:c1. @param {string} move */
export const moveParts = (move) => move === '-' ? [] : move.split('+').map((part) => {
    const [card, spaces] = part.split(':');
    return { card: Number(card), cells: spacesOf(spaces) };
});

/** Marks without the names of their spaces. @param {{card: number, cells: number[]}[]} parts @param {string} pattern of the
 * turn */
const markWords = (parts, pattern) => parts.map(({ card, cells }, i) =>
    cells.length > 1 ? _('%{pattern} on %{card}', { pattern, card }) :
    !i ? _('one space on %{card}', { card }) :
    card === parts[0].card ? _('one more') : _('one more on %{card}', { card })).join(', ') || _('passes');

/** The marks of a choice as the analysis writes it; none if it is of another kind. @param {string} choice */
export const choiceParts = (choice) => choice.includes(':') ? moveParts(choice) : [];

/** A choice in words. @param {string} choice @param {string} pattern of the turn */
export function choiceWords(choice, pattern) {
    if (choice.includes(':') || choice === '-')
        return markWords(moveParts(choice), pattern);
    return choice === 'draw' ? _('draw from the deck') :
        choice.startsWith('take') ? _('take %{n}', { n: choice.slice(5) }) : _('keep %{cards}', { cards: choice });
}

/** The action in a line of a record, without the player. @param {string[]} words of the line @param {string} pattern
 * of the turn */
export function moveWords([kind, , ...rest], pattern) {
    switch (kind) {
    case 'mark': return markWords(moveParts(rest[0]), pattern);
    case 'take': return _('takes %{card} from the display', { card: rest[0] });
    case 'draw': return _('draws %{card} from the deck', { card: rest[0] });
    case 'keep': return _('keeps %{a} and %{b}', { a: rest[0], b: rest[1] });
    default: return ngettext('%{points} pyramid point for %{colour}', '%{points} pyramid points for %{colour}',
        Number(rest[1]), { points: rest[1], colour: colourName(rest[0]) });
    }
}

/** The cost of a choice in words. @param {'win' | 'points'} what @param {number} n in percent, or points */
export const lostWords = (what, n) => what === 'win' ? _('cost %{n}% of the chance to win', { n }) :
    _('cost %{points} points', { points: number(n, 1) });

/** The same in a narrow place. @param {'win' | 'points'} what @param {number} n */
export const lostShort = (what, n) => what === 'win' ? _('%{n}% lost', { n }) : _('%{points} points lost',
    { points: number(n, 1) });

/** Who won and why: by how much, or what decided the tie. @param {string[]} names @param {number[]} totals
 * @param {(number | undefined)[]} lowest completed pyramid of each, if any @param {number[]} winners
 * @param {number} [me] whom to call "you" if they have won @returns {[string, string]} */
function winnerWords(names, totals, lowest, winners, me = -1) {
    const best = Math.max(...totals), tied = names.map((_n, s) => s).filter((s) => totals[s] === best);
    // The reader is named first: "You and Ben".
    const list = /** @param {number[]} seats */ (seats) => listWords(seats.includes(me) ?
        [_('You'), ...seats.filter((s) => s !== me).map((s) => names[s])] : seats.map((s) => names[s]));
    const n = list(winners), l = list(tied), k = lowest[winners[0]] ?? '', p = best;
    const m = best - Math.max(...totals.filter((_t, s) => s !== winners[0]));
    const yours = winners.includes(me), values = { n, l, k, p, m };
    // To a winner who reads it there are other sentences, except where all are named.
    const put = /** @param {string} row */ (row) => {
        const [, letters, one, many] = RESULTS.find(([name]) => name === (yours ? `YOU_${row}` : row)) ??
            RESULTS.find(([name]) => name === row) ?? ['', '', ''];
        return fillInOrder(many ? ngettext(one, many, row === 'MARGIN' ? m : p) : _(one), [...letters].map((c) =>
            values[/** @type {'n'} */ (c)]));
    };
    return winners.length > 1 ? [put('SHARE'), put('NO_PYRAMID')] : tied.length > 1 ? [put('WINS_TIE'), put('LOWEST')] :
        [put('WINS'), put('MARGIN')];
}

/** The same at the end of a game. @param {import('./core.js').View} view @param {string[]} names @param {number[]} winners
 * @param {number} [me] who reads it */
export const resultWords = (view, names, winners, me) => winnerWords(names, view.scores.map((s) => s.total),
    view.desks.map((d) => d.done[0]), winners, me);

/** @typedef {{kind: 'turn' | 'line', seat: number, html: import('./html.js').Html, text: string, line: number, loud:
 * boolean, lost?: boolean, mark?: {card: number, cells: number[], marks: number[]}}} Entry loud: worth a word to everyone;
 * lost: an extra mark was lost; mark: the card, what was marked on it then, and all its marks after that */

/**
 * The log in words, oldest first. The module determines the sentences of a line (story.h).
 * @param {import('./core.js').Core} core @param {string[]} lines of a record @param {number} [me] the seat of who reads
 * it @param {string[]} [names] those of the record, if none are given @returns {Entry[]}
 */
export function logEntries(core, lines, me = -1, names = lines.filter((l) => l.startsWith('player ')).map((l) =>
    playerName(l.slice(9)))) {
    const { edition } = core;
    /** @type {Entry[]} */
    const entries = [];
    /** @type {Record<string, number[]>} */
    const marks = {};
    /** By seat. @type {number[]} */
    const totals = [], lowest = /** @type {number[]} */ ([]);
    let reveals = 0;
    const b = /** @param {number | string} x */ (x) => html`<b>${x}</b>`;
    lines.forEach((line, at) => {
        for (const [kind, by, spaces, ...n] of core.story(line)) {
            const [values, news, one, many] = EVENTS[kind], cells = spacesFrom(spaces), seat = names[by] ? by : -1;
            const chars = cells.map((i) => edition.cards[n[0]].cells[i]), { round, turn } = roundAndTurn(reveals);
            const put = /** @param {(part: import('./html.js').Html, text: string | number) => string | number} show */ (
                show) => fillInOrder(many ? ngettext(one, many, n[0]) : _(one), [...values].map((v) => v === 'n' ?
                show(html`<b dir="auto">${names[seat]}</b>`, names[seat]) : v === 'g' ?
                show(html`${chars.map(symbolOf)}`, charWords(chars)) : v < 'a' ? show(b(n[+v - 1]), n[+v - 1]) : v === 's' ?
                spaceNames(cells) : v === 'c' ? colourName(COLOURS[n[1]]) : v === 'r' ? round : v === 't' ? turn :
                edition.patterns[n[0]].name));
            if (kind === STORY.show)
                continue;
            /** @type {Entry} */
            const entry = { kind: kind === STORY.reveal ? 'turn' : 'line', seat, line: at, loud: news > 0, text: put((_h,
                text) => text), lost: kind === STORY.lost, html: sentence((hold) => put(hold).replace(/ \((Q\d)\)/,
                (_all, rule) => hold(ruleLink(rule)))) };
            entries.push(entry);
            if (kind === STORY.reveal)
                reveals++;
            else if (kind === STORY.score)
                totals[seat] = n[0];
            else if (kind === STORY.complete)
                lowest[seat] = Math.min(lowest[seat] ?? n[0], n[0]);
            else if (spaces)
                entry.mark = { card: n[0], cells, marks: marks[`${seat}.${n[0]}`] =
                    [...marks[`${seat}.${n[0]}`] ?? [], ...cells] };
        }
        if (line.startsWith('winner ')) {
            const winners = line.split(' ').slice(1).map((s) => Number(s) - 1);
            const [what, why] = winnerWords(names, totals, lowest, winners, me);
            entries.push({ kind: 'line', seat: winners[0], html: html`${b(what)}. ${why}`, text: `${what}. ${why}`, line: at,
                loud: true });
        }
    });
    return entries;
}

/** The number of extra marks that have no space to go to (Q3).
 * @param {Edition} edition @param {Desk} before @param {Desk} after one mark later */
function lostMarks(edition, before, after) {
    const crosses = after.slots.flatMap(({ card, marks }, i) => marks.filter((k) => !before.slots[i].marks.includes(k) &&
        edition.cards[card].cells[k] === 'x'));
    return crosses.length + (before.first ? 0 : before.due - 1) - after.due;
}

/** The changes of a desk by one mark, as chips and in words.
 * @param {Edition} edition @param {Desk} before @param {Desk} after @param {number} round
 * @returns {{c: string, label: string, text: string, lost?: boolean}[]} */
export function gains(edition, before, after, round) {
    const list = [];
    const r = after.rubies - before.rubies, e = after.emeralds - before.emeralds, s = after.skulls - before.skulls;
    // A number beside a symbol is a count, left out if it is 1; a number with a sign is points.
    const many = /** @param {number} n */ (n) => n > 1 ? String(n) : '';
    if (r) list.push({ c: 'r', label: many(r), text: countWord('r', r) });
    if (e) list.push({ c: 'e', label: many(e), text: countWord('e', e) });
    if (after.torches[round] && !before.torches[round]) list.push({ c: 'f', label: ROMAN[round], text: _('torch') });
    if (s > 0) list.push({ c: 's', label: many(s), text: countWord('s', s) });
    if (s < 0) list.push({ c: 'erased', label: many(-s), text: ngettext('%{n} skull erased', '%{n} skulls erased', -s) });
    after.slots.forEach((slot, i) => {
        if (slot.tomb && !before.slots[i].tomb)
            list.push({ c: 'T', label: withSign(WORTH.pyramid), text: _('card %{n} complete', { n: slot.card }) });
    });
    if (after.due > 0) list.push({ c: 'x', label: many(after.due), text: ngettext('%{n} extra mark', '%{n} extra marks',
        after.due) });
    const lost = lostMarks(edition, before, after);
    if (lost > 0)
        list.push({ c: 'x', label: _('lost'), text: ngettext('%{n} extra mark is lost', '%{n} extra marks are lost', lost),
            lost: true });
    return list;
}

/** The name of a choice with this mark. @param {string} mark */
export const markName = (mark) => mark === '??' ? _('blunder') : mark === '?' ? _('mistake') : _('slip');

/** @param {string} level */
export const playsLike = (level) => _('plays like %{level}', { level: levelName(level) });
