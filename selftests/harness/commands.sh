#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The commands of the documents for developers exist and take these arguments. Each command that
# takes seconds is run in a copy of the tree, whose files it may change. What takes longer, or needs
# a virtual machine, is only looked for: a target of make must be known and its recipe must expand, a
# program must exist. TAP.

set -u

here=$(dirname "$(realpath "$0")")
TESTS=$(realpath "$here/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/clone.sh"
. "$TESTS/lib/expect.sh"
readonly PROGRAM=harness/commands.sh
SCRATCH=$(mktemp -d)
defer "rm -rf $SCRATCH"
readonly CLONE=$SCRATCH/tree

# A command that needs results of a long run, or a tree without a mutant: make style runs that
readonly LONG='^(selftests/(vm/run|mutants/run|mutants/mutant|mutants/generated run|mutants/generated survivors|mutants/generated score|kselftests/run fast)|lab/(nash|imbalance|ideal|unequal|reaction|step|anarchy)\.py|lab/lab (csv|verdicts|ranks|page|run mine)|lab/tests/run)\b'

# exists PROGRAM
exists() {
	[[ -x $CLONE/$1 ]] || fail "there is no program $1"
}

# make_knows WORD...: prints what it would do, which it can only if it knows the target
make_knows() {
	local said

	said=$(make -n -C "$CLONE" --no-print-directory "$@" 2>&1) ||
		fail "make $*: $(tail -n 1 <<<"$said")"
}

# runs COMMAND: in a shell of the copy
runs() {
	local said

	said=$(cd "$CLONE" && bash -euo pipefail -c "$1" 2>&1) || fail "$1: $(tail -n 2 <<<"$said")"
}

# holds COMMAND
holds() {
	local words plain=$1

	plain=$(sed -E 's/[[:space:]]+(#|[|]|>).*//; s/^sudo //; s/^(([A-Z]+=("[^"]*"|[^ ]*) )+)//' <<<"$plain")
	read -ra words <<<"$plain"
	case $plain in
	"" | export\ *) ;;
	make\ * | make) make_knows "${words[@]:1}" ;;
	*)
		exists "${words[0]}" || return
		[[ $plain =~ $LONG ]] || runs "$plain"
		;;
	esac
}

# section_holds FILE HEADING
section_holds() {
	local command bad=0

	while IFS= read -r command; do
		holds "$command" || bad=1
	done < <("$CLONE/selftests/documents" commands "$1" "$2")
	return "$bad"
}

mapfile -t sections < <("$TESTS/documents" run_by "$PROGRAM")
((${#sections[@]})) || die "documents.table names no section"
tap_plan ${#sections[@]}
clone_tree "$TESTS/.." "$CLONE" >/dev/null || die "there is no copy of the tree"
for section in "${sections[@]}"; do
	tap_test "${section%%|*}: commands below \"${section#*|}\"" section_holds "${section%%|*}" "${section#*|}"
done
tap_exit
