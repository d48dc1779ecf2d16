#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The guide Documentation/user/libvirt.md is correct: hypervisors become conga by its commands. The
# test runs libvirt on both, and QEMU with a guest on hypervisor 1: this is the network card's boot
# program, iPXE, which asks a server at hypervisor 0 for its address and for files, and then
# answers pings. libvirt's network "default" runs beside, and the guest migrates.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/fabric_test.sh"
. "$TESTS/lib/underlay.sh"
. "$TESTS/lib/counters.sh"
. "$TESTS/lib/hellos.sh"
. "$TESTS/lib/guides.sh"

TOPO_LINKS=1
TOPO_HOST_MTU=1450
TOPO_FABRIC_MTU=1500

readonly QEMU_MS=240000		# QEMU may be emulated itself
readonly LIBVIRT_GUIDE=Documentation/user/libvirt.md
readonly GUEST_IP=192.168.0.100
readonly FILES=20 FILE_BYTES=50000
readonly LEAST_PACKETS=500	# of both directions, the guest acknowledges each packet

# ---- hypervisors ----

# The folders that a libvirt has for itself
readonly PLACES="etc/libvirt run/libvirt var/lib/libvirt var/log/libvirt var/cache/libvirt"
readonly IPTABLES=etc/alternatives	# /usr/sbin/iptables is a link to there

# Runs as "FOLDER NAME PLACES" in the leaf's network namespace, where ip has unshared the mounts.
# shellcheck disable=SC2016 # the shell that runs it expands it
readonly LIBVIRT='
	hostname "$2" || exit
	for place in $3; do
		[[ -e /$place ]] || mkdir -p "/$place" || exit
		mount --bind "$1/$place" "/$place" || exit
	done
	exec libvirtd -f /etc/libvirt/libvirtd.conf -p /run/libvirt/libvirtd.pid'

# address_of LEAF: prints the address of its libvirt
address_of() {
	echo "qemu+unix:///system?socket=$TOPO_DIR/libvirt$1/run/libvirt/libvirt-sock"
}

# The guide uses this name.
virsh() {
	command virsh -q -c "$(address_of "$GUIDE_LEAF")" "$@"
}

# virsh_on LEAF WORD...
virsh_on() {
	GUIDE_LEAF=$1
	virsh "${@:2}"
}

# Nothing here confines or counts processes. libvirt wants its user to exist, and knows by name and
# UUID that a guest does not migrate to where it is.
write_settings() {
	local l=$1 dir=$TOPO_DIR/libvirt$1/etc

	printf '%s\n' 'auth_unix_rw = "none"' \
		"host_uuid = \"4a7b0c1d-2e3f-4051-8263-74859607a8b$l\"" >"$dir/libvirt/libvirtd.conf"
	printf '%s\n' 'user = "root"' 'group = "root"' 'security_driver = "none"' \
		'cgroup_controllers = [ ]' 'namespaces = [ ]' 'seccomp_sandbox = 0' \
		'stdio_handler = "file"' >"$dir/libvirt/qemu.conf"
	{ cat /etc/passwd; echo "libvirt-qemu:x:64055:64055::/:/usr/sbin/nologin"; } >"$dir/passwd"
	{ cat /etc/group; echo "libvirt-qemu:x:64055:"; } >"$dir/group"
}

# write_firewall FILE: libvirt's rules are iptables'. A kernel without xtables takes those that
# need none, and the others are translated for nftables. It cannot reject either.
write_firewall() {
	cat >"$1" <<-'END'
		#!/bin/bash
		name=/usr/sbin/${0##*/}
		{ errors=$("$name-nft" "$@" 2>&1 >&3) && exit; } 3>&1
		rule=$("$name-translate" "$@" 2>/dev/null)
		[[ $rule == "nft '"* ]] && eval "${rule/%reject\'/drop\'}" && exit
		echo "$errors" >&2
		exit 1
	END
	chmod 755 "$1"
}

libvirt_answers() {
	virsh_on "$1" version >/dev/null 2>&1
}

libvirt_up() {
	local dir=$TOPO_DIR/libvirt$1 place

	for place in $PLACES; do mkdir -p "$dir/$place" || return; done
	write_settings "$1" && cp -a "/$IPTABLES" "$dir/$IPTABLES" || return
	for place in "$dir/$IPTABLES"/ip{,6}tables; do
		rm "$place" && write_firewall "$place" || return
	done
	ip netns exec "${LEAF[$1]}" unshare --uts bash -c "$LIBVIRT" libvirt "$dir" \
		"hypervisor$1.example" "$PLACES $IPTABLES etc/passwd etc/group" >"$dir/said" 2>&1 &
	defer "libvirt_down $1"
	busywait "$QEMU_MS" libvirt_answers "$1" || die "libvirt does not run: $(<"$dir/said")"
}

# libvirt_down LEAF: ends the processes that libvirt started; topo_down ends libvirt
libvirt_down() {
	local run=$TOPO_DIR/libvirt$1/run/libvirt

	cat "$run"/qemu/*.pid "$run"/network/*.pid 2>/dev/null | xargs -r kill 2>/dev/null
}

# hypervisor LEAF: has libvirt, and routes but no tunnel; the routes' source is its address, by
# which another hypervisor is asked to take a guest
hypervisor() {
	local l=$1

	ip -n "${LEAF[l]}" link del vx && ip -n "${LEAF[l]}" link set h0 nomaster &&
		ip -n "${LEAF[l]}" link del br0 &&
		leaf_route "$l" 0 1 &&
		libvirt_up "$l"
}

# A host becomes a further member of each hypervisor's bridge.
guides() {
	local l swapped=()

	for l in 0 1; do
		guide_run "$l" libvirt.md "${swapped[@]}" &&
			ip -n "${LEAF[l]}" link set h0 master br100 || return
		swapped=("${VTEP[1]}=other" "${VTEP[0]}=${VTEP[1]}" "other=${VTEP[0]}")
	done
}

# ---- the guest ----

# The guest's interface is the guide's.
guest() {
	cat <<-END
		<domain type='qemu'>
		<name>guest</name>
		<memory unit='MiB'>64</memory>
		<os><type machine='pc'>hvm</type><boot dev='network'/></os>
		<devices>
		<controller type='usb' model='none'/>
		<memballoon model='none'/>
		$("$GUIDE_TREE/selftests/documents" section "$LIBVIRT_GUIDE" "Connect a guest")
		</devices>
		</domain>
	END
}

# serve: a DHCP and TFTP server in the host at hypervisor 0. The guest waits neither for another
# server that tells it what to boot (iPXE's option 176) nor for a router of IPv6.
serve() {
	local dir=$TOPO_DIR/served i

	mkdir "$dir"
	head -c "$FILE_BYTES" /dev/zero >"$dir/file"
	{
		echo '#!ipxe'
		# shellcheck disable=SC2016 # iPXE expands it
		for ((i = 0; i < FILES; i++)); do
			echo 'imgfetch tftp://${next-server}/file && imgfree file'
		done
		echo shell
	} >"$dir/script"
	in_ns "${HOST[0.0]}" dnsmasq -C /dev/null --keep-in-foreground --user=root --port=0 \
		--interface=eth0 --bind-interfaces --no-ping --pid-file= \
		--log-facility="$TOPO_DIR/server.log" --dhcp-leasefile="$TOPO_DIR/leases" \
		--dhcp-range="$GUEST_IP,$GUEST_IP,255.255.0.0" --dhcp-boot=script \
		--dhcp-option=encap:175,176,1b --enable-ra --dhcp-range=fd02::,ra-only \
		--enable-tftp --tftp-root="$dir" &
}

files_fetched() {
	(($(grep -c "sent $TOPO_DIR/served/file to $GUEST_IP" "$TOPO_DIR/server.log") >= FILES))
}

# ---- tests ----

commands_succeed() {
	local l

	for l in 0 1; do
		[[ $(virsh_on "$l" net-list --autostart --name) == tenant100 ]] ||
			fail "the network of hypervisor $l does not run" || return
	done
	guide_converges
}

# uplinks_carry LEAF: packets leave by both
uplinks_carry() {
	[[ $(conga "$1" -j port show | jq 'map(select(.tx_packets > 10)) | length') == 2 ]] ||
		fail "leaf $1 uses one uplink: $(conga "$1" port show)"
}

guest_is_served() {
	stats_mark "${LEAF[0]}"
	stats_mark "${LEAF[1]}"
	guest >"$TOPO_DIR/guest.xml"
	virsh_on 1 create "$TOPO_DIR/guest.xml" >"$TOPO_DIR/created" 2>&1 ||
		fail "there is no guest: $(<"$TOPO_DIR/created")" || return
	busywait "$QEMU_MS" files_fetched ||
		fail "the guest got no files: $(<"$TOPO_DIR/server.log")" || return
	stats_grown "${LEAF[1]}" tx_stamped
	((GROWTH >= LEAST_PACKETS)) || fail "of the guest, $GROWTH packets were stamped" || return
	stats_grown "${LEAF[0]}" rx_learnt
	((GROWTH >= LEAST_PACKETS)) || fail "leaf 0 learnt from $GROWTH packets" || return
	uplinks_carry 0 && uplinks_carry 1
}

# The MTU reaches the tap device by the bridge, and the guest by the definition of its interface.
guest_has_mtu() {
	local tap=$TOPO_DIR/tap qemu

	ip -n "${LEAF[1]}" link show vnet0 >"$tap" 2>&1 && grep -q " mtu 1450 .* master br100 " "$tap" ||
		fail "the guest's device is: $(<"$tap")" || return
	qemu=$(<"$TOPO_DIR/libvirt1/run/libvirt/qemu/guest.pid")
	grep -q '"host_mtu":1450' "/proc/$qemu/cmdline" || fail "the guest does not know the MTU"
}

# default_network LEAF: as libvirt's package defines it
default_network() {
	cat >"$TOPO_DIR/default.xml" <<-END
		<network>
		<name>default</name>
		<bridge name='virbr0'/>
		<forward/>
		<ip address='192.168.122.1' netmask='255.255.255.0'>
		<dhcp><range start='192.168.122.2' end='192.168.122.254'/></dhcp>
		</ip>
		</network>
	END
	virsh_on "$1" net-create "$TOPO_DIR/default.xml" >"$TOPO_DIR/default" 2>&1 ||
		fail "the network default does not start: $(<"$TOPO_DIR/default")" || return
	in_ns "${LEAF[$1]}" nft list ruleset >"$TOPO_DIR/rules" 2>&1
	grep -q '192.168.122.0/24 .*masquerade' "$TOPO_DIR/rules" ||
		fail "nothing is masqueraded: $(<"$TOPO_DIR/rules")"
}

# none_left LEAF: no packet was left to the kernel since the mark
none_left() {
	[[ " $(stats_growth "${LEAF[$1]}")" != *" fallback_"* ]] ||
		fail "packets of leaf $1 are left to the kernel: $(stats_growth "${LEAF[$1]}")"
}

default_disturbs_nothing() {
	default_network 0 && default_network 1 || return
	stats_mark "${LEAF[0]}"
	stats_mark "${LEAF[1]}"
	guide_pings && stat_has tx_stamped "$GUIDE_PINGS" && none_left 0 && none_left 1
}

# The rule is needed: without it, the kernel decides about the first packets.
tracked_are_left() {
	local rule

	rule=$(in_ns "${LEAF[0]}" nft list table inet tunnel) &&
		in_ns "${LEAF[0]}" nft delete table inet tunnel || fail "there is no rule" || return
	stats_mark "${LEAF[0]}"
	guide_pings && stat_has fallback_nat || return
	in_ns "${LEAF[0]}" nft -f - <<<"$rule"
}

# others_reach_guest: a host at hypervisor 1 does, by the tunnel. ping sends one a second, until one
# is answered.
others_reach_guest() {
	in_ns "${HOST[1.0]}" ping -q -n -c 1 -w 10 "$GUEST_IP" >/dev/null
}

# where_guest_is: prints what each hypervisor runs and has learnt, as one line
where_guest_is() {
	local l

	for l in 0 1; do
		echo "hypervisor $l: $(virsh_on "$l" list --all) $(stats_growth "${LEAF[l]}")"
		bridge -n "${LEAF[l]}" fdb show | grep -v permanent
	done | xargs
}

# The guest is suspended while its memory moves: QEMU's emulation of a processor may lose what a
# running guest writes meanwhile (a comment in QEMU's own test of migration says so), and such a
# guest may hang. Its new hypervisor announces it either way.
guest_moves() {
	local leaves

	leaves=$(conga 1 -j leaf show | jq -c 'map([.addr, .state])')
	virsh_on 1 migrate guest "$(address_of 0)" "tcp://${VTEP[0]}" \
		>"$TOPO_DIR/migrated" 2>&1 ||
		fail "the guest does not migrate: $(<"$TOPO_DIR/migrated")" || return
	[[ $(virsh_on 0 domstate guest) == running && ! $(virsh_on 1 list --name) ]] ||
		fail "the guest is elsewhere" || return
	stats_mark "${LEAF[0]}"
	stats_mark "${LEAF[1]}"
	busywait "$QEMU_MS" others_reach_guest || fail "no ping was answered: $(where_guest_is)" || return
	stats_grown "${LEAF[1]}" tx_stamped
	((GROWTH)) || fail "nothing was stamped: $(stats_growth "${LEAF[1]}")" || return
	[[ $(conga 1 -j leaf show | jq -c 'map([.addr, .state])') == "$leaves" ]] ||
		fail "leaves were $leaves, and are $(conga 1 leaf show)"
}

tap_plan 8
require_root
require_commands ip bridge ping jq nft virsh libvirtd qemu-system-x86_64 dnsmasq iptables-translate
require_module
modprobe -q tun || [[ -c /dev/net/tun ]] || tap_skip_all "needs the kernel's tun"
{ topo_up && hypervisor 0 && hypervisor 1 && guides && serve; } || die "cannot set up"
tap_test "libvirt: both hypervisors become conga by the guide's commands" commands_succeed
tap_test "libvirt: a guest obtains its address and files over the fabric" guest_is_served
tap_test "libvirt: the guest has the MTU that the tunnel leaves" guest_has_mtu
GUIDE_PEER=$GUEST_IP
tap_test "libvirt: packets of the guest are stamped, and learnt from" guide_stamps
tap_test "libvirt: its network default leaves no packet to the kernel" default_disturbs_nothing
tap_test "libvirt: conga check reports nothing" guide_is_sound
tap_test "libvirt: without the guide's rule, NAT leaves packets to the kernel" tracked_are_left
tap_test "libvirt: a guest that migrates is reached by the tunnel" guest_moves
libvirt_down 0
libvirt_down 1
topo_down
tap_exit
