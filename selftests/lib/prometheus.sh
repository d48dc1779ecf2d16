#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# prometheus.sh - reads the alerts and the dashboard that are installed. Source lib.sh first; gojq
# must be installed, since jq reads no YAML. TESTS must be the folder selftests/.

readonly RULES=$TESTS/../userspace/dist/prometheus/conga.rules.yml
readonly DASHBOARD=$TESTS/../userspace/dist/grafana/conga.json

# yaml FILE: prints the file as JSON
yaml() {
	gojq --yaml-input . "$1"
}

# rules: prints the rules as JSON, one a line
rules() {
	yaml "$RULES" | gojq -c '.groups[].rules[]'
}

# queries: prints the queries of the dashboard, one a line, with Grafana's variables
queries() {
	gojq -r '.panels[].targets[].expr' "$DASHBOARD"
}

# metrics_used: prints the names of metrics in the queries on standard input, sorted
metrics_used() {
	sed 's/"[^"]*"//g' | grep -oE '\<(conga|node)_[a-z_]+\>' | sort -u
}
