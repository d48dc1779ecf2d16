# SPDX-License-Identifier: GPL-2.0
"""The rule of fewest bottlenecks in the bottleneck routing game.

The paper says (section 6.1, remark) that the Price of Anarchy is 1 if leaves use, in
addition to paths of the smallest congestion, only paths with the fewest bottlenecks.
It refers to R. Banner and A. Orda, Bottleneck Routing Games in Communication Networks
(IEEE JSAC 2007).

It is read here as a condition on a flow. A bottleneck is a link whose congestion is
the network's; the flow meets the rule if no user has traffic on a path with more
bottlenecks than another of its paths has. Such a flow is optimal: let E be the
bottlenecks, B their congestion, f the flow and g any other. Each unit of a user
crosses at least as many links of E in g as in f, so load_g(E) >= load_f(E) =
B * capacity(E), and g too has a link with a congestion of at least B.

Two other readings fail. As a tie-break between a user's own answers the rule changes
nothing: on a leaf-spine a user has one best answer only (see best_response), and the
Nash flow of ratio 2 stays where it is. And as a condition of every game it asks too
much: one user with two paths, one of which has two equal links, fills both to the
same congestion and so has traffic on the path with a bottleneck more.

So the rule as a way to move is what the paper's words describe: a user compares its
paths as they are now, first by congestion, then by number of bottlenecks, and moves a
little traffic from the worst to the best, as a leaf does with flowlets. "Equal" needs
a tolerance then, called tie. Where nobody moves any more, the proof above holds with
(1 - tie) B, so the network's bottleneck is within 1 / (1 - tie) of the optimum.
"""
from game import TOLERANCE, Game, congestions

TIES = (0.1, 0.05, 0.02, 0.01, 0.005, 0.002)  # from coarse to fine: fewer steps
STEPS_PER_TIE = 4  # one step changes a congestion by tie / 4 at most
MOST_ROUNDS = 300  # of one step by every user, for each tie


def path_ranks(game: Game, index: int, congestion: dict, tie: float) -> dict:
    """Per path of a user (congestion, number of bottlenecks), both within `tie`."""
    limit = max(congestion.values()) * (1 - tie)
    ranks = {}
    for spine, links in game.paths[index].items():
        worst = max(congestion[link] for link in links)
        ranks[spine] = (min(worst, limit), sum(congestion[link] >= limit for link in links))
    return ranks


def has_fewest(game: Game, flow: list, tie: float = TOLERANCE) -> bool:
    """Whether no user has traffic on a path with more bottlenecks than needed."""
    congestion = congestions(game, flow)
    for index, split in enumerate(flow):
        counts = {spine: count for spine, (_, count)
                  in path_ranks(game, index, congestion, tie).items()}
        if any(counts[spine] > min(counts.values()) for spine in split):
            return False
    return True


def step(game: Game, flow: list, index: int, tie: float) -> bool:
    """Move a little of a user's traffic from its worst path to its best.

    Below the bottlenecks, where numbers of them say nothing, a difference within the
    tie is none: else traffic would go to and fro for ever.
    """
    congestion = congestions(game, flow)
    ranks = path_ranks(game, index, congestion, tie)
    worst, best = max(flow[index], key=ranks.get), min(ranks, key=ranks.get)
    close = tie * max(congestion.values())
    (high, bottlenecks), (low, _) = ranks[worst], ranks[best]
    if ranks[worst] == ranks[best] or (not bottlenecks and high - low <= close):
        return False
    links = game.paths[index][worst] + game.paths[index][best]
    narrowest = min(game.capacity[link] for link in links)
    amount = min(flow[index][worst], close / STEPS_PER_TIE * narrowest)
    flow[index] = move(flow[index], worst, best, amount)
    return True


def move(split: dict, origin: str, target: str, amount: float) -> dict:
    split = {**split, origin: split[origin] - amount, target: split.get(target, 0) + amount}
    return {spine: part for spine, part in split.items() if part > 0}


def settle_fewest(game: Game, flow: list, generator) -> list:
    """Steps by all users in random order until none moves, or the rounds are over."""
    flow = list(flow)
    for tie in TIES:
        for _ in range(MOST_ROUNDS):
            order = generator.permutation(len(flow))
            if not any([step(game, flow, index, tie) for index in order]):
                break
    return flow
