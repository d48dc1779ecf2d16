#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# requests.sh - requests to the family "conga" that the tool cannot send, by the numbers of
# linux/conga.h.
#
#	request NAMESPACE "$PORT_NEW" 1:u32=7 2:u32=1	prints "ok", or "ERROR: SENTENCE"

# shellcheck disable=SC2034 # enum conga_cmd; programs use some of them
readonly FABRIC_NEW=1 FABRIC_SET=2 FABRIC_GET=3 FABRIC_DEL=4 PORT_NEW=5 PORT_SET=6 PORT_GET=7 \
	PORT_DEL=8 LEAF_NEW=9 LEAF_SET=10 LEAF_GET=11 LEAF_DEL=12 PATH_GET=13 TABLE_GET=14 \
	FLOWLET_GET=15 FLOWLET_FLUSH=16 STATS_GET=18 PATH_PING=26

# request NAMESPACE [-d] COMMAND [ATTRIBUTE:TYPE=VALUE]...
request() {
	in_ns "$1" "$TESTS/tools/genl_request" "${@:2}"
}
