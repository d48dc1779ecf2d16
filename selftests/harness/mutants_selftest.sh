#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# mutants_selftest.sh - the tables of mutants are read, applied and checked against the tree. It
# runs on the host, on a small tree with planted faults.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/expect.sh"

TREE=$(mktemp -d)
defer "rm -rf $TREE"
readonly MUTANT=$TREE/selftests/mutants/mutant PAGE=$TREE/Documentation/developer/proofs.md

# make_tree: makes a tree with two functions that share a line, a rule, three mutants and a kind
make_tree() {
	rm -rf "${TREE:?}"/* || return
	mkdir -p "$TREE"/{kmod,Documentation/{user,developer},selftests/{clocks,lib,mutants}} || return
	cp "$TESTS"/mutants/{mutant,run,*.py} "$TREE/selftests/mutants/"
	cp "$TESTS"/{where.sh,proofs} "$TREE/selftests/"
	touch "$TREE"/selftests/{clocks/clock.sh,lib/tick.sh,Makefile}
	cat >"$TREE/kmod/clock.c" <<-'END'
	static int clock_tick(int now);

	static int clock_tick(int now)
	{
	    now++;
	    return now;
	}

	static int clock_set(int now)
	{
	    if (now < 0)
	        return 0;
	    return now;
	}
	END
	cat >"$TREE/selftests/mutants/clocks.table" <<-'END'
	Subject: Clocks

	Rule: a clock goes on, and never
	  back
	Paper: 3.2
	Rooms: clock.c
	Tests: clock.sh

	Mutant: clock-stands
	Effect: A tick changes nothing.
	Kills: clock.sh
	@@ kmod/clock.c clock_tick()
	-    now++;

	Mutant: clock-lies
	Effect: A clock that was set is one ahead.
	Kills: clock.sh
	Kernel: uml-debug
	@@ kmod/clock.c clock_set()
	-    return now;
	+    return now + 1;

	Mutant: clock-jumps
	Effect: A tick counts twice.
	Kills: clock.sh
	@@ kmod/clock.c clock_tick()
	     now++;
	+    now++;
	END
	printf '%s\n' "Subject: Kinds" "" "Kind: time" "Met: a clock" "Siblings: a watch" \
		"Tests: clock.sh" "Mutants: clock-lies" >"$TREE/selftests/mutants/kinds.table"
	printf '%s\n' "# Proofs" "" @clocks "" @kinds >"$TREE/selftests/mutants/proofs.template"
	"$MUTANT" print >"$PAGE"
}

# reports FINDING FILE SED: this finding is reported after the script changed the file, and the
# page is printed; the status is 0 without a finding, 1 with one, and 2 if a table cannot be read
reports() {
	local status

	case $1 in
	"") status=0 ;;
	"mutant: "*) status=2 ;;
	*) status=1 ;;
	esac
	make_tree && sed -i "$3" "$TREE/$2" || return
	"$MUTANT" print >"$PAGE" 2>/dev/null
	says "$status" "$1" "$MUTANT" check
}

reports_stale_page() {
	local page=Documentation/developer/proofs.md

	make_tree && sed -i 's/goes on/stands/' "$TREE/selftests/mutants/clocks.table" || return
	says 1 "$page is stale: selftests/mutants/mutant print >$page" "$MUTANT" check
}

# feature FINDING ROW: the page of features has this row, and this is all that proofs reports
feature() {
	make_tree && touch "$TREE/SECURITY.md" || return
	printf '%s\n' "| expectation | conga | shown by | test |" "|---|---|---|---|" \
		"| dates | ○ | |" "$2" >"$TREE/Documentation/user/features.md"
	says 0 "$1" "$TREE/selftests/proofs"
}

# shellcheck disable=SC2016 # backticks of Markdown
features_are_checked() {
	local page=Documentation/user/features.md

	feature "" '| a tick | ● | `clock tick` | clock.sh |' &&
		feature "$page: a tick: no command shows it" '| a tick | ● | ticking | clock.sh |' &&
		feature "$page: a tick: no test is named" '| a tick | ● | `clock tick` |' &&
		feature "$page: a tick: there is no test watch.sh" \
			'| a tick | ● | `clock tick` | clock.sh, watch.sh |' &&
		feature "$page: a tick: there is no test watch.sh" '| a tick | ◐ | | watch.sh |
| a tock | ● | `clock tock` | clock.sh |' &&
		feature "$page: no feature is found" '| a tick | ◐ | |'
}

prints_rows() {
	make_tree && grep -qxF "| a clock goes on, and never back | 3.2 | clock.c | clock.sh |$(:
		) clock-stands, clock-lies, clock-jumps |" "$PAGE" &&
		grep -qxF "| time | a clock | a watch | clock.sh | clock-lies |" "$PAGE"
}

# becomes NAME DIFF: the mutant changes kmod/clock.c in this way
becomes() {
	make_tree && cp "$TREE/kmod/clock.c" "$TREE/before" && cd "$TREE" || return
	"$MUTANT" apply "$1" && says 1 "$2" diff before kmod/clock.c
}

applies_all_three() {
	becomes clock-stands $'5d4\n<     now++;' &&
		becomes clock-lies $'13c13\n<     return now;\n---\n>     return now + 1;' &&
		becomes clock-jumps $'5a6\n>     now++;'
}

applies_nothing_stale() {
	make_tree && sed -i 's/now++/now += 1/' "$TREE/kmod/clock.c" || return
	cp "$TREE/kmod/clock.c" "$TREE/before" && cd "$TREE" || return
	says 1 "mutant: clock-stands: kmod/clock.c clock_tick(): the old text is there 0 times, not once" \
		"$MUTANT" apply clock-stands && cmp -s before kmod/clock.c
}

lists_by_name_table_and_test() {
	make_tree && says 0 $'clock-stands\nclock-lies\nclock-jumps' "$MUTANT" list clocks &&
		says 0 $'clock-lies\tselftests/clocks/clock.sh\tuml-debug\tkmod/clock.c' \
			"$MUTANT" list --long clock-lies &&
		says 0 $'clock-stands\nclock-lies\nclock-jumps' "$MUTANT" list --kills clock.sh &&
		says 0 "" "$MUTANT" list --kills watch.sh &&
		says 2 "mutant: there is neither a mutant nor a table clocks-lie" "$MUTANT" list clocks-lie
}

# This tree has no sources to build.
run_names_stale() {
	make_tree && sed -i 's/now++/now += 1/' "$TREE/kmod/clock.c" || return
	says 1 "mutants: 1 to kill
mutants: clock-stands: broken: kmod/clock.c clock_tick(): the old text is there 0 times, not once
0 killed, 0 survived, 1 broken" env CONGA_CACHE="$TREE" "$TREE/selftests/mutants/run" clock-stands
}

run_continues() {
	run_names_stale || return
	printf '%s\n' "mutants: clock-lies: killed by clock.sh: not ok 1" \
		"mutants: clock-stands: survived: clock.sh noticed nothing" \
		"mutants: clock-jumps: killed by clock.sh: not ok 2" >"$TREE/kept"
	says 1 "mutants: 1 to kill
mutants: clock-stands: broken: kmod/clock.c clock_tick(): the old text is there 0 times, not once
0 killed, 0 survived, 1 broken" env CONGA_CACHE="$TREE" "$TREE/selftests/mutants/run" --into "$TREE/kept" &&
		says 0 "mutants: all were killed before" env CONGA_CACHE="$TREE" \
			"$TREE/selftests/mutants/run" --into "$TREE/kept" clock-lies clock-jumps
}

# make_endless LINE: makes a tree in which clock.sh runs on the host, prints LINE, and never ends
make_endless() {
	make_tree || return
	printf 'tool:\n' >"$TREE/Makefile"
	printf 'list_%%:\n\t@:\nlist_host:\n\t@echo clocks/clock.sh\n' >"$TREE/selftests/Makefile"
	cat >"$TREE/selftests/clocks/clock.sh" <<-END
		#!/bin/sh
		sleep 1000 &
		echo \$! >$TREE/started
		echo "$1"
		wait
	END
	chmod +x "$TREE/selftests/clocks/clock.sh"
	defer "kill \$(cat $TREE/started) 2>/dev/null"
}

run_ends_the_test() {
	make_endless "not ok 1 - a clock goes on" || return
	says 0 "mutants: 1 to kill
mutants: clock-stands: killed by selftests/clocks/clock.sh: not ok 1 - a clock goes on
1 killed, 0 survived, 0 broken" env CONGA_CACHE="$TREE" "$TREE/selftests/mutants/run" clock-stands ||
		return
	busywait 10000 has_ended "$(<"$TREE/started")" || fail "what it started goes on"
}

interrupted_run_ends_the_test() {
	make_endless "ok 1 - a clock goes on" || return
	CONGA_CACHE=$TREE setsid "$TREE/selftests/mutants/run" clock-stands >/dev/null 2>&1 &
	busywait 60000 test -s "$TREE/started" || fail "the test does not start" || return
	kill -TERM -- "-$!"
	busywait 10000 has_ended "$(<"$TREE/started")" || fail "what it started goes on"
}

# has_ended PID
has_ended() {
	! kill -0 "$1" 2>/dev/null
}

readonly TABLE=selftests/mutants/clocks.table
tap_plan 21
tap_test "tables without an error are accepted" reports "" kmod/clock.c ""
tap_test "a mutant whose old text is gone is reported" reports \
	"clocks.table:15: clock-lies: kmod/clock.c clock_set(): the old text is there 0 times, not once" \
	kmod/clock.c '13s/now/(now)/'
tap_test "a mutant whose old text is there twice is reported" reports \
	"clocks.table:15: clock-lies: kmod/clock.c clock_set(): the old text is there 2 times, not once" \
	kmod/clock.c '12s/.*/    return now;/'
tap_test "a mutant whose function is gone is reported" reports \
	"clocks.table:15: clock-lies: kmod/clock.c clock_set(): the function is there 0 times, not once" \
	kmod/clock.c s/clock_set/clock_put/
tap_test "a mutant whose file is gone is reported" reports \
	"clocks.table:15: clock-lies: kmod/watch.c: there is no such file" \
	"$TABLE" '15,20s/clock[.]c/watch.c/'
tap_test "a name that two mutants have is reported" reports \
	"clocks.table:9: clock-jumps is the name of 2 mutants
clocks.table:23: clock-jumps is the name of 2 mutants" "$TABLE" s/clock-stands/clock-jumps/
tap_test "a test that kills a mutant of a rule that does not name it is reported" reports \
	"clocks.table:9: clock-stands is killed by watch.sh, which is no test of its rule" \
	"$TABLE" '11s/clock/watch/'
tap_test "a file that tests source is not taken for a test" reports \
	"clocks.table:3: a clock goes on, and never back: there is no test tick.sh" \
	"$TABLE" 's/^Tests: clock.sh/Tests: clock.sh, tick.sh/'
tap_test "a room that does not exist is reported" reports \
	"clocks.table:3: a clock goes on, and never back: there is no room watch.c" \
	"$TABLE" 's/Rooms: clock/Rooms: watch/'
tap_test "a mutant that does not exist is reported where a kind names it" reports \
	"kinds.table:3: time: there is no mutant clock-lied" \
	selftests/mutants/kinds.table s/clock-lies/clock-lied/
tap_test "a table that cannot be read is reported with its line" reports \
	"mutant: clocks.table:10: neither a field nor a change: Efect: A tick changes nothing." \
	"$TABLE" s/Effect/Efect/
tap_test "a page that differs from what the tables print is reported" reports_stale_page
tap_test "a feature without a command or a test is reported" features_are_checked
tap_test "rules and kinds are printed as rows" prints_rows
tap_test "a deletion, a replacement and an insertion are applied in their function" \
	applies_all_three
tap_test "a mutant that does not apply leaves the file unchanged" applies_nothing_stale
tap_test "mutants are listed by their name, their table and their test" \
	lists_by_name_table_and_test
tap_test "run names a mutant that does not apply before anything is built" run_names_stale
tap_test "run leaves out mutants that its file calls killed" run_continues
tap_test "run ends what a test started as soon as it has failed" run_ends_the_test
tap_test "run ends what a test started when it is interrupted" interrupted_run_ends_the_test
tap_exit
