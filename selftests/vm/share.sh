# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# How a machine of QEMU sees folders of the host: by 9p, or, if its kernel has no 9p, as Debian's
# cloud flavour, by virtiofs, which needs a program on the host for each folder. qemu.sh sources this
# file, which reads and sets run's variables.

# cache=loose is safe, because the host does not edit files meanwhile, and 9p is slow because of a
# round trip per look-up.
readonly OPTIONS_9P='trans=virtio,version=9p2000.L,ro,cache=loose,access=any,msize=512000'

readonly VIRTIOFSD=/usr/lib/qemu/virtiofsd

# Runs the rest of its words where the first is a copy of the second that nobody can write.
# shellcheck disable=SC2016 # for the inner shell
readonly IN_READ_ONLY='mount --rbind "$2" "$1" && findmnt -Rnro TARGET "$1" |
	while read -r dir; do mount -o remount,bind,ro "$(printf "%b" "$dir")" || exit; done &&
	shift 2 && exec "$@"'

# share_choose: sets share. Kernels that we built have 9p.
share_choose() {
	share=9p
	is_built "$kernel" || [ -n "$(share_module 9pnet_virtio)" ] || share=virtiofs
	[ "$share" = 9p ] || [ "$(id -u)" = 0 ] ||
		die "the kernel $release has no 9p: run needs root for virtiofs"
	[ "$share" = 9p ] || need "$VIRTIOFSD" findmnt unshare
}

# share_module NAME: prints the kernel's module, if it has this one
share_module() {
	sed -n "s|^\(.*/$1\.ko[^:]*\):.*|\1|p" "$kdir/lib/modules/$release/modules.dep"
}

# share_drivers: prints the modules that the guest loads first. The order matters: each needs the
# previous ones.
share_drivers() {
	[ "$share" = 9p ] && echo 9p 9pnet_virtio || echo virtiofs
}

# share_folders: prints a line for each folder: the name by which the guest mounts it, and its path.
# A machine of another processor has Debian's programs for that one, and above the tree our own.
share_folders() {
	if is_foreign "$kernel"; then
		echo "root $(userland_dir "$kernel")"
		echo "tree $tree"
		echo "programs $tree/build/$release/programs"
	else
		echo "root /"
	fi
	is_built "$kernel" || echo "modules $kdir/lib/modules/$release"
}

# share_settings: prints for the guest's first program how it mounts them; what it does not mount
# is empty
share_settings() {
	local name

	printf '%s=\n' tree_share programs modules
	share_folders | while read -r name _; do
		[ "$name" = tree ] && echo -n tree_share= || echo -n "$name="
		if [ "$share" = 9p ]; then
			echo "'-t 9p -o $OPTIONS_9P $name'"
		else
			echo "'-t virtiofs -o ro $name'"
		fi
	done
}

# share_start: sets share_args, QEMU's arguments. The programs of virtiofs end with QEMU, which they
# are connected to.
share_start() {
	local name path

	share_args=()
	[ "$share" = 9p ] || share_args+=(-machine memory-backend=memory
		-object "memory-backend-memfd,id=memory,size=${memory}M,share=on")
	while read -r name path; do
		if [ "$share" = 9p ]; then
			share_args+=(
				-fsdev "local,id=$name,path=$path,security_model=none,readonly=on,multidevs=remap"
				-device "virtio-9p-pci,fsdev=$name,mount_tag=$name"
			)
		else
			share_by_program "$name" "$path"
			share_args+=(
				-chardev "socket,id=$name,path=$work/$name.socket"
				-device "vhost-user-fs-pci,chardev=$name,tag=$name"
			)
		fi
	done < <(share_folders)
}

# share_by_program NAME PATH: starts a program that shares the folder, and waits until it listens
share_by_program() {
	mkdir "$work/$1"
	setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child \
		sh -c "$IN_READ_ONLY" sh "$work/$1" "$2" \
		"$VIRTIOFSD" --socket-path="$work/$1.socket" -o "source=$work/$1" -o cache=always \
		-o sandbox=chroot -o log_level=err </dev/null >/dev/null 2>>"$work/errors" &
	until_true [ -S "$work/$1.socket" ] ||
		fail "$EXIT_MACHINE" "virtiofs does not share $2"
}
