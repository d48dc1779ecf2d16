#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# generated_selftest.sh - mutants are generated from the syntax of C, drawn by a seed, judged by
# unit tests, and not judged again. It runs on the host, on a small tree.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/expect.sh"

TREE=$(mktemp -d)
defer "rm -rf $TREE"
readonly GENERATED=$TREE/selftests/mutants/generated RESULTS=$TREE/build/generated/unit.tsv
readonly CLOCK=$TREE/kmod/paper/clock.c LIST=$TREE/selftests/mutants/equivalent.list

# make_tree: makes a tree with three functions, and a test that knows two of them
make_tree() {
	rm -rf "${TREE:?}"/* || return
	mkdir -p "$TREE"/{include,lab,kmod/{paper,policies},selftests/{mutants,unit/include/linux}} ||
		return
	cp -r "$TESTS"/mutants/{generated,generator,tables.py} "$TREE/selftests/mutants/"
	# A program that hangs is ended soon.
	sed -i 's/^TIMES, SECONDS = .*/TIMES, SECONDS = 1, 2/' \
		"$TREE/selftests/mutants/generator/unit.py"
	printf '%s\n' '#include <stdbool.h>' >"$TREE/selftests/unit/include/linux/types.h"
	cat >"$TREE/kmod/paper/clock.h" <<-'END'
	#define CLOCK_LEAST(a, b) ((a) < (b) ? (a) : (b))
	int clock_first(int now);
	int clock_ticks(int now);
	int clock_unknown(int now);
	END
	cat >"$CLOCK" <<-'END'
	#include "clock.h"

	int clock_first(int now)
	{
	    return CLOCK_LEAST(now - 1, 60);
	}

	int clock_ticks(int now)
	{
	    volatile int count = 0;

	    while (now < 12) {
	        now++;
	        count++;
	    }
	    return count;
	}

	int clock_unknown(int now)
	{
	    return now + 7;
	}
	END
	cat >"$TREE/selftests/unit/test_clock.c" <<-'END'
	#include <stdio.h>
	#include "../../kmod/paper/clock.h"

	int main(void)
	{
	    bool fine = clock_first(3) == 2 && clock_first(90) == 60 && clock_first(61) == 60 &&
	                clock_first(60) == 59 && clock_ticks(7) == 5 && clock_ticks(12) == 0;

	    printf("1..1\n%sok 1 - a clock\n", fine ? "" : "not ");
	    return !fine;
	}
	END
	cat >"$TREE/selftests/unit/Makefile" <<-'END'
	TESTS := test_clock
	CFLAGS = -Iinclude -include linux/types.h -MMD -MP -Wall -Wextra -Werror
	BUILD := build
	OBJECTS := $(BUILD)/paper/clock.o
	all: $(BUILD)/test_clock
	$(BUILD)/%.o: %.c | $(BUILD)/paper; $(CC) $(CFLAGS) -c -o $@ $<
	$(BUILD)/paper/%.o: ../../kmod/paper/%.c | $(BUILD)/paper; $(CC) $(CFLAGS) -c -o $@ $<
	$(BUILD)/test_clock: $(BUILD)/test_clock.o $(OBJECTS); $(CC) -o $@ $^
	$(BUILD)/paper: ; mkdir -p $@
	END
}

# changes FUNCTION: its mutants, as operators and lines
changes() {
	"$GENERATED" list | awk -F '\t' -v name="$1" '$3 == name { print $4 ": " $5 }'
}

# A macro's argument is changed once, although the macro has it twice.
macros_are_changed_where_they_are_used() {
	make_tree && says 0 "early-return: return 0;
early-return: return 1;
arithmetic: return CLOCK_LEAST(now + 1, 60);
constant: return CLOCK_LEAST(now - 0, 60);
constant: return CLOCK_LEAST(now - 2, 60);
swap-constant: return CLOCK_LEAST(now - 60, 60);
constant: return CLOCK_LEAST(now - 1, 59);
constant: return CLOCK_LEAST(now - 1, 61);
swap-constant: return CLOCK_LEAST(now - 1, 1);" changes clock_first
}

loops_are_changed() {
	make_tree && says 0 "constant: volatile int count = 1;
swap-constant: volatile int count = 12;
early-return: return 0; while (now < 12) {
early-return: return 1; while (now < 12) {
remove-statement: { }
negate-condition: while (!(now < 12)) {
relational: while (now <= 12) {
constant: while (now < 11) {
constant: while (now < 13) {
swap-constant: while (now < 0) {
arithmetic: now--;
remove-statement: { }
arithmetic: count--;
remove-statement: { }
early-return: return 0;
early-return: return 1;" changes clock_ticks
}

calls_and_conditions_are_changed() {
	make_tree && cat >"$CLOCK" <<-'END'
	void clock_set(int now, int most);

	void clock_start(int now, int most)
	{
	    if (now && most > now)
	        clock_set(now, most);
	}
	END
	says 0 "early-return: return; if (now && most > now)
remove-statement: { }
logical: if ((now || (most > now)))
negate-condition: if (!(now && most > now))
relational: if (now && most >= now)
remove-call: { }
swap-arguments: clock_set(most, now);" changes clock_start
}

# judged FUNCTION: the verdicts on its mutants, and how many have each
judged() {
	awk -F '\t' -v name="$1" '$3 == name { count[$6]++ }
		END { for (verdict in count) print verdict, count[verdict] }' "$RESULTS" | sort
}

# run_all [OPTION...]: judges all mutants; the score is printed
run_all() {
	"$GENERATED" run --count 100 "$@" 2>"$TREE/progress"
}

judges() {
	make_tree && run_all >/dev/null && says 0 "killed 7
rejected 2" judged clock_first &&
		says 0 "rejected 2
survived 3" judged clock_unknown &&
		grep -q $'\ttakes too long\t' "$RESULTS" && grep -q $'\ttest_clock\ta clock\t' "$RESULTS"
}

# If "now" is 7, the result is 7 in either case.
does_not_count_the_same_code() {
	make_tree && sed -i 's/return now + 7/return now > 7 ? now : 7/' "$CLOCK" && run_all >/dev/null &&
		says 0 "rejected 2
same-code 2
survived 4" judged clock_unknown
}

rejects_what_does_not_compile() {
	make_tree && sed -i 's/return now + 7/return now * 2/' "$CLOCK" && run_all >/dev/null &&
		says 0 "rejected 2
survived 3" judged clock_unknown
}

# tested: how many mutants the last run tested
tested() {
	awk '/ min left: / { count++ } END { print count + 0 }' "$TREE/progress"
}

goes_on() {
	make_tree && run_all >/dev/null && run_all >/dev/null && says 0 0 tested || return
	sed -i 's/return now + 7/return now + 9/' "$CLOCK"
	run_all >/dev/null
	says 0 3 tested || return
	sed -i 's/61) == 60/62) == 60/' "$TREE/selftests/unit/test_clock.c"
	run_all >/dev/null
	says 0 "$("$GENERATED" score --count 100 | awk '/all/ { print $4 }')" tested
}

# The same seed draws the same mutants, another one others.
draws_by_seed() {
	make_tree && "$GENERATED" run --count 5 --minimum 1 >"$TREE/first" 2>&1 &&
		"$GENERATED" run --count 5 --results "$TREE/again.tsv" >/dev/null 2>&1 &&
		"$GENERATED" run --count 5 --results "$TREE/other.tsv" --seed 2 >/dev/null 2>&1 &&
		cmp -s "$RESULTS" "$TREE/again.tsv" && ! cmp -s "$RESULTS" "$TREE/other.tsv"
}

too_low_a_score_fails() {
	make_tree && run_all --minimum 50 >/dev/null && ! run_all --minimum 90 >/dev/null
}

sets_aside() {
	make_tree && printf '%s\n' "@@ kmod/paper/clock.c clock_unknown()" "-return now + 7;" \
		"+return now + 8;" "Reason: Nobody knows" "  the time." >"$LIST" &&
		run_all >/dev/null && says 0 "- 1
rejected 2
survived 2" judged clock_unknown || return
	says 0 "" "$GENERATED" check && sed -i 's/now + 8/now + 9/' "$LIST" || return
	says 1 "selftests/mutants/equivalent.list: kmod/paper/clock.c clock_unknown(): $(:
		)no such mutant: return now + 9;" "$GENERATED" check && ! "$GENERATED" check >/dev/null ||
		return
	sed -i /Reason/d "$LIST"
	says 2 "generated: selftests/mutants/equivalent.list: no mutant with a reason: $(:
		)@@ kmod/paper/clock.c clock_unknown()" "$GENERATED" check
}

prints_survivors_for_the_list() {
	make_tree && run_all >/dev/null && "$GENERATED" survivors --count 100 >"$TREE/survivors" &&
		grep -qxF "@@ kmod/paper/clock.c clock_unknown()" "$TREE/survivors" &&
		grep -qxF -- "-    return now + 7;" "$TREE/survivors" &&
		grep -qxF "+    return now + 8;" "$TREE/survivors"
}

tap_plan 11
tap_test "a macro's arguments are changed once, where the macro is used" \
	macros_are_changed_where_they_are_used
tap_test "conditions, constants and statements of a loop are changed" loops_are_changed
tap_test "calls, their arguments and conditions are changed" calls_and_conditions_are_changed
tap_test "tests that fail or hang kill mutants, and others survive" judges
tap_test "a mutant of the same code as the original does not count" \
	does_not_count_the_same_code
tap_test "a mutant that does not compile does not count" rejects_what_does_not_compile
tap_test "a run tests only what is new, or whose function or test changed" goes_on
tap_test "a seed draws the same mutants again, and another seed others" draws_by_seed
tap_test "a score below the minimum is a failure" too_low_a_score_fails
tap_test "mutants are set aside with a reason, and an entry without a mutant is reported" sets_aside
tap_test "survivors are printed as equivalent.list has them" prints_survivors_for_the_list
tap_exit
