// A game with the work of a table of Pyramids: four players who all choose at once, 28 turns, choices secret until all
// have chosen, open boards of two cards each. The rules themselves are left out, which favours the peer: it need not
// check legality.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { ActivePlayers, INVALID_MOVE } = require('boardgame.io/core');

export const PLAYERS = 4, TURNS = 28;

export const game = {
    name: 'peer',
    minPlayers: PLAYERS,
    maxPlayers: PLAYERS,
    disableUndo: true,                       // else every move keeps a copy of the state
    setup: ({ random }) => ({
        turn: 0,
        ready: [],
        pattern: 0,
        desks: Array.from({ length: PLAYERS }, (_, p) => ({ cards: [2 * p, 2 * p + 1], marks: [0, 0], done: 0, torches: 0,
            skulls: 0, rubies: 0, emeralds: 0 })),
        display: [40, 41, 42, 43],
        secret: { deck: random.Shuffle(Array.from({ length: 48 }, (_, i) => i)), choices: [null, null, null, null] },
    }),
    playerView: ({ G, playerID }) => {
        const { secret, ...open } = G;
        return { ...open, mine: secret.choices[playerID] ?? null };
    },
    turn: { activePlayers: ActivePlayers.ALL },
    moves: {
        mark: {
            // Others may have moved since; without this the choices of three of four would be refused.
            ignoreStaleStateID: true,
            client: false,
            move: ({ G, playerID }, card, spaces) => {
                if (G.secret.choices[playerID] || (card !== 0 && card !== 1) || !(spaces > 0 && spaces < 1 << 25))
                    return INVALID_MOVE;
                G.secret.choices[playerID] = [card, spaces];
                G.ready.push(playerID);
                if (G.ready.length < PLAYERS)
                    return;
                G.secret.choices.forEach(([c, s], p) => { G.desks[p].marks[c] ^= s; });
                G.secret.choices = [null, null, null, null];
                G.ready = [];
                G.turn++;
                G.pattern = G.secret.deck[G.turn % 48] % 8;
            },
        },
    },
    endIf: ({ G }) => G.turn >= TURNS ? { winner: '0' } : undefined,
};
