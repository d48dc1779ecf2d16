#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The rate of a bond is the sum of those links that send, and no event reports a change of these
# links. The rate of a port that is a bond, or a VLAN device above a bond, follows within seconds,
# down and up again. The test covers balance-xor, LACP with a partner, and active-backup, whose
# active link is itself a bond here and so twice as fast as the other link. The DRE of the port
# follows, listeners are notified, and a rate that was set by hand stays.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/fabric.sh"
. "$TESTS/lib/expect.sh"

readonly LINKS=4 PATIENCE_MS=30000
readonly ONE=10000000000 TWO=20000000000	# bit/s; a veth device reports 10 Gbit/s
# The period is that of four bursts of 64 KiB, times alpha; with two links it is the minimum, 16
# us.
readonly TDRE_ONE=20971 TDRE_TWO=16000

setup() {
	local sfx i ns

	sfx=$(mktemp -u XXXXXX)
	BOX=bonds-$sfx FAR=far-$sfx EVENTS=$(mktemp)
	defer "rm -f $EVENTS"
	for ns in "$BOX" "$FAR"; do
		ip netns add "$ns" && defer "ip netns del $ns" || return
		in_ns "$ns" sysctl -qw net.ipv6.conf.default.disable_ipv6=1 || return
	done
	for ((i = 0; i < LINKS; i++)); do
		echo "link add up$i netns $BOX type veth peer name down$i netns $FAR"
	done | ip -batch - && for ((i = 0; i < LINKS; i++)); do
		echo "link set down$i up"
	done | ip -n "$FAR" -batch -
}

conga() {
	"$CONGA" -n "$BOX" "$@"
}

# bond NAMESPACE NAME "DEVICE..." WORD...: creates a bond of these devices
bond() {
	local ns=$1 name=$2 devices=$3 dev

	shift 3
	{
		echo "link add $name type bond miimon 20 $*"
		for dev in $devices; do
			echo "link set $dev down"
			echo "link set $dev master $name"
		done
		echo "link set $name up"
	} | ip -n "$ns" -batch -
}

# speed_is DEVICE MBITS: what the device reports
speed_is() {
	in_ns "$BOX" ethtool "$1" | grep -q "Speed: $2Mb/s"
}

# port_is DEVICE FILTER: the JSON of conga matches the filter
port_is() {
	conga -j port show "$1" | json_is ".[0] | $2"
}

# follows DEVICE RATE TDRE: waits until the device reports this speed, then until the port does
follows() {
	busywait "$PATIENCE_MS" speed_is "$1" $(($2 / 1000000)) ||
		fail "$1 does not report $2 bit/s: $(in_ns "$BOX" ethtool "$1" | grep Speed)" || return
	busywait "$PATIENCE_MS" port_is "$1" ".rate_bps == $2" ||
		fail "the rate of $1 is $(conga -j port show "$1"), not $2" || return
	port_is "$1" ".tdre_ns == $3" || fail "the DRE of $1: $(conga -j port show "$1"), not $3"
}

# link NUMBER {up|down}: at its far end
link() {
	ip -n "$FAR" link set "down$1" "$2"
}

# follows_link DEVICE NUMBER: the link goes down and returns
follows_link() {
	follows "$1" "$TWO" "$TDRE_TWO" && link "$2" down && follows "$1" "$ONE" "$TDRE_ONE" &&
		link "$2" up && follows "$1" "$TWO" "$TDRE_TWO"
}

# port_above DEVICE [BOND]: creates the port once the bond has both of its links
port_above() {
	busywait "$PATIENCE_MS" speed_is "${2:-$1}" $((TWO / 1000000)) ||
		fail "${2:-$1} does not have two links" || return
	conga port add "$1" role transit
}

# ends STATUS DEVICE...: removes the devices, and the port with the last of them
ends() {
	local status=$1 dev

	shift
	for dev; do ip -n "$BOX" link del "$dev" || return; done
	for dev in 0 1 2 3; do ip -n "$FAR" link set "down$dev" up; done
	return "$status"
}

balance_xor() {
	local status=0

	bond "$BOX" bond0 "up0 up1" mode balance-xor && port_above bond0 || return
	follows_link bond0 1 || status=1
	ends "$status" bond0
}

lacp() {
	local status=0 words="mode 802.3ad lacp_rate fast xmit_hash_policy layer3+4"

	# shellcheck disable=SC2086 # a list of words
	bond "$BOX" bond0 "up0 up1" $words && bond "$FAR" bond1 "down0 down1" $words || return
	port_above bond0 && follows_link bond0 0 || status=1
	ip -n "$FAR" link del bond1
	ends "$status" bond0
}

# A bond reads the speed of a link when the link comes up: the inner bond goes down and comes up
# as a whole, with both links of its own.
active_backup() {
	local status=0

	bond "$BOX" bond1 "up2 up3" mode balance-xor && busywait "$PATIENCE_MS" \
		speed_is bond1 $((TWO / 1000000)) ||
			fail "bond1 does not report the speed of two links" || return
	bond "$BOX" bond0 "bond1 up0" mode active-backup primary bond1 || return
	port_above bond0 && follows bond0 "$TWO" "$TDRE_TWO" &&
		ip -n "$BOX" link set bond1 down && follows bond0 "$ONE" "$TDRE_ONE" &&
		ip -n "$BOX" link set bond1 up && follows bond0 "$TWO" "$TDRE_TWO" || status=1
	ends "$status" bond0 bond1
}

vlan_above() {
	local status=0

	bond "$BOX" bond0 "up0 up1" mode balance-xor &&
		ip -n "$BOX" link add link bond0 name bond0.10 up type vlan id 10 || return
	port_above bond0.10 bond0 && follows_link bond0.10 0 || status=1
	ends "$status" bond0.10 bond0
}

notified() {
	[[ $(grep -c '"rate_bps": *10000000000' "$EVENTS") == 1 ]]
}

listeners_notified() {
	local status=0

	bond "$BOX" bond0 "up0 up1" mode balance-xor && port_above bond0 || return
	conga -j monitor >"$EVENTS" 2>&1 &
	MONITOR=$!
	busywait "$PATIENCE_MS" listening && link 1 down && busywait "$PATIENCE_MS" notified ||
		fail "the events are: $(<"$EVENTS")" || status=1
	kill "$MONITOR" && wait "$MONITOR"
	ends "$status" bond0
}

# This change leaves the rate unchanged, so the test waits until the change was seen.
listening() {
	conga port set bond0 tier 1 && [[ -s $EVENTS ]]
}

# The rate of the other bond shows that the rates were read meanwhile.
configured_stays() {
	local status=0

	bond "$BOX" bond0 "up0 up1" mode balance-xor &&
		bond "$BOX" bond1 "up2 up3" mode balance-xor && port_above bond1 &&
		conga port add bond0 role transit rate 17gbit || return
	link 0 down && link 2 down && follows bond1 "$ONE" "$TDRE_ONE" && speed_is bond0 10000 &&
		port_is bond0 '.rate_bps == 17000000000' ||
		fail "$(conga -j port show bond0)" || status=1
	ends "$status" bond0 bond1
}

tap_plan 6
require_root
require_commands ip jq ethtool
require_module
{ setup && conga fabric add hello off; } || die "cannot set up"
tap_test "balance-xor: the rate and the DRE follow a link that goes and returns" balance_xor
tap_test "LACP: the rate and the DRE follow a link that goes and returns" lacp
tap_test "active-backup: the rate and the DRE follow the link in use" active_backup
tap_test "the rate of a VLAN device above a bond follows the bond's links" vlan_above
tap_test "listeners are notified of the new rate, once" listeners_notified
tap_test "a configured rate stays when a bond loses a link" configured_stays
tap_exit
