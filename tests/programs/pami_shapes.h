/* Types of PAMI beside lists of their blocks, from which every byte is checked; and the checks. */
#ifndef PAMI_SHAPES_H
#define PAMI_SHAPES_H

#include <pami.h>
#include <stdio.h>
#include <string.h>

enum { MEMORY = 400000, BLOCKS = 64, UNTOUCHED = 0xEE };

static size_t failures;

#define CHECK(condition) \
    ((condition) ? (void)0 : (++failures, (void)fprintf(stderr, "%d: %s\n", __LINE__, #condition)))
#define GOOD(call)                                                                     \
    do {                                                                               \
        if ((call) != PAMI_SUCCESS) {                                                  \
            char text[300] = "";                                                       \
            PAMI_Error_text(text, sizeof text);                                        \
            fprintf(stderr, "%d: %s: %s\n", __LINE__, #call, text), ++failures;        \
        }                                                                              \
    } while (0)
#define REFUSED(code, call)                                                            \
    do {                                                                               \
        char text[300] = "";                                                           \
        CHECK((call) == (code));                                                       \
        CHECK(PAMI_Error_text(text, sizeof text) == strlen(text) && strlen(text) > 10); \
    } while (0)

struct shape {
    pami_type_t type;
    size_t blocks, bytes; /* bytes: of data in an element */
    long cursor;
    struct { long at; size_t bytes; } block[BLOCKS];
};

static void append(struct shape *shape, long at, size_t bytes)
{
    shape->block[shape->blocks].at = at;
    shape->block[shape->blocks++].bytes = bytes;
    shape->bytes += bytes;
}

static void add_simple(struct shape *shape, size_t bytes, long offset, size_t times, long stride)
{
    GOOD(PAMI_Type_add_simple(shape->type, bytes, (size_t)offset, times, (size_t)stride));
    shape->cursor += offset;
    for (; times--; shape->cursor += stride)
        append(shape, shape->cursor, bytes);
}

static void add_typed(struct shape *shape, const struct shape *inner, long offset, size_t times,
                      long stride)
{
    GOOD(PAMI_Type_add_typed(shape->type, inner->type, (size_t)offset, times, (size_t)stride));
    shape->cursor += offset;
    for (; times--; shape->cursor += stride)
        for (size_t block = 0; block < inner->blocks; ++block)
            append(shape, shape->cursor + inner->block[block].at, inner->block[block].bytes);
}

/* Where a byte of data is. */
static long place(const struct shape *shape, size_t at)
{
    long displacement = (long)(at / shape->bytes) * shape->cursor;
    size_t block = 0;
    for (at %= shape->bytes; at >= shape->block[block].bytes; ++block)
        at -= shape->block[block].bytes;
    return displacement + shape->block[block].at + (long)at;
}

enum { PLAIN, COLUMN, IRREGULAR, LONG, NESTED, WORDS, SHAPES };
static struct shape shapes[SHAPES];

static void make_shapes(void)
{
    for (int index = COLUMN; index < SHAPES; ++index)
        GOOD(PAMI_Type_create(&shapes[index].type));
    shapes[PLAIN].type = PAMI_TYPE_BYTE;
    append(&shapes[PLAIN], 0, 1);
    shapes[PLAIN].cursor = 1;
    add_simple(&shapes[COLUMN], 8, 0, 1, 40);
    add_simple(&shapes[IRREGULAR], 3, 5, 1, 0);
    add_simple(&shapes[IRREGULAR], 7, 15, 1, 7);
    add_simple(&shapes[IRREGULAR], 1, -25, 1, 0);
    add_simple(&shapes[IRREGULAR], 0, 31, 0, 0);
    add_simple(&shapes[LONG], 5000, 500, 2, 6000); /* long enough for the kernel */
    GOOD(PAMI_Type_complete(shapes[IRREGULAR].type, 1));
    add_typed(&shapes[NESTED], &shapes[IRREGULAR], 2, 3, 50);
    add_simple(&shapes[NESTED], 4, 0, 1, 10);
    add_simple(&shapes[WORDS], 8, 4, 2, 20);
    GOOD(PAMI_Type_complete(shapes[COLUMN].type, 8));
    GOOD(PAMI_Type_complete(shapes[LONG].type, 4));
    GOOD(PAMI_Type_complete(shapes[NESTED].type, 1));
    GOOD(PAMI_Type_complete(shapes[WORDS].type, 4));
    for (int index = 0; index < SHAPES; ++index) {
        pami_configuration_t asked[] = {{.name = PAMI_TYPE_DATA_SIZE}, {.name = PAMI_TYPE_DATA_EXTENT}};
        GOOD(PAMI_Type_query(shapes[index].type, asked, 2));
        CHECK(asked[0].value.intval == shapes[index].bytes);
        CHECK(asked[1].value.intval == (size_t)shapes[index].cursor);
    }
}

/* Whether `memory` has `bytes` bytes of data as a shape says, and is untouched elsewhere. */
static int holds(const unsigned char *memory, const struct shape *shape, size_t offset, size_t bytes,
                 unsigned char (*expected)(size_t))
{
    static unsigned char wanted[MEMORY];
    memset(wanted, UNTOUCHED, MEMORY);
    for (size_t at = 0; at < bytes; ++at)
        wanted[place(shape, offset + at)] = expected(at);
    return memcmp(memory, wanted, MEMORY) == 0;
}

#endif
