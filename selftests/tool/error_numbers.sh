#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The numbers of errors. The tool prints sentences alone, but other programs read the number: each
# kind of rejected request has the one that linux/conga.h gives this kind.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/fabric.sh"
. "$TESTS/lib/expect.sh"
. "$TESTS/lib/requests.sh"

readonly UPLINKS=16
readonly NODE=numbers-$$
readonly LEAF=1:hex=0a00000c NO_LEAF=1:hex=0a000063 RATE=4:u64=1000000000 # attributes
readonly UPLINK=2:u32=1 TRANSIT=2:u32=2 DAEMON=13:u32=2

# d0 is an uplink and d1 a transit port; the other devices are no ports.
node_up() {
	local i

	ip netns add "$NODE" && defer ip netns del "$NODE" || return
	{
		echo "link set lo up"
		echo "address add 10.0.0.11/32 dev lo"
		for ((i = 0; i <= UPLINKS + 1; i++)); do
			echo "link add d$i index $((100 + i)) up type dummy"
		done
	} | ip -n "$NODE" -batch - || return
	conga_batch "$NODE" <<-END
		fabric add hello off
		port add dev d0 role uplink rate 1gbit tag 3
		port add dev d1 role transit rate 1gbit
		leaf add 10.0.0.12 mode conga
	END
}

# numbered: each line of stdin is "ERROR | WORDS"; the request has this error, and a sentence
numbered() {
	local name words said

	while IFS='|' read -r name words; do
		# shellcheck disable=SC2086 # a list of words
		said=$(request "$NODE" $words)
		[[ $said == "${name// }: "?* ]] ||
			fail "$words was answered by $said, expected: $name" || return
	done
}

objects_have_numbers() {
	numbered <<-END
		EEXIST | $FABRIC_NEW
		EEXIST | $PORT_NEW 1:u32=100 $UPLINK $RATE
		EEXIST | $PORT_NEW 1:u32=102 $UPLINK $RATE 3:u32=3
		EEXIST | $LEAF_NEW $LEAF 3:u32=2
		ENODEV | $PORT_NEW 1:u32=4711 $UPLINK $RATE
		ENOENT | $PORT_SET 1:u32=102 $RATE
		ENOENT | $PORT_GET 1:u32=102
		ENOENT | $PORT_DEL 1:u32=102
		ENOENT | $LEAF_SET $NO_LEAF 3:u32=2
		ENOENT | $LEAF_GET $NO_LEAF
		ENOENT | $LEAF_DEL $NO_LEAF
		ENOENT | $PATH_GET $NO_LEAF
		ENOENT | -d $PATH_GET $NO_LEAF
		ENOENT | -d $TABLE_GET 1:u32=1 2:hex=0a000063
		ENOENT | $PATH_PING $NO_LEAF 3:u32=100
		ENOENT | $PATH_PING $LEAF 3:u32=102
		ENOENT | $FABRIC_SET 1:string=nosuch
		EPERM | $PORT_SET 1:u32=100 $RATE $DAEMON
		EPERM | $PORT_DEL 1:u32=100 $DAEMON
		EPERM | $LEAF_SET $LEAF 3:u32=1 7:u32=2
		EPERM | $LEAF_DEL $LEAF 7:u32=2
	END
}

ranges_have_numbers() {
	numbered <<-END
		ERANGE | $FABRIC_SET 2:u32=7
		ERANGE | $FABRIC_SET 3:u64=999
		ERANGE | $FABRIC_SET 4:u32=500001
		ERANGE | $FABRIC_SET 7:u16=0
		ERANGE | $FABRIC_SET 8:u32=1025
		ERANGE | $FABRIC_SET 13:u64=1
		ERANGE | $PORT_NEW 1:u32=102 2:u32=3 $RATE
		ERANGE | $PORT_NEW 1:u32=102 $UPLINK 4:u64=999999
		ERANGE | $PORT_NEW 1:u32=102 $UPLINK $RATE 3:u32=16
		ERANGE | $LEAF_NEW $NO_LEAF 3:u32=4
		ERANGE | $FABRIC_SET 1:string=drill 32784:hex=0c00010063686f69636573000800020011000000
		E2BIG | $FABRIC_SET 7:u16=1 7:u16=2 7:u16=3 7:u16=4 7:u16=5
	END
}

what_does_not_fit_has_numbers() {
	numbered <<-END
		EINVAL | $PORT_NEW $UPLINK $RATE
		EINVAL | $PORT_NEW 1:u32=1 $TRANSIT $RATE
		EINVAL | $PORT_NEW 1:u32=102 $RATE
		EINVAL | $PORT_NEW 1:u32=102 $UPLINK
		EINVAL | $PORT_NEW 1:u32=102 $TRANSIT $RATE 3:u32=4
		EINVAL | $PORT_NEW 1:u32=102 $TRANSIT $RATE 14:u32=1
		EINVAL | $PORT_SET 1:u32=100
		EINVAL | $PORT_SET 1:u32=101 14:u32=1
		EINVAL | $LEAF_NEW 3:u32=2
		EINVAL | $LEAF_NEW 1:hex=e0000001 3:u32=2
		EINVAL | $LEAF_NEW 1:hex=0a00000b 3:u32=2
		EINVAL | $LEAF_SET $LEAF
		EINVAL | $FABRIC_SET 18:u32=1
		EINVAL | $FABRIC_SET 18:u32=3 19:u32=1
		EINVAL | $FABRIC_SET 27:hex=e0000001
		EINVAL | $FABRIC_SET 2:u32=6 1:string=tr
		EINVAL | $FABRIC_SET 1:string=hula 30:u32=1
		EINVAL | $FABRIC_SET 1:string=hula 29:u32=2
		EINVAL | -d $PORT_GET 1:u32=100
		EINVAL | -d $TABLE_GET
		EINVAL | $PATH_PING $LEAF 3:u32=100
	END
}

paths_have_numbers() {
	conga_batch "$NODE" <<<"fabric set hello 10s" || return
	numbered <<-END
		ENETUNREACH | $PATH_PING $LEAF 3:u32=100
		EINVAL | $PATH_PING $LEAF 3:u32=101
	END
}

tags_have_numbers() {
	local i

	for ((i = 2; i <= UPLINKS; i++)); do
		echo "port add d$i role uplink rate 1gbit"
	done | conga_batch "$NODE" || return
	numbered <<-END
		ENOSPC | $PORT_NEW 1:u32=$((101 + UPLINKS)) $UPLINK $RATE
		ENOSPC | $FABRIC_SET 29:u32=2
	END
}

no_fabric_has_numbers() {
	request "$NODE" "$FABRIC_DEL" >/dev/null
	numbered <<-END
		ENOENT | $FABRIC_SET 2:u32=4
		ENOENT | $FABRIC_GET
		ENOENT | $FABRIC_DEL
		ENOENT | $PORT_NEW 1:u32=100 $UPLINK $RATE
		ENOENT | -d $PORT_GET
		ENOENT | $LEAF_NEW $LEAF 3:u32=2
		ENOENT | $PATH_GET $LEAF
		ENOENT | $PATH_PING $LEAF 3:u32=100
		ENOENT | -d $FLOWLET_GET
		ENOENT | $FLOWLET_FLUSH
		ENOENT | $STATS_GET
	END
}

require_root
require_commands ip
require_module
tap_plan 6
node_up || die "cannot set up"
tap_test "a request about an existing, a missing or an operator's object has its number" \
	objects_have_numbers
tap_test "a value outside its range is rejected with ERANGE, too many ports with E2BIG" \
	ranges_have_numbers
tap_test "a request that is incomplete or contradicts itself is rejected with EINVAL" \
	what_does_not_fit_has_numbers
tap_test "a ping by an unusable path is rejected with ENETUNREACH" paths_have_numbers
tap_test "an uplink without a free LBTag is rejected with ENOSPC" tags_have_numbers
tap_test "a request without a fabric is rejected with ENOENT" no_fabric_has_numbers
tap_exit
