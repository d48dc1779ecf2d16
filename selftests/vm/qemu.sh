# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# The machine of a stock Debian kernel, or of one built for several processors: QEMU, with the
# host's files. run sources this file, which reads and sets run's variables.

# shellcheck source=selftests/vm/userland.sh
. "$here/userland.sh"
# shellcheck source=selftests/vm/share.sh
. "$here/share.sh"

readonly KVM_PROBE_SECONDS=8	# a working KVM needs 2

# Programs that tests start all the time
readonly RESIDENT='awk bash cat cut date diff env ethtool gojq grep head ip jq ls mkdir mktemp nft
	nsenter paste ping rm sed seq sleep sort sysctl tail tc tcpdump timeout tr wc'

# card_driver: prints the kernel's driver; QEMU's name of the card is the same, except for
# virtio's
card_driver() {
	[ "$card" = virtio ] && echo virtio_net || echo "$card"
}

# machine_modules DIR: writes the modules to load, uncompressed, and DIR/order. Kernels that we
# built have all drivers built in.
machine_modules() {
	local word path rest

	mkdir -p "$1"
	if is_built "$kernel"; then
		: >"$1/order"
		return
	fi
	# shellcheck disable=SC2046 # a list of words
	modprobe -d "$kdir" -S "$release" --show-depends -a virtio_pci virtio_console \
		$(share_drivers) overlay ${cable:+"$(card_driver)"} |
	while read -r word path rest; do
		[ "$word" = insmod ] || continue
		case $path in
		*.xz) xz -dc "$path" >"$1/$(basename "$path" .xz)" ;;
		*) cp "$path" "$1/" ;;
		esac
		basename "$path" .xz
	done | awk '!seen[$0]++' >"$1/order"
}

# kvm_works: /dev/kvm may exist and yet hang every kernel, so only a successful boot of a machine
# counts; this is tested once per boot of the host
kvm_works() {
	local answer

	case ${CONGA_KVM-} in
	no) return 1 ;;
	yes) return 0 ;;
	esac
	[ -r /dev/kvm ] && [ -w /dev/kvm ] || return 1
	answer=$vm_cache/kvm-$(qemu-system-x86_64 --version | cat - /proc/sys/kernel/random/boot_id |
		sha256sum | cut -c1-16)
	[ -s "$answer" ] || locked probe_kvm "$answer"
	[ "$(<"$answer")" = yes ]
}

# probe_kvm FILE
probe_kvm() {
	local result=no

	[ ! -s "$1" ] || return 0
	! CONGA_KVM=yes "$0" -k "$kernel" -t "$KVM_PROBE_SECONDS" -- true \
		>/dev/null 2>&1 9>&- || result=yes
	rm -f "$vm_cache"/kvm-*
	echo "$result" >"$1.tmp"
	mv "$1.tmp" "$1"
}

machine_kernel() {
	if is_built "$kernel"; then
		kdir=$(built_dir "$kernel")
		image=$kdir/arch/x86/boot/bzImage
	else
		kdir=$(kernel_dir "$kernel")
		image=$kdir/kernel
	fi
	release=$(<"$kdir/release")
}

machine_release() {
	local dir

	if is_built "$kernel"; then
		dir=$(built_dir "$kernel") && cat "$dir/release"
	elif [[ $kernel = *.deb ]]; then
		dir=$(kernel_dir "$kernel") && cat "$dir/release"
	else
		kernel_release "$kernel"
	fi
}

# machine_settings: the folders that the guest mounts, and two of its three channels
machine_settings() {
	share_settings
	cat <<-'END'
		output=/dev/vport0p1
		token=/dev/vport0p2
		host=
	END
	if is_built "$kernel"; then
		printf "sources='%s'\n" "$kdir"
	else
		echo "sources="
	fi
}

# machine_busybox: prints the file that the guest's first programs are
machine_busybox() {
	if is_foreign "$kernel"; then
		echo "$(userland_dir "$kernel")/usr/bin/busybox"
	else
		command -v busybox
	fi
}

# machine_resident: prints files that the guest copies into its memory: programs and their
# libraries, of this processor alone. By 9p each start opens all of them with several round trips to
# the host, which takes a fifth of the processor time of a start.
machine_resident() {
	local name
	local -a files=()

	! is_foreign "$kernel" || return 0
	for name in $RESIDENT; do
		! name=$(type -P "$name") || files+=("$name")
	done
	[ ! -x "$tree/userspace/conga" ] || files+=("$tree/userspace/conga")
	{
		printf '%s\n' "${files[@]}"
		{ ldd "${files[@]}" 2>/dev/null || true; } | grep -o '/[^ :]*'
	} | xargs realpath | sort -u
}

# emulator_threads: one thread emulates all processors. With one thread for each, QEMU 7.2
# sometimes runs a breakpoint that the kernel, which patches its own code under traffic (static
# keys), has already removed: "Oops: int3". One thread is as fast, since tests wait more than they
# run, and faster with KASAN: no processor waits for a lock whose holder the host has stopped.
# KASAN and lockdep need no parallel processors: they remember freed memory, and the order of
# locks. Data races are found only by processors that run at the same time.
# Kernels for arm64 replace an instruction at once, without a breakpoint.
emulator_threads() {
	[ "$kernel" = smp-kcsan ] || is_foreign "$kernel" && echo multi || echo single
}

# emulator: prints QEMU's program for the kernel's processor
emulator() {
	is_foreign "$kernel" && echo qemu-system-aarch64 || echo qemu-system-x86_64
}

# fill_tsc_khz FILE
fill_tsc_khz() {
	[ -x "$1" ] || { gcc -O2 -o "$1.tmp" "$here/tsc_khz.c" && mv "$1.tmp" "$1"; }
}

# tsc_khz: prints the rate of this computer's time stamp counter, which is also the emulator's. A
# kernel that measures the rate itself while the computer is busy may be wrong by a factor of five,
# and so is its clock.
tsc_khz() {
	local program

	program=$vm_cache/tsc_khz-$(sha256sum <"$here/tsc_khz.c" | cut -c1-12)
	[ -x "$program" ] || locked fill_tsc_khz "$program"
	"$program"
}

choose_accelerator() {
	rate=
	if [ -n "$icount" ]; then
		accel=(-accel tcg -icount "shift=$icount,sleep=off" -cpu max)
		cpus=1
	elif is_foreign "$kernel"; then
		accel=(-accel "tcg,thread=$(emulator_threads)" -cpu cortex-a57)
	elif [ -z "$plugin" ] && kvm_works; then
		accel=(-accel kvm -cpu host)
	else
		accel=(-accel "tcg,thread=$(emulator_threads)" -cpu qemu64)
		rate=tsc_early_khz=$(tsc_khz)
	fi
}

# machine_prepare: runs after the kernel was unpacked, because testing KVM boots it
machine_prepare() {
	need "$(emulator)" busybox cpio modprobe setpriv gcc
	[ -z "$plugin" ] || make -s -C "$here/plugin"
	share_choose
	choose_accelerator
	stop_signal=TERM
}

# after_warning: the kernel itself has some data races of several processors, after which it must
# continue; the log shows which code raced
after_warning() {
	[ "$kernel" = smp-kcsan ] || echo panic_on_warn=1
}

# redundant: KASAN finds these faults, too. The slab allocator's own checks read memory that KASAN
# has poisoned, each byte by the slow path, which takes a fifth of the machine's time.
redundant() {
	[ "$kernel" != smp-kasan ] || echo slub_debug=-
}

# A busy computer stops the machine for seconds, which its kernel must not take for a broken timer,
# a lockup or a stall.
readonly PATIENT='no_timer_check watchdog_thresh=60 rcupdate.rcu_cpu_stall_timeout=120'

# machine_start: QEMU's standard output is the token channel. It is a pipe, so that its end and
# QEMU's are one event. QEMU dies with this script, even by KILL. In QEMU's other machine type a
# program makes the table of interrupts, which takes a kernel with KASAN 25 seconds for each
# device.
machine_start() {
	local type=q35 console=ttyS0 args

	! is_foreign "$kernel" || type=virt console=ttyAMA0
	share_start
	# shellcheck disable=SC2054 # the commas are QEMU's
	args=(
		-nodefaults -no-user-config -machine "$type" -display none -no-reboot
		"${accel[@]}" -smp "$cpus" -m "$memory"
		-kernel "$image" -initrd "$work/initrd.cpio"
		-append "console=$console tsc=reliable $rate $PATIENT norandmaps ignore_loglevel printk.devkmsg=on oops=panic softlockup_panic=1 $(after_warning) $(redundant) panic=-1"
		-serial "file:$work/log"
		-device virtio-serial-pci
		-chardev "file,id=output,path=$work/output"
		-device virtserialport,chardev=output,nr=1
		-chardev file,id=token,path=/dev/fd/1
		-device virtserialport,chardev=token,nr=2
		"${share_args[@]}"
	)
	[ -z "$plugin" ] || args+=(-plugin "$here/plugin/build/$plugin.so,out=$sections/section")
	[ -z "$cable" ] || args+=(
		-netdev "dgram,id=cable,local.type=unix,local.path=${cable%%:*},remote.type=unix,remote.path=${cable#*:}"
		-device "${card/%virtio/virtio-net-pci},netdev=cable,romfile="
	)
	touch "$work/output" "$work/log"
	exec {token}< <(exec setpriv --pdeathsig KILL "$(emulator)" \
		"${args[@]}" </dev/null 2>"$work/errors")
	machine=$!
}
