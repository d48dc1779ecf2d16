#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# clone.sh - a repository with what this tree has, for tests of releases and packages.
#
#	clone_tree TREE DIR	DIR is a repository with one commit, and nothing that is built
#	clone_commit DIR TEXT	commits what is changed there

clone_commit() {
	git -C "$1" -c user.name=test -c user.email=test@localhost commit -qam "$2"
}

# clone_tree TREE DIR: the tree may have changes, or be a copy without history
clone_tree() {
	git init -q "$2" && tar -C "$1" --exclude=./build --exclude=./.git -c . | tar -x -C "$2" &&
		git -C "$2" add -A && clone_commit "$2" "the tree" && git -C "$2" clean -fdxq
}
