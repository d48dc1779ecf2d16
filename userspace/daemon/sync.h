/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A look reads everything, and then acts. Nothing is changed unless everything was
 * read; then the kernel's ports and leaves are compared with the wanted ones.
 */
#ifndef CONGA_DAEMON_SYNC_H
#define CONGA_DAEMON_SYNC_H

/* congad_sync_start - find the module, and add a fabric if there is none; returns 0, or a status
 * after the reason was logged
 */
int congad_sync_start(void);

/* congad_sync_look - look once, and add to @failures what the kernel rejected; returns 0, or a
 * status after the reason was logged. Waiting for a fabric is a success.
 */
int congad_sync_look(int *failures);

void congad_sync_stop(void);

#endif /* CONGA_DAEMON_SYNC_H */
