#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# generate_selftest.sh - include/netlink/generate reports files that are stale, and rejects
# a description that is wrong with one sentence. On the host, on a copy with planted faults.

HERE=$(dirname "$(realpath "$0")")
# shellcheck source=selftests/lib.sh
. "$HERE/lib.sh"

COPY=$(mktemp -d)
defer "rm -rf $COPY"
readonly GENERATE=$COPY/include/netlink/generate SPEC=$COPY/include/netlink/conga.yaml
readonly HEADER=$COPY/include/uapi/linux/conga.h
readonly STALE="include/uapi/linux/conga.h is stale: run include/netlink/generate"

# plant FILE SCRIPT: a fresh copy in which this sed script changed the file
plant() {
	rm -rf "$COPY/include" && cp -r "$HERE/../include" "$COPY/" && sed -i "$2" "$1" || return
	! cmp -s "$1" "$HERE/..${1#"$COPY"}" && return
	why "nothing was changed by $2"
	return 1
}

# ends STATUS SENTENCE COMMAND...: what the command prints, and how it exits
ends() {
	local said status

	said=$("${@:3}" 2>&1)
	status=$?
	[[ $said == "$2" && $status == "$1" ]] && return
	why "status $status: $said"
	return 1
}

tree_is_current() {
	ends 0 "" "$HERE/../include/netlink/generate" --check
}

stale_is_reported() {
	plant "$SPEC" "$1" && ends 1 "$STALE" "$GENERATE" --check
}

edited_header_is_reported() {
	plant "$HEADER" 's/CONGA_TAGS_MAX\t.*/CONGA_TAGS_MAX\t32/' && ends 1 "$STALE" "$GENERATE" --check
}

# made FILE SCRIPT LINE: the header has this line after a change
made() {
	plant "$1" "$2" && ends 0 "" "$GENERATE" && ends 0 "" "$GENERATE" --check || return
	grep -qxF "$3" "$HEADER" && return
	why "no line: $3"
	return 1
}

check_writes_nothing() {
	stale_is_reported 's/fabric-q-max, value: 6/fabric-q-max, value: 5/' &&
		cmp -s "$HEADER" "$HERE/../include/uapi/linux/conga.h"
}

# rejects SCRIPT SENTENCE: and the header stays what it was
rejects() {
	plant "$SPEC" "$1" && ends 2 "include/netlink/conga.yaml: $2" "$GENERATE" || return
	cmp -s "$HEADER" "$HERE/../include/uapi/linux/conga.h"
}

tap_plan 19
tap_test "all generated files are current" tree_is_current
tap_test "a changed range makes the header stale" stale_is_reported \
	's/fabric-q-max, value: 6/fabric-q-max, value: 5/'
tap_test "a changed sentence makes the header stale" stale_is_reported 's/Number of ports/Ports/'
tap_test "an edited header is reported as stale" edited_header_is_reported
tap_test "--check writes nothing" check_writes_nothing
tap_test "a changed range is generated" made "$SPEC" \
	's/fabric-q-max, value: 6/fabric-q-max, value: 5/' $'#define CONGA_FABRIC_Q_MAX\t\t\t5U'
tap_test "an attribute's parentheses have type, unit, range and default" made "$SPEC" \
	's/fabric-q-max, value: 6/fabric-q-max, value: 5/' \
	" * @CONGA_A_FABRIC_Q: (u32, bits, 1-5, default 3) Size of a metric, section 3.2."
tap_test "an unknown attribute in an operation is rejected" rejects \
	's/\[ifindex, origin\]/[ifindex, colour]/' \
	"do request of port-del has colour, which is no attribute of port"
tap_test "an attribute in no operation is rejected" rejects \
	's/\[addr4, addr6, ifindex, hash, idle\]/[addr4, addr6, ifindex, idle]/' \
	"attribute hash of flowlet is in no operation"
tap_test "a default out of range is rejected" rejects \
	's/fabric-q-default, value: 3/fabric-q-default, value: 7/' \
	"default 7 of attribute q of fabric is out of its range"
tap_test "a default that is not a power of two is rejected" rejects \
	's/fabric-flowlets-default, value: 65536/fabric-flowlets-default, value: 65535/' \
	"default 65535 of attribute flowlets of fabric is out of its range"
tap_test "a default that is in no enum is rejected" rejects \
	's/leaf-mode-default, value: 3/leaf-mode-default, value: 4/' \
	"default 4 of attribute mode of leaf is not in enum mode"
tap_test "an attribute without a doc is rejected" rejects \
	'/doc: Number of ports\./d' "attribute ports of fabric has no doc"
tap_test "an enum's entry without a doc is rejected" rejects \
	'/doc: The leaf has another Q\./d' "entry q of enum leaf-reason has no doc"
tap_test "an unknown unit is rejected" rejects 's/(bits) Size/(stones) Size/' \
	"attribute q of fabric has the unknown unit stones"
tap_test "a range without a unit is rejected" rejects 's/(bits) Size/Size/' \
	"attribute q of fabric has a range, but no unit"
tap_test "a fact of an unknown attribute is rejected" rejects \
	's/name: fabric-q-max/name: fabric-r-max/' \
	"constant fabric-r-max is no fact of an attribute, and has no doc"
tap_test "a key that nothing reads is rejected" rejects \
	'0,/multi-attr: true/s//multiattr: true/' \
	"attribute dstport of fabric has the unknown key multiattr"
tap_test "text that is not YAML is rejected" rejects '1s/.*/}/' \
	"line 1: expected the node content, but found '}'"
tap_exit
