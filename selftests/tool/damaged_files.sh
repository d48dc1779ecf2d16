#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A configuration cannot be lost. What a crash, a full disk or an editor leaves of a file (nothing,
# comments, zeros, a part) changes nothing, by sync, by restore, and by a reload of the service;
# save replaces a file as a whole or not at all; and values that may mean two things are refused.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"

readonly LEAVES=300		# so many need more than the small disk has
readonly SMALL_DISK=8k
readonly -a AS_NOBODY=(setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all)
readonly FIRST="# Saved by conga: the file is complete only with its last line."
readonly LAST="# This is the last line."

box() {
	"$CONGA" -n "$BOX" "$@"
}

box_up() {
	BOX=files-$(mktemp -u XXXXXX)
	ip netns add "$BOX" && defer "ip netns del $BOX" &&
		ip -n "$BOX" link add d0 up type dummy && ip -n "$BOX" link add d1 up type dummy
}

# The fabric that every test begins with
begin() {
	box restore - <<-END
		fabric add policy letflow q 4
		port add d0 role uplink tag 3 rate 10Gbit
		port add d1 role uplink tag 1 rate 1Gbit
		leaf add 10.0.0.12
		leaf add 10.0.0.13 mode conga
	END
	BEFORE=$(box save)
}

kept() {
	[[ $(box save) == "$BEFORE" ]] || fail "the configuration is now: $(box save)"
}

# reload: what "systemctl reload conga" and the udev rule run
reload() {
	local command

	command=$(sed -n 's/^ExecReload=//p' "$TESTS/../userspace/dist/conga.service") || return
	command=${command//\/etc\/conga.conf/$DIR/conf}
	# shellcheck disable=SC2086 # a list of words
	in_ns "$BOX" ${command//\/usr\/local\/sbin\/conga/$CONGA}
}

# refuses TEXT: every way to apply the file prints exactly this, and changes nothing
refuses() {
	local text="$1
Nothing was changed"

	says 2 "$text" box sync "$DIR/conf" && says 2 "$text" box sync check "$DIR/conf" &&
		says 2 "$text" box restore "$DIR/conf" && says 2 "$text" box restore check "$DIR/conf" &&
		says 2 "$text" reload && kept
}

no_fabric_is_none() {
	local none="Error: $DIR/conf has no fabric; the line \"fabric del\" asks for none"

	begin && : >"$DIR/conf" && refuses "$none" || fail "an empty file" || return
	printf '\n\n  \n' >"$DIR/conf" && refuses "$none" || fail "blank lines" || return
	grep '^#' "$TESTS/../userspace/dist/conga.conf" >"$DIR/conf" && refuses "$none" ||
		fail "comments" || return
	says 2 "Error: - has no fabric; the line \"fabric del\" asks for none
Nothing was changed" box sync - </dev/null && kept
}

none_is_said() {
	begin && echo "fabric del" >"$DIR/conf" || return
	[[ $(box sync check "$DIR/conf") == "fabric del" ]] ||
		fail "sync check prints: $(box sync check "$DIR/conf")" || return
	says 0 "" box sync "$DIR/conf" && [[ ! $(box save) ]] || fail "sync left: $(box save)" || return
	says 0 "" box sync "$DIR/conf" || return
	begin && says 0 "" box restore "$DIR/conf" && [[ ! $(box save) ]] ||
		fail "restore left: $(box save)" || return
	begin && printf 'leaf add 10.0.0.12\nfabric del\n' >"$DIR/conf" &&
		refuses "Error: \"fabric del\" must be the only command
Command failed $DIR/conf:1" || return
	printf 'fabric del\nfabric add\n' >"$DIR/conf" &&
		refuses "Error: \"fabric del\" must be the only command
Command failed $DIR/conf:2"
}

# zero_in LINE: a zero byte in this line is found
zero_in() {
	refuses "Error: a byte of the line is zero: the file is damaged
Command failed $DIR/conf:$1"
}

zeros_are_damage() {
	begin && head -c 4096 /dev/zero >"$DIR/conf" && zero_in 1 || fail "zeros alone" || return
	printf 'fabric add\0leaf-id 7\n' >"$DIR/conf" && zero_in 1 || fail "a zero in a word" || return
	printf 'fabric add\nleaf add 10.0.0.12\n\0\0\0' >"$DIR/conf" && zero_in 3 ||
		fail "zeros at the end" || return
	printf 'fabric set q 5\0' >"$DIR/conf" || return
	says 2 "Error: a byte of the line is zero: the file is damaged
Command failed $DIR/conf:1" box -b "$DIR/conf" && kept
}

# A line that is cut off may still be a command: 10.0.0.1 is another leaf than 10.0.0.12.
cut_lines_are_damage() {
	local bytes

	begin && printf 'fabric add\nleaf add 10.0.0.1' >"$DIR/conf" &&
		refuses "Error: the last line does not end: the file may have been cut off
Command failed $DIR/conf:2" || return
	box save "$DIR/whole" || return
	for ((bytes = $(stat -c %s "$DIR/whole") - 1; bytes >= 0; bytes -= 7)); do
		head -c "$bytes" "$DIR/whole" >"$DIR/conf"
		! box sync "$DIR/conf" 2>/dev/null && kept ||
			fail "$bytes bytes of the file were accepted" || return
	done
}

# A cut between two lines is found in a file that conga wrote.
missing_lines_are_found() {
	local lines

	begin && box save "$DIR/whole" && says 0 "" box sync "$DIR/whole" && kept || return
	for ((lines = $(wc -l <"$DIR/whole") - 1; lines > 0; lines--)); do
		head -n "$lines" "$DIR/whole" >"$DIR/conf" &&
			refuses "Error: $DIR/conf was saved by conga, and its last line is missing: the file is incomplete" ||
			fail "$lines lines of the file were accepted" || return
	done
}

save_writes_all() {
	begin && rm -f "$DIR/new" && says 0 "" box save "$DIR/new" || return
	[[ $(<"$DIR/new") == "$FIRST"$'\n'"$BEFORE"$'\n'"$LAST" ]] ||
		fail "the file is: $(<"$DIR/new")" || return
	[[ $(stat -c %a "$DIR/new") == 644 ]] || fail "the mode is $(stat -c %a "$DIR/new")" || return
	box fabric del && says 0 "" box restore "$DIR/new" && kept || return
	# It keeps the mode of a file, and a symbolic link.
	chmod 600 "$DIR/new" && ln -sf new "$DIR/link" && box leaf del 10.0.0.12 &&
		says 0 "" box save "$DIR/link" || return
	[[ -L $DIR/link && $(stat -c %a "$DIR/new") == 600 && $(<"$DIR/new") != *10.0.0.12* ]] ||
		fail "the file became: $(ls -l "$DIR"), $(<"$DIR/new")" || return
	says 2 "Error: option \"-j\" is wrong: a file has commands only" box -j save "$DIR/new"
}

save_or_nothing() {
	local l

	begin && box save "$DIR/old" && box fabric del || return
	says 1 "Error: there is no fabric to save, file \"$DIR/old\" was not changed" \
		box save "$DIR/old" || return
	[[ $(<"$DIR/old") == *"$BEFORE"* ]] || fail "the old file became: $(<"$DIR/old")" || return
	begin && mkdir -p "$DIR/disk" && mount -t tmpfs -o size="$SMALL_DISK" small "$DIR/disk" &&
		defer "umount $DIR/disk" && box save "$DIR/disk/conf" || return
	for ((l = 0; l < LEAVES; l++)); do echo "leaf add 10.1.$((l / 100)).$((1 + l % 100))"; done |
		box -b - || return
	says 1 "Cannot write file \"$DIR/disk/conf\": No space left on device" \
		box save "$DIR/disk/conf" || return
	[[ $(<"$DIR/disk/conf") == *"$BEFORE"* && $(ls "$DIR/disk") == conf ]] ||
		fail "the disk has $(ls "$DIR/disk"), the file $(<"$DIR/disk/conf")"
}

ports_count_once() {
	box restore - <<<"fabric add dstport 4789 dstport 8472 dstport 4789" || return
	[[ $(box -j fabric show | jq -c '.[0].dstports') == "[4789,8472]" ]] ||
		fail "the ports are $(box -j fabric show)" || return
	box fabric set dstport 1 dstport 2 dstport 3 dstport 4 dstport 4 dstport 1 || return
	[[ $(box -j fabric show | jq -c '.[0].dstports') == "[1,2,3,4]" ]] ||
		fail "the ports are $(box -j fabric show)" || return
	refused "A fabric has at most 4 dstports" -n "$BOX" \
		fabric set dstport 1 dstport 2 dstport 3 dstport 4 dstport 5 || return
	box restore - <<<"fabric add dstport 4789 dstport 4789" || return
	echo "fabric add dstport 4789 dstport 4789" >"$DIR/conf" &&
		says 0 "" box sync check "$DIR/conf"
}

ambiguous_is_refused() {
	local unit

	begin || return
	for unit in bps kbps Mbps 10gbps tbps; do
		unit=1${unit#1}
		says 2 "Error: argument \"$unit\" is wrong: bps may mean bits or bytes, write bits as in 40gbit" \
			box port set d0 rate "$unit" || return
	done
	says 2 "Error: argument \"500\" is wrong: needs a unit, for example 300ms" \
		box fabric set flowlet-timeout 500 || return
	kept && says 0 "" box fabric set flowlet-timeout 0 &&
		says 0 "" box port set d0 rate 10gbit
}

# Everybody can ask what a reload would change.
check_needs_no_privilege() {
	begin && chmod 755 "$DIR" && box save >"$DIR/conf" && echo "leaf add 10.0.0.14" >>"$DIR/conf" ||
		return
	[[ $(in_ns "$BOX" "${AS_NOBODY[@]}" "$CONGA" sync check "$DIR/conf" 2>"$DIR/said") == "leaf add 10.0.0.14" ]] ||
		fail "sync check failed: $(<"$DIR/said")" || return
	[[ $(<"$DIR/said") == "Warning: without CAP_NET_ADMIN the kernel does not check ranges" ]] ||
		fail "sync check printed: $(<"$DIR/said")" || return
	says 1 "Error: Operation not permitted: changing conga needs CAP_NET_ADMIN in this network namespace
Command failed $DIR/conf:6
Nothing was changed" in_ns "$BOX" "${AS_NOBODY[@]}" "$CONGA" sync "$DIR/conf" && kept
}

# The word is never a file, or who forgets the file after it would apply one of this name.
check_is_no_file() {
	local command

	begin && box save >"$DIR/conf" && echo "fabric add policy ecmp" >"$DIR/check" || return
	for command in sync restore; do
		! (cd "$DIR" && box "$command" check) >"$DIR/said" 2>&1 ||
			fail "\"$command check\" succeeds" || return
		[[ $(head -n 1 "$DIR/said") == 'Command line is not complete. Try option "help"' ]] ||
			fail "\"$command check\" says: $(<"$DIR/said")" || return
		kept && says 0 "" box "$command" check "$DIR/conf" || return
	done
	(cd "$DIR" && says 0 "" box sync ./check) && [[ $(box save) == *"policy ecmp"* ]]
}

tap_plan 11
require_root
require_commands ip jq setpriv
require_module
DIR=$(mktemp -d) && defer "rm -rf $DIR"
box_up || die "cannot set up"
tap_test "a file without a fabric changes nothing" no_fabric_is_none
tap_test "a file that asks for no fabric removes it" none_is_said
tap_test "a file with a byte of zero changes nothing" zeros_are_damage
tap_test "a file that ends within a line changes nothing" cut_lines_are_damage
tap_test "a saved file without its last lines changes nothing" missing_lines_are_found
tap_test "save writes a whole file, which keeps its mode and its links" save_writes_all
tap_test "save leaves the old file where it cannot write the new one" save_or_nothing
tap_test "a port that is named twice counts once" ports_count_once
tap_test "rates and times that may mean two things are refused" ambiguous_is_refused
tap_test "sync check needs no privilege" check_needs_no_privilege
tap_test "the word check is never the name of a file" check_is_no_file
tap_exit
