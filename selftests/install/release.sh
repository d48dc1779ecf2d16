#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# release.sh - make release: what it rejects, and what it makes of a clone of this tree. It runs on
# the host, as root, after selftests/setup build package.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/lib.sh"
. "$TESTS/lib/clone.sh"
. "$TESTS/lib/expect.sh"

readonly TREE=${TESTS%/*}
VERSION=$("$TESTS/version" -p)
readonly VERSION TAG=v$VERSION NAME=conga-$VERSION
SCRATCH=$(mktemp -d)
defer "rm -rf $SCRATCH"
readonly CLONE=$SCRATCH/clone
readonly OUT=$CLONE/build/release

# in_clone COMMAND...
in_clone() {
	(cd "$CLONE" && "$@") >"$SCRATCH/says" 2>&1
}

# rejects SENTENCE: the release says so, and makes nothing
rejects() {
	! in_clone packaging/release || fail "the release was made" || return
	[[ $(tail -n 1 "$SCRATCH/says") == "release: $1" ]] || fail "it printed: $(<"$SCRATCH/says")" || return
	[[ ! -e $OUT ]] || fail "$OUT was made" || return
	[[ ! $(git -C "$CLONE" tag -l "$TAG") || $1 == tag* ]] || fail "the tag was made"
}

changed_file() {
	echo >>"$CLONE/README.md"
	rejects "files differ from the commit, README.md among them: commit or remove them" || return
	in_clone git checkout -q README.md
}

new_file() {
	echo >"$CLONE/new"
	rejects "files differ from the commit, new among them: commit or remove them" || return
	rm "$CLONE/new"
}

# after CHANGE COMMAND...: in a commit of its own, which is taken back
after() {
	sed -i "$1" "$CLONE/$2" && clone_commit "$CLONE" "a change" || return
	"${@:3}" || return
	in_clone git reset -q --hard HEAD^
}

other_version() {
	rejects "the files above name another version than $VERSION" || return
	grep -qF "$1: the version is 9.9.9, but include/conga_version.h has $VERSION" "$SCRATCH/says" ||
		fail "it printed: $(<"$SCRATCH/says")"
}

other_versions() {
	after "s/^## $VERSION /## 9.9.9 /" CHANGELOG.md other_version CHANGELOG.md &&
		after "1s/$VERSION/9.9.9/" debian/changelog other_version debian/changelog &&
		after "s/^\(Version: *\).*/\19.9.9/" packaging/rpm/conga.spec \
			other_version packaging/rpm/conga.spec &&
		after "s/^pkgver=.*/pkgver=9.9.9/" packaging/arch/PKGBUILD other_version packaging/arch/PKGBUILD
}

# Only the heading is left.
nothing_said() {
	after "/^## $VERSION/,/^## /{/^## /!d}" CHANGELOG.md \
		rejects "CHANGELOG.md says nothing of version $VERSION"
}

tag_elsewhere() {
	local before

	before=$(git -C "$CLONE" rev-parse HEAD)
	in_clone git tag "$TAG" && in_clone git -c user.name=test -c user.email=test@localhost \
		commit -q --allow-empty -m "later" || return
	rejects "tag $TAG names commit ${before:0:12} already: raise the version in include/conga_version.h" ||
		return
	in_clone git reset -q --hard HEAD^ && in_clone git tag -d "$TAG"
}

is_made() {
	in_clone make release || fail "it printed: $(<"$SCRATCH/says")" || return
	[[ ! $(git -C "$CLONE" status --porcelain) ]] || fail "the clone is changed" || return
	(cd "$OUT" && sha256sum --quiet -c SHA256SUMS) >"$SCRATCH/says" 2>&1 ||
		fail "$(<"$SCRATCH/says")" || return
	[[ $(cd "$OUT" && find . -type f ! -name SHA256SUMS -printf '%P\n' | sort) == \
		$(sed 's/^[^ ]*  //' "$OUT/SHA256SUMS" | sort) ]] || fail "SHA256SUMS lacks a file"
}

tag_is_annotated() {
	[[ $(git -C "$CLONE" cat-file -t "$TAG") == tag ]] || fail "the tag is not annotated" || return
	[[ $(git -C "$CLONE" rev-parse "$TAG^{commit}") == $(git -C "$CLONE" rev-parse HEAD) ]] ||
		fail "the tag names another commit" || return
	[[ $(git -C "$CLONE" tag -l --format='%(contents)' "$TAG") == "conga $VERSION"*"### "* ]] ||
		fail "the tag's text is: $(git -C "$CLONE" tag -l --format='%(contents)' "$TAG")"
}

source_is_the_commit() {
	mkdir "$SCRATCH/source" && tar -xf "$OUT/$NAME.tar.xz" -C "$SCRATCH/source" || return
	diff -r --exclude=.git --exclude=build "$CLONE" "$SCRATCH/source/$NAME" >"$SCRATCH/says" ||
		fail "$(head -n 1 "$SCRATCH/says")"
}

# Everything that names a version names this one.
packages_fit() {
	local deb sum

	for deb in "$OUT"/*.deb; do
		[[ $(dpkg-deb -f "$deb" Version) == "$VERSION" ]] || fail "$deb has another version" || return
	done
	[[ -e $OUT/conga-dkms_${VERSION}_all.deb && -e $(echo "$OUT/conga-tools_${VERSION}"_*.deb) ]] ||
		fail "a Debian package is missing" || return
	read -r sum _ < <(sha256sum "$OUT/$NAME.tar.xz")
	grep -qx "sha256sums=($sum)" "$OUT/PKGBUILD" || fail "PKGBUILD has another checksum" || return
	cmp -s "$OUT/conga.spec" "$TREE/packaging/rpm/conga.spec" || fail "conga.spec differs"
}

evaluation_is_there() {
	local list

	list=$(tar -tf "$OUT/$NAME-evaluation.tar.xz")
	[[ $list == *Documentation/evaluation/README.md* && $list == *results.tar.xz* && $list == *.svg* ]] ||
		fail "the archive has: $list"
}

# Of the same commit, at another time. The tag stays.
source_is_the_same_again() {
	local before tag

	before=$(sha256sum <"$OUT/$NAME.tar.xz")
	tag=$(git -C "$CLONE" rev-parse "$TAG")
	touch -d tomorrow "$CLONE/README.md"
	in_clone make release || fail "it printed: $(<"$SCRATCH/says")" || return
	[[ $(sha256sum <"$OUT/$NAME.tar.xz") == "$before" ]] || fail "the source differs" || return
	[[ $(git -C "$CLONE" rev-parse "$TAG") == "$tag" ]] || fail "the tag was made anew"
}

require_root
require_commands git dpkg-deb dpkg-buildpackage
clone_tree "$TREE" "$CLONE" || die "release.sh: no clone"
tap_plan 11
tap_test "a file that differs from the commit is rejected" changed_file
tap_test "a file that is not in the commit is rejected" new_file
tap_test "a file that names another version is rejected, and its name is printed" other_versions
tap_test "a version of which the changelog says nothing is rejected" nothing_said
tap_test "a tag that names another commit is rejected" tag_elsewhere
tap_test "a release is made, and all its files have a checksum" is_made
tap_test "its tag is annotated with the changelog's section" tag_is_annotated
tap_test "its source has the files of the commit, and no other" source_is_the_commit
tap_test "its packages and recipes have its version and the source's checksum" packages_fit
tap_test "it has the evaluation" evaluation_is_there
tap_test "its source is the same when it is made again, and its tag stays" source_is_the_same_again
tap_exit
