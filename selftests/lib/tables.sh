#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# tables.sh - reads the LBTags and metrics in congestion tables, with no other fork than that of
# the tool.
#
#	table_rows 0 to-leaf "${VTEP[1]}"	sets ROWS, "5=0 9=3": LBTag and metric
#	table_has 0 to-leaf "${VTEP[1]}" 5 9	rows for these LBTags and no other
#
# Source lib.sh, topology.sh, fabric.sh and expect.sh first.

# table_rows LEAF TABLE ADDRESS: sets ROWS in the order of LBTags
table_rows() {
	local json row='"tag": ?([0-9]+), ?"metric": ?([0-9]+)'

	json=$(conga "$1" -j table show "$2" leaf "$3") ||
		fail "leaf $1 has no such table" || return
	ROWS=""
	while [[ $json =~ $row ]]; do
		ROWS+=" ${BASH_REMATCH[1]}=${BASH_REMATCH[2]}"
		json=${json#*"${BASH_REMATCH[0]}"}
	done
	ROWS=${ROWS# }
}

# table_has LEAF TABLE ADDRESS TAG...
table_has() {
	local row tags=""

	table_rows "$1" "$2" "$3" || return
	for row in $ROWS; do
		tags+=" ${row%=*}"
	done
	[[ ${tags# } == "${*:4}" ]] ||
		fail "table $2 of leaf $1 about $3 has the rows$tags, expected: ${*:4}"
}
