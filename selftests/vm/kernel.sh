# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Selects a stock Debian kernel, and the folder of its unpacked package. series.sh has the names of
# these kernels. run, module, headers, ../style and ../setup source this file; it never runs by
# itself.
#
# Nothing is installed: packages are unpacked under one cache folder, one
# sub-folder per kernel release, which appears there complete or not at all.

# Otherwise $(...) would continue after an error.
shopt -s inherit_errexit

# The cache is here and not in the tree, so that "git clean" and a second checkout do not cost
# another download of 70 MB.
vm_cache=${CONGA_CACHE:-${XDG_CACHE_HOME:-${HOME:?HOME is not set}/.cache}/conga}

# These are the number of tries for a lock of apt and the seconds between them: ten minutes in
# all.
readonly APT_TRIES=${APT_TRIES:-60} APT_PAUSE=${APT_PAUSE:-10}

# shellcheck source=selftests/vm/series.sh
. "${BASH_SOURCE[0]%/*}/series.sh"

die() {
	echo "${0##*/}: $*" >&2
	exit 1
}

# need PROGRAM...: reports a missing program at once
need() {
	local program

	for program; do
		command -v "$program" >/dev/null ||
			die "$program is not installed: run selftests/setup check"
	done
}

# locked COMMAND...: runs the command while no other process fills the cache
locked() {
	locked_by lock "$@"
}

# locked_by NAME COMMAND...: a command that takes minutes has a lock of its own, so that no other
# machine waits for it
locked_by() {
	mkdir -p "$vm_cache"
	(
		flock 9
		"${@:2}"
	) 9>"$vm_cache/$1"
}

# apt_cache WORD...: asks apt, with an index in our own cache: apt would otherwise read all its lists
# each time, for half a second, since images of containers forbid it to keep an index
apt_cache() {
	local dir=$vm_cache/apt-index

	mkdir -p "$dir"
	apt-cache -o Dir::Cache::pkgcache="$dir/packages.bin" -o Dir::Cache::srcpkgcache="$dir/sources.bin" "$@"
}

# apt_knows SERIES: prints the releases of this series that apt knows, newest first
apt_knows() {
	apt_cache pkgnames linux-image- | sed 's/^linux-image-//' | series_releases "$1" | sort -rV
}

have_kernel() {
	[ -d "$vm_cache/kernel/$1" ]
}

# A name without a version is only mentioned by other packages.
obtainable() {
	have_kernel "$1" || [ -n "$(apt_cache madison "linux-image-$1")" ]
}

have_headers() {
	[ -e "/lib/modules/$1/build/Makefile" ] || [ -d "$vm_cache/headers/$1" ]
}

cached_releases() {
	[ ! -d "$vm_cache/kernel" ] || find "$vm_cache/kernel" -mindepth 1 -maxdepth 1 -printf '%f\n' |
		series_releases "$1"
}

# apt_get ARGUMENT...: waits for another program that uses apt, e.g. unattended upgrades. Only
# dpkg's lock has a time-out of its own in apt.
apt_get() {
	local status try says

	says=$(mktemp)
	for ((try = 0; try < APT_TRIES; try++)); do
		((try == 0)) || sleep "$APT_PAUSE"
		status=0
		apt-get -qq -o DPkg::Lock::Timeout=$((APT_TRIES * APT_PAUSE)) "$@" 2>"$says" || status=$?
		((status)) && grep -q 'Could not get lock' "$says" || break
		((try)) || echo "${0##*/}: waiting for another program that uses apt" >&2
	done
	cat "$says" >&2
	rm "$says"
	return "$status"
}

# apt_refresh: updates the lists, because a fresh machine has none. Some processors have no
# long-term support, and one list of theirs may be damaged: the others are enough.
apt_refresh() {
	[ "$(id -u)" = 0 ] || [ -n "${APT_CONFIG-}" ] ||
		die "apt does not know the kernel asked for: run apt-get update as root"
	echo "${0##*/}: apt-get update" >&2
	apt_get update >&2 || [ -n "${vm_archive-}" ]
}

# pick_release SERIES: prints the newest release whose headers are here, or otherwise the newest,
# so that a module built on this machine fits the kernel that the machine boots
pick_release() {
	local release releases

	mapfile -t releases < <({ cached_releases "$1"; apt_knows "$1"; } | sort -ruV)
	for release in "${releases[@]}"; do
		have_headers "$release" || continue
		obtainable "$release" && echo "$release" && return
	done
	for release in "${releases[@]}"; do
		obtainable "$release" && echo "$release" && return
	done
}

# kernel_release SERIES
kernel_release() {
	local release

	choose_archive "$1"
	release=$(pick_release "$1")
	if [ -z "$release" ]; then
		apt_refresh
		release=$(pick_release "$1")
	fi
	[ -n "$release" ] || die "apt knows no kernel $1 ($(series_flavour "$1"))"
	echo "$release"
}

# download PACKAGE...: downloads into the current folder. Lists can be older than the archive,
# which then answers 404, or have no such package yet: in this case they are refreshed once.
download() {
	local get=(apt_get -o APT::Sandbox::User=root download "$@")

	echo "${0##*/}: downloading $*" >&2
	"${get[@]}" 2> >(grep -v '^E: ' >&2) >&2 && return
	apt_refresh
	"${get[@]}" >&2 || die "could not download $*"
}

# u NUMBER OFFSET FILE: prints the unsigned number of NUMBER bytes in the file
u() {
	od -An "-tu$1" -j "$2" -N "$1" "$3" | tr -d ' '
}

# uncompress_kernel VMLINUZ VMLINUX: a machine without KVM needs half of its boot time to unpack
# the kernel, so this is done here, once. Offsets are those of Documentation/x86/boot.rst. QEMU
# starts the ELF file inside by PVH.
uncompress_kernel() {
	local start length unpack

	# Only x86's image unpacks itself.
	[ "$(head -c 518 "$1" | tail -c 4 | tr -d '\0')" = HdrS ] || return 1
	start=$((($(u 1 0x1f1 "$1") + 1) * 512 + $(u 4 0x248 "$1")))
	length=$(u 4 0x24c "$1")
	case $(od -An -tx1 -j "$start" -N 4 "$1" | tr -d ' ') in
	fd377a58) unpack=(xz -dc --single-stream) ;;
	28b52ffd) unpack=(zstd -dcq) ;;
	1f8b*) unpack=(gzip -dcq) ;;
	*) return 1 ;;
	esac
	# The size of the kernel follows the compressed data, and some of these programs call it
	# trailing garbage. Therefore the result is checked, and not the status.
	tail -c +$((start + 1)) "$1" | head -c "$length" |
		"${unpack[@]}" >"$2" 2>/dev/null || true
	[ "$(head -c 4 "$2" | od -An -tx1 | tr -d ' ')" = 7f454c46 ]
}

# unpack_kernel DIR DEB...: unpacks the kernel and its modules with modprobe's index
unpack_kernel() {
	local dir=$1 deb modules release image
	shift

	mkdir "$dir" "$dir/unpacked"
	for deb; do
		dpkg -x "$deb" "$dir/unpacked"
	done
	for modules in "$dir"/unpacked/{,usr/}lib/modules/*; do
		[ ! -d "$modules" ] || break
	done
	release=${modules##*/}
	mkdir -p "$dir/lib/modules"
	mv "$modules" "$dir/lib/modules/"
	image=$dir/unpacked/boot/vmlinuz-$release
	[ -e "$image" ] || image=$dir/lib/modules/$release/vmlinuz
	uncompress_kernel "$image" "$dir/kernel" || cp "$image" "$dir/kernel"
	rm -r "$dir/unpacked"
	depmod -b "$dir" "$release"
	echo "$release" >"$dir/release"
}

# scratch_in DIR: creates a folder beside the final place, so that the rename into it is atomic.
# Under the lock any older folder belongs to a process that died.
scratch_in() {
	mkdir -p "$1"
	rm -rf "$1"/.tmp.*
	mktemp -d "$1/.tmp.XXXXXX"
}

# image_packages RELEASE: prints one package, or since 7.0 several on which one depends
image_packages() {
	echo "linux-image-$1"
	apt_cache depends "linux-image-$1" |
		sed -nE "s/^ *\|?Depends: (linux-(base|binary|modules)-${1//[.+]/\\&})$/\1/p"
}

# fill_kernel RELEASE, or fill_kernel NAME DEB for a local package
fill_kernel() {
	local name=$1 scratch packages debs=("${@:2}")

	! have_kernel "$name" || return 0
	scratch=$(scratch_in "$vm_cache/kernel")
	if [ ${#debs[@]} = 0 ]; then
		mapfile -t packages < <(image_packages "$name")
		(cd "$scratch" && download "${packages[@]}")
		debs=("$scratch"/*.deb)
	fi
	unpack_kernel "$scratch/done" "${debs[@]}"
	mv -T "$scratch/done" "$vm_cache/kernel/$name"
	rm -r "$scratch"
}

# kernel_dir SERIES|DEB: prints the folder that holds kernel, release and lib/modules
kernel_dir() {
	local name deb=

	need apt-get dpkg depmod flock
	choose_archive "$1"
	case $1 in
	*.deb)
		deb=$(realpath -e "$1") || die "$1 does not exist"
		name=deb-$(sha256sum "$deb" | cut -c1-16)
		;;
	*)
		name=$(kernel_release "$1")
		;;
	esac
	have_kernel "$name" || locked fill_kernel "$name" ${deb:+"$deb"}
	echo "$vm_cache/kernel/$name"
}

# headers_packages RELEASE: prints the package itself and the two that hold the rest. Its other
# dependencies (a compiler, the image) exist on this machine or are unnecessary.
headers_packages() {
	echo "linux-headers-$1"
	apt_cache depends "linux-headers-$1" |
		sed -nE 's/^ *\|?Depends: (linux-(headers-.*-common(-rt)?|kbuild-.*))$/\1/p'
}

# download_headers PACKAGE...: downloads into the current folder. Headers for another processor are
# used with the programs of this one, which kbuild runs.
download_headers() {
	local package others=()

	for package; do
		case $package in
		linux-kbuild-*)
			([ -n "${vm_archive-}" ] && on_debian_12 && unset APT_CONFIG
				download "$package") || die "could not download $package"
			;;
		*) others+=("$package") ;;
		esac
	done
	download "${others[@]}"
}

# fill_headers RELEASE: unpacks three packages, and changes the one absolute path in them. Without
# the stripped vmlinux kbuild leaves out BTF, and so needs no pahole.
fill_headers() {
	local release=$1 dir=$vm_cache/headers/$1 scratch deb packages

	[ ! -d "$dir" ] || return 0
	mapfile -t packages < <(headers_packages "$release")
	[ ${#packages[@]} = 3 ] || die "linux-headers-$release has unexpected dependencies"
	scratch=$(scratch_in "$vm_cache/headers")
	(cd "$scratch" && download_headers "${packages[@]}")
	for deb in "$scratch"/*.deb; do
		dpkg -x "$deb" "$scratch/done"
	done
	sed -i "s|^include /usr/src/|include $dir/usr/src/|" \
		"$scratch/done/usr/src/linux-headers-$release/Makefile"
	rm -f "$scratch/done/usr/src/linux-headers-$release/vmlinux"
	mv -T "$scratch/done" "$dir"
	rm -r "$scratch"
}

# kbuild runs these programs, besides the compiler; with W=1 also perl, on the comments.
readonly ROOT_PACKAGES='base-files bash coreutils dash diffutils findutils grep make mawk perl sed'

# fill_root RELEASE: puts a suite's headers into a folder that looks like its root to kbuild: its
# programs need a later C library than this machine's, and the kernel has options that only its
# own compiler knows
fill_root() {
	local dir=$vm_cache/headers/$1 scratch deb

	[ ! -d "$dir" ] || return 0
	scratch=$(scratch_in "$vm_cache/headers")
	echo "${0##*/}: downloading linux-headers-$1 and its compiler" >&2
	# shellcheck disable=SC2086 # a list of words
	apt_get -y --no-install-recommends --download-only -o "Dir::Cache::Archives=$scratch" \
		install "linux-headers-$1" $ROOT_PACKAGES >&2 || die "could not download them"
	for deb in "$scratch"/*.deb; do
		dpkg -x "$deb" "$scratch/done"
	done
	rm -rf "$scratch/done/usr/share/"{doc,info,locale,man}
	rm -f "$scratch/done/usr/src/linux-headers-$1/vmlinux"
	mkdir "$scratch/done/host"
	ln -s mawk "$scratch/done/usr/bin/awk"
	mv -T "$scratch/done" "$dir"
	rm -r "$scratch"
}

# kernel_make SERIES DIR ARGUMENT...: runs make for the module in DIR, for that kernel
kernel_make() {
	# Without a vmlinux kbuild cannot make BTF, and says so for each module.
	local headers settings=(-j"$(nproc)" CONFIG_DEBUG_INFO_BTF_MODULES=)
	headers=$(headers_dir "$1")

	if is_suite "$1"; then
		root_make "$headers" "$2" "${settings[@]}" "${@:3}"
	else
		# shellcheck disable=SC2046 # a list of words
		make $(series_make "$1") -C "$headers" M="$2" "${settings[@]}" "${@:3}"
	fi
}

# root_make HEADERS DIR ARGUMENT...: runs make in that root, where this machine's files are /host
root_make() {
	local as=()

	need unshare
	[ "$(id -u)" = 0 ] || as=(-r)
	# shellcheck disable=SC2016 # the inner shell's
	unshare "${as[@]}" -m bash -c 'mount --rbind / "$1/host" &&
		mount --rbind /dev "$1/dev" && mount --rbind /proc "$1/proc" &&
		exec chroot "$1" /usr/bin/env -i PATH=/usr/bin HOME=/ make -C "$2" M="/host$3" "${@:4}"' \
		bash "${1%/usr/src/*}" "/usr/src/${1##*/usr/src/}" "${@:2}"
}

# fetch_suite SUITE: downloads the headers of its newest kernel, whatever the cache has: the suite
# then means this kernel
fetch_suite() {
	need apt-get dpkg flock
	choose_archive "$1"
	apt_refresh
	locked fill_root "$(apt_knows "$1" | sed -n 1p)"
}

# headers_dir SERIES: prints a KDIR for kbuild, installed or from the cache
headers_dir() {
	local release fill=fill_headers

	need apt-get dpkg flock
	choose_archive "$1"
	! is_suite "$1" || fill=fill_root
	release=$(kernel_release "$1")
	if [ -e "/lib/modules/$release/build/Makefile" ]; then
		echo "/lib/modules/$release/build"
		return
	fi
	locked "$fill" "$release"
	echo "$vm_cache/headers/$release/usr/src/linux-headers-$release"
}

# unpack_source PACKAGE[=VERSION] SCRATCH WORD...: unpacks a kernel's source into SCRATCH/done; the
# words for tar select its parts
unpack_source() {
	local package=${1%%=*} scratch=$2

	(cd "$scratch" && download "$1")
	shift 2
	mkdir "$scratch/done"
	dpkg --fsys-tarfile "$scratch/$package"_*.deb |
		tar -xO "./usr/src/$package.tar.xz" |
		tar -xJ -C "$scratch/done" "$@"
}

# fill_tool NAME SERIES STRIP FILE...: unpacks a tool that only the source package has. It keeps
# these files, without STRIP leading folders.
fill_tool() {
	local dir=$vm_cache/$1 source=linux-source-$2 scratch

	[ ! -d "$dir/$2" ] || return 0
	scratch=$(scratch_in "$dir")
	unpack_source "$source" "$scratch" --strip-components=$((1 + $3)) "${@:4}"
	mv -T "$scratch/done" "$dir/$2"
	rm -r "$scratch"
}
