// SPDX-License-Identifier: GPL-2.0
/*
 * packet_fuzz - sends hostile packets to each of the module's hooks, and checks that each
 * has the result that the manual describes
 *
 *	packet_fuzz -o COMMAND...	run it with the taps, see below
 *	packet_fuzz -n NETNS -d rx|tx|link|control [-s SEED] [-c COUNT] [-i FIRST] [-S] [-v]
 *	packet_fuzz -n NETNS -b FLOWS	how many of these leave by each tap
 *
 * Packet i is made of the seed, i, and the nonces that the node sent; -i begins later, so
 * that with -c 1 one is sent again. -S: none of them may teach anything. -v shows them.
 *
 * The taps are of the command and all that it starts: up0 (an uplink; packets lie in
 * pages, as they are handed over), up1 (an uplink with GRO), pass (a transit port), side
 * (no port), host (a tenant). All that a box would send by them is read here.
 *
 * Expected of each packet: what a raw socket hears of it, what is forwarded and what
 * leaves by a tunnel is as it was sent, but for the stamp; control packets are consumed;
 * no local process's stamp leaves. Counters are added up for packet_fuzz.sh.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "packet_fuzz.h"

#define FUZZ_LISTEN	512		/* packets; then as many that nobody listens to */

struct fuzz_counts {
	unsigned long sent, refused, came;
};

struct fuzz_run fuzz_run = {
	.name = "packet_fuzz", .noun = "packet",
	.usage = "packet_fuzz -n NETNS -d rx|tx|link|control [-s SEED] [-c COUNT]\n"
		 "                   [-i FIRST] [-Sv]\n"
		 "       packet_fuzz -n NETNS -b FLOWS\n"
		 "       packet_fuzz -o COMMAND...",
	.seed = 1, .count = 10000,
};

static struct fuzz_state {
	struct fuzz_plan plan;
	unsigned int flows;
	struct fuzz_counts kinds[FUZZ_KINDS], ways[FUZZ_WAYS];
	bool swept[2][FUZZ_KINDS][FUZZ_SPAN];
	int span[2][FUZZ_KINDS];
} fuzz = { .plan.door = FUZZ_DOORS };

static struct fuzz_packet fuzz_packet;

/* ---- packets one after the other ---- */

/* Packets that may have been counted, although no socket received them. */
static void fuzz_count_unsure(const struct fuzz_packet *packet, unsigned int came)
{
	struct fuzz_view view;
	unsigned int i;

	for (i = 0; i < packet->count; i++) {
		fuzz_look(&view, &packet->frame[i]);
		if (packet->kind == FUZZ_STARVED || (view.v6 && (view.odd || view.fragment)))
			fuzz_seen.model.unsure++;
		else if (!came && fuzz_control(&view))
			fuzz_seen.model.control++;
	}
}

static void fuzz_note(const struct fuzz_packet *packet, bool sent, unsigned int came)
{
	struct fuzz_counts *counts[] = { &fuzz.kinds[packet->kind], &fuzz.ways[packet->way] };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		counts[i]->sent++;
		counts[i]->refused += !sent;
		counts[i]->came += came > 0;
	}
	if (packet->swept >= 0 && packet->way < FUZZ_BY_SOCKET) {
		fuzz.swept[packet->v6][packet->kind][packet->swept] = true;
		if (packet->span > fuzz.span[packet->v6][packet->kind])
			fuzz.span[packet->v6][packet->kind] = packet->span;
	}
	fuzz_count_unsure(packet, came);
}

static void fuzz_one(uint64_t index)
{
	struct fuzz_packet *packet = &fuzz_packet;
	const char *wrong = NULL;
	unsigned int came;
	bool sent;

	fuzz_make(packet, &fuzz.plan, index);
	if (fuzz_run.shows)
		fuzz_print(packet, index);
	fuzz_listen(index / FUZZ_LISTEN % 2);
	fuzz_starve(packet->kind == FUZZ_STARVED);
	sent = fuzz_send(packet, &wrong);
	fuzz_starve(false);
	if (wrong)
		fuzz_finding(packet, index, wrong, packet->frame[0].bytes, packet->frame[0].len);
	came = fuzz_await(packet, index);
	fuzz_note(packet, sent, came);
	fuzz_sent(packet);
}

/* ---- the report ---- */

static void fuzz_report_counts(const char *what, const char *name, const struct fuzz_counts *counts)
{
	if (counts->sent)
		printf("# %s %s: %lu sent, %lu refused, of %lu something was seen\n", what, name,
		       counts->sent, counts->refused, counts->came);
}

static void fuzz_report_sweep(enum fuzz_kind kind)
{
	int v6, i, hit;

	for (v6 = 0; v6 < 2; v6++) {
		for (i = 0, hit = 0; i < fuzz.span[v6][kind]; i++)
			hit += fuzz.swept[v6][kind][i];
		printf("# sweep %s %s IPv%d: %d of %d\n", fuzz_doors[fuzz.plan.door],
		       fuzz_kinds[kind], v6 ? 6 : 4, hit, fuzz.span[v6][kind]);
	}
}

static void fuzz_report(void)
{
	const struct fuzz_model *model = &fuzz_seen.model;
	int i;

	for (i = 0; i < FUZZ_KINDS; i++)
		fuzz_report_counts("kind", fuzz_kinds[i], &fuzz.kinds[i]);
	for (i = 0; i < FUZZ_WAYS; i++)
		fuzz_report_counts("way", fuzz_ways[i], &fuzz.ways[i]);
	fuzz_report_sweep(FUZZ_BYTE);
	fuzz_report_sweep(FUZZ_TRUNCATED);
	printf("# model rx_stamped=%lu rx_foreign=%lu rx_malformed=%lu rx_truncated=%lu ",
	       model->stamped, model->foreign, model->malformed, model->truncated);
	printf("rx_control=%lu unsure=%lu\n", model->control, model->unsure);
	fuzz_report_end();
}

/* Sends a packet of each flow, as a working fabric does. */
static void fuzz_balance(void)
{
	const char *wrong;
	unsigned int i;

	fuzz.plan.door = FUZZ_TX;
	fuzz_watch(&fuzz.plan);
	for (i = 0; i < fuzz.flows; i++) {
		fuzz_make_flow(&fuzz_packet, i);
		fuzz_send(&fuzz_packet, &wrong);
		fuzz_look_around(&fuzz_packet, i);
	}
	for (i = 0; i < FUZZ_TAPS; i++)
		printf("%s=%lu\n", fuzz_taps[i], fuzz_seen.left[i]);
}

static enum fuzz_door fuzz_door(const char *name)
{
	int i;

	for (i = 0; i < FUZZ_DOORS && strcmp(name, fuzz_doors[i]); i++)
		;
	return i;
}

static void fuzz_options(int argc, char **argv)
{
	int letter;

	while ((letter = getopt(argc, argv, "+on:d:s:c:i:b:Sv")) != -1)
		if (letter == 'o' && optind < argc)
			fuzz_open_taps(argv + optind);
		else if (letter == 'd')
			fuzz.plan.door = fuzz_door(optarg);
		else if (letter == 'b')
			fuzz.flows = strtoul(optarg, NULL, 0);
		else if (letter == 'S')
			fuzz.plan.strange = true;
		else if (!fuzz_option(letter, optarg))
			fuzz_usage();
	if (!fuzz_run.netns || optind != argc || (!fuzz.flows && fuzz.plan.door == FUZZ_DOORS))
		fuzz_usage();
}

int main(int argc, char **argv)
{
	fuzz_options(argc, argv);
	fuzz_open(fuzz_run.netns);
	if (fuzz.flows) {
		fuzz_balance();
		return EXIT_SUCCESS;
	}
	fuzz.plan.seed = fuzz_run.seed;
	snprintf(fuzz_run.where, sizeof(fuzz_run.where), "door %s, ", fuzz_doors[fuzz.plan.door]);
	fuzz_watch(&fuzz.plan);
	fuzz_cases(fuzz_one, NULL);
	fuzz_report();
	return fuzz_run.findings ? EXIT_FAILURE : EXIT_SUCCESS;
}
