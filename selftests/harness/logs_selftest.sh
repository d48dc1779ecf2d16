#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# logs_selftest.sh - logs keeps all given logs in one archive, and a campaign continues from it.
# It runs on the host.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"

WORK=$(mktemp -d)
defer "rm -rf $WORK"
export CONGA_LOGS=$WORK/logs.tar.xz

# fresh: removes the archive, and makes three logs that can be added
fresh() {
	rm -rf "${WORK:?}"/* && mkdir -p "$WORK/some/below" &&
		echo one >"$WORK/one" && echo two >"$WORK/some/two" && echo three >"$WORK/some/below/three"
}

# is WORDS COMMAND...: the command prints these words
is() {
	local said

	said=$("${@:2}" 2>&1 | paste -sd ' ')
	[[ $said == "$1" ]] && return
	why "expected: $1, found: $said"
	return 1
}

logs() {
	"$TESTS/logs" "$@"
}

adds_files() {
	fresh && is "" logs list && logs add one "$WORK/one" && is one logs show one &&
		logs add kept "$WORK/some" && is "kept/below/three kept/two one" logs list &&
		is "kept/below/three kept/two" logs list kept && is three logs show kept/below/three &&
		cp "$WORK/one" "$WORK/some/two" && logs add kept/two "$WORK/some/two" &&
		is one logs show kept/two && is three logs show kept/below/three
}

unpacks_files() {
	fresh && logs unpack "$WORK/none" && logs add one "$WORK/one" && logs add kept "$WORK/some" &&
		logs unpack "$WORK/all" && logs unpack "$WORK/part" kept && logs unpack "$WORK/part" other &&
		is "$(printf '%s ' all/kept/{below/three,two} all/one part/kept/{below/three,two})" \
			eval "cd $WORK; find all part -type f | LC_ALL=C sort; echo" &&
		is "one three" cat "$WORK"/all/{one,kept/below/three}
}

removes_files() {
	fresh && logs add one "$WORK/one" && logs add kept "$WORK/some" && logs remove kept/below &&
		is "kept/two one" logs list && logs remove kept && is one logs list &&
		logs remove one && is "" logs list || return
	is "logs: there is no log one" logs remove one && is "logs: there is no log one" logs show one
}

# The order, the times, the modes and the time zone do not change the archive. An archive tells times
# in whole seconds, so that the second one is made in another second.
same_again() {
	fresh && logs add one "$WORK/one" && logs add kept "$WORK/some" &&
		mv "$CONGA_LOGS" "$WORK/before" && sleep 1 && touch -d 1999-01-01 "$WORK/one" &&
		chmod 600 "$WORK/one" &&
		logs add kept "$WORK/some" && TZ=Asia/Tokyo logs add one "$WORK/one" &&
		cmp "$CONGA_LOGS" "$WORK/before"
}

rejects_names() {
	local name

	fresh && logs add one "$WORK/one" && cp "$CONGA_LOGS" "$WORK/before" || return
	for name in ../one /one -one one/../two one/ .one "one two" ""; do
		is "logs: '$name' is no name of a log" logs add "$name" "$WORK/one" || return
	done
	is "logs: $WORK/none cannot be read" logs add none "$WORK/none" &&
		cmp "$CONGA_LOGS" "$WORK/before"
}

# leaves_archive PROGRAM COMMAND...: the archive stays unchanged if a program of this name runs
# the command instead
leaves_archive() {
	mkdir -p "$WORK/bin" && printf '#!/bin/sh\n%s\n' "${*:2}" >"$WORK/bin/$1" &&
		chmod +x "$WORK/bin/$1" || return
	if PATH=$WORK/bin:$PATH logs add two "$WORK/some/two" 2>/dev/null; then
		why "logs did not fail with $1 ${*:2}"
		return 1
	fi
	rm "$WORK/bin/$1"
	cmp "$CONGA_LOGS" "$WORK/before"
}

# shellcheck disable=SC2016 # $PPID is that of the shell that runs
fails_whole() {
	fresh && logs add one "$WORK/one" && cp "$CONGA_LOGS" "$WORK/before" &&
		leaves_archive xz 'echo half; exit 1' && leaves_archive sync 'kill -9 $PPID' &&
		leaves_archive cp 'exit 1' && logs add kept "$WORK/some" &&
		is "kept/below/three kept/two one" logs list
}

# An archive that cannot be read must not be taken for an empty one.
leaves_what_it_cannot_read() {
	fresh && echo "no archive" >"$CONGA_LOGS" && cp "$CONGA_LOGS" "$WORK/before" || return
	if logs add one "$WORK/one" 2>/dev/null || logs list 2>/dev/null; then
		why "logs did not fail"
		return 1
	fi
	cmp "$CONGA_LOGS" "$WORK/before"
}

adds_at_once() {
	local name

	fresh || return
	for name in a b c d e f; do
		logs add "$name" "$WORK/one" &
	done
	wait
	is "a b c d e f" logs list
}

# ---- a campaign ----

# make_tree: makes one campaign of three machines. Each of them records that it ran, and the last
# one kills the campaign while a file "stop" exists.
make_tree() {
	local tests=$WORK/tree/selftests

	fresh && mkdir -p "$tests"/{vm,robust} &&
		mkdir -p "$WORK/tree"/{Documentation/developer,include,kmod,userspace} &&
		cp "$TESTS"/{campaigns,machines.sh,tally,logs} "$tests/" || return
	touch "$tests"/{skips,inject,run_tests,a.sh,b.sh,robust/churn.sh}
	touch "$WORK/tree"/{Kbuild,{include,kmod,userspace}/file}
	echo "| smp-kasan | - | - | - | - | - | - | - | - | - |" \
		>"$WORK/tree/Documentation/developer/campaigns.md"
	sed -i 's/^readonly TOGETHER=.*/readonly TOGETHER=1/' "$tests/campaigns"
	printf 'list_%%:\n\t@echo a.sh b.sh\n' >"$tests/Makefile"
	printf '#!/bin/sh\n' >"$tests/vm/module"
	cat >"$tests/vm/run" <<-END
	#!/bin/bash
	program=\$(grep -o '[a-z]*[.]sh' <<<"\$*")
	echo "\$program" >>$WORK/ran
	[[ \$program != b.sh || ! -e $WORK/stop ]] || kill -9 -- -\$(<$WORK/group)
	said=\$(printf '1..1\nok 1 it ran')
	[[ \$program == churn.sh ]] ||
		said=\$(printf '# program %s\n%s\n# end %s status 0 seconds 0' \$program "\$said" \$program)
	echo "\$said"
	END
	chmod +x "$tests"/vm/{module,run} && cd "$WORK/tree" && git init -q . && commit_all
}

commit_all() {
	git add . && git -c user.name=a -c user.email=a@b commit -q -m all
}

# campaign: prints its last line
campaign() {
	# shellcheck disable=SC2016 # of the shell that becomes the campaign
	env -u CONGA_LOGS setsid --wait bash -c 'echo $$ >"$1/group"; exec selftests/campaigns smp-kasan' \
		- "$WORK" 2>&1 | tail -n 1
}

goes_on() {
	make_tree && touch "$WORK/stop" && campaign >/dev/null 2>&1 &&
		is "campaigns/smp-kasan/a.tap campaigns/smp-kasan/churn.tap" \
			env -u CONGA_LOGS selftests/logs list &&
		rm "$WORK/stop" && commit_all && is "5 passed, 0 failed, 0 skipped" campaign &&
		is "churn.sh a.sh b.sh b.sh" cat "$WORK/ran"
}

runs_again_what_changed() {
	commit_all && echo "# changed" >>selftests/a.sh && commit_all && rm "$WORK/ran" &&
		is "5 passed, 0 failed, 0 skipped" campaign && is a.sh cat "$WORK/ran"
}

tap_plan 10
tap_test "added logs are listed and shown" adds_files
tap_test "logs are unpacked under their names" unpacks_files
tap_test "removed logs are gone, and the others stay" removes_files
tap_test "the same logs make the same archive" same_again
tap_test "a name that leads out of the archive is rejected" rejects_names
tap_test "a change that fails or is killed leaves the archive as it was" fails_whole
tap_test "an archive that cannot be read is left as it is" leaves_what_it_cannot_read
tap_test "logs that are added concurrently are all kept" adds_at_once
tap_test "a stopped campaign continues where it stopped" goes_on
tap_test "a campaign runs again only what has changed" runs_again_what_changed
tap_exit
