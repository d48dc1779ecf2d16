#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# layers_selftest.sh - layers finds the includes that break the rule of the module's
# folders. On the host.

HERE=$(dirname "$(realpath "$0")")
# shellcheck source=selftests/lib.sh
. "$HERE/lib.sh"

COPY=$(mktemp -d)
defer "rm -rf $COPY"

# found FILE INCLUDE SENTENCE: what layers says of the module if FILE includes that, too
found() {
	local said

	rm -rf "$COPY/kmod" && cp -r "$HERE/../kmod" "$COPY/" || return
	echo "#include \"$2\"" >>"$COPY/kmod/$1"
	if said=$("$HERE/layers" "$COPY/kmod"); then
		why "nothing was found"
		return 1
	fi
	[[ $said == "$3" ]] && return
	why "$said"
	return 1
}

module_obeys() {
	local said

	said=$("$HERE/layers" "$HERE/../kmod") && return
	why "$said"
	return 1
}

tap_plan 4
tap_test "the module's includes obey the rule" module_obeys
tap_test "an include of a header in a folder above is found" found paper/dre.c objects/port.h \
	"paper/dre.c includes objects/port.h: paper/ may include headers of no other folder"
tap_test "an include of a header in a folder beside is found" found packet/inner.c \
	policies/policy.h \
	"packet/inner.c includes policies/policy.h: packet/ may include headers of paper"
tap_test "two files that include each other are found" found control/control_send.c \
	control/control_tick.h \
	"a circle: control/control_send -> control/control_tick -> control/control_send"
tap_exit
