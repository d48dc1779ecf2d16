# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Kernels built from Debian's source. For User Mode Linux there are uml, uml-debug with every
# checker that the kernel has, uml-gcov, which counts the executed lines of a module, and
# uml-6.12, a later kernel with features that 6.1 lacks (PLB). For QEMU with several processors
# there are smp-kasan with the same checkers, and smp-kcsan, which finds data races. run and
# module source this file after kernel.sh.
#
# All kernels lie in the cache, each in the folder that modules are built against, which is named
# after the version of the source, the patch and the configuration.

is_uml() {
	[[ $1 == @(uml|uml-debug|uml-gcov|uml-hz1000|uml-6.12) ]]
}

is_smp() {
	[[ $1 == smp-kasan || $1 == smp-kcsan ]]
}

is_built() {
	is_uml "$1" || is_smp "$1"
}

# built_plain KERNEL: prints the kernel with the same source, without checkers
built_plain() {
	[[ $1 == @(uml-hz1000|uml-6.12) ]] && echo "$1" || echo uml
}

# built_patches KERNEL: prints the files that patch its source, in their order
built_patches() {
	local files=("$(built_plain "$1")")

	[ "${files[0]}" != uml-hz1000 ] || files=(uml uml-hz1000)
	printf "$here/%s.patch\n" "${files[@]}"
}

# built_source KERNEL: prints Debian's package
built_source() {
	[ "$1" = uml-6.12 ] && echo linux-source-6.12 || echo linux-source-6.1
}

# built_configs KERNEL: prints the files that make its configuration
built_configs() {
	local files=(uml)

	case $1 in
	uml-*) files+=("$1") ;;
	smp-kasan) files+=(uml-debug smp "$1") ;;
	smp-*) files+=(smp "$1") ;;
	esac
	printf "$here/%s.config\n" "${files[@]}"
}

# built_make KERNEL ARGUMENT...: runs make for its architecture
built_make() {
	local arch=um

	! is_smp "$1" || arch=x86_64
	make ARCH=$arch "${@:2}"
}

# built_folder KERNEL: prints the folder of the cache for all kernels of its kind
built_folder() {
	echo "$vm_cache/${1%%-*}"
}

# built_key KERNEL
built_key() {
	# shellcheck disable=SC2046 # a list of files without blanks is made here
	cat $(built_configs "$1") $(built_patches "$1") | sha256sum | cut -c1-12
}

# built_candidate KERNEL
built_candidate() {
	apt_cache policy "$(built_source "$1")" | sed -n 's/^ *Candidate: \([^(]\)/\1/p'
}

built_cached_version() {
	local dir

	for dir in "$(built_folder "$1")/$1-"*"-$(built_key "$1")"; do
		[ ! -d "$dir" ] || basename "$dir"
	done | sed "s/^$1-\(.*\)-[0-9a-f]*$/\1/" | tail -n 1
}

# built_version KERNEL: prints the newest version that apt knows, or, without apt's lists, one
# that is in the cache
built_version() {
	local version

	version=$(built_candidate "$1")
	[ -n "$version" ] || version=$(built_cached_version "$1")
	if [ -z "$version" ]; then
		apt_refresh
		version=$(built_candidate "$1")
	fi
	[ -n "$version" ] || die "apt knows no $(built_source "$1")"
	echo "$version"
}

# built_unpack DIR KERNEL: unpacks the source without the large parts that are not built
built_unpack() {
	local scratch

	[ ! -d "$1" ] || return 0
	scratch=$(scratch_in "$(dirname "$1")")
	unpack_source "$(built_source "$2")" "$scratch" --strip-components=1 \
		--exclude='*/drivers/gpu/drm/*/include/*' --exclude='*/Documentation/*/*'
	# shellcheck disable=SC2046 # as above
	cat $(built_patches "$2") | patch -s -p1 -d "$scratch/done"
	mv -T "$scratch/done" "$1"
	rm -r "$scratch"
}

# built_configure SOURCE BUILD KERNEL: a requested option that is missing in the result is an
# error. If two lines have one name, the later one counts; a line without a value requests
# nothing.
built_configure() {
	local wanted=$2.wanted line

	# shellcheck disable=SC2046 # as above
	cat $(built_configs "$3") | grep '^CONFIG_' | tac | sort -t= -u -k1,1 |
		grep -v '=$' >"$wanted"
	built_make "$3" -s -C "$1" O="$2" KCONFIG_ALLCONFIG="$wanted" allnoconfig >/dev/null
	while read -r line; do
		grep -qxF "$line" "$2/.config" || die "$3: the source does not take $line"
	done <"$wanted"
	rm "$wanted"
}

# built_progress KERNEL: prints one line in a few hundred of thousands
built_progress() {
	awk -v kernel="$1" '/^  (CC|AS|LD|AR|LINK) / && !(++n % 200) {
		print kernel ": " n " objects built"; fflush() }' >&2
}

# built_minutes KERNEL: prints what two processors need to build it
built_minutes() {
	case $1 in
	smp-*) echo "half an hour" ;;
	uml-debug) echo "some six minutes" ;;
	*) echo "some four minutes" ;;
	esac
}

# built_targets KERNEL: modules need to know which symbols the kernel has. If every access to
# memory is checked, QEMU cannot start the ELF file: its entry is C code that reads the checker's
# map before the map exists.
built_targets() {
	is_uml "$1" && echo all || echo bzImage modules
}

# built_keep BUILD: keeps the kernel, and the files that build modules
built_keep() {
	find "$1" -name '*.o' ! -path '*/scripts/*' -delete
	find "$1" -name 'vmlinux*' -type f -size +1M -delete
}

# built_build SOURCE BUILD KERNEL: builds the kernel. User Mode Linux also derives its random
# numbers from its version, which must not contain the time and the user of the build.
built_build() {
	local log=$2.log
	local -x KBUILD_BUILD_TIMESTAMP=@0 KBUILD_BUILD_VERSION=1
	local -x KBUILD_BUILD_USER=conga KBUILD_BUILD_HOST=conga

	mkdir -p "$2"
	built_configure "$@"
	echo "${0##*/}: building the kernel $3, once: $(built_minutes "$3")" >&2
	# shellcheck disable=SC2046 # a list of words
	built_make "$3" -C "$1" O="$2" -j"$(nproc)" $(built_targets "$3") 2>"$log" |
		built_progress "$3" || { tail -n 30 "$log" >&2; die "$3 did not build"; }
	built_keep "$2"
	rm "$log"
	built_make "$3" -s -C "$2" kernelrelease >"$2/release"
}

# fill_built KERNEL VERSION DIR: BUILD cannot move afterwards, so it is built in place and gets
# its release last
fill_built() {
	local plain source

	plain=$(built_plain "$1")
	source=$(built_folder "$plain")/source-$2-$(built_key "$plain")

	[ ! -s "$3/release" ] || return 0
	need gcc make flex bison bc patch
	locked built_unpack "$source" "$plain"
	rm -rf "$3"
	built_build "$source" "$3" "$1"
}

# built_dir KERNEL: prints the folder that holds its program and builds its modules
built_dir() {
	local version dir

	need apt-get apt-cache dpkg flock
	choose_archive "$1"
	version=$(built_version "$1")
	dir=$(built_folder "$1")/$1-$version-$(built_key "$1")
	[ -s "$dir/release" ] || locked_by "lock-$1" fill_built "$1" "$version" "$dir"
	echo "$dir"
}
