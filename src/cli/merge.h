/* merge.h: what `pyramids merge` calls for each kind of job. The files are all parts of one job, in the order of the
 * parts; items may be missing. Each function prints what the whole job would have printed, and returns an exit code.
 */
#ifndef PYR_CLI_MERGE_H
#define PYR_CLI_MERGE_H

#include "shard.h"

int sim_merge(struct shard_file *files, unsigned count, bool json);          /* sim.c */
int analyze_merge(struct shard_file *files, unsigned count, bool json);      /* analyze.c */

#endif
