// SPDX-License-Identifier: GPL-2.0
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include "common/status.h"
#include "common/units.h"
#include "daemon/clock.h"
#include "daemon/options.h"

#define CONGAD_HOLD_S		60
#define CONGAD_IDLE_S		600

struct congad_options congad_options = {
	.rates = CONGA_ARRAY(struct congad_rate, NULL),
};

static const char congad_options_usage[] =
	"Usage: congad [ OPTIONS ]\n"
	"congad follows forwarding tables and routes, and adds ports and leaves to the fabric.\n"
	"OPTIONS := { -n[etns] NAME | -m[ode] { leaf | spine | auto } | -r[ate] [DEV=]RATE |\n"
	"             -hold SECONDS | -idle SECONDS | -v[erbose] | -1 | -once |\n"
	"             -V[ersion] | -h[elp] }\n"
	"  -m    role of this node; auto: a leaf if it has a vxlan device, else a spine\n"
	"  -r    rate of links that report no speed, or of the device DEV, whatever it reports\n"
	"  -hold a leaf that no vxlan device forwards to is removed after this time (60)\n"
	"  -idle when no LBTag is free, an uplink that was no nexthop for this time is\n"
	"        replaced by another (600)\n"
	"  -1    synchronise once, and exit\n";

static const struct option congad_options_long[] = {
	{ "netns", required_argument, NULL, 'n' },
	{ "mode", required_argument, NULL, 'm' },
	{ "rate", required_argument, NULL, 'r' },
	{ "hold", required_argument, NULL, 'H' },
	{ "idle", required_argument, NULL, 'I' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "once", no_argument, NULL, '1' },
	{ "Version", no_argument, NULL, 'V' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

static int congad_options_wrong(const char *option, const char *text, const char *why)
{
	fprintf(stderr, "Error: argument \"%s\" is wrong: %s: %s\n", text, option, why);
	return CONGA_USAGE;
}

static int congad_options_parse_mode(const char *text)
{
	static const char *const words[] = {
		[CONGAD_MODE_AUTO] = "auto",
		[CONGAD_MODE_LEAF] = "leaf",
		[CONGAD_MODE_SPINE] = "spine",
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strcmp(words[i], text))
			continue;
		congad_options.mode = i;
		return CONGA_OK;
	}
	return congad_options_wrong("mode", text, "not leaf, spine or auto");
}

static const char *congad_options_parse_bps(const char *text, unsigned long long *bps)
{
	const char *why = conga_units_parse_rate(text, bps);

	return !why && !*bps ? "must be above 0" : why;
}

/* No rate has "=", but the name of a device may. */
static int congad_options_add_rate(const char *text, size_t len)
{
	struct congad_rate rate = { .dev = "" };
	const char *why = "not the name of a device";

	if (len && len < sizeof(rate.dev)) {
		memcpy(rate.dev, text, len);
		why = congad_options_parse_bps(text + len + 1, &rate.bps);
	}
	if (!why && conga_array_add(&congad_options.rates, &rate))
		why = "out of memory";
	return why ? congad_options_wrong("rate", text, why) : CONGA_OK;
}

static int congad_options_parse_rate(const char *text)
{
	const char *equals = strrchr(text, '='), *why;

	if (equals)
		return congad_options_add_rate(text, equals - text);
	why = congad_options_parse_bps(text, &congad_options.rate);
	return why ? congad_options_wrong("rate", text, why) : CONGA_OK;
}

static int congad_options_parse_seconds(const char *option, const char *text,
					unsigned long long *ns)
{
	const char *why = conga_units_parse_seconds(text, ns);

	return why ? congad_options_wrong(option, text, why) : CONGA_OK;
}

static int congad_options_take(int letter)
{
	switch (letter) {
	case 'n':
		congad_options.netns = optarg;
		return CONGA_OK;
	case 'm':
		return congad_options_parse_mode(optarg);
	case 'r':
		return congad_options_parse_rate(optarg);
	case 'H':
		return congad_options_parse_seconds("hold", optarg, &congad_options.hold_ns);
	case 'I':
		return congad_options_parse_seconds("idle", optarg, &congad_options.idle_ns);
	case 'v':
		congad_options.verbose = true;
		return CONGA_OK;
	case '1':
		congad_options.once = true;
		return CONGA_OK;
	case 'V':
		congad_options.version = true;
		return CONGA_OK;
	case 'h':
		congad_options.help = true;
		return CONGA_OK;
	}
	fputs(congad_options_usage, stderr);
	return CONGA_USAGE;
}

int congad_options_parse(int argc, char **argv)
{
	int status = CONGA_OK, letter;

	congad_options.hold_ns = CONGAD_HOLD_S * CONGAD_NS_PER_S;
	congad_options.idle_ns = CONGAD_IDLE_S * CONGAD_NS_PER_S;
	while (!status) {
		letter = getopt_long_only(argc, argv, "n:m:r:v1Vh", congad_options_long, NULL);
		if (letter < 0)
			break;
		status = congad_options_take(letter);
	}
	if (!status && optind < argc) {
		fprintf(stderr, "Error: argument \"%s\" is unknown\n%s", argv[optind],
			congad_options_usage);
		status = CONGA_USAGE;
	}
	return status;
}

/* The last value of an option counts. */
unsigned long long congad_options_rate(const char *dev)
{
	size_t i;

	for (i = congad_options.rates.count; i > 0; i--) {
		const struct congad_rate *rate = conga_array_at(&congad_options.rates, i - 1);

		if (!strcmp(rate->dev, dev))
			return rate->bps;
	}
	return 0;
}

void congad_options_help(void)
{
	fputs(congad_options_usage, stdout);
}
