# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# The names by which vm/run and vm/headers know Debian's stock kernels. kernel.sh sources this
# file.
#
# SERIES, 6.1 or 6.12, is a kernel of Debian 12 for amd64. SERIES-rt and SERIES-cloud are its
# flavours. SERIES-arm64, SERIES-s390x, SERIES-ppc64el and SERIES-i386 are the kernels for other
# processors. A suite, trixie (Debian 13) or sid, names the newest kernel that it has.

# shellcheck disable=SC2034 # for usages
readonly SERIES_USAGE='6.1|6.12[-rt|-cloud|-arm64|-s390x|-ppc64el|-i386]|trixie|sid'

is_series() {
	is_suite "$1" || [[ $1 =~ ^[0-9]+\.[0-9]+(-(rt|cloud|arm64|s390x|ppc64el|i386))?$ ]]
}

is_suite() {
	[[ $1 == @(trixie|sid) ]]
}

# series_processor NAME: prints Debian's name of its architecture
series_processor() {
	case $1 in
	*-arm64|*-s390x|*-ppc64el|*-i386) echo "${1##*-}" ;;
	*) echo amd64 ;;
	esac
}

# series_flavour NAME: prints how the names of its packages end
series_flavour() {
	case $1 in
	*-rt|*-cloud) echo "${1##*-}-amd64" ;;
	*-ppc64el) echo powerpc64le ;;
	*-i386) echo 686 ;;
	*) series_processor "$1" ;;
	esac
}

# on_debian_12: does this machine's apt know the kernels of Debian 12?
on_debian_12() {
	[ "$(. /etc/os-release && echo "${VERSION_CODENAME-}")" = bookworm ]
}

# series_archive NAME: prints the archive that this machine's apt does not know, if it is one: a
# suite, an architecture of Debian 12, or on another Debian that of Debian 12 itself
series_archive() {
	if is_suite "$1"; then
		echo "$1"
	elif [ "$(series_processor "$1")" != amd64 ]; then
		series_processor "$1"
	elif ! on_debian_12; then
		echo bookworm
	fi
}

# series_releases NAME: prints those of its releases among the lines that are read. The unsigned
# and debug packages, and other flavours, do not match.
series_releases() {
	local series=${1%%-*}

	series=${series//./\\.}
	! is_suite "$1" || series='[0-9]+\.[0-9]+'
	sed -nE "/^$series\.[0-9]+(-[0-9]+|\+deb[0-9]+)-$(series_flavour "$1")$/p"
}

# series_make NAME: prints the variables with which make compiles for its processor
series_make() {
	case $(series_processor "$1") in
	arm64) echo ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu- ;;
	s390x) echo ARCH=s390 CROSS_COMPILE=s390x-linux-gnu- ;;
	ppc64el) echo ARCH=powerpc CROSS_COMPILE=powerpc64le-linux-gnu- ;;
	i386) echo ARCH=i386 ;;
	esac
}

# choose_archive NAME: for an archive that this machine's apt does not know, apt uses separate lists
# in the cache, where all files of that archive lie, so that this machine's apt stays unchanged. A
# flavour has a folder there, too: earlier versions of these files, which share the cache, would take
# it for the stock kernel.
choose_archive() {
	local archive

	[ -z "${vm_chosen-}" ] || return 0
	vm_chosen=1
	archive=$(series_archive "$1")
	case $1 in
	*-rt|*-cloud) vm_cache=$vm_cache/${1##*-} ;;
	esac
	[ -n "$archive" ] || return 0
	vm_archive=$archive
	vm_cache=$vm_cache/$archive
	export APT_CONFIG=$vm_cache/apt/apt.conf
	[ -e "$APT_CONFIG" ] || locked fill_archive "$vm_cache/apt" "$archive"
}

# archive_sources ARCHIVE: prints a line of sources.list for each part of it
archive_sources() {
	local processor=$1 suite=$1
	local key=/usr/share/keyrings/debian-archive-keyring.gpg debian=http://deb.debian.org

	if is_suite "$1"; then
		processor=amd64
	else
		suite=bookworm
		[ "$1" != bookworm ] || processor=amd64
	fi
	echo "deb [arch=$processor signed-by=$key] $debian/debian $suite main"
	[ "$suite" = sid ] ||
		echo "deb [arch=$processor signed-by=$key] $debian/debian-security $suite-security main"
}

# fill_archive DIR ARCHIVE: creates the files that apt-get update and download need
fill_archive() {
	local processor=$2

	if is_suite "$2" || [ "$2" = bookworm ]; then processor=amd64; fi
	mkdir -p "$1"/{lists,archives}/partial
	: >"$1/status"
	archive_sources "$2" >"$1/sources.list"
	cat >"$1/apt.conf.new" <<-END
	APT::Architecture "$processor";
	APT::Architectures { "$processor"; };
	APT::Sandbox::User "root";
	Acquire::Languages "none";
	Dir::Cache "$1";
	Dir::Etc::SourceList "$1/sources.list";
	Dir::Etc::SourceParts "/dev/null";
	Dir::Etc::Preferences "/dev/null";
	Dir::Etc::PreferencesParts "/dev/null";
	Dir::State "$1";
	Dir::State::Status "$1/status";
	END
	mv "$1/apt.conf.new" "$1/apt.conf"
}
