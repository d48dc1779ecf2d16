#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# frr.sh - a leaf-spine fabric that FRR configures: zebra and bgpd run on each node, with the
# files of Documentation/user/frr as an operator copies them. All routes, FDB entries and neighbours
# are made by FRR alone.
#
#	FRR_UNDERLAY=unnumbered	or numbered: which .conf of Documentation/user/frr/
#	frr_up
#	frr_kill "${SPINE[0]}" bgpd; frr_run "${SPINE[0]}" bgpd
#	frr_routes 0		sets FRR_ROUTE["${VTEP[1]}"]="up0 up1"
#
# FRR_ROOT is the folder of another Debian, whose daemons run then; empty: this machine's.
#
# Host l.0 is in VNI 100, one subnet of all leaves; host l.1 is in a subnet that only leaf l has.
# Source lib.sh, topology.sh and expect.sh first.

readonly FRR_ROOT=${FRR_ROOT-}
readonly FRR_DAEMONS=/usr/lib/frr
readonly FRR_FILES=${BASH_SOURCE[0]%/*}/../../Documentation/user/frr
readonly FRR_PATIENCE_MS=30000

# Runs as "BOX ROOT COMMAND...": the daemons of a node find each other in /run/frr.
# shellcheck disable=SC2016 # the shell that runs it expands it
readonly FRR_OWN_RUN='mount --bind "$1" "$2/run/frr" && exec "${@:3}"'

FRR_UNDERLAY=unnumbered
FRR_NEXTHOPS="no zebra nexthop kernel enable"	# or: "zebra nexthop-group keep 1"

declare -a FRR_IN=()		# what enters FRR_ROOT
declare -a FRR_ALL=(zebra bgpd)	# the daemons, in the order of their start
declare -A FRR_PID=()		# NAMESPACE/DAEMON -> process
declare -A FRR_ROUTE=()		# destination -> devices

# ---- the files for each node ----

# The files are those of leaf 1 and spine 1. The files of leaf l have the number 11 + l in place
# of 11, wherever it occurs, and the links of leaf l. No inserted word is removed by a later rule.
frr_for_leaf() {
	local l=$1 s number=$((11 + $1)) rules="" ends=""

	for ((s = 0; s < TOPO_SPINES; s++)); do
		topo_link_addresses 0 "$s" 0
		rules+="s/\b$LEAF_END\b/leaf$s/; s/\b$SPINE_END\b/spine$s/; s/\bswp$((s + 1))\b/up$s/; "
		topo_link_addresses "$l" "$s" 0
		ends+="s/\bleaf$s\b/$LEAF_END/; s/\bspine$s\b/$SPINE_END/; "
	done
	sed "s/\b11\b/NUMBER/g; s/\b$number\b/11/g; s/NUMBER/$number/g; s/\b65011\b/650$number/
		s/\bswp3\b/h0/; s/\bswp4\b/h1/; s/^no zebra nexthop kernel enable$/$FRR_NEXTHOPS/
		$rules $ends" "$FRR_FILES/$2"
}

frr_for_spine() {
	local s=$1 l rules="" ends=""

	for ((l = 0; l < TOPO_LEAVES; l++)); do
		topo_link_addresses "$l" 0 0
		rules+="s/\b$LEAF_END\b/leaf$l/; s/\b$SPINE_END\b/spine$l/; s/\bswp$((l + 1))\b/down$l.0/; "
		topo_link_addresses "$l" "$s" 0
		ends+="s/\bleaf$l\b/$LEAF_END/; s/\bspine$l\b/$SPINE_END/; "
	done
	sed "s/\b10\.0\.0\.1\b/10.0.0.$((1 + s))/; s/^no zebra nexthop kernel enable$/$FRR_NEXTHOPS/
		$rules $ends" "$FRR_FILES/$2"
}

# ---- links and hosts ----

frr_names() {
	local l

	topo_names
	for ((l = 0; l < TOPO_LEAVES; l++)); do
		HOST_IP[$l.0]=192.168.100.$((11 + l))
		HOST_IP[$l.1]=10.2.$((11 + l)).10
	done
}

frr_write_batches() {
	local l s

	batch_links
	for ((s = 0; s < TOPO_SPINES; s++)); do
		batch "${SPINE[s]}.ip" "link set lo up"
		for ((l = 0; l < TOPO_LEAVES; l++)); do
			batch "${SPINE[s]}.ip" "link set down$l.0 up"
		done
	done
	for ((l = 0; l < TOPO_LEAVES; l++)); do
		batch "${LEAF[l]}.ip" "link set lo up"
		batch "${HOST[$l.0]}.ip" "address add ${HOST_IP[$l.0]}/24 dev eth0"
		batch "${HOST[$l.1]}.ip" "address add ${HOST_IP[$l.1]}/24 dev eth0"
	done
}

# The hosts' ports come up together with the leaf's tunnels.
frr_hosts() {
	local l

	for ((l = 0; l < TOPO_LEAVES; l++)); do
		ip -n "${HOST[$l.0]}" route add default via 192.168.100.1 &&
			ip -n "${HOST[$l.1]}" route add default via "10.2.$((11 + l)).1" || return
	done
}

# ---- daemons ----

# The folder of a node has the name of its namespace. nsenter becomes the daemon, so the process
# id is that of the daemon.
frr_launch() {
	local ns=$1 daemon=$2 box=$TOPO_DIR/frr/$1 own=() file=(-f "$TOPO_DIR/frr/$1/none")

	[[ $daemon != mgmtd ]] || file=()	# it has no such option
	[[ ! $FRR_ROOT ]] || own=(unshare -m bash -c "$FRR_OWN_RUN" frr "$box" "$FRR_ROOT")
	[[ ! -e $box/$daemon.vty ]] || rm "$box/$daemon.vty"
	nsenter --net="/run/netns/$ns" "${own[@]}" "${FRR_IN[@]}" "$FRR_DAEMONS/$daemon" \
		"${file[@]}" -i "$box/$daemon.pid" -z "$box/zserv" --vty_socket "$box" \
		-A 127.0.0.1 -P 0 >"$box/$daemon.out" 2>&1 &
	FRR_PID[$ns/$daemon]=$!
}

frr_runs() {
	[[ ${FRR_PID[$1/$2]-} ]] && kill -0 "${FRR_PID[$1/$2]}" 2>/dev/null
}

frr_ready() {
	local box=$TOPO_DIR/frr/$1

	busywait "$FRR_PATIENCE_MS" test -S "$box/$2.vty" ||
		fail "$2 of ${1%-*} does not start: $(<"$box/$2.out")"
}

# frr_configure NAMESPACE [DAEMON]: loads the configuration as FRR's own start script does
frr_configure() {
	local out

	out=$(frr_vtysh "$1" -b ${2:+-d "$2"} 2>&1) ||
		fail "FRR rejected the configuration of ${1%-*}: $out"
}

# frr_run NAMESPACE DAEMON: restarts the daemon after it was killed
frr_run() {
	frr_launch "$@" && frr_ready "$@" && frr_configure "$@"
}

# The daemon ends at once, as in a crash: it notifies no peer.
frr_kill() {
	local pid=${FRR_PID[$1/$2]}

	kill -KILL "$pid" && { wait "$pid" 2>/dev/null || :; }
}

frr_vtysh() {
	local box=$TOPO_DIR/frr/$1

	command "${FRR_IN[@]}" vtysh --vty_socket "$box" --config_dir "$box" "${@:2}"
}

# frr_start NAMESPACE...: starts the daemons with the configurations in their folders. If zebra is
# missing, bgpd asks again only after 10 s.
frr_start() {
	local daemon ns

	for daemon in "${FRR_ALL[@]}"; do
		for ns; do
			frr_runs "$ns" "$daemon" || frr_launch "$ns" "$daemon" || return
		done
		for ns; do
			frr_ready "$ns" "$daemon" || return
		done
	done
	for ns; do
		frr_configure "$ns" || return
	done
}

frr_folder() {
	local box=$TOPO_DIR/frr/$1

	mkdir -p "$box" && cat >"$box/frr.conf" && touch "$box/none" "$box/vtysh.conf" &&
		"${FRR_IN[@]}" chown -R frr:frr "$box"
}

frr_start_all() {
	local l s

	# The daemons drop root privileges.
	mkdir -p "$TOPO_DIR/frr" && chmod 711 "$TOPO_DIR" "$TOPO_DIR/frr" || return
	for ((s = 0; s < TOPO_SPINES; s++)); do
		frr_for_spine "$s" "spine-$FRR_UNDERLAY.conf" | frr_folder "${SPINE[s]}" || return
	done
	for ((l = 0; l < TOPO_LEAVES; l++)); do
		frr_for_leaf "$l" "leaf-$FRR_UNDERLAY.conf" | frr_folder "${LEAF[l]}" || return
	done
	frr_start "${SPINE[@]}" "${LEAF[@]}"
}

# ---- tunnels ----

# frr_tunnels FILE: adds the tunnels on each leaf
frr_tunnels() {
	local l

	for ((l = 0; l < TOPO_LEAVES; l++)); do
		frr_for_leaf "$l" "$1" >"$TOPO_DIR/tunnels" &&
			in_ns "${LEAF[l]}" sh "$TOPO_DIR/tunnels" || return
	done
}

# ---- start and checks ----

frr_sysctls() {
	local ns

	for ns in "${SPINE[@]}" "${LEAF[@]}"; do
		in_ns "$ns" sysctl -qep "$FRR_FILES/sysctl.conf" || return
	done
	# This follows the files: one kernel runs all nodes, so each tier hashes by different
	# fields.
	topo_sysctls
}

# frr_root: enters FRR_ROOT from now on. It sees the folder of the sockets and files; a virtual
# machine has a copy of this machine's mounts.
frr_root() {
	[[ $FRR_ROOT ]] || return 0
	FRR_IN=(chroot "$FRR_ROOT")
	[[ ! -e $FRR_ROOT/$FRR_DAEMONS/mgmtd ]] || FRR_ALL=(mgmtd zebra bgpd)
	mkdir -p "$FRR_ROOT/run/frr" && mount --bind /tmp "$FRR_ROOT/tmp" &&
		mount -t proc proc "$FRR_ROOT/proc" && mount --bind /dev "$FRR_ROOT/dev"
}

frr_up() {
	TOPO_DIR=$(mktemp -d) || return
	frr_names
	defer frr_down
	frr_write_batches
	topo_namespaces | sed 's/^/netns add /' >"$TOPO_DIR/namespaces"
	frr_root && ip -batch "$TOPO_DIR/namespaces" && frr_sysctls && ip -batch "$TOPO_DIR/links" &&
		topo_configure && frr_tunnels leaf-traditional.sh && frr_hosts && frr_start_all
}

# topo_down kills the running processes, but a daemon that gets a signal before cleans up first.
frr_down() {
	local key

	for key in "${!FRR_PID[@]}"; do
		frr_kill "${key%/*}" "${key#*/}" 2>/dev/null
	done
	topo_down
}

# frr_routes LEAF: sets FRR_ROUTE of each destination to the devices of the kernel's route,
# without those that have no carrier
frr_routes() {
	local words word before to

	FRR_ROUTE=()
	while read -r words; do
		[[ $words == nexthop* ]] || to=${words%% *}
		[[ $words != *dead* && $words != *linkdown* ]] || continue
		before=""
		for word in $words; do
			[[ $before != dev ]] || FRR_ROUTE[$to]+=" $word"
			before=$word
		done
	done < <(ip -n "${LEAF[$1]}" route show)
	frr_sort_devices
}

# FRR prints them in any order.
frr_sort_devices() {
	local to

	for to in "${!FRR_ROUTE[@]}"; do
		case ${FRR_ROUTE[$to]} in
		" up1 up0") FRR_ROUTE[$to]="up0 up1" ;;
		*) FRR_ROUTE[$to]=${FRR_ROUTE[$to]# } ;;
		esac
	done
}
