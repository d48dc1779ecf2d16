# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# The machine of User Mode Linux: a kernel that runs as a program, with the host's files by
# hostfs. run sources this file, which reads and sets run's variables.

machine_kernel() {
	kdir=$(built_dir "$kernel")
	release=$(<"$kdir/release")
}

machine_release() {
	local dir

	dir=$(built_dir "$kernel") && cat "$dir/release"
}

machine_prepare() {
	need busybox cpio setpriv unshare setsid taskset flock
	stop_signal=KILL
}

# No module is loaded, because all drivers are built in.
machine_modules() {
	mkdir -p "$1"
	: >"$1/order"
}

machine_settings() {
	cat <<-'END'
		root='-t hostfs -o ro,/ none'
		tree_share=
		programs=
		modules=
		sources=
		output=/run/vm/host/output
		token=/dev/tty1
	END
	echo "host='$work'"
}

machine_busybox() {
	command -v busybox
}

# machine_resident: prints nothing, since hostfs opens the host's files directly
machine_resident() {
	:
}

# uml_memory_dir: prints the folder of the file that is the machine's memory; a small /dev/shm
# would end the machine by a bus error
uml_memory_dir() {
	if [ "$(df -m --output=avail /dev/shm 2>/dev/null | tail -n 1)" -gt "$memory" ]; then
		echo /dev/shm
	else
		echo "$work"
	fi
}

# allowed_processors: prints the numbers of those that this process may run on
allowed_processors() {
	local range ranges

	IFS=, read -ra ranges < <(awk '/^Cpus_allowed_list:/ { print $2 }' /proc/self/status)
	for range in "${ranges[@]}"; do
		seq "${range%-*}" "${range#*-}"
	done
}

# Runs the rest of its words with the machine's memory in a tmpfs of its own whose pages are huge,
# if this computer can mount one: the machine reads its memory at random, and with pages of 4 KB
# translating addresses takes a third of that time.
readonly IN_HUGE_PAGES='! mount -t tmpfs -o huge=always,size=0 memory memory 2>/dev/null ||
	TMPDIR=$PWD/memory
	setsid "$@"; exit'

# The first machine of a processor locks "processor-NUMBER", which the lab looks at, too.
readonly MACHINES_OF_A_PROCESSOR=('' .1 .2 .3)

# machine_processor: sets processor to one of those that the fewest other machines are bound to,
# and locks a file of it until run and the machine have ended. The kernel passes each system call
# from process to process, which takes about three times as long from one processor to another as
# on the same one. If every processor has all its machines, this one is not bound.
machine_processor() {
	local number place

	for place in "${MACHINES_OF_A_PROCESSOR[@]}"; do
		for number in $(allowed_processors); do
			exec {processor_lock}>"$vm_cache/processor-$number$place"
			if flock -n "$processor_lock"; then
				processor=$number
				return
			fi
			exec {processor_lock}>&-
		done
	done
	processor=
}

readonly SEEDED_START=1400000000000000000	# ns of the epoch: in May 2014

# machine_start: starts the kernel in a PID namespace of its own, since its processes are traced
# processes of the host, which would run on without control if the tracing kernel is killed. A
# shell is the init of this namespace, since init gets no SIGABRT, by which the kernel ends when
# it panics. It has a session of its own, since the kernel first sends SIGTERM to its process
# group. The token comes by file descriptor 3, and all printed text is the log. Paths are
# relative, because random numbers depend on the command line, too.
machine_start() {
	local isolate=(unshare --mount --pid --fork --kill-child) args bind=()

	[ "$(id -u)" = 0 ] || isolate+=(--map-root-user)
	args=(
		"mem=${memory}M" uml_dir=. initrd=initrd.cpio rdinit=/init
		con=null ssl=null con0=null,fd:1 con1=null,fd:3
		norandmaps ignore_loglevel printk.devkmsg=on
		oops=panic panic_on_warn=1 panic=-1
	)
	[ -z "$time_travel" ] || args+=(time-travel=inf-cpu)
	[ -z "$seed" ] || args+=("random-seed=$seed" "time-travel-start=$SEEDED_START")
	machine_processor
	[ -z "$processor" ] || bind=(taskset -c "$processor")
	touch "$work/output"
	mkdir "$work/memory"
	exec {token}< <(ulimit -c 0
		export TMPDIR
		TMPDIR=$(uml_memory_dir)
		cd "$work"
		exec "${bind[@]}" setpriv --pdeathsig KILL "${isolate[@]}" \
			sh -c "$IN_HUGE_PAGES" sh "$kdir/linux" \
			"${args[@]}" 3>&1 >"$work/log" 2>"$work/errors" </dev/null)
	machine=$!
}
