"""The game by PettingZoo's conventions. It works without pettingzoo; if that is installed, the environments use its
classes.

Agents are player_0, player_1 and so on. An observation is a dict with "observation" (560 bytes, see pyramids.fields) and
"action_mask" (462 numbers, 1 if legal). Keeping and marking are simultaneous in the game: in aec_env seats choose in turn,
and no observation shows what another seat has chosen before all have.
"""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Optional

from ._core import Edition
from .observation import ACTIONS, OBSERVATION, PASS, Array, row_of
from .spaces import Dict, Discrete, byte_box
from .vector import Legal, VecEnv

try:
    from pettingzoo.utils.env import AECEnv as _Aec, ParallelEnv as _Parallel
except ImportError:
    _Aec = _Parallel = object

_NO_ACTION = bytes(ACTIONS)


class _Agents:
    """What both kinds share: agents, spaces, the game below."""

    def __init__(self, players: int, edition: Edition | str, reward: str, render_mode: Optional[str],
                 **options: Any) -> None:
        self._env = VecEnv(1, players=players, edition=edition, reward=reward, autoreset=False, record=True, **options)
        self.render_mode = render_mode
        self.possible_agents = [f"player_{i}" for i in range(players)]
        self.agents: list[str] = []
        self._seat = {agent: i for i, agent in enumerate(self.possible_agents)}
        self.observation_spaces = {agent: Dict({"observation": byte_box(OBSERVATION), "action_mask": byte_box(
            ACTIONS, high=1, kind="int8")}) for agent in self.possible_agents}
        self.action_spaces = {agent: Discrete(ACTIONS) for agent in self.possible_agents}
        self.state_space = byte_box(352)

    def observation_space(self, agent: str) -> Any:
        """The space of an agent's observations: the same object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The space of an agent's actions: the same object at every call."""
        return self.action_spaces[agent]

    @property
    def num_agents(self) -> int:
        return len(self.agents)

    @property
    def max_num_agents(self) -> int:
        return len(self.possible_agents)

    @property
    def unwrapped(self) -> Any:
        return self

    def state(self) -> Array:
        """Everything, including hidden cards (the critic's plane, seen from player_0)."""
        return self._env.state(0)

    def record(self) -> str:
        """The record of the game so far."""
        return self._env.record(0)

    def render(self) -> Optional[str]:
        """With render_mode="ansi" the record of the game so far."""
        return self.record() if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Ends the environment."""
        self._env.close()

    def _observe(self, agent: str, may_act: bool) -> dict[str, Array]:
        observation, mask = self._env.look(0, self._seat[agent])
        return {"observation": observation, "action_mask": mask if may_act else row_of(_NO_ACTION, "int8")}

    def _rewards(self) -> dict[str, float]:
        return dict(zip(self.possible_agents, (float(x) for x in self._env.all_rewards.tolist()[0])))

    def _start(self, seed: Optional[int]) -> None:
        self._env.reset(seed=seed)
        self.agents = list(self.possible_agents)

    def __str__(self) -> str:
        return self.metadata["name"]


class AecEnv(_Agents, _Aec):
    """One agent acts at a time. Made by aec_env()."""

    metadata = {"name": "pyramids_v0", "render_modes": ["ansi"], "is_parallelizable": True, "render_fps": 1}

    def __init__(self, *, players: int = 2, edition: Edition | str = "classic", reward: str = "points",
                 render_mode: Optional[str] = None) -> None:
        _Agents.__init__(self, players, edition, reward, render_mode)
        self.agent_selection: Optional[str] = None
        self.rewards: dict[str, float] = {}
        self._cumulative_rewards: dict[str, float] = {}
        self.terminations: dict[str, bool] = {}
        self.truncations: dict[str, bool] = {}
        self.infos: dict[str, dict[str, Any]] = {}

    def reset(self, seed: Optional[int] = None, options: Optional[dict[str, Any]] = None) -> None:
        """Deals a game."""
        self._start(seed)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[self._env.turn[0]]

    def observe(self, agent: str) -> dict[str, Array]:
        """What an agent may know. The mask is empty for agents that do not act now."""
        over = self.terminations.get(agent, True)
        return self._observe(agent, agent == self.agent_selection and not over)

    def last(self, observe: bool = True) -> tuple[Optional[dict[str, Array]], float, bool, bool, dict[str, Any]]:
        """Observation, reward since its last action, termination, truncation and info of the agent that acts next."""
        agent = self.agent_selection
        if agent not in self.terminations:
            raise ValueError("no agent is left to act; call reset")
        return (self.observe(agent) if observe else None, self._cumulative_rewards[agent], self.terminations[agent],
                self.truncations[agent], self.infos[agent])

    def step(self, action: Optional[int]) -> None:
        """Makes an action of agent_selection; None for an agent whose game is over."""
        if not self.agents:
            raise ValueError("the game is over; call reset")
        agent = self.agent_selection
        if self.terminations[agent]:
            self._leave(agent, action)
            return
        if action is None:
            raise ValueError(f"{agent} has to act: None is for agents whose game is over")
        self._env.step([action])
        self._cumulative_rewards[agent] = 0.0
        self.rewards = self._rewards()
        for one, reward in self.rewards.items():
            self._cumulative_rewards[one] += reward
        if self._env.done[0]:
            self.terminations = dict.fromkeys(self.agents, True)
            self.infos = {one: {"final_score": score} for one, score in zip(self.agents, self._env.scores.tolist()[0])}
            self.agent_selection = self.agents[0]
        else:
            self.agent_selection = self.possible_agents[self._env.turn[0]]

    def _leave(self, agent: str, action: Optional[int]) -> None:
        """The last step of an agent whose game is over."""
        if action is not None:
            raise ValueError(f"the game of {agent} is over: its only action is None")
        self.agents = [one for one in self.agents if one != agent]
        for by_agent in (self.rewards, self._cumulative_rewards, self.terminations, self.truncations, self.infos):
            del by_agent[agent]
        self.rewards = dict.fromkeys(self.rewards, 0.0)
        if self.agents:
            self.agent_selection = self.agents[0]

    def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]:
        """The agents in the order in which they act, until all have left."""
        while self.agents and max_iter > 0:
            yield self.agent_selection
            max_iter -= 1


class ParallelEnv(_Agents, _Parallel):
    """All agents act at once. Made by parallel_env()."""

    metadata = {"name": "pyramids_v0", "render_modes": ["ansi"], "render_fps": 1}

    def __init__(self, *, players: int = 2, edition: Edition | str = "classic", reward: str = "points",
                 render_mode: Optional[str] = None) -> None:
        _Agents.__init__(self, players, edition, reward, render_mode, parallel=True)
        self.action_spaces = {agent: Legal(lambda seat=seat: self._legal(seat)) for agent, seat in self._seat.items()}

    def _legal(self, seat: int) -> Optional[Array]:
        """The mask of a seat, for samples without one."""
        return self._env.look(0, seat)[1] if self.agents else None

    def _all(self, may_act: bool) -> dict[str, dict[str, Array]]:
        return {agent: self._observe(agent, may_act) for agent in self.possible_agents}

    def reset(self, seed: Optional[int] = None,
              options: Optional[dict[str, Any]] = None) -> tuple[dict[str, dict[str, Array]], dict[str, dict[str, Any]]]:
        """Deals a game: (observations, infos). An agent with nothing to decide passes: action 461 is its only legal one."""
        self._start(seed)
        return self._all(True), {agent: {} for agent in self.agents}

    def step(self, actions: dict[str, int]) -> tuple[dict[str, dict[str, Array]], dict[str, float], dict[str, bool],
                                                     dict[str, bool], dict[str, dict[str, Any]]]:
        """Makes one action per agent: (observations, rewards, terminations, truncations, infos). An agent that has
        nothing to decide may be left out."""
        if not self.agents:
            raise ValueError("the game is over; call reset")
        unknown = set(actions) - set(self.agents)
        if unknown:
            raise ValueError(f"unknown agent {sorted(unknown)[0]!r}; they are {', '.join(self.agents)}")
        waiting = self._env.turn[0]
        for agent in self.agents:
            if agent not in actions and waiting >> self._seat[agent] & 1:
                raise ValueError(f"{agent} has to act")
        self._env.step([actions.get(agent, PASS) for agent in self.possible_agents])
        done = bool(self._env.done[0])
        agents = self.agents
        infos = {agent: {} for agent in agents}
        if done:
            infos = {agent: {"final_score": score} for agent, score in zip(agents, self._env.scores.tolist()[0])}
            self.agents = []
        return (self._all(not done), self._rewards(), dict.fromkeys(agents, done), dict.fromkeys(agents, False), infos)


def aec_env(*, players: int = 2, edition: Edition | str = "classic", reward: str = "points",
            render_mode: Optional[str] = None) -> AecEnv:
    """The game with one agent acting at a time."""
    return AecEnv(players=players, edition=edition, reward=reward, render_mode=render_mode)


def parallel_env(*, players: int = 2, edition: Edition | str = "classic", reward: str = "points",
                 render_mode: Optional[str] = None) -> ParallelEnv:
    """The game with all agents acting at once."""
    return ParallelEnv(players=players, edition=edition, reward=reward, render_mode=render_mode)
