# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# machines.sh - what check, campaigns and try run: programs in virtual machines, each between
# two lines that selftests/tally understands. Sourced in this folder.

# A machine that fails (a kernel warning, an oops, a time-out) is a failed test
# of its own, whatever its programs said.
machine() {
	local name=$1 start=$SECONDS status=0

	shift
	"$@" || status=$?
	echo "# program $name"
	echo "1..1"
	if ((status)); then
		echo "not ok 1 the kernel has nothing to complain of (status $status)"
	else
		echo "ok 1 the kernel has nothing to complain of"
	fi
	echo "# end $name status $status seconds $((SECONDS - start))"
}

# machine_programs NAME "VARIABLE=VALUE..." "OPTION..." PROGRAM...: one machine for all
machine_programs() {
	local name="vm $3, $1"

	# shellcheck disable=SC2086 # lists of words
	machine "${name//[ ,]/_}" env $2 vm/run $3 -e PROGRAM_SECONDS -e STORM -- \
		./run_tests "${@:4}" 2>&1
}

# programs LIST...: what the Makefile says
programs() {
	make -s "${@/#/list_}"
}

# job NAME COMMAND...: programs with machines of their own.
job() {
	local name=$1 start=$SECONDS status=0

	shift
	echo "# program $name"
	"$@" 2>&1 || status=$?
	echo "# end $name status $status seconds $((SECONDS - start))"
}

# unit: the unit tests. One that does not build has no TAP of its own.
unit() {
	exec 2>&1
	if ! { make -s -j"$(nproc)" -C unit && make -s -C unit run; }; then
		echo "not ok the unit tests did not all build, run and pass"
	fi
}

# big_endian: the unit tests on an emulated processor with the other order of bytes
big_endian() {
	exec 2>&1
	make -s -C unit big-endian ||
		echo "not ok the unit tests did not all build, run and pass on s390x"
}
