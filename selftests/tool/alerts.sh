#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# alerts.sh - the alerts for Prometheus and the dashboard for Grafana. promtool accepts the rules,
# and its cases (alerts.yml) pass; each alert has cases with one node and with three, in which it
# fires and in which it does not. Rules and dashboard use metrics that the tool prints, and states
# that exist. It runs on the host; prometheus.sh uses both files with a fabric.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/expect.sh"
. "$TESTS/lib/prometheus.sh"

readonly CASES=$TESTS/tool/alerts.yml
readonly TOOL=$TESTS/../userspace/tool
readonly HEADER=$TESTS/../include/uapi/linux/conga.h
readonly MANUAL=$TESTS/../Documentation/user/watching.md

# promtool_says COMMAND FILE: promtool must find no fault
promtool_says() {
	local said

	said=$(promtool "${@:1:2}" "$3" 2>&1) || fail "promtool found: ${said//$'\n'/ }"
}

# Prints "ALERT NODES fires|rests" of each case.
cases() {
	yaml "$CASES" | jq -r '.tests[] |
		([.input_series[].series | capture("instance=\"(?<node>[^\"]*)\"").node] | unique |
			length) as $nodes |
		.alert_rule_test[] |
		"\(.alertname) \($nodes) \(if (.exp_alerts // []) == [] then "rests" else "fires" end)"' |
		sort -u
}

every_alert_has_cases() {
	local alerts expected

	mapfile -t alerts < <(rules | jq -r .alert)
	((${#alerts[@]})) || fail "$RULES has no alert" || return
	expected=$(printf '%s\n' "${alerts[@]/%/ 1 fires}" "${alerts[@]/%/ 1 rests}" \
		"${alerts[@]/%/ 3 fires}" "${alerts[@]/%/ 3 rests}" | sort)
	[[ $(cases) == "$expected" ]] ||
		fail "the cases differ (<: missing): $(diff <(echo "$expected") <(cases))"
}

# An operator who is woken up needs to know which node it is about, and what to type.
every_alert_advises() {
	local said

	said=$(rules | jq -r 'select((.labels.severity | test("^(critical|warning)$") | not) or
		(.annotations.summary | test("[$]labels.instance.*[.]$") | not) or
		(.annotations.description | test("^[A-Z].* Run \"[a-z].*[.]$") | not)) | .alert') ||
		return
	[[ ! $said ]] || fail "no severity, node or command: ${said//$'\n'/ }"
}

# Prints the names that conga metrics prints, and that of node_exporter for the age of the file.
metrics_printed() {
	sed -nE 's/.*"(conga_[a-z_]+)".*/\1/p' "$TOOL/metrics.c"
	sed -n 's/^\tCONGA_A_STATS_\([A-Z_]*\),$/conga_\L\1_total/p' "$HEADER"
	echo node_textfile_mtime_seconds
}

metrics_exist() {
	local said

	said=$(comm -13 <(metrics_printed | sort -u) \
		<({ rules | jq -r .expr; queries; } | metrics_used))
	[[ ! $said ]] || fail "the tool does not print: ${said//$'\n'/ }"
}

# Each state that a rule selects must be one of a leaf: a misspelt one would never fire.
states_exist() {
	local state

	while read -r state; do
		sed -n '/conga_choices_leaf_state/,/^}/p' "$TOOL/choices_generated.c" |
			grep -qF "{ \"$state\"," || fail "no leaf is ever \"$state\"" || return
	done < <(rules | jq -r .expr | grep -oP 'conga_leaf_info.*state="\K[^"]*')
}

# An alert compares a metric with another metric of the same node. scalar() of three nodes is NaN.
rules_join() {
	! grep -n 'scalar *(' "$RULES" "$DASHBOARD" || fail "scalar() is NaN with three nodes"
}

dashboard_is_complete() {
	jq -e '.schemaVersion >= 36 and (.title | length > 0) and
		(.__inputs | map(.name) == ["DS_PROMETHEUS"]) and
		(.templating.list | map(.name) == ["instance"]) and
		([.panels[].id] | length > 0 and (unique | length) == length) and
		all(.panels[]; .datasource.uid == "${DS_PROMETHEUS}" and
			(.description | test("^[A-Z].*[.]$")) and
			all(.targets[]; .datasource.uid == "${DS_PROMETHEUS}" and
				(.expr | contains("instance=~\"$instance\""))))' "$DASHBOARD" >/dev/null ||
		fail "a panel lacks its datasource, description or node, or the schema is old"
}

every_reason_is_drawn() {
	local said

	said=$(comm -23 <(metrics_printed | grep '^conga_fallback_' | sort) <(queries | metrics_used))
	[[ ! $said ]] || fail "the dashboard does not draw: ${said//$'\n'/ }"
}

# The manual names each alert.
alerts_are_documented() {
	local alert

	for alert in $(rules | jq -r .alert); do
		grep -qF "\`$alert\`" "$MANUAL" || fail "watching.md does not name $alert" || return
	done
}

require_commands gojq promtool
tap_plan 10
tap_test "promtool accepts the rules" promtool_says check rules "$RULES"
tap_test "each alert fires and rests as its cases say" promtool_says test rules "$CASES"
tap_test "each alert has cases with one node and with three, firing and not" every_alert_has_cases
tap_test "each alert has a severity, names its node, and advises a command" every_alert_advises
tap_test "no alert and no panel makes a scalar of many nodes" rules_join
tap_test "the tool prints each metric that alerts and dashboard use" metrics_exist
tap_test "each state that an alert selects exists" states_exist
tap_test "the manual names each alert" alerts_are_documented
tap_test "the dashboard is one that Grafana 10 imports, by node" dashboard_is_complete
tap_test "the dashboard draws each reason for which packets are left to the kernel" \
	every_reason_is_drawn
tap_exit
