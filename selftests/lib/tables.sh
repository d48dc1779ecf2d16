#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# tables.sh - reads the LBTags and metrics in congestion tables, with no other fork than that of
# the tool.
#
#	table_rows 0 to-leaf "${VTEP[1]}"	sets ROWS, "5=0 9=3": LBTag and metric
#	table_has 0 to-leaf "${VTEP[1]}" 5 9	rows for these LBTags and no other
#	fed_back 0 "${VTEP[1]}" 5=7 9=3		these metrics were fed back, as the to-leaf table has them
#
# Source lib.sh, topology.sh, fabric.sh and expect.sh first.

readonly TABLES_TAGE_NS=10000000000

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

# fed_back LEAF ADDRESS TAG=METRIC...: the to-leaf table has these rows, maybe among others, and each
# metric has lost what its age takes from it, however slow the computer is. The fabric has q 3 and
# the longest Tage, with which a metric loses one in ten seconds.
fed_back() {
	local leaf=$1 address=$2 json word lost

	json=$(conga "$leaf" -j table show to-leaf leaf "$address") ||
		fail "leaf $leaf has no such table" || return
	for word in "${@:3}"; do
		[[ $json =~ \"tag\":\ ?${word%=*},\ ?\"metric\":\ ?([0-9]+),\ ?\"age_ns\":\ ?([0-9]+) ]] ||
			fail "LBTag ${word%=*} is not in the to-leaf table of leaf $leaf: $json" || return
		lost=$((BASH_REMATCH[2] / TABLES_TAGE_NS))
		((BASH_REMATCH[1] == (${word#*=} > lost ? ${word#*=} - lost : 0))) ||
			fail "the to-leaf table of leaf $leaf has $json, expected $word" || return
	done
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
