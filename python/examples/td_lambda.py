#!/usr/bin/env python3
"""Trains a linear agent (linear.py) by TD(lambda) in games against itself, and prints its weights.

Least squares, so that there is no step size to tune: LSTD(lambda) estimates the further score of the present agent after
each of its actions, from games in which it plays all seats and explores a little. The next agent chooses the highest
estimate.

usage: td_lambda.py [--games N] [--rounds N] [--out FILE]"""
import argparse

import numpy

import linear
import pyramids

LAMBDA, EXPLORE, DECAY = 0.8, 0.02, 0.6


def play(agent, games, seed, explore=EXPLORE, players=2):
    """Sums of LSTD(lambda) over a number of games: (A, b, mean score)."""
    env = pyramids.VecEnv(games, players=players, autoreset=False)
    env.reset(seed=seed)
    size = (games, players)
    trace = numpy.zeros((*size, linear.COUNT))
    last = numpy.zeros((*size, linear.COUNT))        # features of the last action of each seat
    gained = numpy.zeros(size)                       # since then
    a, b = numpy.zeros((linear.COUNT, linear.COUNT)), numpy.zeros(linear.COUNT)
    live = numpy.arange(games)
    while len(live):
        actions = numpy.full(games, pyramids.PASS)
        chosen, found = agent.act(env.observations[live], env.masks[live], explore)
        actions[live] = chosen
        seat = env.turn[live].astype(int)
        # The step from the last action of this seat to the present one.
        a += trace[live, seat].T @ (last[live, seat] - found)
        b += trace[live, seat].T @ gained[live, seat]
        trace[live, seat] = LAMBDA * trace[live, seat] + found
        last[live, seat] = found
        gained[live, seat] = 0
        env.step(actions)
        gained[live] += env.all_rewards[live]
        ended = live[env.done[live]]
        for s in range(players):                     # there is nothing after the last action
            a += trace[ended, s].T @ last[ended, s]
            b += trace[ended, s].T @ gained[ended, s]
        live = live[~env.done[live]]
    score = float(env.scores.mean())
    env.close()
    return a, b, score


def train(games, rounds, seed=1, report=print):
    """An agent after a number of rounds of policy iteration."""
    agent = linear.Agent(seed=seed)
    a, b = numpy.zeros((linear.COUNT, linear.COUNT)), numpy.zeros(linear.COUNT)
    for number in range(rounds):
        explore = 1.0 if number == 0 else EXPLORE
        more_a, more_b, score = play(agent, games, seed + number * games, explore)
        a, b = DECAY * a + more_a, DECAY * b + more_b    # games of former agents count less
        agent.weights = numpy.linalg.solve(a + numpy.eye(linear.COUNT) * games * 0.01, b)
        report(f"round {number + 1}: {score:.1f} points per player")
    return agent


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(",", maxsplit=1)[0])
    parser.add_argument("--games", type=int, default=1000, help="games per round (1000)")
    parser.add_argument("--rounds", type=int, default=8, help="rounds (8)")
    parser.add_argument("--out", help="write the weights to this file")
    options = parser.parse_args()
    agent = train(options.games, options.rounds)
    for name, weight in zip(linear.NAMES, agent.weights):
        print(f"{name:12s} {weight:7.2f}")
    if options.out:
        numpy.savetxt(options.out, agent.weights)


if __name__ == "__main__":
    main()
