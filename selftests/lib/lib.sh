#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# lib.sh - functions for every selftest: TAP output, clean-up, polling, counters.
#
# A test program sources this file, calls `tap_plan N`, runs N tests with
# `tap_test DESCRIPTION FUNCTION [ARGUMENT]...` and ends with `tap_exit`.
# A test function returns 0 (passed), KSFT_SKIP (after `why REASON`) or
# anything else (failed, after `why REASON`).

readonly KSFT_PASS=0 KSFT_FAIL=1 KSFT_SKIP=4

TAP_PLANNED=0
TAP_RUN=0
TAP_FAILED=0
TAP_SKIPPED=0
TAP_WHY=""
CLEANUP=()

# ---- TAP ----

tap_plan() {
	TAP_PLANNED=$1
	echo "TAP version 13"
	echo "1..$1"
}

tap_skip_all() {
	echo "TAP version 13"
	echo "1..0 # SKIP $1"
	exit "$KSFT_SKIP"
}

# why REASON: adds a reason of a failure or skip, shown with the test's line.
why() {
	TAP_WHY+="${TAP_WHY:+; }$*"
}

tap_test() {
	local name=$1 status=0
	shift
	TAP_WHY=""
	TAP_RUN=$((TAP_RUN + 1))
	"$@" || status=$?
	tap_report "$name" "$status"
}

tap_report() {
	case $2 in
	"$KSFT_PASS")
		echo "ok $TAP_RUN $1" ;;
	"$KSFT_SKIP")
		TAP_SKIPPED=$((TAP_SKIPPED + 1))
		echo "ok $TAP_RUN $1 # SKIP ${TAP_WHY:-no reason given}" ;;
	*)
		TAP_FAILED=$((TAP_FAILED + 1))
		echo "not ok $TAP_RUN $1"
		echo "# ${TAP_WHY:-exit status $2}" ;;
	esac
}

tap_exit() {
	local passed=$((TAP_RUN - TAP_FAILED - TAP_SKIPPED))

	echo "# Totals: pass:$passed fail:$TAP_FAILED xfail:0 xpass:0 skip:$TAP_SKIPPED error:0"
	if ((TAP_RUN != TAP_PLANNED)); then
		echo "# planned $TAP_PLANNED tests, ran $TAP_RUN"
		exit "$KSFT_FAIL"
	fi
	((TAP_FAILED)) && exit "$KSFT_FAIL"
	((passed)) || exit "$KSFT_SKIP"
	exit "$KSFT_PASS"
}

# ---- clean-up: runs on every exit, last registered first ----

defer() {
	CLEANUP+=("$*")
}

cleanup_run() {
	local status=$? i

	trap - EXIT
	trap '' INT TERM HUP
	for ((i = ${#CLEANUP[@]} - 1; i >= 0; i--)); do
		eval "${CLEANUP[i]}"
	done
	exit "$status"
}

trap cleanup_run EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# ---- requirements ----

die() {
	echo "$*" >&2
	exit "$KSFT_FAIL"
}

require_root() {
	((EUID == 0)) || tap_skip_all "needs root"
}

require_commands() {
	local c

	for c in "$@"; do
		type -P "$c" >/dev/null || tap_skip_all "needs the command $c"
	done
}

# jq: gojq knows the same language, and starts ten times faster, which is half a second in an
# emulated machine. It sorts the keys of objects. "unset -f jq" restores the original.
if type -P gojq >/dev/null; then
	jq() {
		gojq "$@"
	}
fi

# module_file NAME: prints the path of a module, built for this kernel by vm/module, or in place.
module_file() {
	local tree=${BASH_SOURCE[0]%/*}/../..

	ls "$tree/build/$(uname -r)/$1.ko" 2>/dev/null || echo "$tree/$1.ko"
}

# Loads the module of this tree unless a conga is loaded already.
module_load() {
	[[ -d /sys/module/conga ]] || {
		# conga looks up FDB entries by a function of vxlan, which may be built in
		[[ -d /sys/module/vxlan ]] || modprobe -q vxlan
		insmod "$(module_file conga)"
	}
}

# require_exact_time: requires a clock by which code takes no time, so that schedules and link
# rates are exact. ANY_CLOCK skips this check, for runs that look only for complaints of the kernel.
require_exact_time() {
	[[ ${ANY_CLOCK-} ]] || grep -qw 'time-travel=inf-cpu' /proc/cmdline ||
		tap_skip_all "needs a machine whose code takes no time: selftests/vm/run -k uml --time-travel"
}

require_module() {
	module_load || tap_skip_all "needs conga.ko: run make in the top directory"
}

# settle: waits until timers are fine. A kernel whose time travels has just been started: its
# timers are coarse until it has ticked for a while, and it uses no cached route within the tick
# in which the route was made.
settle() {
	sleep 1
}

# ---- polling instead of sleeping ----

readonly POLL_LEAST_US=10000 POLL_PAUSES=3

# busywait MILLISECONDS COMMAND...: repeats the command, in a subshell, until it succeeds; the
# status is 1 after the time is over. Prints the output of the last attempt. A pause is POLL_PAUSES
# times as long as the attempt before it, so that polling leaves three quarters of a processor to
# what it waits for and to other machines, and at least a sixteenth of the time until now: where
# code takes no time, polling costs more than waiting.
busywait() {
	local now=${EPOCHREALTIME/[.,]/} start end began out status pause least

	start=$now end=$((now + $1 * 1000))
	shift
	while :; do
		began=$now
		out=$("$@")
		status=$?
		now=${EPOCHREALTIME/[.,]/}
		if ((status == 0 || now > end)); then
			echo -n "${out:+$out$'\n'}"
			return "$status"
		fi
		pause=$((POLL_PAUSES * (now - began)))
		least=$(((now - start) / 16))
		poll_pause $((pause > least ? pause : least))
		now=${EPOCHREALTIME/[.,]/}
	done
}

# This pipe is never written to: reading it with a time limit is a pause without a fork.
exec {POLL_FD}<> <(:)

# poll_pause [MICROSECONDS]: at least POLL_LEAST_US
poll_pause() {
	local us=${1-0}

	((us >= POLL_LEAST_US)) || us=$POLL_LEAST_US
	printf -v us '%d.%06d' $((us / 1000000)) $((us % 1000000))
	read -r -t "$us" -u "$POLL_FD" || :
}

now_ms() {
	local t=${EPOCHREALTIME/[.,]/}

	echo "${t%???}"
}

# ---- namespaces and counters ----

# in_ns NAMESPACE COMMAND...: runs a command in a namespace by nsenter, because `ip netns exec`
# also remounts /sys, which costs more than the command.
in_ns() {
	local ns=$1

	shift
	nsenter --net="/run/netns/$ns" "$@"
}

# link_counter NAMESPACE DEVICE {rx|tx} {bytes|packets|dropped}
link_counter() {
	ip -n "$1" -j -s link show dev "$2" | jq -e ".[0].stats64.$3.$4"
}

# link_counters NAMESPACE {rx|tx} {bytes|packets|dropped}: prints "device value" lines
link_counters() {
	ip -n "$1" -j -s link show | jq -r ".[] | \"\(.ifname) \(.stats64.$2.$3)\""
}
