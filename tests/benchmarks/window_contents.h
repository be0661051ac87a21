/* What one_sided.c puts into a window and its buffer before operations, and what must be there after them. */
#ifndef WINDOW_CONTENTS_H
#define WINDOW_CONTENTS_H

#include "measure.h"

enum { STREAM = 64, ELEMENTS = 1024, STRIDED_BLOCKS = 1 << 17 };
#define WINDOW_BYTES ((size_t)STRIDED_BLOCKS * 2 * sizeof(int64_t))

static char *mine;   /* this rank's part of the window */
static char *buffer; /* what the origin puts, and where it gets */
static size_t bytes; /* of one operation */

/* Memory with a pattern that no two neighbours share; its first word is `number`. */
static void fill(char *memory, size_t size, int64_t number)
{
    for (size_t i = 0; i < size; i++)
        memory[i] = (char)(i * 31 + (i >> 8) + 7);
    memcpy(memory, &number, sizeof number < size ? sizeof number : size);
}

static int is_filled(const char *memory, size_t size, int64_t number)
{
    if (size >= sizeof number && memcmp(memory, &number, sizeof number) != 0)
        return 0;
    for (size_t i = sizeof number; i < size; i++)
        if (memory[i] != (char)(i * 31 + (i >> 8) + 7))
            return 0;
    return 1;
}

static int has_last_put(long done)
{
    return is_filled(mine, bytes, done - 1);
}

static int has_pattern(long done)
{
    (void)done;
    return is_filled(mine, bytes, -1);
}

static int has_stream(long done)
{
    for (int i = 0; i < STREAM; i++)
        if (((int64_t *)(void *)mine)[i] != (done - 1) * STREAM + i)
            return 0;
    return 1;
}

static int has_count(long done)
{
    return *(int64_t *)(void *)mine == done;
}

static int has_sum(long done)
{
    for (int i = 0; i < ELEMENTS; i++)
        if (((double *)(void *)mine)[i] != (double)done * (i % 7))
            return 0;
    return 1;
}

static int has_blocks(long done)
{
    const int64_t *words = (const int64_t *)(const void *)mine;
    for (int64_t i = 0; i < STRIDED_BLOCKS; i++)
        if (words[2 * i] != (i == 0 ? done - 1 : i) || words[2 * i + 1] != 0)
            return 0;
    return 1;
}

static void clear_target(void)
{
    memset(mine, 0, WINDOW_BYTES);
}

static void fill_target(void)
{
    fill(mine, bytes, -1);
}

static void fill_buffer(void)
{
    fill(buffer, bytes, 0);
}

static void clear_buffer(void)
{
    memset(buffer, 0, bytes);
}

static void summands_in_buffer(void)
{
    for (int i = 0; i < ELEMENTS; i++)
        ((double *)(void *)buffer)[i] = i % 7;
}

static void numbers_in_buffer(void)
{
    for (int64_t i = 0; i < STRIDED_BLOCKS; i++)
        ((int64_t *)(void *)buffer)[i] = i;
}

#endif
