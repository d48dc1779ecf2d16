#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A real systemd, with udevd, runs the files of make install: conga.service before the network
# exists, ports whose device appears later, reload, an invalid file, congad, metrics by the timer,
# and the stop. The commands of keep.md and watching.md for units work.
#
# It is process 1 of PID and mount namespaces of its own, but it uses the network of this machine,
# since the machine's udev owns the devices: so the test must run in a virtual machine.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/expect.sh"
. "$TESTS/lib/documents.sh"

readonly BOOT_MS=120000 SOON_MS=30000
readonly CONF=/etc/conga.conf BOOT=/run/systemd/system/conga-boot.target
readonly NODE_EXPORTER=/var/lib/prometheus/node-exporter
readonly TOOL=/usr/local/sbin/conga
readonly FAR=10.9.9.9		# a leaf that congad finds

# ---- a system ----

installed() {
	make -s -C "$TESTS/.." install-tool >/dev/null && mkdir -p "$NODE_EXPORTER" || return
	defer "rm -rf $NODE_EXPORTER"
	# The system boots only the units that conga needs, not all units of this machine's
	# image.
	mkdir -p "${BOOT%/*}" && printf '[Unit]\nWants=conga.service network.target\n' >"$BOOT"
}

# conf: writes the configuration from stdin
conf() {
	cat >"$CONF"
}

configured() {
	ip link add eth1 up type dummy && defer "ip link del eth1" || return
	conf <<-'END'
		fabric add policy conga hello off
		port add dev eth1 role uplink tag 0 rate 10gbit
		port add dev eth2 role uplink tag 1 rate 10gbit
		leaf add 10.9.0.1 mode conga
	END
	defer "rm -f $CONF"
}

system_up() {
	container=services unshare --fork --pid --mount --mount-proc --kill-child \
		/lib/systemd/systemd --unit="${BOOT##*/}" >"$SAYS" 2>&1 &
	UNSHARE=$!
	defer "kill -KILL $UNSHARE; wait $UNSHARE 2>/dev/null"
	busywait "$SOON_MS" pgrep -P "$UNSHARE" >/dev/null || return
	SYSTEM=$(pgrep -P "$UNSHARE")
	busywait "$BOOT_MS" boots >/dev/null || fail "systemd says: $(tail -n 5 "$SAYS")" \
		"$(inside systemctl --no-pager list-jobs 2>&1)"
}

# inside COMMAND...: runs the command in the system
inside() {
	nsenter --target "$SYSTEM" --pid --mount "$@"
}

boots() {
	[[ $(inside systemctl is-active "${BOOT##*/}" 2>/dev/null) == active ]]
}

# ctl WORD...: runs systemctl, which must print nothing
ctl() {
	local said

	said=$(inside systemctl "$@" 2>&1) || fail "systemctl $*: $said"
}

# journal UNIT: prints the log of the unit
journal() {
	inside journalctl --no-pager --quiet --output cat --unit "$1"
}

# active_since UNIT: prints the time of its start, in us after the boot
active_since() {
	inside systemctl show --property ActiveEnterTimestampMonotonic --value "$1"
}

state_of() {
	inside systemctl is-active "$1"
}

is_active() {
	[[ $(state_of "$1") == active ]]
}

# saved_is: the saved state equals stdin
saved_is() {
	[[ $("$TOOL" save) == "$(cat)" ]] || fail "the configuration is: $("$TOOL" save)"
}

# ports COUNT: COUNT ports have their device
ports() {
	(($("$TOOL" -j port show | jq length) == $1))
}

# ---- tests ----

at_boot() {
	local conga network

	# The service may be in a reload, for a device that appeared.
	busywait "$SOON_MS" is_active conga.service ||
		fail "$(journal conga.service | tail -n 3)" || return
	conga=$(active_since conga.service) network=$(active_since network.target)
	((conga > 0 && network >= conga)) ||
		fail "conga.service ended at $conga us, the network was up at $network us" || return
	[[ $(journal conga.service) == *"there is no device \"eth2\" yet, the port waits for it"* ]] ||
		fail "no warning about eth2 is in the journal: $(journal conga.service)" || return
	saved_is <<-'END'
		fabric add policy conga hello off
		port add dev eth1 role uplink tag 0 rate 10Gbit
		leaf add 10.9.0.1 mode conga
	END
}

device_comes() {
	ip link add eth2 up type dummy && defer "ip link del eth2" || return
	busywait "$SOON_MS" ports 2 >/dev/null || fail "the configuration is: $("$TOOL" save)"
}

# changed_at: when conga.service last changed its state, as it also does for a reload
changed_at() {
	inside systemctl show -P StateChangeTimestampMonotonic conga.service
}

# reloaded_since TIME
reloaded_since() {
	(($(changed_at) > $1)) && is_active conga.service
}

# The reload for the new device must be over: it would find the new name, too.
device_is_renamed() {
	local before

	busywait "$SOON_MS" is_active conga.service && ip link del eth2 || return
	busywait "$SOON_MS" ports 1 >/dev/null ||
		fail "the port of a removed device is still there" || return
	before=$(changed_at)
	ip link add eth7 up type dummy || return
	busywait "$SOON_MS" reloaded_since "$before" ||
		fail "a new device reloads nothing" || return
	ip link set eth7 down && ip link set eth7 name eth2 && ip link set eth2 up || return
	busywait "$SOON_MS" ports 2 >/dev/null || fail "the configuration is: $("$TOOL" save)"
}

reloaded() {
	sed -i 's/ rate 10gbit$/ rate 25gbit/; s/^leaf.*/leaf add 10.9.0.2 mode conga/' "$CONF"
	ctl reload conga.service || return
	saved_is <<-'END'
		fabric add policy conga hello off
		port add dev eth1 role uplink tag 0 rate 25Gbit
		port add dev eth2 role uplink tag 1 rate 25Gbit
		leaf add 10.9.0.2 mode conga
	END
}

wrong_line() {
	local before

	before=$("$TOOL" save)
	echo "port add dev eth1 role uplnik" >>"$CONF"
	! inside systemctl reload conga.service >/dev/null 2>&1 ||
		fail "the reload of a wrong file succeeded" || return
	sed -i '$d' "$CONF"
	saved_is <<<"$before" || return
	[[ $(journal conga.service) == *uplnik*"$CONF:5"* ]] ||
		fail "the wrong line is not in the journal: $(journal conga.service | tail -n 8)"
}

daemon_runs() {
	ctl start congad.service || return
	ip addr add 10.9.1.1/24 dev eth1 && ip addr add 10.9.2.1/24 dev eth2 &&
		ip route add "$FAR/32" nexthop via 10.9.1.2 dev eth1 nexthop via 10.9.2.2 dev eth2 &&
		ip link add vx9 up type vxlan id 9 dstport 4789 remote "$FAR" || return
	defer "ip link del vx9"
	busywait "$SOON_MS" daemon_found ||
		fail "congad found nothing: $(journal congad.service | tail -n 3)" || return
	ctl reload congad.service && ctl stop congad.service || return
	daemon_found || fail "the objects that congad created were removed with it"
}

daemon_found() {
	"$TOOL" -j leaf show | json_is "any(.[]; .addr == \"$FAR\")"
}

metrics_written() {
	ctl start conga-metrics.timer || return
	busywait "$SOON_MS" grep -q '^conga_' "$NODE_EXPORTER/conga.prom" 2>/dev/null >/dev/null ||
		fail "$(journal conga-metrics.service | tail -n 3)" || return
	rm "$NODE_EXPORTER/conga.prom"
	busywait "$SOON_MS" grep -q '^conga_' "$NODE_EXPORTER/conga.prom" 2>/dev/null >/dev/null ||
		fail "the metrics were not written a second time" || return
	ctl stop conga-metrics.timer
}

stopped() {
	ctl stop conga.service && says 1 "Error: There is no fabric in this network namespace, add one first." \
		"$TOOL" fabric show
}

not_without_file() {
	rm "$CONF"
	ctl start conga.service || return
	[[ $(state_of conga.service) == inactive ]] ||
		fail "conga.service is $(state_of conga.service)"
}

# The commands are typed in the tree's folder.
unit_shell() {
	systemctl() { inside systemctl "$@"; }
	cd "$TESTS/.." || return
}

as_documents_say() {
	document_runs Documentation/user/keep.md "At boot, and devices that come later" unit_shell ||
		fail "$DOCUMENT_SAID" || return
	[[ $("$TOOL" save) == *"leaf add 10.0.0.13"* ]] ||
		fail "the example was not applied: $("$TOOL" save)" || return
	document_runs Documentation/user/watching.md Prometheus unit_shell ||
		fail "$DOCUMENT_SAID" || return
	is_active conga-metrics.timer || fail "the timer is $(state_of conga-metrics.timer)" || return
	inside systemctl disable conga.service conga-metrics.timer >"$SAYS" 2>&1 || fail "$(<"$SAYS")" || return
	ctl stop conga-metrics.timer conga.service
}

require_root
[[ -d /run/vm ]] || tap_skip_all "it would install to this machine"
require_commands ip jq make nsenter systemctl udevadm unshare
require_module
module_is_ours || tap_skip_all "this node has a fabric of its own"
SAYS=$(mktemp)
defer "rm -f $SAYS"
tap_plan 10
{ installed && configured && system_up; } || die "no system: ${TAP_WHY:-}"
tap_test "devices that exist at boot are configured, before the network" at_boot
tap_test "a device that appears becomes a port, by udev's rule" device_comes
tap_test "a device that is renamed to a port's name becomes a port" device_is_renamed
tap_test "a reload applies the changes of the file" reloaded
tap_test "a wrong file changes nothing, and the journal names the line" wrong_line
tap_test "congad finds a leaf, and the leaf stays when congad ends" daemon_runs
tap_test "metrics are written periodically" metrics_written
tap_test "stop removes the fabric" stopped
tap_test "the commands of keep.md and watching.md for units succeed" as_documents_say
tap_test "without a file nothing is started" not_without_file
tap_exit
