#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# selftest.sh [uml|smp|platforms] - proves that the machine's runner distinguishes a good end from
# every bad one: with QEMU, with User Mode Linux, with QEMU and the kernels for several processors,
# or with kernels that see the host's files in another way.
# Checks that need no boot of their own share one.

set -euo pipefail

here=$(dirname "$(realpath "$0")")
run=$here/run
tree=$(realpath "$here/../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The runner's own scratch files go here, so that leftovers are found.
mkdir "$work/tmp" "$work/cwd with space"
export TMPDIR=$work/tmp
cd "$work/cwd with space"

kind=${1-qemu}
case $kind in
qemu) readonly PLAN=37 ;;
uml) readonly PLAN=21 ;;
smp) readonly PLAN=9 ;;
platforms) readonly PLAN=18 ;;
*) echo "Usage: selftests/vm/selftest.sh [uml|smp|platforms]" >&2; exit 2 ;;
esac
count=0 failed=0

# check NAME COMMAND...: prints one TAP line, and the machine's output if the check failed
check() {
	local name=$1
	shift

	count=$((count + 1))
	if "$@"; then
		echo "ok $count - $name"
		return
	fi
	failed=$((failed + 1))
	echo "not ok $count - $name"
	{
		echo "failed: $*, exit status $status"
		tail -n 60 "$work/out" "$work/err"
	} | sed 's/^/# /'
}

# boot ARGUMENT...: sets output, messages and exit status of one machine
boot() {
	status=0
	"$run" "$@" >"$work/out" 2>"$work/err" || status=$?
}

status_is() { [ "$status" = "$1" ]; }
printed() { grep -qxF -- "$1" "$work/out"; }
said() { grep -qE -- "$1" "$work/err"; }
absent() { [ ! -e "$1" ]; }

# Processes that are killed with their namespace need a moment to disappear.
absent_soon() {
	local i

	for ((i = 0; i < 100; i++)); do
		absent "$1" && return
		sleep 0.05
	done
	return 1
}

empty() { [ -z "$(ls -A "$1")" ]; }

# This shows a part of the log, not the whole boot.
shows_log() {
	local lines

	lines=$(grep -cE '^\[ *[0-9]+\.[0-9]+\]' "$work/err") || return 1
	[ "$lines" -gt 20 ] && [ "$lines" -lt 80 ]
}

good_end() {
	echo before >"$work/kept"
	# shellcheck disable=SC2016 # no expansion wanted
	export CONGA_TEST='a "quoted" $value'
	# shellcheck disable=SC2016 # for the guest's shell
	boot -e CONGA_TEST -e CONGA_UNSET -- bash -c '
		echo "kernel $(uname -r), host $(hostname), user $(id -un)"
		echo "WARNING: only printed"
		echo "variable $CONGA_TEST, ${CONGA_UNSET-unset}"
		echo "arguments $# $1 $2"
		echo "folder $PWD"
		echo "stdin $(wc -c)" <&0
		echo message >&2
		printf "cr\r\n"
		ip netns add test && ip netns exec test ip link set lo up && echo netns
		modprobe vxlan && ip link add vx type vxlan id 1 dstport 4789 dev lo && echo vxlan
		ping -c 1 -W 5 127.0.0.1 >/dev/null && echo loopback
		cat <(echo substitution)
		echo after >"'"$work"'/kept" && echo new >"'"$work"'/new" &&
			cat "'"$work"'/kept" "'"$work"'/new"
		sleep 1000 & # keeps the output open
		echo "cpus $(nproc)"
	' - "one 'argument'" $'two\nlines'
	check "exit status 0 comes back" status_is 0
	check "the release printed is the one that runs" \
		printed "kernel $("$run" --print-release), host vm, user root"
	check "a WARNING of the command is no failure" printed "WARNING: only printed"
	check "variables are passed on" printed "variable $CONGA_TEST, unset"
	check "arguments keep their shape" printed "arguments 2 one 'argument' two"
	check "the folder is the caller's" printed "folder $PWD"
	check "standard input is empty" printed "stdin 0"
	check "standard error comes with the output" printed message
	check "carriage returns are left alone" printed $'cr\r'
	check "network namespaces work" printed netns
	check "stock modules load" printed vxlan
	check "the loopback device is up" printed loopback
	check "process substitution works" printed substitution
	check "the guest sees what it wrote" printed after
	check "the host's file is as before" grep -qx before "$work/kept"
	check "no new file on the host" absent "$work/new"
	check "two processors" printed "cpus 2"
}

bad_status() {
	# No output follows the last line that could flush it.
	boot -s 1 -- bash -c 'seq 1 100000; printf %s last; exit 7'
	check "exit status 7 comes back" status_is 7
	check "all of a long output comes out" \
		cmp -s "$work/out" <(seq 1 100000; printf %s last)
}

# A failure must print the reason and the kernel's log.
failed_with() { [ "$status" != 0 ] && said "$1" && shows_log; }

# fails_with NAME SENTENCE ARGUMENT...: the run must fail with this sentence
fails_with() {
	local name=$1 sentence=$2
	shift 2

	boot "$@"
	check "$name is a failure that shows the log" failed_with "$sentence"
}

# bad_ends OPTION...
bad_ends() {
	fails_with "a kernel warning" 'complained.*WARNING: x, amid x.sh$' "$@" \
		-- bash -c 'dmesg -n 1; echo "selftests: program x.sh" >/dev/kmsg
			echo "WARNING: x" >/dev/kmsg; exit 0'
	fails_with "a panic" 'complained.*panic' "$@" \
		-- bash -c 'echo c >/proc/sysrq-trigger; exit 0'
	fails_with "a kernel warning before the machine hangs" 'complained.*WARNING: x' "$@" \
		-t 300 --stop-at-complaint -- bash -c 'dmesg -n 1; echo "WARNING: x" >/dev/kmsg; sleep 1000'
	fails_with "a power-off" 'went down before' "$@" -- poweroff -f
	fails_with "a time-out" 'no result after 12 seconds' "$@" -t 12 -- sleep 1000
}

# machine_of PROGRAM: prints the process of this test's machine, which has its scratch folder in
# its arguments or as its working folder
machine_of() {
	local pid

	for pid in $(pgrep -f "$1"); do
		! { tr '\0' ' ' <"/proc/$pid/cmdline" && readlink "/proc/$pid/cwd"; } 2>/dev/null |
			grep -qF "$TMPDIR/" || echo "$pid"
	done | tail -n 1
}

# Output must be streamed, or the wait for it would last until the machine ends.
# interrupted PROGRAM OPTION...
interrupted() {
	local program=$1 runner machine
	shift

	"$run" "$@" -t 600 -- bash -c 'echo ready; sleep 1000' >"$work/out" 2>"$work/err" &
	runner=$!
	until printed ready || ! kill -0 "$runner" 2>/dev/null; do
		sleep 0.1
	done
	check "output streams while the command runs" kill -0 "$runner"
	machine=$(machine_of "$program")
	kill -TERM "$runner"
	status=0
	wait "$runner" || status=$?
	check "TERM ends the runner" status_is 143
	check "and its machine" absent_soon "/proc/${machine:-self}"
}

instruction_clock() {
	# shellcheck disable=SC2016 # for the guest's shell
	boot -i -- bash -c 'echo "cpus $(nproc)"'
	check "the instruction clock runs on one processor" printed "cpus 1"
}

# An emulated machine is told the rate, and it would itself measure a wrong one while the computer is
# busy.
clock_rate() {
	gcc -O2 -o "$work/tsc_khz" "$here/tsc_khz.c"
	# shellcheck disable=SC2016 # for the guest's shell
	CONGA_KVM=no boot -- bash -c 'sed -n "s/.*tsc_early_khz=\([0-9]*\).*/told \1/p" /proc/cmdline
		dmesg | sed -n "s/.*tsc: Detected \([0-9]*\)\.\([0-9]*\) MHz.*/rate \1\2/p"'
	check "the guest's clock runs at the rate of this computer's" rate_is "$("$work/tsc_khz")"
}

# rate_is KHZ: the guest has the rate that it was told, which is this one. Two measurements of a
# computer's rate differ by millionths. The kernel tells the rate of the processor first, and then
# that of the counter, unless they are the same.
rate_is() {
	local told rate

	told=$(sed -n 's/^told //p' "$work/out")
	rate=$(sed -n 's/^rate //p' "$work/out" | tail -n 1)
	((${told:-0} == ${rate:-1} && rate * 10000 >= $1 * 9999 && rate * 10000 <= $1 * 10001))
}

another_kernel() {
	# shellcheck disable=SC2016 # for the guest's shell
	boot --then 'echo "then $(</proc/sys/kernel/random/boot_id)"; exit 5' -- bash -c '
		echo "first $(</proc/sys/kernel/random/boot_id)"
		/run/vm/then/start
		exit 1'
	check "a kernel started by kexec ends with the status of its own command" status_is 5
	check "it is another kernel" two_boots
}

two_boots() {
	[ "$(grep -cE '^(first|then) [0-9a-f-]{36}$' "$work/out")" = 2 ] &&
		[ "$(cut -d ' ' -f 2 "$work/out" | sort -u | wc -l)" = 2 ]
}

usage_refused() {
	boot -k side -- true
	check "an unknown kernel is refused" said "^run: unknown kernel 'side'$"
	boot -k 6.1-s390x -- true
	check "a kernel that no machine runs is refused" \
		said "^run: no machine runs 6.1-s390x: vm/kbuild builds for it$"
	boot -k 6.1-arm64 --plugin lines -- true
	check "a plugin is refused on another processor" \
		said "^run: the plugins count on this processor only$"
	boot --card ne2k -- true
	check "an unknown card is refused" said "^run: unknown card 'ne2k'$"
	boot -k uml --then true -- true
	check "kexec is refused in User Mode Linux" said "^run: uml starts no other kernel$"
}

# seeded SEED: prints random numbers of the kernel and of a shell, a port, and the date
seeded() {
	# shellcheck disable=SC2016 # for the guest's shell
	boot -k uml --time-travel --seed "$1" -- bash -c '
		head -c 32 /dev/urandom | base64
		ip link set lo up
		exec 3<>/dev/udp/127.0.0.1/9 && cut -d " " -f 3 /proc/net/udp
		echo "$RANDOM $(date +%s.%N)"'
}

differs() { [ -s "$1" ] && ! cmp -s "$1" "$2"; }

# module_of KERNEL NAME: prints a module of the selftests, built for that kernel
module_of() {
	echo "$tree/build/$("$run" -k "$1" --print-release)/$2/$2.ko"
}

user_mode() {
	echo before >"$work/kept"
	# shellcheck disable=SC2016 # for the guest's shell
	boot -k uml -- bash -c '
		echo "kernel $(uname -r), host $(hostname), user $(id -un)"
		printf "cr\r\n"
		ip netns add test && ip link add vx type vxlan id 1 dstport 4789 dev lo && echo vxlan
		echo after >"'"$work"'/kept" && cat "'"$work"'/kept"
		sleep 1000 & # keeps the output open
		seq 1 10000'
	check "exit status 0 comes back" status_is 0
	check "the release printed is the one that runs" \
		printed "kernel $("$run" -k uml --print-release), host vm, user root"
	check "carriage returns are left alone" printed $'cr\r'
	check "network namespaces and tunnels work" printed vxlan
	check "the guest sees what it wrote" printed after
	check "the host's file is as before" grep -qx before "$work/kept"
	check "all of a long output comes out" printed 10000
	boot -k uml -- sh -c 'exit 7'
	check "exit status 7 comes back" status_is 7
	bad_ends -k uml
	# shellcheck disable=SC2016 # for the guest's shell
	boot -k uml --time-travel -t 600 -- bash -c 'sleep 3600; echo "up $((${SECONDS} / 3600))"'
	check "time travel leaps over an hour" printed "up 1"
	seeded 7 && mv "$work/out" "$work/first" && seeded 7
	check "a seed makes a machine do the same again" cmp -s "$work/out" "$work/first"
	seeded 8
	check "another seed, other random numbers" differs "$work/out" "$work/first"
	fails_with "a memory leak" 'complained.*kmemleak' -k uml-debug -- \
		insmod "$(module_of uml-debug leak)"
	interrupted uml/ -k uml
}

# report FUNCTION FRAME...: prints a report of KCSAN with two functions, the second of which has
# these frames, and reads, or does what HOW says
report() {
	local line='=================================================================='
	local frame

	echo "[    1.000000] $line"
	echo "[    1.000001] BUG: KCSAN: data-race in $1 / $2"
	echo "[    1.000002] write to 0xffff888003a4d2f8 of 8 bytes by task 71 on cpu 1:"
	printf '[    1.000003]  %s+0x10/0x80\n' "$1" "outer"
	echo "[    1.000004] ${HOW:-read} to 0xffff888003a4d2f8 of 8 bytes by interrupt on cpu 0:"
	for frame in "${@:2}"; do
		echo "[    1.000005]  ${frame% \[*}+0x20/0x40${frame#"${frame% \[*}"}"
	done
	echo "[    1.000006] $line"
}

# The log has six reports: three of them are ours.
judged() {
	{
		echo "[    0.900000] before"
		report kernel_a kernel_b "caller" "conga_tx [conga]"
		report kernel_a "conga_rx [conga]" "ip_local_deliver"
		report kernel_a "memcmp" "conga_rx [conga]" "ip_local_deliver"
		report kernel_c kernel_d
		HOW="read-write (marked)" report kernel_e queue_work "conga_rx [conga]"
		HOW="write (marked)" report kernel_e "conga_rx [conga]" "ip_local_deliver"
		echo "[    1.100000] after"
	} | sed 's/$/\r/' >"$work/log"
	"$here/races" -v "OWN=$work/own" "$work/log" >"$work/out"
	printf 'data-race in %s\n' "kernel_a / kernel_b" "kernel_c / kernel_d" \
		"kernel_e / queue_work" | cmp -s - "$work/own" &&
		[ "$(grep -c KCSAN "$work/out")" = 3 ] && [ "$(grep -c ====== "$work/out")" = 6 ] &&
		grep -q before "$work/out" && grep -q after "$work/out"
}

several_processors() {
	status=0
	check "a data race is whose functions access, or call who does" judged
	# shellcheck disable=SC2016 # for the guest's shell
	boot -k smp-kasan -- bash -c 'echo "kernel $(uname -r)"; echo "cpus $(nproc)"'
	check "exit status 0 comes back" status_is 0
	check "the release printed is the one that runs" \
		printed "kernel $("$run" -k smp-kasan --print-release)"
	check "two processors" printed "cpus 2"
	# shellcheck disable=SC2016 # for the guest's shell
	boot -k smp-kcsan -s 4 -- bash -c 'echo "cpus $(nproc)"'
	check "four processors" printed "cpus 4"
	fails_with "a memory leak" 'complained.*kmemleak' -k smp-kasan -- \
		insmod "$(module_of smp-kasan leak)"
	fails_with "a data race of a module" 'complained.*data-race in race_run' -k smp-kcsan -- \
		sh -c "insmod $(module_of smp-kcsan race) && sleep 10"
	fails_with "a kernel warning" 'complained.*WARNING: x' -k smp-kcsan -- \
		sh -c 'echo "WARNING: x" >/dev/kmsg'
}

# In a guest of this kernel, the processor of which has this name
other_kernel() {
	echo before >"$work/kept"
	# shellcheck disable=SC2016 # for the guest's shell
	boot -k "$1" -- bash -c '
		echo "kernel $(uname -r), processor $(uname -m)"
		userspace/conga -V
		modprobe vxlan && ip link add vx type vxlan id 1 dstport 4789 dev lo && echo vxlan
		echo new >selftests/new && cat selftests/new
		exit 7'
	check "$1: exit status 7 comes back" status_is 7
	check "$1: the release printed is the one that runs" \
		printed "kernel $("$run" -k "$1" --print-release), processor $2"
	check "$1: our own programs run" \
		printed "$("$tree/userspace/conga" -V)"
	check "$1: stock modules load" printed vxlan
	check "$1: the guest sees what it wrote" printed new
	check "$1: no new file on the host" absent "$tree/selftests/new"
	fails_with "$1: a power-off" 'went down before' -k "$1" -- \
		bash -c 'echo o >/proc/sysrq-trigger; sleep 1000'
}

# shares_left: prints the programs that share folders of this test's machines
shares_left() {
	pgrep -f "virtiofsd .*$TMPDIR/"
}

other_kernels() {
	boot -k 6.1-arm64 -- true
	check "a folder that another processor's guest does not see is refused" \
		said "^run: the guest of 6.1-arm64 sees $tree alone: start in that folder$"
	cd "$tree"
	other_kernel 6.1-cloud x86_64
	check "the programs that share folders have ended" empty_output shares_left
	other_kernel 6.1-arm64 aarch64
	boot -k 6.1-cloud -s 1 -- bash -c 'seq 1 100000'
	check "6.1-cloud: all of a long output comes out" cmp -s "$work/out" <(seq 1 100000)
}

empty_output() { [ -z "$("$@")" ]; }

echo "1..$PLAN"
case $kind in
platforms) other_kernels ;;
uml) user_mode ;;
smp) several_processors ;;
qemu)
	good_end
	bad_status
	bad_ends
	interrupted qemu-system
	instruction_clock
	clock_rate
	another_kernel
	usage_refused
	;;
esac
check "no scratch file is left" empty "$TMPDIR"
[ "$count" = "$PLAN" ] || echo "not ok $((count + 1)) - $PLAN checks were planned"
[ "$failed" = 0 ] && [ "$count" = "$PLAN" ]
