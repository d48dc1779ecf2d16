#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# esp.sh - counts the packets of leaf 0 that leave its uplinks transformed by IPsec.
#
#	esp_watch		begins to count
#	esp_left		sets ESP[up0] and ESP[up1], and restarts the counts
#
# Source lib.sh and topology.sh first.
#
# shellcheck disable=SC2034 # for those who source this

declare -A ESP=()		# device -> packets

# Counts the transformed packets that leave, by uplink.
esp_watch() {
	in_ns "${LEAF[0]}" nft -f - <<-END
		table netdev transformed {
			counter up0 { }
			counter up1 { }
			chain a {
				type filter hook egress device "up0" priority 2;
				meta l4proto 50 counter name up0
			}
			chain b {
				type filter hook egress device "up1" priority 2;
				meta l4proto 50 counter name up1
			}
		}
	END
}

# esp_left: sets ESP, and restarts the counts
esp_left() {
	local dev

	for dev in up0 up1; do
		ESP[$dev]=$(in_ns "${LEAF[0]}" nft reset counter netdev transformed "$dev" |
			sed -n 's/.*packets \([0-9]*\).*/\1/p')
	done
}
