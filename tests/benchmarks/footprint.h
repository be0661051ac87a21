/* The memory of the calling process, as the kernel counts it, in MiB. */
#ifndef FOOTPRINT_H
#define FOOTPRINT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The sum of the lines of a /proc file that begin with `prefix`. They are in KiB. */
static inline double proc_mib(const char *path, const char *prefix)
{
    char line[256];
    double kib = 0;
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        exit(1);
    }
    while (fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (colon && strncmp(line, prefix, strlen(prefix)) == 0)
            kib += strtod(colon + 1, NULL);
    }
    fclose(file);
    return kib / 1024;
}

static inline double private_mib(void) { return proc_mib("/proc/self/smaps_rollup", "Private_"); }
static inline double proportional_mib(void) { return proc_mib("/proc/self/smaps_rollup", "Pss:"); }
static inline double peak_resident_mib(void) { return proc_mib("/proc/self/status", "VmHWM:"); }

#endif
