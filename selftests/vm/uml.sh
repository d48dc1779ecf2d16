# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# The machine of User Mode Linux: a kernel that runs as a program, with the
# host's files by hostfs. Sourced by run, whose variables it reads and sets.

machine_kernel() {
	kdir=$(built_dir "$kernel")
	release=$(<"$kdir/release")
}

machine_release() {
	local dir

	dir=$(built_dir "$kernel") && cat "$dir/release"
}

machine_prepare() {
	need busybox cpio setpriv unshare setsid
	stop_signal=KILL
}

# Nothing to load: all is built in.
machine_modules() {
	mkdir -p "$1"
	: >"$1/order"
}

machine_settings() {
	cat <<-'END'
		root='-t hostfs -o ro,/ none'
		modules=
		sources=
		output=/run/vm/host/output
		token=/dev/tty1
	END
	echo "host='$work'"
}

# uml_memory_dir: where its memory is a file; a small /dev/shm would end it by a
# bus error.
uml_memory_dir() {
	if [ "$(df -m --output=avail /dev/shm 2>/dev/null | tail -n 1)" -gt "$memory" ]; then
		echo /dev/shm
	else
		echo "$work"
	fi
}

readonly SEEDED_START=1400000000000000000	# ns of the epoch: in May 2014

# machine_start: a PID namespace of its own, since its processes are traced ones
# of the host's, which would run wild if the kernel that traces them is killed,
# with a shell as its init, since that gets no SIGABRT, by which the kernel ends
# when it panics; a session of its own, since before that it sends SIGTERM to its
# process group. The token comes by file descriptor 3, all it prints is its log.
# Paths are relative: random numbers are made of the command line, too.
machine_start() {
	local isolate=(unshare --pid --fork --kill-child) args

	[ "$(id -u)" = 0 ] || isolate+=(--map-root-user)
	args=(
		"mem=${memory}M" uml_dir=. initrd=initrd.cpio rdinit=/init
		con=null ssl=null con0=null,fd:1 con1=null,fd:3
		norandmaps ignore_loglevel printk.devkmsg=on
		oops=panic panic_on_warn=1 panic=-1
	)
	[ -z "$time_travel" ] || args+=(time-travel=inf-cpu)
	[ -z "$seed" ] || args+=("random-seed=$seed" "time-travel-start=$SEEDED_START")
	touch "$work/output"
	exec {token}< <(ulimit -c 0
		export TMPDIR
		TMPDIR=$(uml_memory_dir)
		cd "$work"
		exec setpriv --pdeathsig KILL "${isolate[@]}" \
			sh -c 'setsid "$@"; exit' sh "$kdir/linux" \
			"${args[@]}" 3>&1 >"$work/log" 2>"$work/errors" </dev/null)
	machine=$!
}
