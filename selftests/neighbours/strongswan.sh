#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# strongSwan encrypts the tunnel between two leaves: their key daemons agree by IKEv2 on ESP in
# transport mode for UDP port 4789. All flows must arrive, and none may leave in clear, while a
# spine fails, a key daemon is killed, and keys are deleted. conga leaves each packet to the
# kernel, and sends no hello in clear, so that the leaves stay plain.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/failures.sh"
. "$TESTS/lib/esp.sh"

TOPO_LINKS=1
FLOWS_COUNTER=fallback_xfrm

readonly START=("trap" "trap|start")	# leaf 1 begins
# Some algorithms are plugins of their own in Debian 12, and OpenSSL's in Debian 13. What is not there
# is left out.
readonly PLUGINS="aes drbg gmp hmac kdf nonce openssl random sha1 sha2 kernel-netlink socket-default\
 vici"

declare -A CHARON=()		# leaf -> process

# ---- the key daemons ----

# daemon_file LEAF
daemon_file() {
	cat <<-END
		swanctl {
			load = random
		}
		charon-systemd {
			load = $PLUGINS
			install_routes = no
			filelog {
				log {
					path = $TOPO_DIR/charon$1/log
					flush_line = yes
				}
			}
			plugins {
				vici {
					socket = unix://$TOPO_DIR/charon$1/vici
				}
			}
		}
	END
}

# child NAME LEAF LOCAL REMOTE: a pair of policies between these ports
child() {
	cat <<-END
		$1 {
			mode = transport
			local_ts = dynamic[$3]
			remote_ts = dynamic[$4]
			esp_proposals = aes128-sha256
			start_action = ${START[$2]}
		}
	END
}

# connection LEAF: VXLAN's source ports vary, so each direction has policies of its own
connection() {
	local l=$1

	cat <<-END
		connections {
			leaf$((1 - l)) {
				version = 2
				proposals = aes128-sha256-modp2048
				local_addrs = ${VTEP[l]}
				remote_addrs = ${VTEP[1 - l]}
				local {
					auth = psk
				}
				remote {
					auth = psk
				}
				children {
					$(child out "$l" udp udp/4789)
					$(child in "$l" udp/4789 udp)
				}
			}
		}
		secrets {
			ike {
				secret = "a secret of the test"
			}
		}
	END
}

# swan LEAF WORD...
swan() {
	local dir=$TOPO_DIR/charon$1

	STRONGSWAN_CONF=$dir/strongswan.conf swanctl "$2" --uri "unix://$dir/vici" "${@:3}"
}

# keys_of LEAF: prints how many pairs of keys its daemon has installed
keys_of() {
	swan "$1" --list-sas 2>/dev/null | grep -c ' INSTALLED, TRANSPORT, '
}

# charon_up LEAF: the daemon reads its file when it is asked to
charon_up() {
	local dir=$TOPO_DIR/charon$1

	mkdir -p "$dir" && daemon_file "$1" >"$dir/strongswan.conf" &&
		connection "$1" >"$dir/swanctl.conf" && rm -f "$dir/vici" || return
	STRONGSWAN_CONF=$dir/strongswan.conf nsenter --net="/run/netns/${LEAF[$1]}" charon-systemd \
		>"$dir/said" 2>&1 &
	CHARON[$1]=$!
	{ soon swan "$1" --stats >/dev/null 2>&1 &&
		swan "$1" --load-all --file "$dir/swanctl.conf" >"$dir/loaded" 2>&1; } ||
		fail "strongSwan of leaf $1 does not run: $(cat "$dir/said" "$dir/loaded")"
}

# keys_are LEAF: both directions have keys, of which the other daemon knows
keys_are() {
	(($(keys_of "$1") >= 2 && $(keys_of $((1 - $1))) >= 2))
}

keys_become() {
	soon keys_are 1 || fail "there are no keys: $(swan 0 --list-sas; swan 1 --list-sas)" \
		"$(tail -n 5 "$TOPO_DIR"/charon?/log)"
}

# The daemon ends as in a crash, so that the kernel keeps its keys and policies.
charon_killed() {
	kill -KILL "${CHARON[1]}" && { wait "${CHARON[1]}" 2>/dev/null || :; }
}

setup() {
	modprobe -qa esp4 xfrm_user authenc hmac sha256_generic aes_generic cbc echainiv
	topo_up && failures_count 0.0 1.0 && esp_watch && charon_up 0 && charon_up 1
}

# ---- failures ----

keys_made() {
	keys_become && esp_left && arrive_encrypted
}

spine_fails() {
	link_down 0 1 && routes_avoid 0 && arrive_encrypted
}

spine_returns() {
	link_up 0 1 && routes_avoid && arrive_encrypted
}

daemon_killed() {
	charon_killed && arrive_encrypted
}

# An operator deletes what a killed daemon left. The kernel would use a stale key, with or without
# conga.
daemon_returns() {
	ip -n "${LEAF[1]}" xfrm state flush && ip -n "${LEAF[1]}" xfrm policy flush &&
		charon_up 1 && keys_become && arrive_encrypted
}

host_pings() {
	in_ns "${HOST[0.0]}" ping -q -n -c 1 -W 1 "${HOST_IP[1.0]}" >/dev/null
}

# The next packets make the daemons negotiate, one for each direction.
keys_deleted() {
	swan 0 --terminate --ike leaf1 --force >/dev/null || fail "the keys cannot be deleted" || return
	soon host_pings && keys_become && esp_left && arrive_encrypted
}

failures() {
	fails "the daemons agree on keys, and all flows arrive encrypted" keys_made
	fails "a spine fails, and all flows arrive encrypted by the other one" spine_fails
	fails "the spine returns, and all flows arrive encrypted" spine_returns
	fails "a key daemon is killed, and all flows arrive encrypted" daemon_killed
	fails "the key daemon starts again, and all flows arrive encrypted" daemon_returns
	fails "the keys are deleted, and all flows arrive encrypted by new ones" keys_deleted
}

stays_plain() {
	with_conga
	leaf_falls_silent 0 && leaf_falls_silent 1 && stats_mark "${LEAF[0]}" || return
	pause_rounds
	stat_has control_unsent_xfrm
}

tap_plan 13
require_root
require_commands ip nft jq ping charon-systemd swanctl
require_module
unshare -n ip xfrm policy list 2>/dev/null || tap_skip_all "needs IPsec policies"
setup || die "cannot set up: $TAP_WHY"
failures
fails "no hello leaves in clear, so that the leaves stay plain" stays_plain
failures
topo_down
tap_exit
