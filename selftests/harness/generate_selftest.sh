#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# generate_selftest.sh - include/netlink/generate reports files that are stale, and rejects an
# invalid description with one sentence. It runs on the host, on a copy with planted faults.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"

COPY=$(mktemp -d)
defer "rm -rf $COPY"
readonly GENERATE=$COPY/include/netlink/generate SPEC=$COPY/include/netlink/conga.yaml
readonly HEADER=$COPY/include/uapi/linux/conga.h
readonly RULES=$COPY/kmod/netlink/rules_generated.c
readonly PARAMS=$COPY/kmod/netlink/params_generated.c
readonly CHOICES=$COPY/userspace/tool/choices_generated.c
readonly GRAMMAR=$COPY/userspace/tool/grammar_generated.c
readonly FIELDS=$COPY/userspace/tool/fields_generated.c
readonly COUNTERS=$COPY/userspace/tool/counters_generated.c
readonly MANUAL=$COPY/Documentation/man/conga.8
readonly FUZZ=$COPY/selftests/tools/netlink_fuzz_rules_generated.h
readonly -a MADE=(include/uapi/linux/conga.h kmod/netlink/{rules,params}_generated.{c,h}
	userspace/tool/{choices,grammar,fields}_generated.{c,h} userspace/tool/counters_generated.c
	Documentation/man/conga.8 selftests/tools/netlink_fuzz_rules_generated.h)

# A parameter of the fabric is added to the description, before another one.
readonly PLANTED='/name: fabric-local4-word/a\
  - {type: const, name: fabric-planted-off, value: 0}\
  - {type: const, name: fabric-planted-min, value: 1000}\
  - {type: const, name: fabric-planted-max, value: 2000000}\
  - {type: const, name: fabric-planted-default, value: 5000}
/^        name: local6$/i\
        name: planted\
        type: u64\
        doc: (ns) A time that was planted.\
      -
s/ local4, local6/ local4, planted, local6/'

# plant FILE SCRIPT: a fresh copy in which this sed script changed the file
plant() {
	rm -rf "${COPY:?}"/* && cp -r "$TESTS/../include" "$COPY/" &&
		(cd "$TESTS/.." && cp --parents "${MADE[@]}" "$COPY/") && sed -i "$2" "$1" || return
	! cmp -s "$1" "$TESTS/..${1#"$COPY"}" && return
	why "nothing was changed by $2"
	return 1
}

# ends STATUS SENTENCE COMMAND...: the command prints this sentence and exits with this status
ends() {
	local said status

	said=$("${@:3}" 2>&1)
	status=$?
	[[ $said == "$2" && $status == "$1" ]] && return
	why "the status is $status, the output: $said"
	return 1
}

tree_is_current() {
	ends 0 "" "$TESTS/../include/netlink/generate" --check
}

# stale_are FILE SCRIPT PATH...: after a change of the file these generated ones are stale
stale_are() {
	plant "$1" "$2" && ends 1 "$(printf '%s is stale: run include/netlink/generate\n' "${@:3}")" \
		"$GENERATE" --check
}

# unchanged: the generated files are as before
unchanged() {
	local path

	for path in "${MADE[@]}"; do
		cmp "$COPY/$path" "$TESTS/../$path" || return
	done
}

# generated FILE SCRIPT: after a change the files are generated, and are current then
generated() {
	plant "$1" "$2" && ends 0 "" "$GENERATE" && ends 0 "" "$GENERATE" --check
}

# made FILE SCRIPT MADE LINE: the generated file has this line after a change
made() {
	generated "$1" "$2" || return
	grep -qxF -- "$4" "$3" && return
	why "the line is missing: $4"
	return 1
}

# made_text FILE SCRIPT MADE TEXT: the generated file has a line with this text after a change
made_text() {
	generated "$1" "$2" || return
	grep -qF -- "$4" "$3" && return
	why "the text is missing: $4"
	return 1
}

edited_manual_is_current() {
	plant "$MANUAL" 's/^A port is a network device/A port is a device/' &&
		ends 0 "" "$GENERATE" --check
}

# manual_needs_marks: the generator rejects a manual in which it cannot find its part
manual_needs_marks() {
	plant "$MANUAL" '/End of the parameters/d' && ends 2 \
		"Documentation/man/conga.8 lacks the lines between which the generated part stands" \
		"$GENERATE"
}

check_writes_nothing() {
	plant "$SPEC" 's/fabric-q-max, value: 6/fabric-q-max, value: 5/' || return
	! "$GENERATE" --check >/dev/null && unchanged
}

# rejects SCRIPT SENTENCE: the description is rejected, and the generated files are as before
rejects() {
	plant "$SPEC" "$1" && ends 2 "include/netlink/conga.yaml: $2" "$GENERATE" && unchanged
}

tap_plan 60
tap_test "all generated files are current" tree_is_current
tap_test "a changed range makes header, manual, and rules of kernel and fuzzer stale" stale_are \
	"$SPEC" 's/fabric-q-max, value: 6/fabric-q-max, value: 5/' "${MADE[@]:0:2}" "${MADE[@]: -2}"
tap_test "a changed doc makes the header stale" stale_are "$SPEC" 's/Number of ports/Ports/' \
	"${MADE[0]}"
tap_test "an edited header is reported as stale" stale_are "$HEADER" \
	's/CONGA_TAGS_MAX\t.*/CONGA_TAGS_MAX\t32/' "${MADE[0]}"
tap_test "an edited rule is stale" stale_are "$RULES" 's/specials = 2/specials = 1/' "${MADE[1]}"
tap_test "an edited parameter of the manual is stale" stale_are "$MANUAL" \
	's/^The decrement factor/The factor/' Documentation/man/conga.8
tap_test "a changed default makes the header and the manual stale" stale_are "$SPEC" \
	's/fabric-age-default, value: 10000000/fabric-age-default, value: 20000000/' "${MADE[0]}" \
	Documentation/man/conga.8
tap_test "an edit of another part of the manual is none" edited_manual_is_current
tap_test "a manual without the marks is rejected" manual_needs_marks
tap_test "--check writes nothing" check_writes_nothing
tap_test "a changed range is generated" made "$SPEC" \
	's/fabric-q-max, value: 6/fabric-q-max, value: 5/' "$HEADER" \
	$'#define CONGA_FABRIC_Q_MAX\t\t\t5U'
tap_test "an attribute's parentheses have type, unit, range and default" made "$SPEC" \
	's/fabric-q-max, value: 6/fabric-q-max, value: 5/' "$HEADER" \
	" * @CONGA_A_FABRIC_Q: (u32, bits, 1-5, default 3) Size of a metric, section 3.2."
tap_test "a sentence has the unit, and a special value before the range" made "$SPEC" \
	's/fabric-hello-max, value: 10000000000/fabric-hello-max, value: 2500000000/' "$RULES" \
	$'\t\t.sentence = "hello must be off or a time from 20 ms to 2500 ms",'
tap_test "a sentence calls an attribute by its word" made "$SPEC" \
	's/value: the table}/value: kind of table}/' "$RULES" \
	$'\t\t.sentence = "kind of table must be to-leaf or from-leaf",'
tap_test "a list of names begins with its default, where that is the last" made "$SPEC" \
	's/leaf-mode-default, value: 3/leaf-mode-default, value: 1/' "$RULES" \
	$'\t\t.sentence = "mode must be plain, conga or auto",'
tap_test "an entry of an enum is a word of the tool" made "$SPEC" \
	's/^        name: sum$/        name: mean\n        doc: It is their mean.\n      -\n&/' "$CHOICES" \
	$'\t{ "mean", CONGA_METRIC_MEAN },'
tap_test "a word that is not typed has an underscore" made "$SPEC" \
	's/name: answers$/name: answers-us/' "$CHOICES" $'\t{ "answers_us", CONGA_LEAF_ANSWERS_US },'
tap_test "the tool calls an entry by its word" made "$SPEC" \
	's/name: byte3-low-word, value: q-low/name: byte3-low-word, value: low bits/' "$CHOICES" \
	$'\t{ "low bits", CONGA_BYTE3_LOW },'
tap_test "a special value is a word of the tool" made "$SPEC" \
	'/name: fabric-age-min/i\  - {type: const, name: fabric-age-off, value: 0}' "$CHOICES" \
	$'\t{ "off", CONGA_FABRIC_AGE_OFF },'
tap_test "a parameter that is added has a rule" made "$SPEC" "$PLANTED" "$RULES" \
	$'\t\t.sentence = "planted must be off or a time from 1 us to 2 ms",'
tap_test "a parameter that is added is copied" made "$SPEC" "$PLANTED" "$PARAMS" \
	$'\tparams->planted = CONGA_FABRIC_PLANTED_DEFAULT;'
tap_test "a parameter that is added is a keyword of the tool" made "$SPEC" "$PLANTED" "$GRAMMAR" \
	$'\t{ "planted", CONGA_A_FABRIC_PLANTED, &conga_kind_time, 0, conga_choices_fabric_planted },'
tap_test "a parameter that is added has a default in the tool" made_text "$SPEC" "$PLANTED" \
	"$GRAMMAR" "= CONGA_FABRIC_PLANTED_DEFAULT,"
tap_test "a parameter that is added is in the help" made_text "$SPEC" "$PLANTED" "$GRAMMAR" \
	" [ planted { TIME | off } ]"
tap_test "a parameter that is added is printed" made "$SPEC" "$PLANTED" "$FIELDS" \
	$'\t\t.key = "planted_ns",'
tap_test "a parameter that is added is left out on screen while it has its default" made "$SPEC" \
	"$PLANTED" "$FIELDS" $'\t\t.usual = CONGA_FABRIC_PLANTED_DEFAULT,'
tap_test "a parameter that is added is in the manual" made "$SPEC" "$PLANTED" "$MANUAL" \
	".It Cm planted Brq Ar TIME | Cm off"
tap_test "the manual has the range and the default in the first sentence" made "$SPEC" \
	's/fabric-flowlets-default, value: 65536/fabric-flowlets-default, value: 4096/' "$MANUAL" \
	"The size of the flowlet table, a power of two from 1024 to 4194304 (4096)."
tap_test "without a paragraph for operators the manual has the only one" made "$SPEC" "$PLANTED" \
	"$MANUAL" "A time that was planted, 1 us to 2 ms (5 us)."
# shellcheck disable=SC2016 # what is between backquotes is not expanded
tap_test "what is typed is marked in the manual" made "$SPEC" \
	's/^          The decrement factor of the DRE\.$/          It is ``auto`` (``off``), by ``-d``./' \
	"$MANUAL" ".Pq Cm off ,"
tap_test "a parameter that is added is sent by the fuzzer" made "$SPEC" "$PLANTED" "$FUZZ" \
	$'\t\t.attr = CONGA_A_FABRIC_PLANTED,'
tap_test "the fuzzer knows by which sentence it is refused" made "$SPEC" "$PLANTED" "$FUZZ" \
	$'\t\t.sentence = "planted must be off or a time from 1 us to 2 ms",'
tap_test "a number that the tool cannot write is rejected" rejects \
	"${PLANTED/(ns)/(bytes)}" \
	"the tool cannot write attribute planted of fabric, a number of type u64 and of unit bytes"
tap_test "lists of fabric-new and fabric-set that differ are rejected" rejects \
	'/name: fabric-set$/,/\*parameters/s/\*parameters/{attributes: [policy, q]}/' \
	"fabric-new and fabric-set take different lists"
tap_test "a counter has the first sentence of its doc, as part of a line" made "$SPEC" \
	's/Packets to a VXLAN port without a valid VNI flag; passed/Datagrams of no VNI. They are/' \
	"$COUNTERS" $'\t\t"datagrams of no VNI",'
tap_test "a counter has its advice" made "$SPEC" \
	's/Find who sends to this UDP port: the packets are not VXLAN\./Ask "who" sends./' \
	"$COUNTERS" $'\t\t"Ask \\"who\\" sends.",'
tap_test "a counter has the severity of its advice" made "$SPEC" \
	's/(note) Find who sends to this UDP port/(error) Find who sends to this UDP port/' \
	"$COUNTERS" $'\t\tCONGA_SEVERITY_ERROR'
tap_test "a counter with an unknown severity is rejected" rejects \
	's/(note) Find who sends to this UDP port/(fatal) Find who sends to this UDP port/' \
	"attribute rx-malformed of stats has the unknown severity fatal"
tap_test "a prefix of no enum is rejected" rejects \
	's/name: leaf-state-prefix/name: leaf-states-prefix/' \
	"constant leaf-states-prefix is the prefix of no enum"
tap_test "a counter without advice is rejected" rejects \
	'/^          Nothing to do: a fabric or leaf was removed here\.$/d' \
	"attribute bye-sent of stats has no advice"
tap_test "a doc of three paragraphs is rejected" rejects \
	's/^          Nothing to do: a fabric or leaf was removed here\.$/&\n\n          It was./' \
	"the doc of attribute bye-sent of stats has more than two paragraphs"
tap_test "an operation with a list of its own gets a policy of its own" made "$SPEC" \
	'/name: leaf-set$/,/\*leaf-request/s/\*leaf-request/{attributes: [addr4, addr6, mode]}/' \
	"$RULES" "conga_netlink_leaf_set_policy[CONGA_A_LEAF_MAX + 1] = {"
tap_test "a policy says which operations it is of" made "$SPEC" \
	's/\[ifindex, rate, drain, tier, origin\]/[ifindex, role, tag, rate, drain, tier, origin]/' \
	"$RULES" "/* port-new, port-set */"
tap_test "a range in a nest is rejected" rejects \
	's/^  - {type: const, name: flow-protocol-default/  - {type: const, name: flow-protocol-min, value: 1}\n  - {type: const, name: flow-protocol-max, value: 9}\n&/; s/doc: IP protocol/doc: (id) IP protocol/' \
	"attribute protocol of flow has a range, which requests do not check in a nest"
tap_test "a word that is not of letters is rejected" rejects \
	's/value: the table}/value: "the %s"}/' "the word of attribute kind of table is not of letters"
tap_test "a range of powers of another number than 2 is rejected" rejects \
	's/fabric-flowlets-power-of, value: 2/fabric-flowlets-power-of, value: 4/' \
	"power-of of attribute flowlets of fabric is not 2"
tap_test "a parameter without a default, of which no code is written by hand, is rejected" rejects \
	'/fabric-alpha-default/d' \
	"attribute alpha of fabric is no number with a default, as all are that are only copied"
tap_test "a parameter that no reply has is rejected" rejects \
	'/name: fabric-get/,/name: fabric-del/s/ alpha,//' \
	"attribute alpha of fabric can be set, but is not in the reply of fabric-get"
tap_test "an unknown attribute in an operation is rejected" rejects \
	's/\[ifindex, origin\]/[ifindex, colour]/' \
	"do request of port-del has colour, which is no attribute of port"
tap_test "an attribute in no operation is rejected" rejects \
	's/\[addr4, addr6, ifindex, hash, idle\]/[addr4, addr6, ifindex, idle]/' \
	"attribute hash of flowlet is in no operation"
tap_test "a default out of range is rejected" rejects \
	's/fabric-q-default, value: 3/fabric-q-default, value: 7/' \
	"default 7 of attribute q of fabric is out of its range"
tap_test "a default that is not a power of two is rejected" rejects \
	's/fabric-flowlets-default, value: 65536/fabric-flowlets-default, value: 65535/' \
	"default 65535 of attribute flowlets of fabric is out of its range"
tap_test "a default that is in no enum is rejected" rejects \
	's/leaf-mode-default, value: 3/leaf-mode-default, value: 4/' \
	"default 4 of attribute mode of leaf is not in enum mode"
tap_test "an attribute without a doc is rejected" rejects \
	'/doc: Number of ports\./d' "attribute ports of fabric has no doc"
tap_test "an enum's entry without a doc is rejected" rejects \
	'/doc: The leaf has another Q\./d' "entry q of enum leaf-reason has no doc"
tap_test "an unknown unit is rejected" rejects 's/(bits) Size/(stones) Size/' \
	"attribute q of fabric has the unknown unit stones"
tap_test "a range without a unit is rejected" rejects 's/(bits) Size/Size/' \
	"attribute q of fabric has a range, but no unit"
tap_test "a fact of an unknown attribute is rejected" rejects \
	's/name: fabric-q-max/name: fabric-r-max/' \
	"constant fabric-r-max is no fact of an attribute, and has no doc"
tap_test "a key that nothing reads is rejected" rejects \
	'0,/multi-attr: true/s//multiattr: true/' \
	"attribute dstport of fabric has the unknown key multiattr"
tap_test "text that is not YAML is rejected" rejects '1s/.*/}/' \
	"line 1: expected the node content, but found '}'"
tap_exit
