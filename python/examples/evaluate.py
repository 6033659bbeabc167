#!/usr/bin/env python3
"""An agent against the bots of the ladder, with margins: every deal is played twice, with seats exchanged, and the two games
count as one sample.

The deals are held out: td_lambda.py trains on those from seed 1, its features and constants were chosen with those from
seed 1,000,000, and this program uses others, so neither biases the result. --edition N plays cards that pyramids.generate
makes, which the agent has never seen.

usage: evaluate.py [--weights FILE] [--deals N] [--seed N] [--edition N] [BOT...]"""
import argparse
import math

import numpy

import linear
import pyramids

BOTS = ("random", "novice", "casual", "greedy")
HELD_OUT = 7_000_000_000


def play(agent, bot, deals, seat, seed=HELD_OUT, edition="classic"):
    """Plays deals in one seat against a bot: (share of the win, points) of the agent, per deal."""
    opponents = [bot, bot]
    opponents[seat] = None
    env = pyramids.VecEnv(deals, edition=edition, opponents=opponents, autoreset=False, reward="win")
    env.reset(seed=seed)
    share = numpy.zeros(deals)
    live = numpy.arange(deals)
    while len(live):
        actions = numpy.full(deals, pyramids.PASS)
        actions[live] = agent.act(env.observations[live], env.masks[live])[0]
        env.step(actions)
        share += env.rewards
        live = live[~env.done[live]]
    points = env.scores[:, seat].astype(float)
    env.close()
    return share, points


def evaluate(agent, bot, deals, seed=HELD_OUT, edition="classic"):
    """(mean share of the win, its 95% margin, mean points)"""
    first, second = (play(agent, bot, deals, seat, seed, edition) for seat in (0, 1))
    shares = (first[0] + second[0]) / 2
    return shares.mean(), 1.96 * shares.std(ddof=1) / math.sqrt(deals), (first[1].mean() + second[1].mean()) / 2


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(":", maxsplit=1)[0])
    parser.add_argument("--weights", help="weights that td_lambda.py wrote (default: train now)")
    parser.add_argument("--deals", type=int, default=300, help="deals, each played from both seats (300)")
    parser.add_argument("--seed", type=int, default=HELD_OUT, help=f"of the first deal ({HELD_OUT})")
    parser.add_argument("--edition", type=int, help="number of a generated edition of the test split (default: classic)")
    parser.add_argument("bots", nargs="*", default=BOTS, help=f"bots (default: {' '.join(BOTS)})")
    options = parser.parse_args()
    if options.weights:
        agent = linear.Agent(numpy.loadtxt(options.weights))
    else:
        import td_lambda
        agent = td_lambda.train(1000, 8)
    edition = "classic" if options.edition is None else pyramids.generate(options.edition, "test")
    for bot in options.bots:
        share, margin, points = evaluate(agent, bot, options.deals, options.seed, edition)
        print(f"against {bot:8s} wins {100 * share:5.1f}% +- {100 * margin:.1f}, {points:.1f} points")


if __name__ == "__main__":
    main()
