#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# layers_selftest.sh - layers finds the includes that break the rule of the folders of the module
# and of userspace/. It runs on the host.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"

COPY=$(mktemp -d)
defer "rm -rf $COPY"

# found ROOT FILE INCLUDE SENTENCE: layers prints this sentence about ROOT if its FILE has this
# include, too
found() {
	local said

	rm -rf "${COPY:?}/$1" && cp -r "$TESTS/../$1" "$COPY/" || return
	echo "#include \"$3\"" >>"$COPY/$1/$2"
	if said=$("$TESTS/layers" "$COPY/$1"); then
		why "layers reported nothing"
		return 1
	fi
	[[ $said == "$4" ]] && return
	why "$said"
	return 1
}

# obeys ROOT
obeys() {
	local said

	said=$("$TESTS/layers" "$TESTS/../$1") && return
	why "$said"
	return 1
}

# A folder with a wrong name must not pass.
empty_is_found() {
	mkdir -p "$COPY/empty" && ! "$TESTS/layers" "$COPY/empty" >/dev/null && return
	why "layers reported nothing"
	return 1
}

# calls STATUS SENTENCE FUNCTION: two files, one of which calls a function of the other; the other
# calls FUNCTION, if it is not empty. layers prints this sentence.
calls() {
	local said status built=$COPY/built

	rm -rf "$built" && mkdir -p "$built/objects" || return
	echo "void path(void); void leaf(void) { path(); }" >"$built/objects/leaf.c"
	echo "void leaf(void); void path(void) { ${3:+$3();} }" >"$built/objects/path.c"
	(cd "$built/objects" && gcc -c leaf.c path.c) || return
	said=$("$TESTS/layers" --calls "$built")
	status=$?
	[[ $status == "$1" && $said == "$2" ]] && return
	why "the status is $status: $said"
	return 1
}

unbuilt_is_found() {
	mkdir -p "$COPY/empty" && ! "$TESTS/layers" --calls "$COPY/empty" >/dev/null && return
	why "layers reported nothing"
	return 1
}

tap_plan 14
require_commands gcc nm
tap_test "the module's includes obey the rule" obeys kmod
tap_test "an include of a header in a folder above is found" found kmod paper/dre.c \
	objects/port.h \
	"paper/dre.c includes objects/port.h: paper/ may include headers of no other folder"
tap_test "an include of a header in a sibling folder is found" found kmod packet/inner.c \
	policies/policy.h \
	"packet/inner.c includes policies/policy.h: packet/ may include headers of paper"
tap_test "files that include each other in a circle are found" found kmod control/control_send.c \
	control/control_tick.h \
	"a circle: control/control_send -> control/control_tick -> control/announce -> control/control_send"
tap_test "the includes of userspace/ obey the rule" obeys userspace
tap_test "a file of common/ that includes a header of the tool is found" found userspace \
	common/netlink.c tool/print.h \
	"common/netlink.c includes tool/print.h: common/ may include headers of no other folder"
tap_test "a file of the tool that includes a header of the daemon is found" found userspace \
	tool/leaf.c daemon/leaf.h \
	"tool/leaf.c includes daemon/leaf.h: tool/ may include headers of common"
tap_test "a file of the daemon that includes a header of the tool is found" found userspace \
	daemon/log.h tool/print.h \
	"daemon/log.h includes tool/print.h: daemon/ may include headers of common"
tap_test "two files of the tool that include each other are found" found userspace \
	tool/print.c tool/command.h \
	"a circle: tool/command -> tool/nl -> tool/repeat -> tool/print -> tool/command"
tap_test "code outside the folders is found" found userspace stray.c common/units.h \
	"stray.c: ./ is no layer"
tap_test "a folder without code is found" empty_is_found
tap_test "files that call each other in a circle are found" calls 1 \
	"a circle of calls: objects/leaf -> objects/path -> objects/leaf" leaf
tap_test "a file that calls another one is no circle" calls 0 "" ""
tap_test "a folder in which nothing is built is found" unbuilt_is_found
tap_exit
