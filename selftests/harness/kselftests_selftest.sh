#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# kselftests_selftest.sh - kselftests/judge reads the cases that suites of the kernel print, each in
# its own way, and compares them case by case. It runs on the host.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"

readonly SUITE=net/some.sh
WORK=$(mktemp -d)
defer "rm -rf $WORK"

# log CONFIGURATION.NUMBER [STATUS [MARK]...] <OUTPUT: a log of the suite that ended with this status
log() {
	mkdir -p "$WORK/$SUITE"
	{
		echo "## suite $SUITE"
		cat
		[[ $# -lt 3 ]] || printf '## %s\n' "${@:3}"
		[[ -z ${2-} ]] || echo "## end $SUITE status $2 seconds 90"
	} >"$WORK/$SUITE/$1"
}

# judged STATUS PATTERN...: the verdict has this status, and each pattern matches
judged() {
	local said status=0 pattern

	said=$("$TESTS/kselftests/judge" tap "$WORK" 1 "$SUITE" conga 2>&1) || status=$?
	rm -r "${WORK:?}/$SUITE"
	((status == $1)) || why "the status is $status: $said"
	for pattern in "${@:2}"; do
		[[ $said == *"$pattern"* ]] || why "no \"$pattern\" in: $said"
	done
	[[ ! $TAP_WHY ]]
}

# reads WORDS <OUTPUT: these numbers of passed, failed and skipped cases; the first failure is worse
reads() {
	tee "$WORK/output" | log stock.1 0
	log conga.1 0 <"$WORK/output"
	judged 0 "stock: $1;"
}

reads_each_format() {
	reads "3 passed, 1 failed, 1 skipped" <<-'END' || return
	TEST: ping: local->local                                            [ OK ]
	    TEST: ECN decap                                             [FAIL]
	TEST: q_in_vni (bridge)                                             [SKIP]
	Check VM connectivity through VXLAN (underlay in a VRF)            [ OK ]
	END
	reads "2 passed, 1 failed, 1 skipped" <<-'END' || return
	PASS: ns1-gFcbQ2eV can reach ns2-gFcbQ2eV
	FAIL: expected 10 packets
	SKIP: no nft
	END
	reads "3 passed, 2 failed, 0 skipped" <<-'END' || return
	 no GRO                                  ok
	 GRO                                     ./udpgso_bench_rx: recv: bad packet len

	failed
	 bad GRO lookup                          ok
	        - aggregation                    fail - got 10 packets, expected 1
	END
	reads "3 passed, 1 failed, 0 skipped" <<-'END' || return
	running test ipv4 data
	running test ipv4 ack
	running test ipv6 large
	failed tests: ipv4_ack.     Please see log.txt for more logs
	END
	reads "3 passed, 0 failed, 0 skipped" <<-'END'
	ipv4 cmsg
	ipv4 tx:1473 gso:1474 (fail)
	OK
	ipv4 setsockopt
	OK
	END
}

# Random parts of names of namespaces make no other case. A name that comes again is another case.
names_are_the_same() {
	printf 'PASS: ns1-gFcbQ2eV sends\nPASS: again\nPASS: again\n' | log stock.1 0
	printf 'PASS: ns1-aB3dE5gH sends\nPASS: again\nPASS: again\n' | log conga.1 0
	judged 0 "ok 1 $SUITE"
}

failure_is_worse() {
	printf 'PASS: a\nPASS: b\n' | log stock.1 0
	printf 'PASS: a\nFAIL: b\n' | log conga.1 1
	judged 1 "not ok 1 $SUITE" "# worse: b" "# worse: the suite ends with status 0"
}

absence_is_worse() {
	printf 'PASS: a\nPASS: b\n' | log stock.1 0
	printf 'PASS: a\n' | log conga.1 0
	judged 1 "# worse: b"
}

failure_on_stock_is_allowed() {
	printf 'PASS: a\nFAIL: b\n' | log stock.1 1
	printf 'PASS: a\nFAIL: b\n' | log conga.1 1
	judged 0 "stock: 1 passed, 2 failed, 0 skipped; conga: 1 passed, 2 failed"
}

flaky_is_named() {
	printf 'PASS: a\n' | log stock.1 0
	printf 'FAIL: a\n' | log stock.2 0
	printf 'FAIL: a\n' | log conga.1 0
	printf 'PASS: a\n' | log conga.2 0
	judged 0 "# flaky: a (failed on stock in 1 of 2 runs, with conga in 1 of 2)"
}

# A machine that went down leaves a log without an end.
end_is_needed() {
	printf 'PASS: a\n' | log stock.1 0
	printf 'PASS: a\n' | log conga.1
	judged 1 "# worse: the suite comes to its end" || return
	printf 'PASS: a\n' | log stock.1
	printf 'PASS: a\n' | log conga.1 0
	judged 1 "not ok 1 $SUITE ends on the stock kernel"
}

fault_is_worse() {
	log stock.1 0 </dev/null
	log conga.1 0 "fault the module cannot be unloaded" </dev/null
	judged 1 "# worse: the module cannot be unloaded"
}

packets_are_counted() {
	log stock.1 0 </dev/null
	log conga.1 0 "hook conga_tx 1200" "hook conga_rx 7" "counter tx_stamped 5" </dev/null
	judged 0 "hooks: 1,200 sent, 7 received, 5 stamped" || return
	log stock.1 0 </dev/null
	log conga.1 0 "hook conga_tx 0" </dev/null
	judged 0 "hooks: our hooks saw nothing"
}

tap_plan 9
tap_test "verdicts are read in each format that suites print" reads_each_format
tap_test "a case is the same case, whatever a namespace is called" names_are_the_same
tap_test "a case that passes on the stock kernel and fails with conga is worse" failure_is_worse
tap_test "a case that passes on the stock kernel and is missing with conga is worse" absence_is_worse
tap_test "a case that fails on the stock kernel may fail" failure_on_stock_is_allowed
tap_test "a case that fails on the stock kernel now and then is named" flaky_is_named
tap_test "a suite that does not come to its end is a failure" end_is_needed
tap_test "a module that cannot be unloaded is a failure" fault_is_worse
tap_test "the packets that hooks saw are told, and if there were none" packets_are_counted
tap_exit
