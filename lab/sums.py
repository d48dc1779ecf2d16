# SPDX-License-Identifier: GPL-2.0
"""The routing game of metric sum: a path costs the sum of its links' congestions.

Section 7 of the paper proposes the sum where the maximum tells too little. In the module
each link behind the uplink sets CE := min(2^Q - 1, CE + its metric), and the leaf adds
the metric of its uplink. In the limit of fine metrics the cost of a path is

    load / capacity of the uplink  +  load / capacity of the downlink,

as long as neither is full: a metric ends at full scale (see clamped_cost). A user's cost
is that of its most expensive path, as it is with metric max, where a path costs the most
of its links (game.py).

A user's paths share no link, so the split that lowers its cost most fills the cheapest
paths up to one level. In a Nash flow therefore all paths that a user takes cost the same,
and no other costs less. That is the condition of Wardrop for the costs x / capacity: a
Nash flow is a minimum of the sum over all links of load^2 / capacity, and as that is
strictly convex, all Nash flows of a network have the same loads. The same sum is the
mean cost of a unit of traffic times the traffic, so that metric sum has the least mean
cost there is. Its bottleneck is another matter.
"""
from fractions import Fraction
from functools import partial

import game
from game import Cost, Game, congestions, loads

FULL = 1    # the congestion that full scale of a metric stands for


def total_cost(game: Game, flow: list) -> float:
    """Over all traffic, of the costs of the paths that it takes."""
    return sum(load * load / game.capacity[link] for link, load in loads(game, flow).items())


def path_costs(game: Game, flow: list, index: int, load: dict = None) -> dict:
    load = load or loads(game, flow)
    return {spine: sum(load[link] / game.capacity[link] for link in links)
            for spine, links in game.paths[index].items()}


def user_cost(game: Game, flow: list, index: int, load: dict = None) -> float:
    costs = path_costs(game, flow, index, load)
    return max(costs[spine] for spine, amount in flow[index].items() if amount > 0)


def slopes(game: Game, index: int) -> dict:
    """By how much a unit of traffic raises the cost of each path."""
    return {spine: sum(_one(game.capacity[link]) for link in links)
            for spine, links in game.paths[index].items()}


def _one(capacity) -> float:
    """1 / capacity, exact where the capacity is."""
    return Fraction(1) / capacity if isinstance(capacity, (int, Fraction)) else 1 / capacity


def best_response(game: Game, flow: list, index: int, load: dict = None) -> tuple:
    """The least cost that a user can reach alone, and the split that does."""
    slope = slopes(game, index)
    costs = path_costs(game, flow, index, load)
    begin = {spine: cost - flow[index].get(spine, 0) * slope[spine]
             for spine, cost in costs.items()}
    level, width, taken = 0, 0, -game.users[index].demand
    for spine in sorted(begin, key=begin.get):
        if width and level <= begin[spine]:
            break
        width += 1 / slope[spine]
        taken -= begin[spine] / slope[spine]
        level = -taken / width
    split = {spine: (level - cost) / slope[spine] for spine, cost in begin.items()}
    return level, {spine: amount for spine, amount in split.items() if amount > 0}


COST = Cost(user_cost, best_response)
is_nash = partial(game.is_nash, cost=COST)
settle = partial(game.settle, cost=COST)


# ---- metrics that end at full scale ----

def clamped_cost(game: Game, flow: list, index: int, spine: str) -> float:
    """A link that is more than full costs no more than a full one."""
    congestion = congestions(game, flow)
    return sum(min(FULL, congestion[link]) for link in game.paths[index][spine])


def is_clamped_nash(game: Game, flow: list) -> bool:
    """Whether each user has all its traffic on one path, and no other costs less even
    before it has any: enough for a Nash flow, where costs end at full scale."""
    for index, split in enumerate(flow):
        costs = {spine: clamped_cost(game, flow, index, spine) for spine in game.paths[index]}
        if len(split) != 1 or min(costs.values()) < costs[next(iter(split))]:
            return False
    return True
