#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A real Prometheus reads two leaves and a spine, each by a node_exporter of its own, which reads
# the file of "conga metrics file". Each query of the Grafana dashboard gives data, no alert is
# active while the fabric is healthy, and an alert is about the node that has the problem. No time
# series ends because the policy or another parameter changes.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/prometheus.sh"

TOPO_SPINES=1
FABRIC_RATE=1gbit		# a virtual Ethernet device reports none
QUIET="hello 1s"		# a slow machine must not miss three of these

readonly HEALTHY_MS=60000 DATA_MS=240000
readonly SERVER=http://127.0.0.1:9090
readonly FIRST_PORT=9100	# of the node_exporter of the first node
readonly RANGE=5m		# what Grafana puts in place of $__rate_interval
readonly SCRAPE=6s		# also the longest time that a scrape may take, or its series end
readonly FEWEST_SERIES=100	# of a leaf

NODES=()			# namespaces
WATCHER=""			# the namespace of Prometheus, where all its ports are free

# ---- the fabric ----

setup() {
	topo_up && fabric_up conga auto || return
	NODES=("${LEAF[@]}" "${SPINE[@]}") WATCHER=${HOST[1.0]}
	{ busywait "$HEALTHY_MS" is_healthy 0 && busywait "$HEALTHY_MS" is_healthy 1; } ||
		fail "the leaves are not conga: $(conga 0 leaf show; conga 0 path show)" || return
	ip -n "$WATCHER" link set lo up || return
	traffic_start && exporters_start && prometheus_start
}

# is_healthy LEAF: the other leaf answers by both paths
is_healthy() {
	conga "$1" -j leaf show | json_is 'all(.[]; .state == "conga" and .paths == 2)'
}

traffic_start() {
	nsenter --net="/run/netns/${HOST[0.0]}" ping -q -i 0.1 "${HOST_IP[1.0]}" >/dev/null &
	defer "kill $! 2>/dev/null"
}

# ---- Prometheus ----

# instance NODE: prints its address, as Prometheus calls the node
instance() {
	echo "127.0.0.1:$((FIRST_PORT + $1))"
}

# watcher_start LOG COMMAND...
watcher_start() {
	nsenter --net="/run/netns/$WATCHER" "${@:2}" 2>"$TOPO_DIR/$1" &
	defer "kill $! 2>/dev/null"
}

# The work of the node's timer, which runs every second. The tests wait for what Prometheus says.
metrics_write() {
	local i

	while :; do
		for i in "${!NODES[@]}"; do
			"$CONGA" -n "${NODES[i]}" metrics file "$TOPO_DIR/node$i/conga.prom"
		done
		sleep 1
	done
}

exporters_start() {
	local i

	for i in "${!NODES[@]}"; do
		mkdir "$TOPO_DIR/node$i" || return
		watcher_start "exporter$i.log" prometheus-node-exporter \
			--collector.disable-defaults --collector.textfile \
			--collector.textfile.directory="$TOPO_DIR/node$i" \
			--web.listen-address="$(instance "$i")"
	done
	metrics_write &
	defer "kill $! 2>/dev/null"
}

prometheus_start() {
	local i

	{
		echo "global: { scrape_interval: $SCRAPE, evaluation_interval: $SCRAPE }"
		echo "rule_files: [ $RULES ]"
		echo "scrape_configs:"
		echo "- job_name: node"
		echo "  static_configs:"
		for i in "${!NODES[@]}"; do echo "  - targets: [ '$(instance "$i")' ]"; done
	} >"$TOPO_DIR/prometheus.yml"
	watcher_start prometheus.log prometheus --config.file="$TOPO_DIR/prometheus.yml" \
		--storage.tsdb.path="$TOPO_DIR/tsdb" --web.listen-address="${SERVER#http://}"
}

# ask QUERY: prints "series => value @[time]" lines
ask() {
	in_ns "$WATCHER" promtool query instant "$SERVER" "$1"
}

# has_data QUERY: the answer has at least one series
has_data() {
	[[ $(ask "$1" 2>&1) == *" => "* ]]
}

# has_no_data QUERY: Prometheus answers, without any series
has_no_data() {
	local said

	{ said=$(ask "$1" 2>&1) && [[ ! $said ]]; } || fail "$1: $said"
}

# becomes_data QUERY
becomes_data() {
	busywait "$DATA_MS" has_data "$1" ||
		fail "no data: $1: $(ask "$1" 2>&1)$(tail -n 2 "$TOPO_DIR/prometheus.log")"
}

# ---- scraping ----

nodes_are_scraped() {
	becomes_data "count(conga_fabric_present == 1) == ${#NODES[@]}"
}

metrics_are_scraped() {
	local used names

	mapfile -t used < <({ rules | jq -r .expr; queries; } | metrics_used)
	((${#used[@]})) || fail "no metric is used" || return
	names=$(IFS="|"; echo "${used[*]}")
	becomes_data "count(count by (__name__) ({__name__=~\"$names\"})) == ${#used[@]}"
}

# ---- the dashboard ----

# with_variables NODES: puts values in place of Grafana's variables in the queries on standard
# input; no variable may remain
with_variables() {
	sed -e "s/\\\$instance/$1/g" -e "s/\\\$__rate_interval/$RANGE/g"
}

# A line of a panel without data is invisible, and nobody misses it.
queries_give_data() {
	local query

	while read -r query; do
		[[ $query != *\$* ]] || fail "an unknown variable: $query" || return
		becomes_data "$query" || return
	done < <(queries | with_variables ".*")
}

# Each node can be selected. A leaf has everything, a spine has what its ports do.
queries_give_data_of_a_leaf() {
	local query

	while read -r query; do
		becomes_data "count(count by (instance) ($query)) == 1" || return
	done < <(queries | with_variables "$(instance 0)")
}

every_node_has_ports() {
	local query

	while read -r query; do
		[[ $query != *conga_port_* ]] ||
			becomes_data "count(count by (instance) ($query)) == ${#NODES[@]}" || return
	done < <(queries | with_variables ".*")
}

packets_are_drawn() {
	becomes_data "rate(conga_tx_stamped_total{instance=\"$(instance 0)\"}[$RANGE]) > 0"
}

# ---- alerts ----

no_alert_is_active() {
	local expr

	becomes_data "conga_leaf_usable_paths == 2" || return
	while IFS= read -r expr; do
		has_no_data "$expr" || return
	done < <(rules | jq -r .expr)
	has_no_data ALERTS
}

# One uplink of leaf 0 drains: that leaf alone has one path left.
alert_names_the_node() {
	local alert='ALERTS{alertname="CongaLeafOnePath"}' elsewhere

	elsewhere="ALERTS{alertname=\"CongaLeafOnePath\",instance!=\"$(instance 0)\"}"
	conga 0 port set up0 drain on || return
	becomes_data "$alert" || return
	has_no_data "$elsewhere" &&
		has_no_data 'ALERTS{alertname!="CongaLeafOnePath"}' || return
	conga 0 port set up0 drain off && busywait "$DATA_MS" has_no_data "$alert"
}

# ---- stable series ----

# series: prints the time series of leaf 0 that no parameter may end
series() {
	conga 0 metrics | grep -v -e '^#' -e '_info{' | sed 's/ [^ ]*$//' | sort
}

# stays_after WORD...: the command changes no series
stays_after() {
	conga 0 "$@" || fail "conga $* failed" || return
	[[ $(series) == "$SERIES" ]] ||
		fail "after \"$*\" the series differ: $(diff <(echo "$SERIES") <(series) | grep '^[<>]')"
}

series_survive_policies() {
	local policy

	SERIES=$(series)
	(($(wc -l <<<"$SERIES") >= FEWEST_SERIES)) || fail "too few series: $SERIES" || return
	for policy in $POLICIES; do
		stays_after fabric set policy "$policy" || return
	done
	stays_after fabric set policy conga
}

series_survive_parameters() {
	SERIES=$(series)
	stays_after fabric set hello off && stays_after fabric set hello 1s &&
		stays_after fabric set q 4 metric sum && stays_after fabric set q 3 metric max &&
		stays_after fabric set flowlet-timeout 1ms age 1s explicit-feedback off &&
		stays_after fabric set flowlets 1024 && stays_after port set up0 drain on &&
		stays_after port set up0 drain off && stays_after port set up0 rate 1gbit &&
		stays_after leaf set "${VTEP[1]}" mode plain &&
		stays_after leaf set "${VTEP[1]}" mode auto
}

# value_of SERIES: prints its value
value_of() {
	conga 0 metrics | grep -F -- "$1 " | sed 's/.* //'
}

# What only policy tr counts is a number with tr, and not a wrong one with others.
missing_values_are_nan() {
	local flows='conga_port_short_flows{dev="up0"}' value

	value=$(value_of "$flows")
	[[ $value == NaN ]] || fail "with policy conga, $flows is $value" || return
	conga 0 fabric set policy tr && value=$(value_of "$flows") || return
	[[ $value =~ ^[0-9]+$ ]] || fail "with policy tr, $flows is $value" || return
	conga 0 fabric set policy conga
}

require_root
require_commands ip gojq ping prometheus prometheus-node-exporter promtool
require_module
tap_plan 11
setup || die "the fabric cannot be set up: ${TAP_WHY:-}"
tap_test "Prometheus reads the metrics of each node" nodes_are_scraped
tap_test "each metric that alerts and dashboard use is read" metrics_are_scraped
tap_test "each query of the dashboard gives data" queries_give_data
tap_test "each query of the dashboard gives data of one leaf alone" queries_give_data_of_a_leaf
tap_test "each query about ports gives data of every node" every_node_has_ports
tap_test "packets that are stamped are seen" packets_are_drawn
tap_test "no alert is active in a healthy fabric" no_alert_is_active
tap_test "an alert is about the node that has the problem, and no other" alert_names_the_node
tap_test "no time series ends when the policy changes" series_survive_policies
tap_test "no time series ends when another parameter changes" series_survive_parameters
tap_test "a value that only another policy measures is NaN" missing_values_are_nan
tap_exit
