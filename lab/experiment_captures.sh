# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# experiment_captures.sh - what tcpdump sees during an experiment: packets at named devices, the
# order of packets at two leaves, and packets that are lost while a link is down. The sections
# "== capture", "== order_..." and "== failures" are made of it.
#
#	captures_start; ...; captures_end
#
# Source lib.sh and topology.sh first. The settings are those of lab/experiment.

readonly ORDER_BYTES=128 ORDER_KIB=65536	# of a packet; of a capture's buffer

declare -a CAPTURES=()

# box_namespace BOX: of "leaf0", "spine1", "core2", "host0.3"
box_namespace() {
	local name

	for name in "${LEAF[@]}" "${SPINE[@]}" "${CORE[@]}" "${HOST[@]}"; do
		[[ ${name%-*} != "$1" ]] || echo "$name"
	done
}

# capture_start NAMESPACE FILE WORD...: what tcpdump sees. Not by in_ns: a shell in
# between would be what is ended.
capture_start() {
	nsenter --net="/run/netns/$1" tcpdump -Z root -tt -l --time-stamp-precision=nano -nq \
		"${@:3}" >>"$TOPO_DIR/$2" 2>"$TOPO_DIR/tcpdump" &
	CAPTURES+=($!)
	busywait "$PATIENCE_MS" grep -q 'listening on' "$TOPO_DIR/tcpdump"
}

# One file for all devices, in the order in which packets left. What comes to a spine for
# a leaf to which its link is down is lost: TCP in IPv4 in Ethernet in VXLAN.
captures_start() {
	local word l s

	for word in $CAPTURE; do
		capture_start "$(box_namespace "${word%.*}")" capture -i "${word##*.}" -Q out tcp ||
			return
	done
	((!ORDER)) || order_start || return
	[[ $FAILS ]] || return 0
	l=${FAILS%%.*} s=${FAILS#*.}
	capture_start "${SPINE[${s%.*}]}" lost -i any -Q in \
		dst host "${VTEP[l]}" and "udp[28:2] = 0x800" and "udp[39] = 6"
}

# When packets came to leaf 0, from whose hosts does not matter; which uplink they took,
# with the time at which they came to its spine; what packets that came back told; and when
# they came to leaf 1.
order_start() {
	local tunnelled="udp dst port $TOPO_PORT"

	order_watch sent "${LEAF[0]}" -i vx -Q out tcp &&
		order_watch left "${LEAF[0]}" -i any "$tunnelled" &&
		order_watch came "${LEAF[1]}" -i any -Q in "$tunnelled"
}

# order_watch NAME NAMESPACE WORD...
order_watch() {
	nsenter --net="/run/netns/$2" tcpdump -Z root -n -s "$ORDER_BYTES" -B "$ORDER_KIB" \
		--time-stamp-precision=nano -w "$TOPO_DIR/$1.pcap" "${@:3}" 2>"$TOPO_DIR/$1.log" &
	CAPTURES+=($!)
	busywait "$PATIENCE_MS" grep -q 'listening on' "$TOPO_DIR/$1.log"
}

order_end() {
	local name

	for name in sent left came; do
		grep -q '^0 packets dropped by kernel' "$TOPO_DIR/$name.log" ||
			die "the capture $name is not whole: $(<"$TOPO_DIR/$name.log")"
		section "order_$name"
		gzip -c "$TOPO_DIR/$name.pcap" | base64
	done
	section order_links
	ip -n "${LEAF[0]}" -o link | awk '{ sub(/[@:].*/, "", $2); print "leaf0." $2, $1 + 0 }'
	ip -n "${LEAF[1]}" -o link | awk '{ sub(/[@:].*/, "", $2); print "leaf1." $2, $1 + 0 }'
	section order_paths
	conga 0 -j path show
}

captures_end() {
	((${#CAPTURES[@]})) || return 0
	settle
	kill "${CAPTURES[@]}" && wait "${CAPTURES[@]}"
	if [[ $CAPTURE ]]; then
		section capture
		cat "$TOPO_DIR/capture"
	fi
	((!ORDER)) || order_end
	[[ ! $FAILS ]] || failures
}

# Of each failure, in ns: when it began and ended, how many packets were lost, and when the
# last of them, since it began. A double has no digits for ns since 1970.
failures() {
	section failures
	awk 'FILENAME == ARGV[1] { ns = $3; origin = origin ? origin : int($2); at = $2 - origin }
		FILENAME == ARGV[1] && $1 == "down" { down[++n] = at; down_ns[n] = ns }
		FILENAME == ARGV[1] && $1 == "up" { up[n] = at; up_ns[n] = ns }
		FILENAME == ARGV[1] { next }
		{
			at = $1 - origin
			for (i = 1; i <= n; i++)
				if (at >= down[i] && at < up[i]) { lost[i]++; last[i] = at - down[i] }
		}
		END {
			for (i = 1; i <= n; i++)
				printf "%d %d %d %d\n", down_ns[i], up_ns[i], lost[i], 1e9 * last[i]
		}' "$TOPO_DIR/failures" "$TOPO_DIR/lost"
}
