#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Names of leaves. A name in /etc/conga/hosts stands for the address of a leaf wherever a command
# takes one, and the tool prints it instead of the address, unless -N asks for numbers. Programs
# always get addresses: in JSON, in metrics and in what is saved.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"

TOPO_LINKS=1
readonly WAIT_MS=30000 NAME=leaf-1.rack_7 HOSTS=/etc/conga/hosts
readonly -a AS_NOBODY=(setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all)

setup() {
	topo_up && fabric_up conga conga && conga 0 fabric set hello off flowlet-timeout 1s &&
		mkdir -p "${HOSTS%/*}" && mount -t tmpfs names "${HOSTS%/*}" && defer "umount ${HOSTS%/*}"
}

# The name that several addresses have, and lines and names without sense, are ignored.
hosts() {
	cat >"$HOSTS" <<-END
		# The first name of an address is printed.
		${VTEP[1]}	$NAME l1 # l2
		10.0.0.99 ninety-nine
		fd00::99  Ninety-Six.example

		nonsense  leaf9
		10.0.0.96
		10.0.0.97 10.0.0.98 -x a/b $(printf '\033[31m') fd00::1 ninety-seven $(printf '%064d' 0)
		10.0.0.95 twin
		10.0.0.94 twin single
	END
}

# without_hosts COMMAND...: runs it while the file is missing
without_hosts() {
	local status=0

	mv "$HOSTS" "$HOSTS.away"
	"$@" || status=$?
	mv "$HOSTS.away" "$HOSTS"
	return "$status"
}

addresses_are() {
	local found

	found=$(conga 0 -j leaf show | jq -r 'map(.addr) | sort | join(" ")')
	[[ $found == "$1" ]] || fail "the leaves are $found, expected: $1"
}

names_are_typed() {
	hosts && conga 0 leaf add ninety-nine mode plain && conga 0 leaf add NINETY-SIX.EXAMPLE mode plain &&
		conga 0 leaf add single mode plain && conga 0 leaf add ninety-seven mode plain &&
		addresses_are "${VTEP[1]} 10.0.0.94 10.0.0.97 10.0.0.99 fd00::99" || return
	conga 0 leaf set ninety-nine mode conga && conga 0 leaf del single &&
		conga 0 leaf del ninety-seven && conga 0 leaf del Ninety-Six.example &&
		addresses_are "${VTEP[1]} 10.0.0.99" &&
		[[ $(conga 0 -j leaf show ninety-nine | jq -r '.[].mode') == conga ]] ||
		fail "the leaf is $(conga 0 leaf show ninety-nine)" || return
	conga 0 leaf del ninety-nine && same_as_address "leaf show" && same_as_address "path show leaf" &&
		same_as_address "path get" && same_as_address "path get leaf" &&
		same_as_address "table show to-leaf leaf" && conga 0 flowlet show leaf "$NAME" >/dev/null
}

# shown WORD...: prints the leaves of what the command shows; metrics and ages change meanwhile
shown() {
	conga 0 -j "$@" | jq -c 'map(.addr // .leaf)'
}

# same_as_address WORDS: the command shows the same for the names of the leaf and its address
same_as_address() {
	local words name expected

	read -ra words <<<"$1"
	expected=$(shown "${words[@]}" "${VTEP[1]}")
	[[ $expected == "[\"${VTEP[1]}\""* ]] || fail "$1 shows: $expected" || return
	for name in "$NAME" l1; do
		[[ $(shown "${words[@]}" "$name") == "$expected" ]] ||
			fail "$1 $name shows: $(shown "${words[@]}" "$name"), expected: $expected" || return
	done
}

# has_name TEXT WHAT: the text has the leaf's name, and its address nowhere
has_name() {
	[[ $1 == *"$NAME"* && $1 != *"${VTEP[1]}"* ]] || fail "$2 prints: $1"
}

# mentions TEXT WORD: prints how often the text has the word
mentions() {
	grep -oF -- "$2" <<<"$1" | wc -l
}

# printed WORD...: the command prints the name, and with -N the address as often
printed() {
	local option numbers said

	said=$(conga 0 "$@")
	has_name "$said" "conga $*" || return
	for option in -N -numeric --numeric; do
		numbers=$(conga 0 "$option" "$@")
		[[ $numbers != *"$NAME"* &&
			$(mentions "$numbers" "${VTEP[1]}") == $(mentions "$said" "$NAME") ]] ||
			fail "$option $* prints: $numbers" || return
	done
}

# Without a route to the leaf "check" has a finding.
names_are_printed() {
	local status=0

	hosts && printed && printed leaf show && printed path show && printed path get "$NAME" &&
		printed table show to-leaf && printed table show from-leaf || return
	has_name "$(conga 0 -i 0.1 top batch count 1)" top || return
	[[ $(conga 0 -N -i 0.1 top batch count 1) == *"${VTEP[1]}"* ]] || fail "top has no address" || return
	ip -n "${LEAF[0]}" route save table main >"$TOPO_DIR/routes" &&
		ip -n "${LEAF[0]}" route del "${VTEP[1]}" || return
	printed check || status=1
	ip -n "${LEAF[0]}" route restore <"$TOPO_DIR/routes" 2>/dev/null && return "$status"
}

# A flowlet stays for a second.
flowlets_are_shown() {
	in_ns "${HOST[0.0]}" ping -q -c 1 -W 1 "${HOST_IP[1.0]}" >/dev/null
	conga 0 flowlet show >"$TOPO_DIR/text" && conga 0 -j flowlet show >"$TOPO_DIR/json" &&
		[[ -s $TOPO_DIR/text ]] && json_is 'length > 0' <"$TOPO_DIR/json"
}

flowlets_have_names() {
	busywait "$WAIT_MS" flowlets_are_shown || fail "there is no flowlet" || return
	has_name "$(<"$TOPO_DIR/text")" "flowlet show" || return
	json_is "all(.[]; .leaf == \"${VTEP[1]}\" and .name == \"$NAME\")" <"$TOPO_DIR/json" ||
		fail "the flowlets are $(<"$TOPO_DIR/json")"
}

# The mode changes until the monitor, which needs a while to begin, has reported it.
event_arrives() {
	conga 0 leaf set "$NAME" mode plain && conga 0 leaf set "$NAME" mode conga &&
		[[ $(wc -l <"$TOPO_DIR/events") -gt 0 ]]
}

monitor_has_names() {
	local monitor arrived=0

	"$CONGA" -n "${LEAF[0]}" monitor leaf >"$TOPO_DIR/events" &
	monitor=$!
	busywait "$WAIT_MS" event_arrives || arrived=1
	kill "$monitor" && wait "$monitor"
	((!arrived)) || fail "no event was reported" || return
	has_name "$(<"$TOPO_DIR/events")" monitor
}

# Keys are added, and none changes.
programs_get_addresses() {
	local words show

	hosts
	for show in "leaf show" "path show" "path get $NAME" "table show to-leaf"; do
		read -ra words <<<"$show"
		conga 0 -j "${words[@]}" | json_is "all(.[]; (.addr // .leaf) == \"${VTEP[1]}\" and .name == \"$NAME\")" &&
			conga 0 -N -j "${words[@]}" | json_is 'all(.[]; has("name") | not)' ||
			fail "-j $show prints: $(conga 0 -j "${words[@]}")" || return
	done
	[[ $(conga 0 metrics) == *"${VTEP[1]}"* && $(conga 0 metrics) != *"$NAME"* ]] ||
		fail "metrics have names" || return
	conga 0 -j check | json_is "all(.[]; .object != \"$NAME\")" || fail "check has a name in JSON"
}

configuration_has_addresses() {
	hosts && conga 0 save >"$TOPO_DIR/saved" || return
	[[ $(<"$TOPO_DIR/saved") == *"leaf add ${VTEP[1]} mode conga"* &&
		$(<"$TOPO_DIR/saved") != *"$NAME"* ]] || fail "saved: $(<"$TOPO_DIR/saved")" || return
	sed -i "s/add ${VTEP[1]}/add l1/" "$TOPO_DIR/saved" && grep -q "leaf add l1 " "$TOPO_DIR/saved" &&
		says 0 "" conga 0 sync check "$TOPO_DIR/saved" &&
		conga 0 leaf del l1 &&
		says 0 "leaf add ${VTEP[1]} mode conga" conga 0 sync check "$TOPO_DIR/saved" &&
		says 0 "" conga 0 sync "$TOPO_DIR/saved" && addresses_are "${VTEP[1]}"
}

unknown_is_refused() {
	local name

	hosts
	for name in nobody leaf9 -x a/b l2 10.0.0.256 "$(printf '%064d' 0)" "$(printf '%0300d' 0)" ""; do
		says 2 "Error: argument \"$name\" is wrong: not an IPv4 or IPv6 address, and no name in $HOSTS" \
			conga 0 leaf add "$name" || return
	done
	says 2 "Error: argument \"TWIN\" is wrong: $HOSTS has this name for several addresses" \
		conga 0 leaf add TWIN &&
		says 2 "Error: argument \"l1\" is wrong: not an IPv4 or IPv6 address" \
			conga 0 path get "$NAME" from l1 to l1 &&
		without_hosts says 2 "Error: argument \"l1\" is wrong: not an IPv4 or IPv6 address, and no name in $HOSTS" \
			conga 0 leaf show l1 || return
	chmod 600 "$HOSTS" && says 2 "Error: argument \"l1\" is wrong: cannot read $HOSTS: Permission denied" \
		in_ns "${LEAF[0]}" "${AS_NOBODY[@]}" "$CONGA" leaf show l1 || return
	[[ $(in_ns "${LEAF[0]}" "${AS_NOBODY[@]}" "$CONGA" leaf show) == "${VTEP[1]} "* ]] ||
		fail "without the file: $(in_ns "${LEAF[0]}" "${AS_NOBODY[@]}" "$CONGA" leaf show)" || return
	chmod 644 "$HOSTS" && addresses_are "${VTEP[1]}"
}

# A name that may be another address's is not printed either.
ambiguous_is_not_printed() {
	hosts && conga 0 leaf add 10.0.0.95 mode plain && conga 0 leaf add 10.0.0.94 mode plain || return
	[[ $(conga 0 leaf show 10.0.0.95) == "10.0.0.95 "* && $(conga 0 leaf show 10.0.0.94) == "single "* ]] ||
		fail "$(conga 0 leaf show)" || return
	conga 0 leaf del 10.0.0.95 && conga 0 leaf del single
}

completed() {
	"$CONGA" complete -n "${LEAF[0]}" "$@" | sort | paste -sd' '
}

names_are_completed() {
	hosts
	[[ $(completed leaf del l) == "$NAME" && $(completed leaf del 1) == "${VTEP[1]}" &&
		$(completed leaf add n) == "ninety-nine ninety-seven" && $(completed leaf add t) == "" &&
		$(completed path get leaf l) == "$NAME" && $(completed path get l1 from l) == "" &&
		$(completed ping l) == *"$NAME"* ]] ||
		fail "completed: $(completed leaf del l), $(completed leaf add n)"
}

tap_plan 9
require_root
require_commands ip jq ping setpriv
require_module
setup || die "the fabric cannot be set up"
tap_test "a name stands for a leaf's address in every command" names_are_typed
tap_test "leaves are printed by name, with -N by address" names_are_printed
tap_test "flowlets are shown with the names of their leaves" flowlets_have_names
tap_test "events have the names of leaves" monitor_has_names
tap_test "JSON has name and address, metrics have addresses" programs_get_addresses
tap_test "a configuration may have names, and is saved with addresses" configuration_has_addresses
tap_test "an unknown name is refused, and the file is named" unknown_is_refused
tap_test "a name of several addresses is not printed" ambiguous_is_not_printed
tap_test "names of leaves are completed" names_are_completed
tap_exit
