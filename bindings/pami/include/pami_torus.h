/*
 * pami_torus.h - the types of the extension "EXT_torus_network" of pami.h.
 *
 * They have a header of their own, since many programs declare them themselves, under the same names.
 */
#ifndef PAMI_TORUS_H
#define PAMI_TORUS_H

#include <pami.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    size_t dims;         /* dimensions; the last one is the tasks of a place */
    const size_t *coord; /* where this task is */
    const size_t *size;  /* of each dimension */
    const size_t *torus; /* 1 where the dimension is closed to a ring */
} pami_extension_torus_information_t;

typedef const pami_extension_torus_information_t *(*pami_extension_torus_information_fn)(void);
typedef pami_result_t (*pami_extension_torus_task2torus_fn)(pami_task_t, size_t[]);
typedef pami_result_t (*pami_extension_torus_torus2task_fn)(size_t[], pami_task_t *);

#ifdef __cplusplus
}
#endif

#endif
