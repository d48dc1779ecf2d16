#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The largest flowlet table is walked for a dump, for the count of flowlets of a draining uplink,
# and for a flush. Meanwhile a process with real-time priority must get the processor after a
# fraction of the time that the walk takes. The shortest delay of several tries counts, since the
# machine may be busy with other work; a walk without pauses takes most of the time of each try.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/fabric.sh"
. "$TESTS/lib/expect.sh"

readonly ENTRIES=4194304 TRIES=60
readonly PART=50	# percent of a walk that another process may wait

setup() {
	local sfx

	sfx=$(mktemp -u XXXXXX)
	BOX=dumps-$sfx LIST=$(mktemp)
	defer "rm -f $LIST"
	ip netns add "$BOX" && defer "ip netns del $BOX" &&
		ip -n "$BOX" link add up0 up type dummy || return
	conga_batch "$BOX" <<-END
		fabric add hello off flowlets $ENTRIES
		port add dev up0 role uplink rate 1gbit drain on
	END
}

# shared WALKS COMMAND...: each try walks so often that the start of the tool takes a small part of
# the time. One try with a short delay is enough.
shared() {
	local walks=$1 i took late part least=""

	shift
	for ((i = 0; i < walks; i++)); do echo "$*"; done >"$LIST"
	for ((i = 0; i < TRIES; i++)); do
		read -r took late < <("$TESTS/tools/longest_hold" "$CONGA" -n "$BOX" -b "$LIST") ||
			fail "$* failed" || return
		part=$((late * 100 * walks / took))
		[[ $least ]] && ((least <= part)) || least=$part
		((least > PART)) || break
	done
	echo "# $*: a process waits for $least % of a walk"
	((least <= PART)) || fail "another process waits for $least % of the time of a walk"
}

tap_plan 3
require_root
require_commands ip
require_module
setup || die "cannot set up"
tap_test "a dump of the largest table, which is empty, lets other processes run" \
	shared 16 flowlet show
tap_test "a port that drains is shown while other processes run" \
	shared 16 port show up0
tap_test "a flush of the largest table lets other processes run" \
	shared 32 flowlet flush
tap_exit
