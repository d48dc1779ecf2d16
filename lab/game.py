# SPDX-License-Identifier: GPL-2.0
"""The bottleneck routing game on a leaf-spine network (CONGA, section 6.1).

A user sends its demand from one leaf to another and splits it over the spines that
have a link from the first and a link to the second. Links are directed, each with a
capacity; the congestion of a link is its load over its capacity. A user's bottleneck
is the greatest congestion among the links where it has traffic, the network's is the
greatest of all. A flow is a Nash flow if no user can lower its own bottleneck by
splitting its own traffic otherwise. The Price of Anarchy (PoA) is the worst ratio of
a Nash flow's network bottleneck to the least one possible: 2 on a leaf-spine.

Flows are lists with one {spine: amount} per user. All but the linear program is
arithmetic that stays exact when capacities and demands are fractions.
"""
from typing import Callable, NamedTuple

import numpy
from scipy.optimize import linprog

TOLERANCE = 1e-9    # relative: smaller differences of congestion are rounding
MOST_ROUNDS = 1000  # of best answers by every user, before a start is given up


class User(NamedTuple):
    source: str
    destination: str
    demand: float


class Game(NamedTuple):
    capacity: dict  # (node, node) -> capacity
    users: list     # of User
    paths: list     # per user {spine: (uplink, downlink)}


def build(capacity: dict, users: list) -> Game:
    """The game, or ValueError if it is none."""
    for link, value in capacity.items():
        if value <= 0:
            raise ValueError(f"link {link[0]}-{link[1]} has capacity {value}, not above 0")
    paths = [find_paths(capacity, user) for user in users]
    for user, found in zip(users, paths):
        if user.demand <= 0:
            raise ValueError(f"the demand {user.source}-{user.destination} is not above 0")
        if not found:
            raise ValueError(f"no path from {user.source} to {user.destination}")
    return Game(capacity, users, paths)


def find_paths(capacity: dict, user: User) -> dict:
    return {spine: ((leaf, spine), (spine, user.destination))
            for leaf, spine in capacity
            if leaf == user.source and (spine, user.destination) in capacity}


def loads(game: Game, flow: list) -> dict:
    load = dict.fromkeys(game.capacity, 0)
    for split, paths in zip(flow, game.paths):
        for spine, amount in split.items():
            for link in paths[spine]:
                load[link] += amount
    return load


def congestions(game: Game, flow: list) -> dict:
    return {link: load / game.capacity[link] for link, load in loads(game, flow).items()}


def bottleneck(game: Game, flow: list) -> float:
    return max(congestions(game, flow).values())


def user_bottleneck(game: Game, flow: list, index: int, load: dict = None) -> float:
    load = load or loads(game, flow)
    return max(load[link] / game.capacity[link] for spine, amount in flow[index].items()
               if amount > 0 for link in game.paths[index][spine])


def others_room(game: Game, flow: list, index: int, load: dict = None) -> dict:
    """Per path of a user the (capacity, load of all others) of its two links."""
    load = load or loads(game, flow)
    own = flow[index]
    return {spine: [(game.capacity[link], load[link] - own.get(spine, 0)) for link in links]
            for spine, links in game.paths[index].items()}


def room_below(level: float, links: list) -> float:
    """What a path can take until one of its links is at this congestion."""
    return max(0, min(level * capacity - load for capacity, load in links))


def turning_points(rooms: dict) -> list:
    """The levels at which the room of a path begins, or goes on at another slope."""
    points = set()
    for (c1, load1), (c2, load2) in rooms.values():
        points.add(max(load1 / c1, load2 / c2))
        if c1 != c2:
            points.add((load1 - load2) / (c1 - c2))
    begin = min(max(load / c for c, load in links) for links in rooms.values())
    return sorted(point for point in points if point >= begin)


def fill_level(rooms: dict, demand: float) -> float:
    """The lowest level at which the rooms of all paths together are the demand."""
    def room(level):
        return sum(room_below(level, links) for links in rooms.values())

    low, *above = turning_points(rooms)
    for high in above:
        if room(high) >= demand:
            break
        low = high
    else:
        high = low + 1  # beyond the last turning point the slope stays as it is
    return low + (demand - room(low)) * (high - low) / (room(high) - room(low))


def best_response(game: Game, flow: list, index: int, load: dict = None) -> tuple:
    """The least bottleneck that a user can reach alone, and the split that does; load
    is that of the flow, if the caller has it already.

    Two paths of one user share no link, so every path that begins below the level
    is filled up to it. The split is the only one: its rooms sum to the demand.
    (A linear program with a row for each link gives too high a level, because it
    counts links of paths that the user leaves empty.)
    """
    rooms = others_room(game, flow, index, load)
    level = fill_level(rooms, game.users[index].demand)
    split = {spine: room_below(level, links) for spine, links in rooms.items()}
    return level, {spine: amount for spine, amount in split.items() if amount > 0}


class Cost(NamedTuple):
    """What a user wants to be low, of (game, flow, index, load)."""
    of_user: Callable
    best_response: Callable     # the least cost that a user can reach alone, and the split


MAX = Cost(user_bottleneck, best_response)  # sums.py has another


def gain(game: Game, flow: list, index: int, cost: Cost = MAX) -> tuple:
    """By what part of its cost a user can lower it alone, and the split for that."""
    load = loads(game, flow)
    now = cost.of_user(game, flow, index, load)
    level, split = cost.best_response(game, flow, index, load)
    return (now - level) / now, split


def is_nash(game: Game, flow: list, tolerance: float = TOLERANCE, cost: Cost = MAX) -> bool:
    return all(gain(game, flow, index, cost)[0] <= tolerance
               for index in range(len(game.users)))


def settle(game: Game, flow: list, generator, tolerance: float = TOLERANCE,
           cost: Cost = MAX) -> list | None:
    """Best answers in random order until none gains; None if that does not come."""
    flow = list(flow)
    for _ in range(MOST_ROUNDS):
        moved = False
        for index in generator.permutation(len(flow)):
            part, split = gain(game, flow, index, cost)
            if part > tolerance:
                flow[index], moved = split, True
        if not moved:
            return flow
    return None


def one_path_each(game: Game, generator) -> list:
    """A start: every user has all its traffic on one path, drawn at random."""
    return [{list(paths)[generator.integers(len(paths))]: user.demand}
            for user, paths in zip(game.users, game.paths)]


def random_split(game: Game, generator) -> list:
    """A start: every user splits uniformly at random over all its paths."""
    return [dict(zip(paths, user.demand * generator.dirichlet(numpy.ones(len(paths)))))
            for user, paths in zip(game.users, game.paths)]


def optimum(game: Game) -> tuple[float, list]:
    """The least network bottleneck and a flow that has it, by a linear program.

    Variables: the amount of each user on each path, and last the bottleneck.
    """
    columns = [(user, spine) for user, paths in enumerate(game.paths) for spine in paths]
    rows = {link: row for row, link in enumerate(game.capacity)}
    use = numpy.zeros((len(rows), len(columns) + 1))
    use[:, -1] = [-float(capacity) for capacity in game.capacity.values()]
    sent = numpy.zeros((len(game.users), len(columns) + 1))
    for column, (user, spine) in enumerate(columns):
        sent[user, column] = 1
        for link in game.paths[user][spine]:
            use[rows[link], column] = 1
    answer = linprog([0] * len(columns) + [1], A_ub=use, b_ub=numpy.zeros(len(rows)),
                     A_eq=sent, b_eq=[float(user.demand) for user in game.users])
    if not answer.success:
        raise ArithmeticError(f"linear program: {answer.message}")
    flow = [{} for _ in game.users]
    for (user, spine), amount in zip(columns, answer.x):
        if amount > 0:
            flow[user][spine] = amount
    return answer.x[-1], flow
