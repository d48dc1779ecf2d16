/* SPDX-License-Identifier: GPL-2.0 */
/* Names of devices are kept, so that a removed device can be named. */
#ifndef CONGA_COMMON_NAMES_H
#define CONGA_COMMON_NAMES_H

/* conga_names_remember - keep the device's current name for when the device is removed */
void conga_names_remember(unsigned int ifindex);

/**
 * conga_names_find() - the present name of a device, else the one that is remembered, else
 *			"if" and the number
 * @ifindex: number of the device in this network namespace
 * @name: has IF_NAMESIZE bytes
 */
void conga_names_find(unsigned int ifindex, char *name);

#endif /* CONGA_COMMON_NAMES_H */
