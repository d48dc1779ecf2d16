#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# While another program uses apt, setup and vm/run wait for it, and report that they wait. The
# test runs on the host, with a separate lock and cache of apt.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/expect.sh"

readonly PAUSE=1 HELD=600	# seconds; the lock is released earlier
readonly PATIENCE_MS=60000

TREE=$(mktemp -d)
defer "rm -rf $TREE"

# lock_hold: holds the lock as apt does, until lock_release
lock_hold() {
	rm -f "$TREE/archives/lock.held"
	python3 - "$TREE/archives/lock" "$HELD" <<-'END' &
	import fcntl, sys, time
	lock = open(sys.argv[1], 'w')
	fcntl.lockf(lock, fcntl.LOCK_EX)
	open(sys.argv[1] + '.held', 'w')
	time.sleep(float(sys.argv[2]))
	END
	LOCKED=$!
	busywait "$PATIENCE_MS" test -e "$TREE/archives/lock.held"
}

lock_release() {
	kill "$LOCKED"
}

# apt_get TRIES WORD: the word "clean" makes apt take its lock
apt_get() {
	APT_CONFIG=$TREE/apt.conf APT_TRIES=$1 APT_PAUSE=$PAUSE CONGA_CACHE=$TREE/cache bash -c \
		'set -euo pipefail; . "$1/vm/kernel.sh"; apt_get "$2"' setup "$TESTS" "$2" 2>&1
}

waits() {
	local apt status=0

	lock_hold || fail "the lock cannot be held" || return
	apt_get 60 clean >"$TREE/says" &
	apt=$!
	busywait "$PATIENCE_MS" grep -q "waiting for another program that uses apt" "$TREE/says" ||
		status=1
	lock_release
	wait "$apt" || status=1
	((!status)) || fail "$(<"$TREE/says")"
}

gives_up() {
	local says status=0

	lock_hold || fail "the lock cannot be held" || return
	says=$(apt_get 2 clean) || status=$?
	lock_release
	((status)) || fail "apt_get did not give up" || return
	[[ $says == *"Could not get lock $TREE/archives/lock"* ]] || fail "$says"
}

fails_at_once() {
	local says

	says=$(apt_get 60 nonsense) && fail "apt-get accepted the command nonsense" && return 1
	[[ $says == *nonsense* && $says != *waiting* ]] || fail "$says"
}

tap_plan 3
require_commands apt-get python3
mkdir -p "$TREE/archives/partial"
printf 'Dir::Cache "%s";\n' "$TREE" >"$TREE/apt.conf"
tap_test "setup waits for apt while another program uses it" waits
tap_test "an error of apt that is not about its lock is reported at once" fails_at_once
tap_test "apt's own sentence about the lock is reported after all tries" gives_up
tap_exit
