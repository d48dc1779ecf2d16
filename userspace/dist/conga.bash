# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Completion of conga: "conga complete" prints the words that may follow, by its grammar and the
# objects that exist now; "/" stands for the name of a file. The program is the one that was typed.

_conga()
{
	local cur words cword answers answer

	# An IPv6 address is one word, and so is an option with "=" and its value.
	_get_comp_words_by_ref -n := cur words cword || return
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
	# Bash keeps what stands before "=".
	[[ $cur != *=* || $COMP_WORDBREAKS != *=* ]] ||
		COMPREPLY=("${COMPREPLY[@]#"${cur%%=*}="}")
}

complete -F _conga conga
