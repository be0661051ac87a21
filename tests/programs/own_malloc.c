// An allocator of a library's own, which ends the process if it is given a block of another one. It lacks what the C library has
// besides (valloc and its like).
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ROOM ((size_t)64 << 20)
#define ALIGNMENT 64

static char room[ROOM] __attribute__((aligned(ALIGNMENT)));
static size_t used;

// The length of a block stands in the line before it.
static size_t *length(void *block)
{
    if ((char *)block < room || (char *)block >= room + ROOM)
        __builtin_trap();
    return (size_t *)((char *)block - ALIGNMENT);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    size_t more = alignment > ALIGNMENT ? alignment : ALIGNMENT;
    size_t whole = (bytes + more + 2 * ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    size_t at = __atomic_fetch_add(&used, whole, __ATOMIC_RELAXED);
    if (at + whole > ROOM)
        return NULL;
    char *block = (char *)(((uintptr_t)room + at + ALIGNMENT + more - 1) / more * more);
    *length(block) = bytes;
    return block;
}

void *memalign(size_t alignment, size_t bytes) { return aligned_alloc(alignment, bytes); }

void *malloc(size_t bytes) { return aligned_alloc(ALIGNMENT, bytes); }

// What was never handed out is zero.
void *calloc(size_t count, size_t bytes) { return malloc(count * bytes); }

int posix_memalign(void **block, size_t alignment, size_t bytes)
{
    *block = aligned_alloc(alignment, bytes);
    return *block ? 0 : 12;
}

void free(void *block)
{
    if (block)
        length(block);
}

size_t malloc_usable_size(void *block) { return block ? *length(block) : 0; }

void *realloc(void *block, size_t bytes)
{
    char *grown = malloc(bytes);
    if (grown && block)
        memcpy(grown, block, *length(block) < bytes ? *length(block) : bytes);
    return grown;
}
