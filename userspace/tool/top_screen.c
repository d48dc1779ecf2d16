// SPDX-License-Identifier: GPL-2.0
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <curses.h>
#include "common/status.h"
#include "tool/top_screen.h"
#include "tool/top_view.h"

#define CONGA_TOP_SCREEN_SAID	512	/* bytes copied at once */

static SCREEN *conga_top_screen;
static int conga_top_screen_stderr = -1;	/* the real one */
static size_t conga_top_screen_offset;		/* lines above the screen */
static size_t conga_top_screen_lines;		/* of the view */

static void conga_top_screen_hold_stderr(void)
{
	int held = memfd_create("conga", MFD_CLOEXEC);

	if (held < 0)
		return;
	conga_top_screen_stderr = dup(STDERR_FILENO);
	if (conga_top_screen_stderr >= 0)
		dup2(held, STDERR_FILENO);
	close(held);
}

static void conga_top_screen_release_stderr(void)
{
	char said[CONGA_TOP_SCREEN_SAID];
	ssize_t len;
	int held;

	if (conga_top_screen_stderr < 0)
		return;
	held = dup(STDERR_FILENO);
	dup2(conga_top_screen_stderr, STDERR_FILENO);
	close(conga_top_screen_stderr);
	conga_top_screen_stderr = -1;
	lseek(held, 0, SEEK_SET);
	while ((len = read(held, said, sizeof(said))) > 0)
		fwrite(said, 1, len, stderr);
	close(held);
}

/* The signal of a new size is handled only during waits. */
static void conga_top_screen_block_resize(void)
{
	sigset_t block;

	sigemptyset(&block);
	sigaddset(&block, SIGWINCH);
	sigprocmask(SIG_BLOCK, &block, NULL);
}

/* The terminal is restored even if memory is exhausted. */
static void conga_top_screen_at_exit(void)
{
	static bool registered;

	if (!registered)
		registered = !atexit(conga_top_screen_end);
}

int conga_top_screen_begin(void)
{
	const char *type = getenv("TERM");

	conga_top_screen = newterm(NULL, stdout, stdin);
	if (!conga_top_screen) {
		fprintf(stderr, "Error: the terminal type \"%s\" (TERM) is unknown\n",
			type ? type : "");
		return CONGA_REFUSED;
	}
	conga_top_screen_at_exit();
	conga_top_screen_hold_stderr();
	conga_top_screen_block_resize();
	conga_top_screen_offset = 0;
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	return CONGA_OK;
}

void conga_top_screen_end(void)
{
	if (!conga_top_screen)
		return;
	endwin();
	delscreen(conga_top_screen);
	conga_top_screen = NULL;
	conga_top_screen_release_stderr();
}

unsigned int conga_top_screen_width(void)
{
	return COLS;
}

/* Scrolling stops at the last line. */
static size_t conga_top_screen_clamp(size_t offset)
{
	size_t room = LINES;

	if (conga_top_screen_lines <= room)
		return 0;
	return offset < conga_top_screen_lines - room ? offset : conga_top_screen_lines - room;
}

void conga_top_screen_draw(const struct conga_top_view *view)
{
	size_t i;
	int y;

	conga_top_screen_lines = view->count;
	conga_top_screen_offset = conga_top_screen_clamp(conga_top_screen_offset);
	erase();
	for (y = 0; y < LINES; y++) {
		i = conga_top_screen_offset + y;
		if (i >= view->count)
			break;
		mvaddnstr(y, 0, view->lines[i], COLS);
		if (view->headings[i])
			mvchgat(y, 0, -1, A_REVERSE, 0, NULL);
	}
	refresh();
}

static void conga_top_screen_move(int by)
{
	size_t up = -by;

	if (by < 0)
		conga_top_screen_offset -= up < conga_top_screen_offset ?
					   up : conga_top_screen_offset;
	else
		conga_top_screen_offset += by;
}

/* Returns false if the key ends top. */
static bool conga_top_screen_key(int key)
{
	switch (key) {
	case 'q':
	case 'Q':
		return false;
	case KEY_UP:
	case 'k':
		conga_top_screen_move(-1);
		break;
	case KEY_DOWN:
	case 'j':
		conga_top_screen_move(1);
		break;
	case KEY_PPAGE:
		conga_top_screen_move(-LINES);
		break;
	case KEY_NPAGE:
	case ' ':
		conga_top_screen_move(LINES);
		break;
	default:	/* also a new size, which curses has taken */
		break;
	}
	return true;
}

/* A terminal that went away is readable, and has no input. */
static bool conga_top_screen_is_there(void)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };

	return poll(&input, 1, 0) < 1;
}

/* Handles all waiting input; returns false if a key ends top. */
bool conga_top_screen_input(void)
{
	bool any = false;
	int key;

	while ((key = getch()) != ERR) {
		any = true;
		if (!conga_top_screen_key(key))
			return false;
	}
	return any || conga_top_screen_is_there();
}
