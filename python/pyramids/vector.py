"""Many games at once by the conventions of Gymnasium's vector environments, and one game against bots as its Env."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import index
from typing import Any, Optional
import random

from . import _core
from .game import _number_of_players, edition as _edition
from .observation import ACTIONS, OBSERVATION, Array, numpy, row_of, shared
from .spaces import Dict, Discrete, MultiDiscrete, byte_box

try:
    from gymnasium import Env as _Env
    from gymnasium.vector import VectorEnv as _VectorEnv
except ImportError:
    _Env = _VectorEnv = object

try:
    from gymnasium.vector import AutoresetMode
    _SAME_STEP, _DISABLED = AutoresetMode.SAME_STEP, AutoresetMode.DISABLED
except ImportError:
    _SAME_STEP, _DISABLED = "SameStep", "Disabled"

Opponents = Any                  # None, a name, or one per seat
REWARDS = ("points", "score", "win")
_PARALLEL, _STAY = 1, 2


def _seats(players: int, opponents: Opponents) -> tuple[Optional[str], ...]:
    """Who plays each seat: None for the caller."""
    if opponents is None:
        return (None,) * players
    if isinstance(opponents, str):
        return (None,) + (opponents,) * (players - 1)
    seats = tuple(opponents)
    if len(seats) != players:
        raise ValueError(f"opponents has {len(seats)} seats for {players} players; use None for your own")
    return seats


class VecEnv(_VectorEnv):
    """Many games at once.

    Arrays are shared with the library, without copies: numpy arrays, or memoryviews where there is no numpy. Every step
    writes the same arrays again; copy what you keep.

    games       how many games
    players     2 to 4
    edition     an Edition, a name or a text
    opponents   None: you play all seats; the name of a bot: it plays all seats but the first; or one entry per
                seat, None for your own
    reward      "points" as they are scored, "score" at the end, or "win", the share of the win at the end
    parallel    all seats act at once, a row per game and seat (row game * players + seat); else a row per game
    autoreset   finished games are dealt again in the same step; else they stay until reset
    critic      also write the plane with everything hidden (infos["critic"])
    record      keep what is played, for record()
    bot_nodes   limit of the bots' search per step; 0: their own
    buffers     memory of yours to write into, by name: observation, mask, critic, turn, reward, done, score
    """

    def __init__(self, games: int = 1, *, players: int = 2, edition: _core.Edition | str = "classic",
                 opponents: Opponents = None, reward: str = "points", parallel: bool = False, autoreset: bool = True,
                 critic: bool = False, record: bool = False, bot_nodes: int = 0,
                 buffers: Optional[dict[str, Any]] = None) -> None:
        if reward not in REWARDS:
            raise ValueError(f"unknown reward {reward!r}; choose from: {', '.join(REWARDS)}")
        players = _number_of_players(players)
        seats = _seats(players, opponents)
        self.edition, self.games, self.players, self.parallel = _edition(edition), games, players, bool(parallel)
        self.seats = tuple(i for i, bot in enumerate(seats) if bot is None)      # yours
        flags = _PARALLEL * self.parallel + _STAY * (not autoreset)
        self._batch = _core.Batch(self.edition, players, games, REWARDS.index(reward), flags, seats, bot_nodes, critic,
                                  record, buffers, random.getrandbits(64))
        self.num_envs = games * players if parallel else games
        self.metadata = {"autoreset_mode": _SAME_STEP if autoreset else _DISABLED, "render_modes": []}
        self.render_mode = self.spec = None
        self.closed = False
        self.single_observation_space = byte_box(OBSERVATION)
        self.single_action_space = Discrete(ACTIONS)
        self.observation_space = byte_box(self.num_envs, OBSERVATION)
        self.action_space = MultiDiscrete([ACTIONS] * self.num_envs)
        self._random = random.Random()
        self._share(critic)

    def _share(self, critic: bool) -> None:
        get = self._batch.array
        self.observations, self.masks, self.turn = shared(get("observation")), shared(get("mask")), shared(get("turn"))
        self.all_rewards, self.done, self.scores = shared(get("reward")), shared(get("done")), shared(get("score"))
        self.critic = shared(get("critic")) if critic or get("critic") is not None else None
        self.rewards = self._shape_rewards()
        self.truncations = shared(memoryview(bytearray(self.num_envs)).cast("?"))
        self._infos = {"action_mask": self.masks, "turn": self.turn}
        if self.critic is not None:
            self._infos["critic"] = self.critic

    def _shape_rewards(self) -> Array:
        if self.parallel:
            return self.all_rewards.reshape(-1) if numpy is not None else self.all_rewards.cast("B").cast("f")
        if len(self.seats) > 1:
            return self.all_rewards
        column = self._batch.rewards_of(self.seats[0])
        if column is not None:
            return shared(column)
        return shared(memoryview(self.all_rewards).cast("B").cast("f")[self.seats[0]::self.players])

    def _terminations(self) -> Array:
        if not self.parallel:
            return self.done
        if numpy is not None:
            return numpy.repeat(self.done, self.players)
        return memoryview(bytearray(bit for bit in self.done for _ in range(self.players))).cast("?")

    def reset(self, *, seed: Optional[int | Sequence[Optional[int]]] = None,
              options: Optional[dict[str, Any]] = None) -> tuple[Array, dict[str, Any]]:
        """Deals all games again: (observations, infos). Game i gets the seed `seed + i`, or seed[i] of a sequence; without a
        seed, the next ones of the random numbers that the last seed began."""
        if seed is None:
            seeds = [self._random.getrandbits(64) for _ in range(self.games)]
        elif hasattr(seed, "__index__"):
            seed = index(seed)
            if not 0 <= seed < 2**64:
                raise ValueError("a seed must be a number from 0 to 2**64 - 1")
            self._random = random.Random(seed)
            seeds = [(seed + i) % 2**64 for i in range(self.games)]
        else:
            seeds = [random.getrandbits(64) if one is None else one for one in seed]
        self._batch.reset(seeds)
        return self.observations, dict(self._infos)

    def step(self, actions: Any) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        """Makes one action per row: (observations, rewards, terminations, truncations, infos).

        infos has "action_mask" and "turn": the seat that acts next in each game; with `parallel` a bit for each seat that
        decides. When games have ended, also "final_score" with "_final_score", which marks those games. IllegalAction if
        any action is illegal; then nothing has changed in any game."""
        has_ended = self._batch.step(actions)
        infos = self._infos.copy()
        if has_ended:
            infos["final_score"], infos["_final_score"] = self.scores, self.done
        return self.observations, self.rewards, self._terminations(), self.truncations, infos

    def sample_actions(self) -> Array:
        """Random legal actions for all rows, as a new array."""
        return shared(self._batch.pick())

    def seed_actions(self, seed: int) -> None:
        """Restarts the random numbers of sample_actions."""
        self._batch.seed_actions(seed)

    def look(self, game: int, seat: int) -> tuple[Array, Array]:
        """What a seat may know in a game: (observation, mask); the mask is a pass for a seat with nothing to decide."""
        observation, mask, _ = self._batch.look(game, seat)
        return row_of(observation), row_of(mask, "int8")

    def state(self, game: int, seat: int = 0) -> Array:
        """The critic's plane of a game, everything that is hidden, with seats counted from `seat`."""
        return row_of(self._batch.look(game, seat)[2])

    def deal(self, game: int) -> tuple[int, int]:
        """(seed, episode) of a game: the e-th deal of a seed is always the same."""
        return self._batch.deal(game)

    def save(self, game: int) -> bytes:
        """A game as bytes, for load in an environment of the same edition and number of players."""
        return self._batch.save(game)

    def load(self, game: int, data: bytes) -> None:
        """Loads a saved game. Its record is not available until the next deal."""
        self._batch.load(game, data)

    def sample(self, game: int, seat: int, seed: int) -> None:
        """Replaces a game by one in another world that fits everything that a seat knows. Its record is not available
        until the next deal."""
        self._batch.sample(game, seat, seed)

    def record(self, game: int, *, finished: bool = False) -> Optional[str]:
        """The record of a game so far, or of the last finished game at that index; None if there is none. Needs
        record=True."""
        return self._batch.record(game, finished)

    def close(self, **kwargs: Any) -> None:
        """Ends the environment. Arrays that are in use stay valid."""
        if not self.closed:
            self._batch.close()
            self.closed = True

    def close_extras(self, **kwargs: Any) -> None:
        """For wrappers of Gymnasium."""

    def __enter__(self) -> VecEnv:
        return self

    def __exit__(self, *why: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<pyramids.VecEnv {self.games} games of {self.players} players, {self.edition.name}>"


class Legal(Discrete):
    """All actions. A sample without a mask is a legal action at the moment, since most actions are illegal. `mask` returns
    what is legal, or None before the first deal. With `seeded_first` the first sample after seed() is for a game that has
    just been dealt, as Gymnasium's checker requires."""

    def __init__(self, mask: Callable[[], Any], *, seeded_first: bool = False) -> None:
        super().__init__(ACTIONS)
        self._legal, self._seeded_first, self._is_fresh = mask, seeded_first, False

    def seed(self, seed: Optional[int] = None) -> Any:
        self._is_fresh = self._seeded_first
        return super().seed(seed)

    def sample(self, mask: Any = None, **kwargs: Any) -> int:
        if mask is None:
            mask = None if self._is_fresh else self._legal()
            if mask is None:
                mask = row_of(bytes(450) + bytes([1] * 6) + bytes(6), "int8")        # any two cards may be kept
        action = super().sample(mask, **kwargs)
        self._is_fresh = False                   # only now: Gymnasium's first sample calls seed()
        return action

    def __deepcopy__(self, memo: Any) -> Legal:
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Discrete) and other.n == self.n

    __hash__ = Discrete.__hash__


class GymEnv(_Env):
    """One game against bots, by the conventions of a Gymnasium Env: you play the first seat. Made by gym_env()."""

    metadata = {"render_modes": ["ansi"], "render_fps": 1}
    spec = None

    def __init__(self, opponents: Opponents = "greedy", *, players: int = 2, edition: _core.Edition | str = "classic",
                 reward: str = "points", bot_nodes: int = 0, render_mode: Optional[str] = None) -> None:
        self._env = VecEnv(1, players=players, edition=edition, opponents=opponents, reward=reward, autoreset=False,
                           record=True, bot_nodes=bot_nodes)
        if len(self._env.seats) != 1:
            raise ValueError("exactly one seat must be yours; VecEnv has more")
        self.render_mode = render_mode
        self._mask, self._is_over = None, False
        self.observation_space = Dict({"observation": byte_box(OBSERVATION), "action_mask": byte_box(ACTIONS, high=1,
                                                                                                     kind="int8")})
        self.action_space = Legal(lambda: self._mask, seeded_first=True)

    def _now(self) -> dict[str, Array]:
        observation, mask = self._env.look(0, self._env.seats[0])
        self._mask = mask
        return {"observation": observation, "action_mask": mask}

    def reset(self, *, seed: Optional[int] = None,
              options: Optional[dict[str, Any]] = None) -> tuple[dict[str, Array], dict[str, Any]]:
        """Deals a game: (observation, info)."""
        if _Env is not object:
            super().reset(seed=seed)
        self._env.reset(seed=seed)
        self._is_over = False
        return self._now(), {}

    def step(self, action: int) -> tuple[dict[str, Array], float, bool, bool, dict[str, Any]]:
        """Makes an action: (observation, reward, terminated, truncated, info)."""
        if self._is_over:
            raise RuntimeError("the game is over; call reset")
        self._env.step([action])
        self._is_over = done = bool(self._env.done[0])
        info = {"final_score": tuple(self._env.scores.tolist()[0])} if done else {}
        return self._now(), float(self._env.rewards[0]), done, False, info

    def render(self) -> Optional[str]:
        """The record of the game so far."""
        return self._env.record(0) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Ends the environment."""
        self._env.close()


def gym_env(opponents: Opponents = "greedy", **options: Any) -> GymEnv:
    """One game against bots as a Gymnasium Env; the options are those of VecEnv that make sense for one game."""
    return GymEnv(opponents, **options)
