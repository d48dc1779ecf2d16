# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# where.sh - where a test runs, and what has to be built for it. A test is named as a file from
# the top of the tree: selftests/datapath/stamp.sh, selftests/unit/test_dre,
# lab/tests/test_trace.py. Sourced in a shell that is there; KERNEL is what kernel_of says, or
# another kernel that vm/run knows.

MACHINE_OPTIONS=()		# of vm/run, for run_test

# listed LIST TEST: is it in that list of selftests/Makefile?
listed() {
	[[ " $(make -s -C selftests "list_$1") " == *"/${2##*/} "* ]]
}

# leaps TEST: is it one whose time leaps over waiting, as only that of User Mode Linux can?
leaps() {
	listed timed "$1" || listed long "$1"
}

is_checked() {
	listed debug "$1" || listed churn "$1"
}

# starts_machines TEST: is it one of the programs that run on the host and start machines
# themselves? They lie directly in selftests, or in vm.
starts_machines() {
	[[ -f $1 && $1 =~ ^selftests/(vm/)?[^/]+$ ]]
}

# is_on_host TEST: does it need no machine, or start its own?
is_on_host() {
	starts_machines "$1" || listed host "$1" || listed packages "$1"
}

# kernel_of TEST: the fastest one that the test can do with, as vm/run names it
kernel_of() {
	if listed stock "$1"; then
		echo 6.1
	elif is_checked "$1"; then
		echo uml-debug
	else
		echo uml
	fi
}

# test_file NAME: "stamp", "stamp.sh", "test_dre" and a file's whole name are understood. A program
# that a test uses, a file that it sources or a script of this folder may have the name of the test.
test_file() {
	local file

	for file in "$1" selftests/*/"$1"{.sh,} selftests/"$1" lab/tests/"$1"{,.py}; do
		[[ ! -f $file || $file == selftests/@(tools|lib)/* ]] || { echo "$file"; return; }
	done
	[[ -f selftests/unit/$1.c ]] && echo "selftests/unit/$1"
}

# build_for TEST: the unit tests build what they need themselves, and a lab that cannot be
# loaded is not built.
build_for() {
	if starts_machines "$1"; then
		make -s vm-build
	elif is_on_host "$1"; then
		make -s tool && { [[ $1 != */package.sh ]] || make -s deb; }
	else
		build_for_machine "$1"
	fi
}

build_for_machine() {
	case $1 in
	selftests/unit/*) ;;
	lab/tests/*)
		(cd lab && /usr/bin/python3 -B -c \
			'import glob; [__import__(name[:-3]) for name in glob.glob("*.py")]') ;;
	*)
		selftests/vm/module -k "$KERNEL" && make -s -j"$(nproc)" tool &&
			make -s -j"$(nproc)" -C selftests ;;
	esac
}

# run_test TEST SECONDS [VARIABLE=VALUE]: in a machine of its own for so long at most; the
# variable is make's, for the unit tests
run_test() {
	local options=("${MACHINE_OPTIONS[@]}")

	! is_on_host "$1" || exec "$1"
	if leaps "$1"; then
		options+=(--time-travel)
	fi
	case $1 in
	selftests/unit/*)
		make -s -C selftests/unit run TESTS="${1##*/}" "${@:3}" ;;
	lab/tests/run)
		exec "$1" ;;
	lab/tests/*)
		exec lab/tests/run "$(basename "$1" .py)" ;;
	*)
		exec selftests/vm/run -k "$KERNEL" "${options[@]}" -t "$2" -- "$1" ;;
	esac
}
