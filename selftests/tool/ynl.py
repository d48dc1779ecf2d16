#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""ynl.py family [SPEC]: does the running kernel's family take what the YNL specification says?
ynl.py answers [SPEC]: do the answers of the running kernel's family have the attributes that the
specification says, and each the values that are listed there? It reads all that can be read without
naming an object.
ynl.py generated FILE: has the header that the kernel's generator made of the specification
the same numbers as ours, which include/netlink/generate makes?
Prints each difference in a line; exit status 1 if there are any."""

import os
import re
import socket
import struct
import sys

import yaml

HERE = os.path.dirname(os.path.realpath(__file__))
SPEC = HERE + '/../../include/netlink/conga.yaml'
HEADER = HERE + '/../../include/uapi/linux/conga.h'

# linux/netlink.h, linux/genetlink.h
NETLINK_GENERIC = 16
NLM_F_REQUEST, NLM_F_DUMP = 1, 0x300
NLMSG_ERROR, NLMSG_DONE = 2, 3
NLA_TYPE_MASK = 0x3fff
GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_CMD_GETPOLICY = 0x10, 3, 10
FAMILY_ID, FAMILY_NAME, FAMILY_GROUPS, POLICY, OP_POLICY = 1, 2, 7, 8, 9
GROUP_NAME = 1
ATTR_TYPE, ATTR_MIN_LENGTH, ATTR_MAX_LENGTH, ATTR_POLICY = 1, 6, 7, 8
# enum netlink_attribute_type
TYPES = {1: 'flag', 2: 'u8', 3: 'u16', 4: 'u32', 5: 'u64', 10: 'binary', 12: 'string',
         13: 'nest'}


class Header:
    """Enums as {constant: value}"""

    def __init__(self, path):
        with open(path, encoding='ascii') as file:
            text = file.read()
        self.enums = {name: self.values(body) for name, body in
                      re.findall(r'^enum (conga_\w+) \{\n(.*?)^\};', text, re.S | re.M)}
        self.nameless = [self.values(body) for body in
                         re.findall(r'^enum \{\n(.*?)^\};', text, re.S | re.M)]

    @staticmethod
    def values(body):
        values, value = {}, 0
        for name, given in re.findall(r'^\t(CONGA_\w+)(?: = (\d+))?,?$', body, re.M):
            value = int(given) if given else value
            values[name] = value
            value += 1
        return values


class Spec:
    def __init__(self, path):
        with open(path, encoding='ascii') as file:
            self.yaml = yaml.safe_load(file)
        self.sets = {}
        for given in self.yaml['attribute-sets']:
            self.sets[given['name']] = self.attributes(given)
        self.operations = {o['name']: (i, o) for i, o in
                           enumerate(self.yaml['operations']['list'], 1)}
        self.groups = [g['name'] for g in self.yaml['mcast-groups']['list']]
        self.values = {d['name']: self.listed(d) for d in self.yaml['definitions']
                       if d['type'] == 'enum'}

    @staticmethod
    def listed(enum):
        """{value: name}"""
        names = [e if isinstance(e, str) else e['name'] for e in enum['entries']]
        return dict(enumerate(names, enum.get('value-start', 0)))

    def attributes(self, given):
        """{name: (number, described)}; those of a subset are the whole set's."""
        if 'subset-of' in given:
            whole = self.sets[given['subset-of']]
            return {a['name']: whole[a['name']] for a in given['attributes']}
        return {a['name']: (i, a) for i, a in enumerate(given['attributes'], 1)}

    @staticmethod
    def type(attribute):
        length = attribute.get('checks', {}).get('exact-len')
        return ((attribute.get('byte-order', '') + ' ' + attribute['type']).strip() +
                (f' of {length}' if length else '') +
                (' repeated' if attribute.get('multi-attr') else ''))


def differ(what, spec, other, where):
    if spec != other:
        yield f'{what}: {spec} in the specification, {other} in {where}'


# ---- a header ----

def generated_differs(path):
    """Commands and sets of attributes, whose enums have no names there"""
    ours = [values for name, values in Header(HEADER).enums.items()
            if name.startswith(('conga_attr_', 'conga_cmd'))]
    made = Header(path).nameless
    yield from differ('commands and attributes', sorted(map(list, ours)),
                      sorted(map(list, made)), path)
    for values in made:
        if values not in ours:
            yield f'{path}: other numbers: {values}'


# ---- the running family ----

def attributes(data):
    """[(type, payload)]"""
    found = []
    while len(data) >= 4:
        length, kind = struct.unpack_from('HH', data)
        found.append((kind & NLA_TYPE_MASK, data[4:length]))
        data = data[(length + 3) & ~3:]
    return found


def number(data):
    return int.from_bytes(data, sys.byteorder)


def ask(sock, family, command, flags, *given):
    """The attributes of all replies; given: pairs of an attribute and its bytes"""
    nla = b''
    for attribute, payload in given:
        nla += struct.pack('HH', 4 + len(payload), attribute) + payload
        nla += b'\0' * (-len(nla) % 4)
    sock.send(struct.pack('=IHHII', 20 + len(nla), family, NLM_F_REQUEST | flags, 0, 0) +
              struct.pack('BBH', command, 1, 0) + nla)
    while True:
        data = sock.recv(1 << 17)
        while data:
            length, kind = struct.unpack_from('=IH', data)
            if kind == NLMSG_ERROR:
                sys.exit('ynl.py: ' + os.strerror(-struct.unpack_from('=i', data, 16)[0]))
            if kind == NLMSG_DONE:
                return
            yield from attributes(data[20:length])
            data = data[(length + 3) & ~3:]
        if not flags & NLM_F_DUMP:
            return


class Family:
    """The policies that the kernel tells: of each command and message {type: described}"""

    def __init__(self, name):
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_GENERIC) as sock:
            told = dict(ask(sock, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0,
                            (FAMILY_NAME, name.encode() + b'\0')))
            self.id = number(told[FAMILY_ID])
            self.policies, self.commands = {}, {}
            for kind, data in ask(sock, GENL_ID_CTRL, CTRL_CMD_GETPOLICY, NLM_F_DUMP,
                                  (FAMILY_ID, told[FAMILY_ID])):
                self.learn(kind, data)
        self.groups = [dict(attributes(g))[GROUP_NAME].rstrip(b'\0').decode()
                       for _, g in attributes(told[FAMILY_GROUPS])]

    def learn(self, kind, data):
        for index, inner in attributes(data):
            if kind == OP_POLICY:
                self.commands[index] = {number(p) for _, p in attributes(inner)}
            elif kind == POLICY:
                policy = self.policies.setdefault(index, {})
                policy.update((t, dict(attributes(d))) for t, d in attributes(inner))

    def type(self, described):
        kind = TYPES.get(number(described[ATTR_TYPE]), 'unknown')
        lengths = {number(described.get(a, b'')) for a in (ATTR_MIN_LENGTH, ATTR_MAX_LENGTH)}
        return kind + (f' of {lengths.pop()}' if kind == 'binary' and len(lengths) == 1 else '')

    def takes(self, index):
        """{type: (type's name, what it nests)}"""
        return {t: (self.type(d), self.takes(number(d[ATTR_POLICY])) if ATTR_POLICY in d else {})
                for t, d in self.policies.get(index, {}).items()}


def spec_takes(spec, space, names):
    """Likewise; the policy tells neither byte order nor repetition."""
    taken = {}
    for name in names:
        value, attribute = spec.sets[space][name]
        kind = Spec.type(attribute).removeprefix('big-endian ').removesuffix(' repeated')
        inner = attribute.get('nested-attributes')
        taken[value] = (kind, spec_takes(spec, inner, spec.sets[inner]) if inner else {})
    return taken


def kind_text(kind, inner):
    """A type, and the types that it nests by their numbers"""
    nested = ', '.join(f'{t} {kind_text(*taken)}' for t, taken in sorted(inner.items()))
    return f'{kind} of {nested}' if nested else kind


def only(taken, other, names):
    """What is in one of these alone, for people"""
    return ', '.join(f'{names.get(t, t)} ({kind_text(kind, inner)})'
                     for t, (kind, inner) in sorted(taken.items())
                     if other.get(t) != (kind, inner)) or 'nothing'


def family_differs(spec):
    family = Family(spec.yaml['name'])
    asked = {n: (i, o) for n, (i, o) in spec.operations.items() if 'do' in o or 'dump' in o}
    yield from differ('commands', sorted(i for i, _ in asked.values()), sorted(family.commands),
                      'the kernel')
    for name, (value, operation) in asked.items():
        names = {a for m in ('do', 'dump')
                 for a in operation.get(m, {}).get('request', {}).get('attributes', [])}
        want = spec_takes(spec, operation['attribute-set'], names)
        called = {i: n for n, (i, _) in spec.sets[operation['attribute-set']].items()}
        for policy in family.commands.get(value, []):
            have = family.takes(policy)
            yield from differ(name, only(want, have, called), only(have, want, called),
                              'the kernel')
    yield from differ('groups', spec.groups, family.groups, 'the kernel')


# ---- answers ----

def answer_differs(spec, space, names, told):
    """Of one answer, or of what an attribute of it nests"""
    called = {i: (n, a) for n, (i, a) in spec.sets[space].items()}
    for kind, data in told:
        name, attribute = called.get(kind, (None, {}))
        if attribute.get('type') == 'pad':
            continue
        if name not in names:
            yield f'attribute {name or kind} of {space} is in no such answer'
        listed = spec.values.get(attribute.get('enum'))
        if listed and number(data) not in listed:
            yield f'{space} {name}: {number(data)} is none of {", ".join(listed.values())}'
        inner = attribute.get('nested-attributes')
        if inner:
            yield from answer_differs(spec, inner, spec.sets[inner], attributes(data))


def questions(spec, operation, message):
    """What can be asked for without naming an object: nothing, or each kind there is"""
    names = message.get('request', {}).get('attributes', [])
    if 'kind' not in names:
        return [()]
    value, attribute = spec.sets[operation['attribute-set']]['kind']
    return [((value, struct.pack('=I', kind)),) for kind in spec.values[attribute['enum']]]


def answers_differ(spec):
    family = Family(spec.yaml['name']).id
    for name, (value, operation) in spec.operations.items():
        message, flags = operation.get('dump'), NLM_F_DUMP
        if not message:
            message, flags = operation.get('do', {}), 0
        if 'reply' not in message or not name.endswith('-get'):
            continue
        for given in questions(spec, operation, message):
            with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_GENERIC) as sock:
                told = list(ask(sock, family, value, flags, *given))
            for found in answer_differs(spec, operation['attribute-set'],
                                        message['reply']['attributes'], told):
                yield f'{name}: {found}'


def main():
    modes = {'family': lambda path: family_differs(Spec(path)),
             'answers': lambda path: answers_differ(Spec(path)),
             'generated': generated_differs}
    if len(sys.argv) not in (2, 3) or sys.argv[1] not in modes:
        sys.exit(__doc__)
    found = list(modes[sys.argv[1]](sys.argv[2] if len(sys.argv) == 3 else SPEC))
    sys.stdout.writelines(line + '\n' for line in found)
    sys.exit(bool(found))


if __name__ == '__main__':
    main()
