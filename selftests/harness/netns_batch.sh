#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# netns_batch: its work in several namespaces at once, and the lines that it rejects.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/expect.sh"

readonly A=batch-a-$$ B=batch-b-$$
readonly MANY=1000		# neighbours: more than one message holds
readonly MAC=02:00:00:00:00:01
readonly TTL=net.ipv4.ip_default_ttl
NUMBER=20			# the last address and time to live that a test used

# batch_says STATUS TEXT LINE...
batch_says() {
	says "$1" "$2" "$TESTS/tools/netns_batch" < <(printf '%s\n' "${@:3}")
}

# has NAMESPACE ADDRESS/PREFIX
has() {
	ip -n "$1" -o address show dev eth0 | grep -qF " $2 "
}

# sysctl_is NAMESPACE KEY VALUE
sysctl_is() {
	local value

	value=$(in_ns "$1" sysctl -n "$2")
	[[ $value == "$3" ]] || fail "$1: $2 is $value, expected $3"
}

# neighbour_is NAMESPACE ADDRESS
neighbour_is() {
	[[ $(ip -n "$1" neighbour show "$2" dev eth0) == *"lladdr $MAC PERMANENT"* ]] ||
		fail "$1 has no neighbour $2"
}

# ---- accepted lines ----

done_in_both() {
	local ns

	batch_says 0 "" "netns $A $B" "sysctl $TTL=11" "address eth0 192.0.2.1/24" "" \
		"address eth0 2001:db8::1/64" "neighbour eth0 192.0.2.9 $MAC" \
		"neighbour eth0 2001:db8::9 $MAC" "netns $B" "sysctl $TTL=12" || return
	for ns in "$A" "$B"; do
		has "$ns" 192.0.2.1/24 || fail "$ns has no IPv4 address" || return
		has "$ns" 2001:db8::1/64 || fail "$ns has no IPv6 address" || return
		neighbour_is "$ns" 192.0.2.9 && neighbour_is "$ns" 2001:db8::9 || return
	done
	sysctl_is "$A" "$TTL" 11 && sysctl_is "$B" "$TTL" 12
}

no_duplicate_detection() {
	[[ $(ip -n "$A" -o -6 address show dev eth0 to 2001:db8::1) == *" nodad "* ]] ||
		fail "$(ip -n "$A" -o -6 address show dev eth0)"
}

many() {
	local i ns count

	for ((i = 0; i < MANY; i++)); do
		echo "neighbour eth0 10.9.$((i / 250)).$((i % 250 + 1)) $MAC"
	done | sed "1i netns $A $B" | "$TESTS/tools/netns_batch" || return
	for ns in "$A" "$B"; do
		count=$(ip -n "$ns" neighbour show to 10.9.0.0/16 nud permanent | wc -l)
		((count == MANY)) || fail "$ns has $count neighbours, expected $MANY" || return
	done
}

missing_sysctl() {
	batch_says 0 "" "netns $A" "sysctl net.ipv4.no_such_thing=1" "sysctl $TTL=13" &&
		sysctl_is "$A" "$TTL" 13
}

# ---- rejected lines ----

# before_all SENTENCE LINE: a bad line prevents even the lines above it
before_all() {
	batch_says 2 "netns_batch: line 3: $1" "netns $A" "sysctl $TTL=99" "$2" || return
	sysctl_is "$A" "$TTL" 13
}

# stops SENTENCE LINE: the lines above are executed, and none below, in any namespace. The
# exception are lines that are sent together with the bad line; the error does not name them.
stops() {
	NUMBER=$((NUMBER + 1))
	batch_says 1 "netns_batch: line 4: $1, in $A" "netns $A $B" "sysctl $TTL=$NUMBER" \
		"address eth0 198.51.100.$NUMBER/32" "$2" "neighbour eth0 10.8.0.$NUMBER $MAC" \
		"sysctl $TTL=99" \
		"netns $B" "sysctl $TTL=99" || return
	has "$A" "198.51.100.$NUMBER/32" ||
		fail "the commands above the wrong line were not run" || return
	! has "$B" "198.51.100.$NUMBER/32" ||
		fail "the commands for $B were run after the wrong line" || return
	sysctl_is "$A" "$TTL" "$NUMBER" && sysctl_is "$B" "$TTL" 12
}

bad_lines() {
	before_all "unknown word \"adress\"" "adress eth0 192.0.2.2/24" &&
		before_all "no address \"192.0.2/24\"" "address eth0 192.0.2/24" &&
		before_all "no address \"192.0.2.2/33\"" "address eth0 192.0.2.2/33" &&
		before_all "no address \"2001:db8::2/-1\"" "address eth0 2001:db8::2/-1" &&
		before_all "no address \"2001:db8::g\"" "neighbour eth0 2001:db8::g $MAC" &&
		before_all "no address \"192.0.2.0/24\"" "neighbour eth0 192.0.2.0/24 $MAC" &&
		before_all "no address \"default\"" "address eth0 default" &&
		before_all "no link-layer address \"02:00:zz\"" "neighbour eth0 192.0.2.3 02:00:zz" &&
		before_all "not KEY=VALUE \"$TTL\"" "sysctl $TTL" &&
		before_all "too few words for \"neighbour\"" "neighbour eth0 192.0.2.3" &&
		before_all "too many words for \"address\"" "address eth0 192.0.2.3/24 nodad" &&
		before_all "no namespace" "netns"
}

no_netns_above() {
	batch_says 2 "netns_batch: line 1: no netns above \"sysctl\"" "sysctl $TTL=99"
}

no_such_namespace() {
	batch_says 1 "Cannot open network namespace \"nowhere\": No such file or directory
netns_batch: line 1: nothing is done in \"nowhere\"" \
		"netns $A nowhere $B" "sysctl $TTL=14" || return
	sysctl_is "$A" "$TTL" 14 && sysctl_is "$B" "$TTL" 12
}

no_such_device() {
	stops "no device \"eth7\"" "address eth7 192.0.2.2/24" &&
		stops "no device \"eth7\"" "neighbour eth7 192.0.2.2 $MAC"
}

# If many requests are sent at once, the error names the rejected one. Later kernels have a
# sentence for an address that exists.
refused_by_kernel() {
	local address="address eth0 192.0.2.1/24"

	{ stops "File exists" "$address" || stops "ipv4: Address already assigned" "$address"; } &&
		stops "File exists" "neighbour eth0 192.0.2.9 $MAC" &&
		stops "Invalid argument \"/proc/sys/$(tr . / <<<"$TTL")\"" "sysctl $TTL=nonsense"
}

usage() {
	says 2 "usage: $TESTS/tools/netns_batch < LINES
a line: netns NAME... | sysctl KEY=VALUE | address DEV ADDRESS[/PREFIX] |
        neighbour DEV ADDRESS LLADDR" "$TESTS/tools/netns_batch" file
}

namespaces_up() {
	local ns

	for ns in "$A" "$B"; do
		defer "ip netns del $ns 2>/dev/null"
		ip netns add "$ns" || die "cannot make the namespace $ns"
		ip -n "$ns" link add eth0 up type veth peer name eth1 || die "no veth in $ns"
		ip -n "$ns" link set eth1 up
	done
}

require_root
require_commands ip nsenter sysctl
[[ -x $TESTS/tools/netns_batch ]] || tap_skip_all "needs netns_batch: run make in selftests"
namespaces_up

tap_plan 10
tap_test "addresses, neighbours and sysctls are set in two namespaces" done_in_both
tap_test "duplicate address detection is off" no_duplicate_detection
tap_test "$MANY neighbours are added" many
tap_test "a sysctl that the kernel lacks is skipped" missing_sysctl
tap_test "bad lines are rejected before anything is done" bad_lines
tap_test "a line without a netns line above is rejected" no_netns_above
tap_test "a namespace that does not exist is reported" no_such_namespace
tap_test "a device that does not exist is reported" no_such_device
tap_test "an error of the kernel is reported" refused_by_kernel
tap_test "missing arguments are a usage error" usage
tap_exit
