#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The commands of the documents for operators work as they stand there. Each box that
# documents.table leaves to this program is run by a shell, on nodes whose devices and addresses are
# those of the documents. In addition each command in the text of any document is one that the tool
# understands.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/hellos.sh"
. "$TESTS/lib/documents.sh"

TOPO_LINKS=1
QUIET=""			# leaves answer
readonly DOCUMENTS=$TESTS/documents
readonly USAGE=2		# status of the tool if it does not understand a command
readonly LEAST_COMMANDS=60	# in the text of the documents
readonly HOSTS=/etc/conga/hosts

# ---- nodes as the documents have them ----

# rename NAMESPACE DEVICE NAME ADDRESS
rename() {
	ip -n "$1" link set "$2" down && ip -n "$1" link set "$2" name "$3" &&
		ip -n "$1" address flush dev "$3" && ip -n "$1" address add "$4" dev "$3" &&
		ip -n "$1" link set "$3" up
}

# The leaf of the documents has eth1 and eth2, the spine swp1 and swp2. The leaf has no address, no
# tunnel and no route yet: its box makes them.
setup() {
	topo_up || return
	NODE=${LEAF[0]} SPINE_NODE=${SPINE[0]}
	topo_link_addresses 1 0 0
	rename "$NODE" up0 eth1 172.16.1.1/31 && rename "$NODE" up1 eth2 172.16.2.1/31 &&
		rename "${SPINE[0]}" down0.0 swp1 172.16.1.0/31 &&
		rename "${SPINE[1]}" down0.0 swp1 172.16.2.0/31 &&
		rename "$SPINE_NODE" down1.0 swp2 "$SPINE_END/31" &&
		ip -n "$SPINE_NODE" route replace 10.0.0.12/32 via "$LEAF_END" &&
		ip -n "$NODE" address flush dev lo scope global && ip -n "$NODE" link del vx &&
		ip -n "$NODE" route flush 10.0.0.12 &&
		far_leaf
}

# What another leaf and the spines have
far_leaf() {
	local s

	for s in 0 1; do
		ip -n "${SPINE[s]}" route replace 10.0.0.11/32 via "172.16.$((s + 1)).1" || return
	done
	{
		echo "fabric add"
		fabric_uplinks 1
		echo "leaf add 10.0.0.11"
	} | conga_batch "${LEAF[1]}"
}

# ---- running them ----

# These functions replace commands of a document; install.sh and services.sh run make and systemctl.
# Rates are those of no real link, which "conga check" reports with status 1.
shell_of() {
	make() { :; }
	systemctl() { "$TESTS/../userspace/congad" -n "$RUN_NS" -1; }
	ip() { command ip -n "$RUN_NS" "$@"; }
	conga() {
		# No file of this computer is written, and 10 seconds are for readers who watch.
		set -- "${@/#\/etc\/conga.conf/$TOPO_DIR/conga.conf}"
		[[ ${2-} != -i ]] || set -- "$1" "$2" 0.1 "${@:4}"
		case " $* " in
		*" count "*) "$CONGA" -n "$RUN_NS" "$@" ;;
		*" monitor "* | *" top "* | *" -i "*) watched "$@" ;;
		" check ") "$CONGA" -n "$RUN_NS" check || (($? == 1)) ;;
		*) "$CONGA" -n "$RUN_NS" "$@" ;;
		esac
	}
}

# watched WORD...: as a user with a terminal does, who ends it after a while
watched() {
	TERM=xterm until_ended script -qefc "exec $(printf '%q ' "$CONGA" -n "$RUN_NS" "$@")" /dev/null
}

# runs NAMESPACE FILE HEADING: every command succeeds
runs() {
	RUN_NS=$1
	document_runs "$2" "$3" shell_of || fail "$DOCUMENT_SAID"
}

# ---- what becomes of it ----

node() {
	"$CONGA" -n "$NODE" "$@"
}

leaf_answers() {
	[[ $(node -j leaf show 10.0.0.12 | jq -r '.[0].state') == conga ]]
}

becomes_a_leaf() {
	runs "$NODE" "$@" || return
	soon leaf_answers || fail "$1, \"$2\": the other leaf does not answer: $(node)"
}

a_leaf() {
	becomes_a_leaf Documentation/user/operator.md "A leaf"
}

readme_leaf() {
	node fabric del && becomes_a_leaf README.md "Use it"
}

a_spine() {
	local roles

	runs "$SPINE_NODE" Documentation/user/operator.md "A spine" || return
	roles=$("$CONGA" -n "$SPINE_NODE" -j port show | jq -r 'map(.dev + " " + .role) | join(" ")')
	[[ $roles == "swp1 transit swp2 transit" ]] || fail "the ports are $roles"
}

names_known() {
	local names

	names=$("$DOCUMENTS" section Documentation/user/operator.md "Looking at it" |
		grep leaf2.rack1)
	[[ $names ]] || fail "operator.md has no example of names" || return
	mkdir -p "${HOSTS%/*}" && mount -t tmpfs names "${HOSTS%/*}" && defer "umount ${HOSTS%/*}" &&
		echo "$names" >"$HOSTS"
}

# Every section that is left, in the order of documents.table, on a leaf with defaults
others() {
	local file heading

	while IFS='|' read -r file heading; do
		case $file,$heading in
		*,"A leaf" | *,"A spine" | README.md,*) ;;
		# The commands are those of every node, and what only a spine needs.
		*/hula.md,*) runs "$SPINE_NODE" "$file" "$heading" || return ;;
		*)
			node fabric set policy conga entropy 1 ecn off && runs "$NODE" "$file" "$heading" ||
				return
			;;
		esac
	done < <("$DOCUMENTS" run_by tool/documents.sh)
}

# A command in the text, such as `conga port set eth1 drain on`, may lack arguments, and may fail for
# what it names, but the tool must know its words.
understood() {
	local file command status bad=0 count=0

	cd "$TOPO_DIR" || return
	while IFS=: read -r file command; do
		status=0
		# shellcheck disable=SC2086 # the words of a command
		timeout "$WHILE_S" "$CONGA" -n "$NODE" ${command#conga } </dev/null >"$TOPO_DIR/said" 2>&1 || status=$?
		count=$((count + 1))
		((status != USAGE)) || grep -qE 'is required|is not complete' "$TOPO_DIR/said" ||
			fail "$file: $command: $(head -n 1 "$TOPO_DIR/said")" || bad=1
	done < <("$DOCUMENTS" words conga)
	((count >= LEAST_COMMANDS)) || fail "only $count commands were found" || return
	return "$bad"
}

tap_plan 5
require_root
require_commands ip jq script timeout
require_module
{ setup && names_known; } || die "cannot set up: ${TAP_WHY-}"
tap_test "the commands of operator.md make a leaf" a_leaf
tap_test "the commands of operator.md make a spine" a_spine
tap_test "the commands of all other documents for operators succeed" others
tap_test "the commands of README.md make a leaf" readme_leaf
tap_test "the tool understands each command in the text of a document" understood
topo_down
tap_exit
