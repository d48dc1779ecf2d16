#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# owners.sh - daemons that own the uplinks of leaves, each with files and folders of its own.
#
#	owner_places 0			makes the folders of leaf 0
#	networkd_files 0 0 1; nm_files 0 0 1	leaf 0 has routes to leaf 1 by up0 and up1
#	networkd_up 0; nm_up 0		sets OWNER_PID[0]
#	networkd_ready 0; nm_ready 0	succeeds when it has done all that the files say
#
# Source lib.sh, topology.sh and hellos.sh first.
#
# shellcheck disable=SC2034 # for those who source this

declare -A OWNER_PID=()		# leaf -> process
declare -A BUS=()		# leaf -> process

# The folders that each leaf has for itself. Without write access to /sys, as in a container, the
# daemons do not wait for udev.
readonly PLACES="run/systemd etc/systemd/network run/NetworkManager etc/NetworkManager
	var/lib/NetworkManager"

# Runs as "FOLDER PLACES COMMAND..." in the leaf's network namespace, where ip has unshared the
# mounts.
# shellcheck disable=SC2016 # the shell that runs it expands it
readonly IN_PLACES='
	mount -o remount,ro /sys || exit
	for place in $2; do
		mkdir -p "/$place" && mount --bind "$1/$place" "/$place" || exit
	done
	shift 2
	exec "$@"'

owner_places() {
	local place

	for place in $PLACES; do mkdir -p "$TOPO_DIR/owner$1/$place" || return; done
	unset "BUS[$1]"
}

# owner LEAF COMMAND...: ends the shell, so that its process becomes the daemon
owner() {
	exec ip netns exec "${LEAF[$1]}" bash -c "$IN_PLACES" owner "$TOPO_DIR/owner$1" "$PLACES" "${@:2}"
}

# ---- systemd-networkd ----

# networkd_files LEAF UPLINK...: the route leads by these. Otherwise networkd would delete the whole
# route when one of its uplinks loses the carrier.
networkd_files() {
	local l=$1 u dir=$TOPO_DIR/owner$1/etc/systemd/network

	{
		printf '[Match]\nName=lo\n[Network]\nAddress=%s/32\n' "${VTEP[l]}"
		printf '[Route]\nDestination=%s/32\nPreferredSource=%s\n' "${VTEP[1 - l]}" "${VTEP[l]}"
		for u in "${@:2}"; do
			topo_link_addresses "$l" "$u" 0
			echo "MultiPathRoute=$SPINE_END@up$u"
		done
	} >"$dir/lo.network"
	for u in 0 1; do
		topo_link_addresses "$l" "$u" 0
		printf '[Match]\nName=up%s\n[Network]\nAddress=%s/31\n%s\n' "$u" "$LEAF_END" \
			ConfigureWithoutCarrier=yes >"$dir/up$u.network"
	done
}

networkd_up() {
	rm -rf "$TOPO_DIR/owner$1/run/systemd/netif"
	owner "$1" /lib/systemd/systemd-networkd >"$TOPO_DIR/owner$1/said" 2>&1 &
	OWNER_PID[$1]=$!
}

# networkd_ready LEAF: lo and both uplinks are configured
networkd_ready() {
	local links=$TOPO_DIR/owner$1/run/systemd/netif/links

	(($(grep -lsx ADMIN_STATE=configured "$links"/* | wc -l) == 3))
}

# ---- NetworkManager ----

nm_settings() {
	cat <<-END
		[main]
		plugins=keyfile
		dns=none
		rc-manager=unmanaged
		no-auto-default=*
		auth-polkit=false
		[keyfile]
		unmanaged-devices=*,except:interface-name:up*
	END
}

# nm_files LEAF UPLINK...: each uplink has a route of its own, of which that of up0 is better, as
# NetworkManager ranks its devices
nm_files() {
	local l=$1 u dir=$TOPO_DIR/owner$1/etc/NetworkManager

	nm_settings >"$dir/NetworkManager.conf" && mkdir -p "$dir/system-connections" || return
	for u in 0 1; do
		topo_link_addresses "$l" "$u" 0
		{
			printf '[connection]\nid=up%s\nuuid=%s%s\ntype=ethernet\ninterface-name=up%s\n' \
				"$u" 4a7b0c1d-2e3f-4051-8263-74859607a8b "$u" "$u"
			printf '[ipv6]\nmethod=disabled\n[ipv4]\nmethod=manual\n'
			echo "address1=$LEAF_END/31"
			echo "route-metric=$((100 + u))"
			[[ " ${*:2} " != *" $u "* ]] ||
				printf 'route1=%s/32,%s\nroute1_options=src=%s\n' \
					"${VTEP[1 - l]}" "$SPINE_END" "${VTEP[l]}"
		} >"$dir/system-connections/up$u.nmconnection"
		chmod 600 "$dir/system-connections/up$u.nmconnection"
	done
}

bus_up() {
	local dir=$TOPO_DIR/owner$1

	cat >"$dir/bus.conf" <<-END
		<busconfig>
		<type>system</type>
		<listen>unix:path=$dir/bus</listen>
		<auth>EXTERNAL</auth>
		<policy context="default">
		<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
		</policy>
		</busconfig>
	END
	dbus-daemon --config-file="$dir/bus.conf" --nofork --nopidfile >"$dir/bus.said" 2>&1 &
	BUS[$1]=$!
	busywait "$PATIENCE_MS" test -S "$dir/bus"
}

nm_up() {
	[[ ${BUS[$1]-} ]] || bus_up "$1" || return
	DBUS_SYSTEM_BUS_ADDRESS=unix:path=$TOPO_DIR/owner$1/bus owner "$1" \
		NetworkManager --debug >"$TOPO_DIR/owner$1/said" 2>&1 &
	OWNER_PID[$1]=$!
}

# nm_ready LEAF: both uplinks are connected
nm_ready() {
	(($(DBUS_SYSTEM_BUS_ADDRESS=unix:path=$TOPO_DIR/owner$1/bus \
		nmcli -t -f DEVICE,STATE device 2>/dev/null | grep -cx 'up[01]:connected') == 2))
}
