# SPDX-License-Identifier: GPL-2.0
"""Leaf-spine networks for the bottleneck routing game: two examples, and random ones.

The examples have the properties that the caption of the paper's Figure 17 states:
all links have capacity 1, each pair of adjacent leaves sends 1 unit of traffic toward
each other, a Nash flow has a network bottleneck of 1, and other paths give 1/2. They
are not copies of that figure: its drawing was not at hand.

In the Nash flow a user has one path to itself and fills both of its links. On each of
its two other paths one link is full already, with the traffic of another user of its
first leaf (uplink) or of its last leaf (downlink). With half of the demand on each of
those two, every link of the network carries 1/2. No flow does better: each leaf sends
2 units over 4 uplinks.

With equal capacities and all links present the ratio stays below 2. Let a user have
the network's bottleneck. Each of the n spines is full at the user's first leaf or at
its last, so one of these leaves fills n/2 of its links or more. It cannot be n/2 on
both and nothing else there, since then the user's own path is full at both. So one
leaf has more traffic than n/2 full links, and any flow more than half the bottleneck.
"""
from fractions import Fraction

from game import Game, User, build, find_paths

LEAVES = (3, 5)  # of a random network, smallest and greatest number
SPINES = (2, 6)
RINGS = (3, 5, 6)  # leaves
ONE = Fraction(1)


def ring(size: int, demand=lambda: ONE, spare=lambda: ONE) -> tuple[Game, list]:
    """A ring of leaves, and the Nash flow with a spine for each ordered pair of adjacent
    leaves. The spine's own two links have the capacity of the pair's demand. The others
    let a second user of the first leaf through, and a second user of the last leaf;
    spare() gives their capacity, 0 for none. Not a Nash flow with four leaves, where
    the spine would be free for a user of the two other leaves.
    """
    capacity, users, nash = {}, [], []
    for first in range(size):
        for last in ((first + 1) % size, (first - 1) % size):
            spine, amount = f"S{first}{last}", demand()
            capacity[f"L{first}", spine] = capacity[spine, f"L{last}"] = amount
            capacity[f"L{(2 * last - first) % size}", spine] = spare()
            capacity[spine, f"L{(2 * first - last) % size}"] = spare()
            users.append(User(f"L{first}", f"L{last}", amount))
            nash.append({spine: amount})
    present = {link: value for link, value in capacity.items() if value > 0}
    return build(present, users), nash


def three_pairs() -> tuple[Game, list]:
    """Three leaves, six spines; the spare links are there in one direction only."""
    return ring(3)


def five_pairs() -> tuple[Game, list]:
    """A ring of five leaves, five spines, all links both ways, one missing per spine."""
    capacity, users, nash = {}, [], []
    for first in range(5):
        spine, last = f"S{first}", (first + 1) % 5
        for leaf in (first - 1, first, first + 1, first + 2):
            capacity[f"L{leaf % 5}", spine] = capacity[spine, f"L{leaf % 5}"] = ONE
        users += [User(f"L{first}", f"L{last}", ONE), User(f"L{last}", f"L{first}", ONE)]
        nash += [{spine: ONE}, {spine: ONE}]
    return build(capacity, users), nash


def random_capacities(generator, leaves: range, spines: range) -> dict:
    """Links that exist, and their capacities: all 1, of three speeds, or any."""
    present = generator.choice([0.6, 0.8, 1.0])
    draw = [lambda: 1.0, lambda: float(generator.choice([1, 4, 10])),
            lambda: generator.uniform(0.2, 5)][generator.integers(3)]
    both = [link for leaf in leaves for spine in spines
            for link in ((f"L{leaf}", f"S{spine}"), (f"S{spine}", f"L{leaf}"))]
    return {link: draw() for link in both if generator.random() < present}


def random_users(generator, capacity: dict, leaves: range) -> list:
    """Pairs of leaves with a path between them, with demands all 1 or any."""
    busy = generator.choice([0.5, 1.0])
    equal = generator.random() < 0.5
    users = [User(f"L{first}", f"L{last}", 1.0 if equal else generator.uniform(0.1, 3))
             for first in leaves for last in leaves if first != last]
    return [user for user in users
            if generator.random() < busy and find_paths(capacity, user)]


def random_game(generator) -> tuple[Game, None]:
    """A network that has a user, drawn again if it has none; no flow is known."""
    users = []
    while not users:
        leaves = range(generator.integers(LEAVES[0], LEAVES[1] + 1))
        spines = range(generator.integers(SPINES[0], SPINES[1] + 1))
        capacity = random_capacities(generator, leaves, spines)
        users = random_users(generator, capacity, leaves)
    return build(capacity, users), None


def random_equal(generator) -> tuple[Game, None]:
    """All links are there and alike, all pairs of leaves send, or some."""
    leaves = range(generator.integers(LEAVES[0], LEAVES[1] + 1))
    spines = range(generator.integers(SPINES[0], SPINES[1] + 1))
    capacity = {link: 1.0 for leaf in leaves for spine in spines
                for link in ((f"L{leaf}", f"S{spine}"), (f"S{spine}", f"L{leaf}"))}
    users = []
    while not users:
        users = random_users(generator, capacity, leaves)
    return build(capacity, users), None


def random_ring(generator) -> tuple[Game, list]:
    """A ring with its Nash flow, where demands differ and spare links may be missing."""
    size = generator.choice(RINGS)
    uneven = generator.choice([0, 0.2, 0.5])
    present = generator.choice([0.8, 0.95, 1.0])
    return ring(size, lambda: generator.uniform(1 - uneven, 1 + uneven),
                lambda: generator.uniform(1, 2) if generator.random() < present else 0)


# ---- networks that are bad for metric sum ----

WIDE = 10 ** 6      # times the demand that crosses it: such a link costs next to nothing


class Ladder:
    """A network in which metric sum leads to a bottleneck of 1, and about 2^-depth would do.

    A user fills its own narrow path. Its only other path is half as congested on each of
    its two links, and so costs the same: nobody moves. These halves are the traffic of two
    other users, whose other paths are again half as congested, by twice as many users, on
    links that are `width` times as wide; and so on. The users of the last row have no other
    path. If all but these spread over the wider links, no link is congested much more than
    those of the last row are.
    """

    def __init__(self, depth: int, width: int):
        self.capacity: dict = {}
        self.users: list = []
        self.flow: list = []
        self.width = Fraction(width)
        self.leaves = self.spines = 0
        first, last = self.leaf(), self.leaf()
        self.add_user(first, last, (ONE, ONE / width), depth, narrow="up")

    def leaf(self) -> str:
        self.leaves += 1
        return f"L{self.leaves - 1}"

    def add_user(self, first: str, last: str, link: tuple, depth: int, narrow: str,
                 spine: str = None) -> None:
        """With a path whose uplink or downlink it brings to this congestion, of this
        capacity, while the other link is wide."""
        congestion, capacity = link
        if spine is None:
            spine, self.spines = f"S{self.spines}", self.spines + 1
        demand = congestion * capacity
        up, down = (capacity, WIDE * demand) if narrow == "up" else (WIDE * demand, capacity)
        self.capacity[first, spine], self.capacity[spine, last] = up, down
        self.users.append(User(first, last, demand))
        self.flow.append({spine: demand})
        if depth:
            self.add_other_path(first, last, demand / up + demand / down, capacity, depth - 1)

    def add_other_path(self, first: str, last: str, cost: Fraction, capacity: Fraction,
                       depth: int) -> None:
        spine, self.spines = f"S{self.spines}", self.spines + 1
        half = (cost / 2, capacity * self.width)
        self.add_user(first, self.leaf(), half, depth, "up", spine)
        self.add_user(self.leaf(), last, half, depth, "down", spine)


def ladder(depth: int, width: int = 1000) -> tuple[Game, list]:
    """Depth 0 is a single user on a single path."""
    made = Ladder(depth, width)
    return build(made.capacity, made.users), made.flow


def saturated(narrowness: int) -> tuple[Game, list]:
    """A user that stays on a link that its traffic would fill many times over, because a
    metric ends at full scale and its other path is three fifths full on both links."""
    most, some = Fraction(3, 5), Fraction(1, 5)
    capacity = {("L0", "S0"): some / narrowness, ("S0", "L1"): ONE, ("L0", "S1"): ONE,
                ("S1", "L1"): ONE, ("S1", "L2"): ONE * WIDE, ("L3", "S1"): ONE * WIDE}
    users = [User("L0", "L1", some), User("L0", "L2", most), User("L3", "L1", most)]
    return build(capacity, users), [{"S0": some}, {"S1": most}, {"S1": most}]
