#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# tcp.sh - TCP transfers, all of which must finish.
#
#	tcp_crosses -C 1e8 -S 100000 -n 24		from host 0.0 to host 1.0
#	tcp_between "$NS,$ADDRESS" "$NS,$ADDRESS" -b -n 5
#
# The options are those of tools/flowgen. Source lib.sh and expect.sh first, and for
# tcp_crosses topology.sh.

# tcp_between FROM TO OPTION...: sets TCP_SAID, flowgen's summary or its complaint
tcp_between() {
	TCP_SAID=$("$TESTS/tools/flowgen" -q -f "$1" -t "$2" "${@:3}" 2>&1) ||
		fail "the TCP transfers failed: $TCP_SAID" || return
	[[ $TCP_SAID == *" unfinished=0 "* ]] ||
		fail "some TCP transfers did not finish: $TCP_SAID"
}

tcp_crosses() {
	tcp_between "${HOST[0.0]},${HOST_IP[0.0]}" "${HOST[1.0]},${HOST_IP[1.0]}" "$@"
}
