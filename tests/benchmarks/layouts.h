/* Memory that does not lie together, as a datatype and as loops made by hand.
 *
 * A layout is a few parts, one packed after the other. A part is a number of blocks of equal
 * length, in two nested loops or at listed places, or blocks of any lengths at listed places.
 * pack_by_hand and unpack_by_hand are what a program would have for it: the length of the
 * blocks is a constant in the inner loop where it is a usual one.
 *
 * Invariant: the datatype and the parts name the same bytes in the same order.
 */
#ifndef LAYOUTS_H
#define LAYOUTS_H

#include "measure.h"

#include <mpi.h>

typedef struct {
    size_t at, bytes;
} Block;

typedef struct {
    size_t at;
    /* Two loops. */
    size_t outer, outer_stride, inner, inner_stride, block;
    /* Places of blocks of `block` bytes, if there are any. */
    const size_t *places;
    size_t placed;
    /* Blocks of any lengths, if there are any. */
    const Block *list;
    size_t listed;
} Part;

enum { MOST_PARTS = 8 };

typedef struct {
    Part parts[MOST_PARTS];
    int count;
    size_t packed, span;
    MPI_Datatype type;
    /* To be freed. */
    void *owned[MOST_PARTS];
    int owns;
} Layout;

static Layout layout;

static inline void *owned(size_t bytes)
{
    return layout.owned[layout.owns++] = malloc(bytes);
}

static inline void reaches(size_t end)
{
    if (end > layout.span)
        layout.span = end;
}

static inline void loops(size_t at, size_t outer, size_t outer_stride, size_t inner, size_t inner_stride,
                         size_t block)
{
    layout.parts[layout.count++] = (Part){at, outer, outer_stride, inner, inner_stride, block, NULL, 0, NULL, 0};
    layout.packed += outer * inner * block;
    reaches(at + (outer - 1) * outer_stride + (inner - 1) * inner_stride + block);
}

/* Blocks of equal length at listed places, in bytes from `at`. */
static inline void places(size_t at, const size_t *places, size_t placed, size_t block)
{
    layout.parts[layout.count++] = (Part){at, 0, 0, 0, 0, block, places, placed, NULL, 0};
    layout.packed += placed * block;
    for (size_t i = 0; i < placed; i++)
        reaches(at + places[i] + block);
}

static inline void list(const Block *blocks, size_t listed)
{
    layout.parts[layout.count++] = (Part){0, 0, 0, 0, 0, 0, NULL, 0, blocks, listed};
    for (size_t i = 0; i < listed; i++) {
        layout.packed += blocks[i].bytes;
        reaches(blocks[i].at + blocks[i].bytes);
    }
}

/* COPY(memory, packed, bytes) for every block of a part whose blocks have BYTES bytes. */
#define EACH_BLOCK(COPY, BYTES)                                                                       \
    do {                                                                                              \
        for (size_t i = 0; i < part->placed; i++, packed += (BYTES))                                  \
            COPY(start + part->places[i], packed, (BYTES));                                           \
        for (size_t i = 0; i < part->outer; i++) {                                                    \
            char *row = start + i * part->outer_stride;                                               \
            for (size_t j = 0; j < part->inner; j++, packed += (BYTES))                               \
                COPY(row + j * part->inner_stride, packed, (BYTES));                                  \
        }                                                                                             \
    } while (0)

#define EVERY_PART(COPY)                                                                              \
    for (const Part *part = layout.parts; part < layout.parts + layout.count; part++) {               \
        char *start = memory + part->at;                                                              \
        for (size_t i = 0; i < part->listed; i++) {                                                   \
            COPY(start + part->list[i].at, packed, part->list[i].bytes);                              \
            packed += part->list[i].bytes;                                                            \
        }                                                                                             \
        switch (part->block) {                                                                        \
        case 4: EACH_BLOCK(COPY, 4); break;                                                           \
        case 8: EACH_BLOCK(COPY, 8); break;                                                           \
        case 12: EACH_BLOCK(COPY, 12); break;                                                         \
        case 16: EACH_BLOCK(COPY, 16); break;                                                         \
        case 24: EACH_BLOCK(COPY, 24); break;                                                         \
        case 40: EACH_BLOCK(COPY, 40); break;                                                         \
        default: EACH_BLOCK(COPY, part->block);                                                       \
        }                                                                                             \
    }

#define FROM_MEMORY(place, packed, bytes) memcpy(packed, place, bytes)
#define TO_MEMORY(place, packed, bytes) memcpy(place, packed, bytes)

static void pack_by_hand(char *memory, char *packed) { EVERY_PART(FROM_MEMORY) }

static void unpack_by_hand(char *memory, const char *packed) { EVERY_PART(TO_MEMORY) }

static inline void forget_layout(void)
{
    MPI_Type_free(&layout.type);
    while (layout.owns > 0)
        free(layout.owned[--layout.owns]);
    memset(&layout, 0, sizeof layout);
}

/* A number that looks like any other. */
static inline uint32_t scrambled(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

#endif
