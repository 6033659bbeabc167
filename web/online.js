import { Game } from './game.js';
export class OnlineGame extends Game {
    /** @param {import('./main.js').App} _app */
    rematch(_app) {}
}
