# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# User Mode Linux, built from Debian's source: uml, uml-debug with every checker that
# the kernel has, and uml-6.12, a later kernel, for what 6.1 lacks (PLB). Sourced after
# kernel.sh by run and module.
#
# All lie in the cache, each in the folder that modules are built against, named
# after the version of the source, the patch and the configuration.

is_uml() {
	[[ $1 == uml || $1 == uml-debug || $1 == uml-6.12 ]]
}

# uml_plain KERNEL: the one with the same source, without checkers
uml_plain() {
	echo "${1%-debug}"
}

# uml_source KERNEL: Debian's package
uml_source() {
	[ "$1" = uml-6.12 ] && echo linux-source-6.12 || echo linux-source-6.1
}

# uml_configs KERNEL: the files that make its configuration.
uml_configs() {
	echo "$here/uml.config"
	[ "$1" = uml ] || echo "$here/$1.config"
}

# uml_key KERNEL
uml_key() {
	# shellcheck disable=SC2046 # a list of files without blanks is made here
	cat $(uml_configs "$1") "$here/$(uml_plain "$1").patch" | sha256sum | cut -c1-12
}

# uml_candidate KERNEL
uml_candidate() {
	apt-cache policy "$(uml_source "$1")" | sed -n 's/^ *Candidate: \([^(]\)/\1/p'
}

uml_cached_version() {
	local dir

	for dir in "$vm_cache/uml/$1-"*"-$(uml_key "$1")"; do
		[ ! -d "$dir" ] || basename "$dir"
	done | sed "s/^$1-\(.*\)-[0-9a-f]*$/\1/" | tail -n 1
}

# uml_version KERNEL: the newest that apt knows, or without apt's lists one
# that is in the cache.
uml_version() {
	local version

	version=$(uml_candidate "$1")
	[ -n "$version" ] || version=$(uml_cached_version "$1")
	if [ -z "$version" ]; then
		apt_refresh
		version=$(uml_candidate "$1")
	fi
	[ -n "$version" ] || die "apt knows no $(uml_source "$1")"
	echo "$version"
}

# uml_unpack DIR KERNEL: without what fills most of the disk and is not built.
uml_unpack() {
	local scratch

	[ ! -d "$1" ] || return 0
	scratch=$(scratch_in "$vm_cache/uml")
	unpack_source "$(uml_source "$2")" "$scratch" --strip-components=1 \
		--exclude='*/drivers/gpu/drm/*/include/*' --exclude='*/Documentation/*/*'
	patch -s -p1 -d "$scratch/done" <"$here/$(uml_plain "$2").patch"
	mv -T "$scratch/done" "$1"
	rm -r "$scratch"
}

# uml_configure SOURCE BUILD KERNEL: what was asked for and is not in the result
# is a mistake, not a wish. Of two lines with one name the later counts; one without
# a value asks for nothing.
uml_configure() {
	local wanted=$2.wanted line

	# shellcheck disable=SC2046 # as above
	cat $(uml_configs "$3") | grep '^CONFIG_' | tac | sort -t= -u -k1,1 |
		grep -v '=$' >"$wanted"
	make -s -C "$1" ARCH=um O="$2" KCONFIG_ALLCONFIG="$wanted" allnoconfig >/dev/null
	while read -r line; do
		grep -qxF "$line" "$2/.config" || die "$3: the source does not take $line"
	done <"$wanted"
	rm "$wanted"
}

# uml_progress KERNEL: of thousands of lines, one in a few hundred.
uml_progress() {
	awk -v kernel="$1" '/^  (CC|AS|LD|AR|LINK) / && !(++n % 200) {
		print "uml: " kernel ", " n " objects built"; fflush() }' >&2
}

# uml_build SOURCE BUILD KERNEL: kept are the kernel and what builds modules. Its
# random numbers are made of its version, too, which shall not tell when and by whom
# it was built.
uml_build() {
	local log=$2.log
	local -x KBUILD_BUILD_TIMESTAMP=@0 KBUILD_BUILD_VERSION=1
	local -x KBUILD_BUILD_USER=conga KBUILD_BUILD_HOST=conga

	mkdir "$2"
	uml_configure "$@"
	echo "uml: building $3, a few minutes" >&2
	make -C "$1" ARCH=um O="$2" -j"$(nproc)" 2>"$log" | uml_progress "$3" ||
		{ tail -n 30 "$log" >&2; die "$3 did not build"; }
	make -s -C "$2" ARCH=um kernelrelease >"$2/release"
	find "$2" -name '*.o' ! -path '*/scripts/*' -delete
	rm "$log" "$2/vmlinux"
}

# fill_uml KERNEL VERSION DIR: BUILD cannot move afterwards, so it is built in
# place and gets its release last.
fill_uml() {
	local plain source

	plain=$(uml_plain "$1")
	source=$vm_cache/uml/source-$2-$(uml_key "$plain")

	[ ! -s "$3/release" ] || return 0
	need gcc make flex bison bc patch
	uml_unpack "$source" "$plain"
	rm -rf "$3"
	uml_build "$source" "$3" "$1"
}

# uml_dir KERNEL: the folder that holds its program and builds its modules.
uml_dir() {
	local version dir

	need apt-get apt-cache dpkg flock
	version=$(uml_version "$1")
	dir=$vm_cache/uml/$1-$version-$(uml_key "$1")
	[ -s "$dir/release" ] || locked fill_uml "$1" "$version" "$dir"
	echo "$dir"
}

