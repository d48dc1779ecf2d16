#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# neighbours.sh - makes nodes know the neighbours on their paths: otherwise a neighbour request
# might wait behind other packets, and packets might wait for its answer.
#
#	topo_up; neighbours_meet
#	neighbours_stay				of topology.sh: and need not ask again
#
# Source lib.sh and topology.sh first.

# neighbours_meet: leaves and spines resolve their neighbours on all links, whichever links were
# used so far
neighbours_meet() {
	local l link

	for ((l = 0; l < TOPO_LEAVES; l++)); do
		for link in ${LEAF_LINKS[l]}; do
			topo_is_cut "$l.$link" && continue
			topo_link_addresses "$l" "${link%.*}" "${link#*.}"
			in_ns "${LEAF[l]}" ping -q -c 1 -W 5 "$SPINE_END" >/dev/null ||
				fail "leaf $l cannot ping $SPINE_END" || return
		done
	done
}
