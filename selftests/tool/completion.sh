#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Completion: bash asks the tool, which prints the words that its grammar accepts at this place,
# and the existing devices, ports, leaves, policies, parameters and namespaces.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"

readonly CONGA=$TESTS/../userspace/conga COMPLETION=$TESTS/../userspace/dist/conga.bash
readonly BASH_COMPLETION=/usr/share/bash-completion/bash_completion
readonly NS=completing$$

# If the kernel has tunnels built in, each new namespace gets a tunnel device (tunl0).
setup() {
	echo 2 >/proc/sys/net/core/fb_tunnels_only_for_init_net
	ip netns add "$NS" || return
	defer "ip netns del $NS"
	ip -n "$NS" link add eth1 type dummy &&
		ip -n "$NS" link add eth2 type dummy &&
		ip -n "$NS" link add spare type dummy || return
	"$CONGA" -n "$NS" -b - <<-END
	fabric add
	port add eth1 role uplink rate 1gbit
	port add eth2 role transit rate 1gbit
	leaf add 10.0.0.12
	leaf add 10.0.0.13
	leaf add fd00::12
	END
}

# Passes words as bash gives them to the function, where colons and "=" are separate words; prints the
# result in one line, sorted.
completed() {
	bash -c '
		. "$1"; . "$2"
		COMP_LINE=$4 COMP_POINT=${#4} COMPREPLY=()
		read -ra COMP_WORDS <<<"$(sed "s/[:=][:=]*/ & /g" <<<"$4")"
		[[ $4 != *" " ]] || COMP_WORDS+=("")
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		_conga "$3"
		printf "%s\n" "${COMPREPLY[@]}"' - \
		"$BASH_COMPLETION" "$COMPLETION" "$CONGA" "$1" | sort | paste -sd' '
}

# answers "LINE" "WORDS": the completions of the line are these words
answers() {
	local said

	said=$(completed "conga -n $NS $1")
	[[ $said == "$2" ]] && return
	why "\"$1\" is completed to \"$said\", expected \"$2\""
	return 1
}

grammar() {
	answers "f" "fabric flowlet" &&
		answers "leaf " "add del help set show" &&
		answers "port add eth1 role " "transit uplink" &&
		answers "port add eth1 role uplink r" "rate" &&
		answers "leaf set 10.0.0.12 mode " "auto conga plain" &&
		answers "path get 10.0.0.12 proto tcp s" "sport" &&
		answers "table show " "from-leaf leaf to-leaf" &&
		answers "fabric set opt-out mark " "off" &&
		answers "fabric set local " "off" &&
		answers "-s stats show a" "absolute all" &&
		answers "top b" "batch" &&
		answers "monitor p" "path port" &&
		answers "ping h" "help" &&
		answers "ping 10.0.0.12 " "count dev interval" &&
		answers "-rc" "-rcvbuf" &&
		answers "-col" "-color" &&
		answers "-color=" "always auto never" &&
		answers "-color=a" "always auto" &&
		answers "-j -color=never -color=al" "always"
}

given_words_are_not_offered() {
	answers "port set eth1 rate auto " "drain tier" &&
		answers "fabric set dstport 4789 d" "dstport"
}

devices() {
	answers "port add " "dev drain eth1 eth2 rate role spare tag tier" &&
		answers "port del " "dev eth1 eth2" &&
		answers "ping 10.0.0.12 count 3 dev " "eth1 eth2" &&
		answers "flowlet show port eth" "eth1 eth2"
}

leaves() {
	answers "leaf del 10" "10.0.0.12 10.0.0.13" &&
		answers "leaf add 10" "" &&
		answers "path show leaf 10.0.0.13" "10.0.0.13" &&
		answers "path get 10.0.0.12 from 10" "" &&
		answers "ping 10" "10.0.0.12 10.0.0.13"
}

# Bash keeps the text before the last colon.
leaves_ipv6() {
	answers "leaf set fd00::1" "12"
}

# fabric_words WORD...: prints the keywords of the help of a fabric but policy, and these words
fabric_words() {
	{
		printf '%s\n' "$@"
		"$CONGA" fabric help | sed '/conga fabric \[ show \]/,$d' | grep -oE '\[ [a-z][a-z0-9-]*' |
			sed 's/^\[ //; /^policy$/d'
	} | sort -u | paste -sd' '
}

policies() {
	answers "fabric set policy conga" "conga conga-flow conga-prime" &&
		answers "fabric set policy tr " "$(fabric_words idle margin rtt short wait)" &&
		answers "fabric set policy tr short 5 r" "rtt" &&
		answers "fabric set policy tr short " ""
}

namespaces() {
	local said

	said=$(completed "conga -n completin")
	[[ $said == "$NS" ]] || { why "the completion is $said"; return 1; }
}

file_names() {
	cd "$TESTS/.." && answers "-b Kbu" "Kbuild"
}

# Completion must never load a module or print an error.
silent_without_module() {
	local said

	rmmod conga || return
	said=$(completed "conga leaf del " 2>&1; completed "conga nonsense " 2>&1)
	[[ -z ${said//[[:space:]]/} && ! -e /sys/module/conga ]] && return
	why "the completion is $said"
	return 1
}

tap_plan 9
require_root
require_commands ip
[[ -e $BASH_COMPLETION ]] || tap_skip_all "needs bash-completion"
require_module
setup || die "cannot set up"
tap_test "objects, commands, keywords, choices and options are completed" grammar
tap_test "words that were given are not offered again" given_words_are_not_offered
tap_test "devices are offered for new ports, and ports for existing ones" devices
tap_test "existing leaves are offered, new ones are not" leaves
tap_test "an IPv6 leaf, which has colons, is completed" leaves_ipv6
tap_test "policies are offered, and the parameters of the chosen one" policies
tap_test "network namespaces are offered" namespaces
tap_test "names of files are offered" file_names
tap_test "without the module completion prints nothing, and does not load it" silent_without_module
tap_exit
