/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One look at everything, and what follows from it. First all is read, and nothing
 * is changed unless it could be read whole; then the kernel's ports and leaves are
 * compared with those that are wanted.
 */
#ifndef CONGA_DAEMON_SYNC_H
#define CONGA_DAEMON_SYNC_H

/* congad_sync_start - find the module, and make a fabric if there is none; 0, or a status after
 * the reason was logged
 */
int congad_sync_start(void);

/* congad_sync_look - look once, and add to @failures what the kernel rejected; 0, or a status
 * after the reason was logged. To wait for a fabric is a success.
 */
int congad_sync_look(int *failures);

void congad_sync_stop(void);

#endif /* CONGA_DAEMON_SYNC_H */
