#!/usr/bin/env python3
"""Random games in batches: how long games are, how many legal actions a decision has, what random play scores.

usage: rollout.py [GAMES]"""
import sys

import numpy

import pyramids


def rollout(players, games, seed=1):
    """Plays `games` games at random: (steps per game, legal actions per decision, score per player)."""
    env = pyramids.VecEnv(256, players=players)
    _, infos = env.reset(seed=seed)
    env.seed_actions(seed)
    steps = legal = ended = points = 0
    while ended < games:
        legal += int(infos["action_mask"].sum())
        steps += env.num_envs
        _, _, terminations, _, infos = env.step(env.sample_actions())
        ended += int(terminations.sum())
        if "final_score" in infos:
            points += int(infos["final_score"][terminations].sum())
    env.close()
    return steps / ended, legal / steps, points / ended / players


def main():
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 10000
    for players in (2, 3, 4):
        length, branching, points = rollout(players, games)
        print(f"{players} players: {length:.1f} steps per game, {branching:.1f} legal actions per step, "
              f"{points:.1f} points per player")


if __name__ == "__main__":
    numpy.seterr(all="raise")
    main()
