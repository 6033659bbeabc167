"""Steps per second of VecEnv and of the library alone, in one run: python3 -m pyramids.bench [--json]

Both step the same games with random legal actions; only the time in a step counts, in processor time of this thread. They
run in turn for fractions of a second, so that a busy machine slows down both equally."""
import argparse
import json
import sys
import time

import pyramids
from pyramids import _core


def measure(players, games, blocks, steps):
    """(steps per second of VecEnv, of the library)"""
    env = pyramids.VecEnv(games, players=players)
    env.reset(seed=1)
    env.seed_actions(1)
    mine = alone = 0.0
    for _ in range(blocks):
        for _ in range(steps):
            actions = env.sample_actions()
            start = time.thread_time()
            env.step(actions)
            mine += time.thread_time() - start
        alone += _core.speed(env._batch, steps)
    env.close()
    return games * blocks * steps / mine, games * blocks * steps / alone


def main():
    parser = argparse.ArgumentParser(prog="python3 -m pyramids.bench", description=__doc__.split(":")[0])
    parser.add_argument("--games", type=int, default=1024, help="games in a batch (1024)")
    parser.add_argument("--blocks", type=int, default=20, help="turns that each side takes (20)")
    parser.add_argument("--steps", type=int, default=100, help="steps of all games in a turn (100)")
    parser.add_argument("--json", action="store_true", help="one JSON object per line")
    options = parser.parse_args()
    for players in (2, 3, 4):
        python, library = measure(players, options.games, options.blocks, options.steps)
        if options.json:
            print(json.dumps({"players": players, "games": options.games, "steps_per_second": round(python),
                              "library_steps_per_second": round(library), "ratio": round(python / library, 4)}))
        else:
            print(f"{players} players, {options.games} games: {python / 1e6:.2f} million steps per second, "
                  f"{100 * python / library:.1f}% of the library's {library / 1e6:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
