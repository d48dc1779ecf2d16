// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include "common/addr.h"
#include "daemon/clock.h"
#include "daemon/leaf.h"
#include "daemon/link.h"
#include "daemon/log.h"
#include "daemon/nl.h"

/* The daemon adds at most so many leaves: a user that can make a vxlan device learn addresses
 * must not fill the kernel.
 */
#define CONGAD_LEAF_MAX		4096

/* A record is kept for a leaf that is wanted, or that the daemon added. */
struct congad_leaf_record {
	struct in6_addr addr;	/* first */
	/* when the first look found no device forwarding to it; 0: one does */
	uint64_t missed;
	bool refused;		/* rejected, and logged */
};

/* This is one look at the leaves. */
struct congad_leaf_look {
	const struct congad_view *view;
	const struct congad_fabric *fabric;
	struct conga_array records;	/* the records of the next look */
	uint64_t now;
	size_t count;		/* current number of leaves */
	size_t left_out;
	uint64_t due;		/* when the first held leaf is removed; 0: none */
	int failures;
};

static struct conga_array congad_leaf_records =
	CONGA_ARRAY(struct congad_leaf_record, conga_addr_compare);
static bool congad_leaf_said_full;
static uint64_t congad_leaf_next;

static struct congad_leaf_record congad_leaf_recall(const struct in6_addr *addr)
{
	const struct congad_leaf_record *record = conga_array_find(&congad_leaf_records, addr);

	return record ? *record : (struct congad_leaf_record) { .addr = *addr };
}

/* A rejection is logged once while it lasts. A leaf that was added meanwhile, or a deleted
 * fabric, is no failure.
 */
static void congad_leaf_refused(struct congad_leaf_look *look, struct congad_leaf_record *record,
				int error)
{
	char text[CONGA_ADDR_TEXT_MAX];

	if (error == -EEXIST || error == -ENOENT)
		return;
	look->failures++;
	if (!record->refused)
		congad_log_warn("leaf %s rejected: %s", conga_addr_text(&record->addr, text),
				congad_nl_why());
	record->refused = true;
}

static int congad_leaf_add(struct congad_leaf_look *look, const struct congad_wanted_leaf *leaf,
			   struct congad_leaf_record *record)
{
	char text[CONGA_ADDR_TEXT_MAX];
	int err;

	if (look->count >= CONGAD_LEAF_MAX) {
		look->left_out++;
		return 0;
	}
	err = congad_fabric_leaf_add(&leaf->addr);
	if (err > 0)
		return err;
	if (err) {
		congad_leaf_refused(look, record, err);
		return 0;
	}
	look->count++;
	record->refused = false;
	congad_log_change("leaf %s added: vxlan %s forwards to it",
			  conga_addr_text(&leaf->addr, text),
			  congad_link_name(look->view, leaf->vxlan));
	return 0;
}

static int congad_leaf_want(struct congad_leaf_look *look, const struct congad_wanted_leaf *leaf)
{
	struct congad_leaf_record record = congad_leaf_recall(&leaf->addr);
	int err = 0;

	record.missed = 0;
	if (!conga_array_find(&look->fabric->leaves, &leaf->addr))
		err = congad_leaf_add(look, leaf, &record);
	return err ? err : conga_array_add(&look->records, &record);
}

static int congad_leaf_remove(struct congad_leaf_look *look, struct congad_leaf_record *record)
{
	char text[CONGA_ADDR_TEXT_MAX];
	int err = congad_fabric_leaf_del(&record->addr);

	if (err > 0)
		return err;
	/* EPERM: the leaf has become an operator's. */
	if (!err)
		congad_log_change("leaf %s removed: no vxlan device has forwarded to it for %llu s",
				  conga_addr_text(&record->addr, text),
				  (look->now - record->missed) / CONGAD_NS_PER_S);
	else if (err != -EPERM)
		congad_leaf_refused(look, record, err);
	return 0;
}

/* Removes a leaf that the daemon added and whose hold time is over. */
static int congad_leaf_check(struct congad_leaf_look *look, const struct congad_leaf *leaf)
{
	struct congad_leaf_record record;
	uint64_t due;

	if (!leaf->is_auto || conga_array_find(&look->view->leaves, &leaf->addr))
		return 0;
	record = congad_leaf_recall(&leaf->addr);
	if (!record.missed)
		record.missed = look->now;
	due = record.missed + congad_options.hold_ns;
	if (look->now >= due)
		return congad_leaf_remove(look, &record);
	if (!look->due || due < look->due)
		look->due = due;
	return conga_array_add(&look->records, &record);
}

static int congad_leaf_look(struct congad_leaf_look *look)
{
	int err = 0;
	size_t i;

	for (i = 0; i < look->fabric->leaves.count && !err; i++)
		err = congad_leaf_check(look, conga_array_at(&look->fabric->leaves, i));
	for (i = 0; i < look->view->leaves.count && !err; i++)
		err = congad_leaf_want(look, conga_array_at(&look->view->leaves, i));
	return err;
}

static void congad_leaf_say_full(const struct congad_leaf_look *look)
{
	if (look->left_out && !congad_leaf_said_full)
		congad_log_warn("%zu VTEPs are left out: at most %d leaves are followed",
				look->left_out, CONGAD_LEAF_MAX);
	congad_leaf_said_full = look->left_out;
}

int congad_leaf_follow(const struct congad_view *view, const struct congad_fabric *fabric,
		       uint64_t now, int *failures)
{
	struct congad_leaf_look look = {
		.view = view,
		.fabric = fabric,
		.records = CONGA_ARRAY(struct congad_leaf_record, conga_addr_compare),
		.now = now,
		.count = fabric->leaves.count,
	};
	int err = congad_leaf_look(&look);

	if (err) {
		conga_array_clean(&look.records);
		return err;
	}
	congad_leaf_say_full(&look);
	conga_array_sort(&look.records);
	congad_leaf_forget();
	congad_leaf_records = look.records;
	congad_leaf_next = look.due;
	*failures += look.failures;
	return 0;
}

uint64_t congad_leaf_due(void)
{
	return congad_leaf_next;
}

void congad_leaf_forget(void)
{
	congad_leaf_next = 0;
	conga_array_clean(&congad_leaf_records);
}
