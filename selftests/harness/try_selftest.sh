#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# try_selftest.sh - make test T=NAME finds each test by its name, and nothing else, and refuses a
# kernel in which it cannot run. It runs on the host.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/expect.sh"

cd "$TESTS/.." || exit 1
. selftests/where.sh

readonly LEAST_PROGRAMS=120

# programs: prints all test programs of the lists of the Makefile
programs() {
	sed -nE 's/^TEST_PROGS[A-Z_]* (:|\+)?= //p' selftests/Makefile | tr ' ' '\n' |
		grep '\.sh$' | sort -u
}

each_is_found() {
	local program found count=0

	while read -r program; do
		found=$(test_file "$(basename "$program" .sh)")
		[[ $found == "selftests/$program" ]] || fail "$program: found ${found:-nothing}" || return
		count=$((count + 1))
	done < <(programs)
	((count >= LEAST_PROGRAMS)) || fail "the Makefile has only $count programs"
}

# none NAME...
none() {
	local name found

	for name; do
		! found=$(test_file "$name") || fail "$name: found $found" || return
	done
}

# Time leaps in User Mode Linux only: a machine of another kernel cannot run these tests.
other_kernels_are_refused() {
	says 2 "try: gro needs User Mode Linux, whose time leaps over waiting: K=6.12 has none" \
		selftests/try -k 6.12 gro
}

tap_plan 3
tap_test "each test program is found by its name" each_is_found
tap_test "what tests source or run is no test" none topology counters netlink_fuzz.c forge.c nothing
tap_test "a test whose time leaps is refused in another kernel" other_kernels_are_refused
tap_exit
