#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A gateway that stops answering makes conga look for paths again; neighbours of the link that no
# path uses, which a scan of the network makes fail by the hundred, do not. Packets whose marks
# differ only in bits that no rule uses share one set of paths. Kprobes count the searches.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/decision.sh"
. "$TESTS/lib/gateways.sh"

readonly SCANNED=40		# neighbours that no path uses
readonly MARKS=64 FREE_MARK=0x10000	# marks that differ in bits that no rule uses, and in one more
readonly TRACING=/sys/kernel/tracing

# searches_watch: from now on, the searches for paths of all nodes are counted. Showing the paths
# searches for those of all keys, so that later no control packet has to.
searches_watch() {
	conga 0 path show && conga 1 path show || return
	[[ -e $TRACING/events ]] || mount -t tracefs tracefs "$TRACING" 2>/dev/null
	echo "p:conga_searched conga:conga_path_search$TOPO_UNDERLAY" >"$TRACING/kprobe_events" &&
		echo 1 >"$TRACING/events/kprobes/conga_searched/enable"
} &>/dev/null

# searches_end: sets SEARCHES to the number of searches for paths by a port since then
searches_end() {
	SEARCHES=$(awk '$1 == "conga_searched" { print $2 }' "$TRACING/kprobe_profile")
	echo 0 >"$TRACING/events/kprobes/conga_searched/enable"
	echo >"$TRACING/kprobe_events"
}

# The kernel notifies of neighbours that answered before, and fail now.
scan() {
	local i

	for ((i = 0; i < SCANNED; i++)); do
		gateway_behind "$((20 + i))"
		echo "neighbour replace $GATEWAY lladdr 02:00:00:00:0a:0a dev up0 nud permanent"
		echo "neighbour replace $GATEWAY dev up0 nud failed"
	done | leaf_batch
}

scan_changes_nothing() {
	routes_clear 1
	by_route 1 up1 && cross || return
	searches_watch || { why "needs kprobes"; return "$KSFT_SKIP"; }
	scan && cross && searches_end || return
	((SEARCHES == 0)) || fail "$SEARCHES searches for paths after a scan" || return
	searches_watch && gateways_fail 1 && cross && searches_end || return
	((SEARCHES > 0)) || fail "no path was searched after a gateway's failure" || return
	gateways_answer 1
}

# The bit that the rule uses makes two keys, which the first packets search.
marks_share_paths() {
	local status=0

	routes_clear 1
	by_route 1 up1 && leaf_ip rule add fwmark 0x1/0x1 lookup main pref 100 &&
		arriving meta mark set numgen inc mod "$MARKS" offset "$FREE_MARK" && cross || return
	searches_watch || { why "needs kprobes"; return "$KSFT_SKIP"; }
	cross && searches_end || return
	((SEARCHES == 0)) || fail "$SEARCHES searches for paths of packets with other marks" || status=1
	leaf_ip rule del pref 100 && arriving accept && return "$status"
}

underlay() {
	{ gateways_fabric "$1" && leaves_up conga; } || die "cannot set up"
	tap_test "v$1: a scan of the link's neighbours does not cause new path look-ups" \
		scan_changes_nothing
	tap_test "v$1: packets whose marks differ in bits that no rule uses cause no path look-ups" \
		marks_share_paths
	topo_down
}

tap_plan 4
require_root
require_commands ip nft jq
require_module
underlay 4
underlay 6
tap_exit
