#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# frr_guide.sh - runs the commands of Documentation/user/frr.md on leaf 0, where FRR and congad run:
# as_the_guide_says. Source fabric_test.sh, frr.sh and documents.sh first; CONGAD is the daemon.

# The files below /etc are copies. FRR runs already, and vtysh checks what it would start with.
frr_shell() {
	local dir=$TOPO_DIR/guide

	mkdir -p "$dir/frr" "$dir/sysctl.d" && command cp /etc/frr/daemons "$dir/frr" || return
	readonly GUIDE_DIR=$dir
	apt() { dpkg --status "${@:2}"; }
	sed() { command sed "${@/#\/etc/$GUIDE_DIR}"; }
	cp() { command cp "${@/#\/etc/$GUIDE_DIR}"; }
	sysctl() { in_ns "${LEAF[0]}" sysctl "${@/#\/etc/$GUIDE_DIR}"; }
	systemctl() {
		case $* in
		"restart frr") command vtysh --dryrun --inputfile "$GUIDE_DIR/frr/frr.conf" ;;
		*) "$CONGAD" -n "${LEAF[0]}" -1 ;;
		esac
	}
	modprobe() { module_is_loaded; }
	conga() { "$CONGA" -n "${LEAF[0]}" "$@"; }
	vtysh() { frr_vtysh "${LEAF[0]}" "$@"; }
	cd "$FRR_FILES" || return
}

module_is_loaded() {
	[[ -d /sys/module/conga ]]
}

as_the_guide_says() {
	document_runs Documentation/user/frr.md "Step by step" frr_shell || fail "$DOCUMENT_SAID" || return
	grep -qx 'bgpd=yes' "$TOPO_DIR/guide/frr/daemons" ||
		fail "bgpd is not started: $(grep bgpd "$TOPO_DIR/guide/frr/daemons")" || return
	[[ $DOCUMENT_SAID == *vx100* ]] || fail "$DOCUMENT_SAID"
}
