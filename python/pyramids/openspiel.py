"""Pyramids for OpenSpiel: a pyspiel.Game in Python. Needs pyspiel (the package open_spiel).

    import pyramids.openspiel                # registers the game
    game = pyspiel.load_game("python_pyramids", {"players": 2})

The deal is one chance node whose outcome is the seed of the deal (`deals` of them, from `seed` on), so that a history
determines a game. Seats that choose at the same time are asked in turn and see nothing of each other's choices. Actions are
those of pyramids (pyramids.describe). An observation tensor is the observation of 560 bytes, scaled to 0 to 1; the
information state string is the same bytes in hexadecimal with all that the seat itself has done.

OpenSpiel copies and pickles what a state has as attributes (State.clone, serialize): they are plain values and a Game.
"""
import pyspiel

from .game import Game
from .observation import ACTIONS, OBSERVATION, describe, fields, numpy

_DEFAULTS = {"players": 2, "deals": 1024, "seed": 0, "reward": "win"}
_MOST = 4 * 700                  # more steps than any game has
_REWARDS = {"win": (0.0, 1.0), "score": (-50.0, 400.0)}

GAME_TYPE = pyspiel.GameType(
    short_name="python_pyramids", long_name="Python Pyramids", dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION, utility=pyspiel.GameType.Utility.GENERAL_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL, max_num_players=4, min_num_players=2,
    provides_information_state_string=True, provides_information_state_tensor=False, provides_observation_string=True,
    provides_observation_tensor=True, parameter_specification=_DEFAULTS)


class PyramidsGame(pyspiel.Game):
    """The game for a number of players."""

    def __init__(self, params=None):
        params = {**_DEFAULTS, **(params or {})}
        self.players, self.deals, self.seed = int(params["players"]), int(params["deals"]), int(params["seed"])
        self.reward = params["reward"]
        if self.reward not in _REWARDS:
            raise ValueError(f"unknown reward {self.reward!r}; choose from: win, score")
        if self.deals < 1 or not 2 <= self.players <= 4:
            raise ValueError("there must be 2 to 4 players and at least one deal")
        low, high = _REWARDS[self.reward]
        super().__init__(GAME_TYPE, pyspiel.GameInfo(
            num_distinct_actions=ACTIONS, max_chance_outcomes=self.deals, num_players=self.players, min_utility=low,
            max_utility=high, utility_sum=None, max_game_length=_MOST), params)

    def new_initial_state(self):
        """The state before the deal."""
        return PyramidsState(self)

    def max_chance_nodes_in_history(self):
        """The deal."""
        return 1

    def make_py_observer(self, iig_obs_type=None, params=None):
        """An observer of one seat; with perfect recall its text also contains the seat's actions."""
        if params:
            raise ValueError(f"an observer takes no parameters, but has {params}")
        if iig_obs_type and (not iig_obs_type.public_info or
                             iig_obs_type.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER):
            raise ValueError("an observer shows what one seat may know: public_info and PrivateInfoType.SINGLE_PLAYER")
        return PyramidsObserver(bool(iig_obs_type and iig_obs_type.perfect_recall))


class PyramidsState(pyspiel.State):
    """A state: the deal, then the game."""

    def __init__(self, game):
        super().__init__(game)
        self.players, self.deals, self.seed, self.reward = game.players, game.deals, game.seed, game.reward
        self.play = None                                 # the Game, once it is dealt
        self.own = [[] for _ in range(game.players)]     # the actions of each seat

    def current_player(self):
        if self.play is None:
            return pyspiel.PlayerId.CHANCE
        return self.play.waiting[0] if self.play.waiting else pyspiel.PlayerId.TERMINAL

    def chance_outcomes(self):
        """Every deal with the same probability."""
        return [(i, 1.0 / self.deals) for i in range(self.deals)]

    def _legal_actions(self, player):
        return self.play.legal_actions(player)

    def _apply_action(self, action):
        if self.play is None:
            self.play = Game(self.players, self.seed + action)
            return
        seat = self.play.waiting[0]
        self.play.apply(seat, action)
        self.own[seat].append(action)

    def _action_to_string(self, player, action):
        if player == pyspiel.PlayerId.CHANCE:
            return f"deal {self.seed + action}"
        what = describe(action)
        return " ".join([what.kind] + [f"{name} {value}" for name, value in zip(what._fields[1:], what[1:])
                                       if value is not None])

    def is_terminal(self):
        return self.play is not None and self.play.is_over

    def returns(self):
        """Shares of the win, or scores; zeros before the end."""
        if not self.is_terminal():
            return [0.0] * self.players
        if self.reward == "score":
            return [float(score) for score in self.play.scores]
        winners = self.play.winners
        return [1.0 / len(winners) if seat in winners else 0.0 for seat in range(self.players)]

    def observation_bytes(self, player):
        """What a seat may know; zeros before the deal."""
        return bytes(OBSERVATION) if self.play is None else bytes(self.play.observation(player))

    def __str__(self):
        return "the deal" if self.play is None else self.play.record


class PyramidsObserver:
    """The observation as numbers from 0 to 1, and as text."""

    def __init__(self, has_recall=False):
        self.has_recall = has_recall
        self.tensor = numpy.zeros(OBSERVATION, numpy.float32)
        self._most = numpy.ones(OBSERVATION, numpy.float32)
        self.dict = {}
        for field in fields():
            self._most[field.offset:field.offset + field.size] = max(1, field.most)
            self.dict[field.name] = self.tensor[field.offset:field.offset + field.size].reshape(field.shape)

    def set_from(self, state, player):
        """Writes the observation of a player."""
        self.tensor[:] = numpy.frombuffer(state.observation_bytes(player), numpy.uint8) / self._most

    def string_from(self, state, player):
        """The observation of a player as text; with recall, also all of the player's actions."""
        text = state.observation_bytes(player).hex()
        return text + ":" + ",".join(map(str, state.own[player])) if self.has_recall else text


pyspiel.register_game(GAME_TYPE, PyramidsGame)
