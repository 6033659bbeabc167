#!/usr/bin/env python3
"""A second implementation of ratings, from the paper of Weng and Lin (2011) for teams of any size, as a reference for
src/rating. usage: ratings.py [--vectors]: checks itself with the example that OpenSkill publishes; with --vectors
prints the rows of tests/test_rating.c."""
import math
import random
import sys

BETA, KAPPA = 25 / 6, 0.0001
NEW = (25, 25 / 3)


def rate(teams, places):
    """(mu, sigma) of each player after a game of teams. Every pair of a team and a race that it is in counts."""
    mu = [sum(m for m, _ in team) for team in teams]
    variance = [sum(s * s for _, s in team) for team in teams]
    c = math.sqrt(math.fsum(v + BETA * BETA for v in variance))
    weight = [math.exp(m / c) for m in mu]
    after = []
    for i, team in enumerate(teams):
        omega, delta = [], []
        for q, place in enumerate(places):
            if place <= places[i]:
                among = math.fsum(w for w, p in zip(weight, places) if p >= place)
                chance, shared = weight[i] / among, places.count(place)
                omega.append(((1 if i == q else 0) - chance) / shared)
                delta.append(chance * (1 - chance) / shared)
        shift = math.fsum(omega) * variance[i] / c
        shrink = math.fsum(delta) * variance[i] / c ** 2 * math.sqrt(variance[i]) / c
        after.append([(m + s * s / variance[i] * shift, s * math.sqrt(max(1 - s * s / variance[i] * shrink, KAPPA)))
                      for m, s in team])
    return after


def check():
    """The example of OpenSkill's documentation: two against two."""
    got = rate([[NEW, (32.444, 5.123)], [(43.381, 2.421), (25.188, 6.211)]], [1, 2])
    wanted = [(28.669648436582808, 8.071520788025197), (33.83086971107981, 5.062772998705765),
              (43.071274808241974, 2.4166900452721256), (23.149503312339064, 6.1378606973362135)]
    for one, other in zip([player for team in got for player in team], wanted):
        assert all(abs(a - b) < 1e-9 for a, b in zip(one, other)), (one, other)


def vectors():
    """Rows with all kinds of places and ratings, as C."""
    draw = random.Random(7)
    for places in ([1, 1], [2, 1], [1, 2, 2], [1, 1, 3], [1, 1, 1], [3, 1, 2], [4, 1, 1, 3], [2, 2, 2, 1], [1, 3, 3, 2],
                   [1, 1, 1, 1]):
        before = [(round(draw.uniform(10, 40), 3), round(draw.uniform(1, 8.3), 3)) for _ in places]
        after = [team[0] for team in rate([[player] for player in before], places)]
        rows = [', '.join(f'{{ {mu!r}, {sigma!r} }}' for mu, sigma in players) for players in (before, after)]
        yield f'    {{ {len(places)}, {{ {rows[0]} }}, {{ {", ".join(map(str, places))} }},\n        {{ {rows[1]} }} }},'


if __name__ == '__main__':
    check()
    if sys.argv[1:] == ['--vectors']:
        print('\n'.join(vectors()))
    else:
        print('1..1\nok 1 - the reference agrees with the published example')
