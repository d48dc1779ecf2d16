# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Completion of conga, which answers itself: what may follow by its grammar, and what
# there is now. Its "/" stands for a file's name. The program is the one that was typed.

_conga()
{
	local cur words cword answers answer

	# An IPv6 address is one word.
	_get_comp_words_by_ref -n : cur words cword || return
	mapfile -t answers < <("$1" complete "${words[@]:1:cword}" 2>/dev/null)
	for answer in "${answers[@]}"; do
		if [[ $answer == / ]]; then
			compopt -o filenames 2>/dev/null
			mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$cur")
		else
			COMPREPLY+=("$answer")
		fi
	done
	__ltrim_colon_completions "$cur"
}

complete -F _conga conga
