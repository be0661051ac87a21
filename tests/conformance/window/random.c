// ranks: 1 2 3 5
// timeout: 40
// Random windows, types, operations and epochs from a printed seed (PAMIR_SEED repeats one), against a model: every rank
// knows the plan and keeps a copy of all windows, to which it applies each operation element by element. An argument
// gives the number of windows. Parts of a window are each for one kind of access in an epoch, so that results are defined.
#include "check.h"
#include <time.h>

#define ROUNDS 8
#define PARTS 6
#define MOST_RANKS 16
#define MOST_OPERATIONS 600
#define MOST_ELEMENTS 512

enum kind { PUT, GET, ACCUMULATE, FETCH_AND_OP, GET_ACCUMULATE, SWAP, PUT_FLUSH_GET };
enum epoch { FENCE, POST_START, LOCK, LOCK_ALL };

// Where the elements of a type lie, in elements from its start, and how MPI is told.
struct layout {
    MPI_Datatype type;
    int count, elements, made;
    int at[MOST_ELEMENTS];
};

struct operation {
    enum kind kind;
    int origin, target, part, basic, op, elements;
    uint64_t layouts, values; // seeds
};

static const struct basic {
    int width;
} basics[] = {{1}, {2}, {4}, {8}};
static MPI_Datatype basic_types[4];
static MPI_Op ops[6];
static int part_bytes, unit;
static unsigned char *model[MOST_RANKS], *base;
static MPI_Aint starts[MOST_RANKS]; // displacement of byte 0, in units
static MPI_Win win;

static unsigned below(uint64_t *state, unsigned limit) { return (unsigned)((next_random(state) >> 11) % limit); }

// Blocks with gaps of at most 3 elements; fits into 4 times the elements.
static void make_layout(struct layout *l, int elements, int basic, uint64_t seed) {
    int lengths[MOST_ELEMENTS], places[MOST_ELEMENTS], blocks = 0, used = 0, at = 0, way;
    MPI_Aint bytes[MOST_ELEMENTS];
    MPI_Datatype plain = basic_types[basic], inner;
    uint64_t state = seed | 1;
    next_random(&state);
    way = (int)below(&state, 6);
    *l = (struct layout){plain, elements, elements, 0, {0}};
    if (way == 0 || elements == 0) { // in one piece
        for (int i = 0; i < elements; i++) l->at[i] = i;
        return;
    }
    l->made = 1;
    l->count = 1;
    if (way == 1) { // every second, third or fourth
        int stride = 2 + (int)below(&state, 3);
        OK(MPI_Type_vector(elements, 1, stride, plain, &l->type));
        for (int i = 0; i < elements; i++) l->at[i] = i * stride;
    } else if (way == 2) { // a type with a larger extent, many times
        int stride = 1 + (int)below(&state, 4);
        OK(MPI_Type_create_resized(plain, 0, stride * basics[basic].width, &l->type));
        l->count = elements;
        for (int i = 0; i < elements; i++) l->at[i] = i * stride;
    } else {
        while (used < elements) {
            int length = 1 + (int)below(&state, 9);
            if (length > elements - used) length = elements - used;
            if (blocks) at += (int)below(&state, 4);
            lengths[blocks] = length;
            places[blocks] = at;
            bytes[blocks++] = (MPI_Aint)at * basics[basic].width;
            for (int i = 0; i < length; i++) l->at[used++] = at++;
        }
        if (way == 3) { // the last block first
            for (int i = 0, k = 0; i < blocks; i++)
                for (int e = 0; e < lengths[blocks - 1 - i]; e++) l->at[k++] = places[blocks - 1 - i] + e;
            for (int i = 0; i < blocks / 2; i++) {
                int length = lengths[i], place = places[i];
                lengths[i] = lengths[blocks - 1 - i], places[i] = places[blocks - 1 - i];
                lengths[blocks - 1 - i] = length, places[blocks - 1 - i] = place;
            }
            OK(MPI_Type_indexed(blocks, lengths, places, plain, &l->type));
        } else if (way == 4) {
            OK(MPI_Type_create_hindexed(blocks, lengths, bytes, plain, &l->type));
        } else {
            MPI_Datatype types[MOST_ELEMENTS];
            for (int i = 0; i < blocks; i++) types[i] = plain;
            OK(MPI_Type_create_struct(blocks, lengths, bytes, types, &inner));
            OK(MPI_Type_dup(inner, &l->type));
            OK(MPI_Type_free(&inner));
        }
    }
    OK(MPI_Type_commit(&l->type));
}

static void drop(struct layout *l) {
    if (l->made) OK(MPI_Type_free(&l->type));
}

static uint64_t combine(int op, uint64_t there, uint64_t given) {
    switch (op) {
    case 0: return there + given;
    case 1: return there > given ? there : given;
    case 2: return there < given ? there : given;
    case 3: return there ^ given;
    case 4: return given; // replace
    default: return there; // no operation
    }
}

// Adds operations on one part of one window that may be under way at the same time.
static int plan_part(uint64_t *state, struct operation *plan, int used, int target, int part, enum epoch epoch) {
    static const enum kind kinds[] = {PUT, PUT, GET, ACCUMULATE, ACCUMULATE, FETCH_AND_OP, GET_ACCUMULATE, SWAP, PUT_FLUSH_GET};
    struct operation o = {kinds[below(state, 9)], (int)below(state, (unsigned)world_size), target, part, 0, 0, 0, 0, 0};
    int times = 1;
    if (o.kind == PUT_FLUSH_GET && epoch < LOCK) o.kind = PUT;
    o.basic = (int)below(state, 4);
    o.op = o.kind == ACCUMULATE ? (int)below(state, 4) : (int)below(state, 6);
    if (o.kind == GET || o.kind == ACCUMULATE) times = 1 + (int)below(state, 4);
    if (o.kind == FETCH_AND_OP || o.kind == GET_ACCUMULATE) times = 1 + (int)below(state, 3);
    if (below(state, 8) == 0) times = 0;
    for (int i = 0; i < times && used < MOST_OPERATIONS; i++) {
        int most = part_bytes / 4 / basics[o.basic].width;
        if (o.kind == GET || o.kind == ACCUMULATE) o.origin = (int)below(state, (unsigned)world_size);
        o.elements = o.kind == FETCH_AND_OP || o.kind == SWAP ? 1 : (int)below(state, (unsigned)(most < MOST_ELEMENTS ? most : MOST_ELEMENTS));
        o.layouts = next_random(state);
        o.values = next_random(state);
        plan[used++] = o;
    }
    return used;
}

// What an operation of this rank needs until its epoch ends.
struct running {
    struct layout here, there;
    unsigned char *out, *in, *expected;
    int bytes;
};

static uint64_t element(const unsigned char *from, int at, int width) {
    uint64_t value = 0;
    memcpy(&value, from + at * width, (size_t)width);
    return value;
}

static void set_element(unsigned char *to, int at, int width, uint64_t value) { memcpy(to + at * width, &value, (size_t)width); }

// Applies an operation to the model; fills what `mine` gives, and what it shall get.
static void apply(const struct operation *o, struct running *mine) {
    struct running scratch, *r = mine ? mine : &scratch;
    int width = basics[o->basic].width;
    unsigned char *part = model[o->target] + o->part * part_bytes;
    make_layout(&r->here, o->elements, o->basic, o->layouts);
    make_layout(&r->there, o->elements, o->basic, o->layouts * 3 + 1);
    r->bytes = (4 * o->elements + 4) * width;
    r->out = space((size_t)r->bytes), r->in = space((size_t)r->bytes), r->expected = space((size_t)r->bytes);
    fill(r->out, (size_t)r->bytes, o->values);
    memset(r->in, 0xdd, (size_t)r->bytes);
    memset(r->expected, 0xdd, (size_t)r->bytes);
    // A swap meets what it expects every second time: its second element is what it compares with.
    if (o->kind == SWAP && o->values % 2) set_element(r->out, 1, width, element(part, r->there.at[0], width));
    for (int i = 0; i < o->elements; i++) {
        uint64_t there = element(part, r->there.at[i], width), given = element(r->out, r->here.at[i], width), now = there;
        switch (o->kind) {
        case PUT:
        case PUT_FLUSH_GET: now = given; break;
        case GET: break;
        case SWAP: now = there == element(r->out, 1, width) ? element(r->out, 0, width) : there; break;
        default: now = combine(o->op, there, given);
        }
        set_element(part, r->there.at[i], width, now);
        if (o->kind == PUT_FLUSH_GET) there = element(part, r->there.at[i], width);
        if (o->kind == FETCH_AND_OP || o->kind == SWAP) set_element(r->expected, 0, width, there);
        else if (o->kind != PUT && o->kind != ACCUMULATE) set_element(r->expected, r->here.at[i], width, there);
    }
    if (mine) return;
    drop(&r->here), drop(&r->there);
    free(r->out), free(r->in), free(r->expected);
}

static void issue(const struct operation *o, struct running *r, enum epoch epoch, uint64_t *own, MPI_Request *requests, int *waiting) {
    MPI_Aint at = starts[o->target] + (MPI_Aint)o->part * part_bytes / unit;
    MPI_Datatype basic = basic_types[o->basic], here = r->here.type, there = r->there.type;
    int n = r->here.count, m = r->there.count, t = o->target, width = basics[o->basic].width;
    int asks = epoch >= LOCK && below(own, 3) == 0;
    MPI_Request *request = &requests[*waiting];
    switch (o->kind) {
    case PUT:
    case PUT_FLUSH_GET:
        if (asks) OK(MPI_Rput(r->out, n, here, t, at, m, there, win, request));
        else OK(MPI_Put(r->out, n, here, t, at, m, there, win));
        break;
    case GET:
        if (asks) OK(MPI_Rget(r->in, n, here, t, at, m, there, win, request));
        else OK(MPI_Get(r->in, n, here, t, at, m, there, win));
        break;
    case ACCUMULATE:
        if (asks) OK(MPI_Raccumulate(r->out, n, here, t, at, m, there, ops[o->op], win, request));
        else OK(MPI_Accumulate(r->out, n, here, t, at, m, there, ops[o->op], win));
        break;
    case GET_ACCUMULATE:
        if (asks) OK(MPI_Rget_accumulate(r->out, n, here, r->in, n, here, t, at, m, there, ops[o->op], win, request));
        else OK(MPI_Get_accumulate(r->out, n, here, r->in, n, here, t, at, m, there, ops[o->op], win));
        break;
    case FETCH_AND_OP:
        asks = 0;
        OK(MPI_Fetch_and_op(r->out, r->in, basic, t, at, ops[o->op], win)); // the one element of a layout is its first
        break;
    case SWAP:
        asks = 0;
        OK(MPI_Compare_and_swap(r->out, r->out + width, r->in, basic, t, at, win));
        break;
    }
    *waiting += asks;
    if (o->kind == PUT_FLUSH_GET) {
        OK(MPI_Win_flush(t, win));
        OK(MPI_Get(r->in, n, here, t, at, m, there, win));
    }
    if (epoch >= LOCK && below(own, 12) == 0) OK(below(own, 2) ? MPI_Win_flush(t, win) : MPI_Win_flush_local(t, win));
    if (epoch == LOCK_ALL && below(own, 30) == 0) OK(below(own, 2) ? MPI_Win_flush_all(win) : MPI_Win_flush_local_all(win));
}

static void open_epoch(enum epoch epoch, int open[MOST_RANKS][MOST_RANKS], uint64_t *own) {
    MPI_Group all, to, from;
    int targets[MOST_RANKS], origins[MOST_RANKS], to_count = 0, from_count = 0;
    switch (epoch) {
    case FENCE: OK(MPI_Win_fence(MPI_MODE_NOPRECEDE, win)); break;
    case LOCK_ALL: OK(MPI_Win_lock_all(0, win)); break;
    case LOCK: break; // for each target
    case POST_START:
        OK(MPI_Win_get_group(win, &all));
        for (int r = 0; r < world_size; r++) {
            if (open[world_rank][r]) targets[to_count++] = r;
            if (open[r][world_rank]) origins[from_count++] = r;
        }
        OK(MPI_Group_incl(all, to_count, targets, &to));
        OK(MPI_Group_incl(all, from_count, origins, &from));
        OK(MPI_Win_post(from, below(own, 2) ? MPI_MODE_NOSTORE : 0, win));
        OK(MPI_Win_start(to, 0, win));
        OK(MPI_Group_free(&all));
        OK(MPI_Group_free(&to));
        OK(MPI_Group_free(&from));
    }
}

static void close_epoch(enum epoch epoch) {
    switch (epoch) {
    case FENCE: OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win)); break;
    case LOCK_ALL: OK(MPI_Win_unlock_all(win)); break;
    case LOCK: break;
    case POST_START:
        OK(MPI_Win_complete(win));
        OK(MPI_Win_wait(win));
    }
    if (epoch < LOCK) return;
    MPI_Barrier(MPI_COMM_WORLD);
    OK(MPI_Win_lock(MPI_LOCK_SHARED, world_rank, 0, win));
    OK(MPI_Win_unlock(world_rank, win));
}

static void one_round(uint64_t *shared, uint64_t *own, int number) {
    static struct operation plan[MOST_OPERATIONS];
    static struct running running[MOST_OPERATIONS];
    static MPI_Request requests[MOST_OPERATIONS];
    int open[MOST_RANKS][MOST_RANKS], used = 0, mine[MOST_OPERATIONS], count = 0, waiting = 0;
    enum epoch epoch = (enum epoch)below(shared, 4);
    for (int t = 0; t < world_size; t++)
        for (int part = 0; part < PARTS; part++) used = plan_part(shared, plan, used, t, part, epoch);
    for (int o = 0; o < world_size; o++)
        for (int t = 0; t < world_size; t++) open[o][t] = below(shared, 3) == 0; // also where nothing is accessed
    for (int i = 0; i < used; i++) {
        open[plan[i].origin][plan[i].target] = 1;
        int is_mine = plan[i].origin == world_rank;
        apply(&plan[i], is_mine ? &running[i] : NULL);
        if (is_mine) mine[count++] = i;
    }
    open_epoch(epoch, open, own);
    if (epoch == LOCK) {
        int first = (int)below(own, (unsigned)world_size);
        for (int k = 0; k < world_size; k++) {
            int target = (first + k) % world_size, any = 0;
            for (int i = 0; i < count; i++) {
                if (plan[mine[i]].target != target) continue;
                if (!any++) OK(MPI_Win_lock(below(own, 2) ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target, 0, win));
                issue(&plan[mine[i]], &running[mine[i]], epoch, own, requests, &waiting);
            }
            OK(MPI_Waitall(waiting, requests, MPI_STATUSES_IGNORE));
            waiting = 0;
            if (any) OK(MPI_Win_unlock(target, win));
        }
    } else {
        for (int i = 0; i < count; i++) issue(&plan[mine[i]], &running[mine[i]], epoch, own, requests, &waiting);
        OK(MPI_Waitall(waiting, requests, MPI_STATUSES_IGNORE));
    }
    close_epoch(epoch);
    for (int i = 0; i < count; i++) {
        struct running *r = &running[mine[i]];
        CHECK_THAT(memcmp(r->in, r->expected, (size_t)r->bytes) == 0, "window %d: operation %d (%d), epoch %d: got something else",
                   number, mine[i], plan[mine[i]].kind, epoch);
        drop(&r->here), drop(&r->there);
        free(r->out), free(r->in), free(r->expected);
    }
    for (int part = 0; part < PARTS; part++) {
        int kind = -1;
        for (int i = 0; i < used; i++)
            if (plan[i].target == world_rank && plan[i].part == part) kind = plan[i].kind;
        CHECK_THAT(memcmp(base + part * part_bytes, model[world_rank] + part * part_bytes, (size_t)part_bytes) == 0,
                   "window %d: part %d (operation %d), epoch %d: holds something else", number, part, kind, epoch);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void one_window(uint64_t *shared, uint64_t *own, int one_node, int number) {
    int flavor = (int)below(shared, 4), bytes;
    MPI_Aint mine = 0;
    void *memory = NULL;
    part_bytes = below(shared, 2) ? 512 : 8192;
    bytes = PARTS * part_bytes;
    unit = flavor == 3 ? 1 : basics[below(shared, 4)].width;
    if (flavor == 2 && !one_node) flavor = 1;
    switch (flavor) {
    case 0: OK(MPI_Win_create(memory = base = space((size_t)bytes), bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &win)); break;
    case 1: OK(MPI_Win_allocate(bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win)); break;
    case 2: OK(MPI_Win_allocate_shared(bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win)); break;
    default:
        memory = base = space((size_t)bytes);
        OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
        OK(MPI_Win_attach(win, base, bytes));
        OK(MPI_Get_address(base, &mine));
    }
    OK(MPI_Allgather(&mine, 1, MPI_AINT, starts, 1, MPI_AINT, MPI_COMM_WORLD));
    for (int r = 0; r < world_size; r++) {
        model[r] = space((size_t)bytes);
        fill(model[r], (size_t)bytes, (uint64_t)(number * 100 + r));
    }
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, world_rank, 0, win));
    memcpy(base, model[world_rank], (size_t)bytes);
    OK(MPI_Win_unlock(world_rank, win));
    MPI_Barrier(MPI_COMM_WORLD);
    for (int round = 0; round < ROUNDS; round++) one_round(shared, own, number);
    if (flavor == 3) OK(MPI_Win_detach(win, base));
    OK(MPI_Win_free(&win));
    free(memory);
    for (int r = 0; r < world_size; r++) free(model[r]);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    unsigned long long seed = 0;
    int windows = argc > 1 ? atoi(argv[1]) : 12, node_size;
    if (world_rank == 0) {
        const char *given = getenv("PAMIR_SEED");
        seed = given ? strtoull(given, NULL, 10) : (unsigned long long)time(NULL) * 1000003 + (unsigned)getpid();
        seed |= 1;
        printf("PAMIR_SEED=%llu\n", seed);
        fflush(stdout);
    }
    OK(MPI_Bcast(&seed, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD));
    basic_types[0] = MPI_UINT8_T, basic_types[1] = MPI_UINT16_T, basic_types[2] = MPI_UINT32_T, basic_types[3] = MPI_UINT64_T;
    ops[0] = MPI_SUM, ops[1] = MPI_MAX, ops[2] = MPI_MIN, ops[3] = MPI_BXOR, ops[4] = MPI_REPLACE, ops[5] = MPI_NO_OP;
    MPI_Comm node;
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    OK(MPI_Comm_size(node, &node_size));
    OK(MPI_Comm_free(&node));
    uint64_t shared = seed, own = seed * 31 + (uint64_t)world_rank + 1;
    for (int i = 0; i < windows; i++) one_window(&shared, &own, node_size == world_size, i);
    return finish("random");
}
