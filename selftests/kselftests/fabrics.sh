# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
#
# fabrics.sh - a fabric in a network namespace that a kselftest made, and the counters that it leaves.
# fabrics, follow and inside source this file. The environment has the configuration:
#
#	CONGA, CONGAD		the programs
#	FABRIC			the words that follow "conga fabric add"
#	OBJECTS			congad: it adds ports and leaves; all: every link is a port, and
#				leaves agree from the start (follow)
#	FABRICS			a folder of the machine, for process ids and counters
#
# An empty name is the namespace in which the machine starts.

FABRIC_PORT_RATE=10gbit		# of links that report no speed

# fabric_tool NS ARGUMENT...
fabric_tool() {
	fabric_tool_ns=$1
	shift
	"$CONGA" ${fabric_tool_ns:+-n "$fabric_tool_ns"} "$@"
}

# fabric_in_background FILE COMMAND...: in a session of its own, whose process id is added to the
# file. Nothing of the test stays open, or "$(...)" around it would wait for ever.
fabric_in_background() {
	fabric_pids=$1
	shift
	setsid "$@" </dev/null >/dev/null 2>&1 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- &
	echo $! >>"$fabric_pids"
}

# fabric_start NS
fabric_start() {
	# shellcheck disable=SC2086 # a list of words
	fabric_tool "$1" fabric add dstport 4789 dstport 8472 $FABRIC || return
	: >"$FABRICS/pids.${1:-.}"
	if [ "$OBJECTS" = congad ]; then
		fabric_in_background "$FABRICS/pids.${1:-.}" \
			"$CONGAD" ${1:+-n "$1"} -r "$FABRIC_PORT_RATE"
	else
		fabric_in_background "$FABRICS/pids.${1:-.}" "$KSELFTESTS/follow" ports "$1"
		fabric_in_background "$FABRICS/pids.${1:-.}" "$KSELFTESTS/follow" leaves "$1"
	fi
}

# fabric_end_processes NS: a process that is left would keep the namespace
fabric_end_processes() {
	while read -r fabric_pid; do
		kill -KILL "-$fabric_pid"
		while kill -0 "-$fabric_pid"; do sleep 0.01; done
	done <"$FABRICS/pids.$1" 2>/dev/null
	rm "$FABRICS/pids.$1"
}

# fabric_stop NS: before the namespace goes, its counters are added to the file
fabric_stop() {
	[ -e "$FABRICS/pids.${1:-.}" ] || return 0
	fabric_end_processes "${1:-.}"
	fabric_tool "$1" -j stats show all >>"$FABRICS/counters"
	fabric_tool "$1" fabric del
}
