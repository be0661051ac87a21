/*
 * pami.h - the parallel active messaging interface of Pamir (libpami.so).
 *
 * Names, argument orders, structure members and constants are those of the interface that IBM
 * published for Blue Gene/Q, so that a program written for it compiles and runs here.
 *
 * The life of a program:
 *
 *   PAMI_Client_create  ->  PAMI_Context_createv  ->  PAMI_Dispatch_set
 *     ->  PAMI_Send ..., PAMI_Context_advance ...
 *     ->  PAMI_Context_destroyv  ->  PAMI_Client_destroy
 *
 * Collectively:
 *
 *   PAMI_Geometry_world (or PAMI_Geometry_create_...)  ->  PAMI_Geometry_algorithms_query
 *     ->  PAMI_Collective, PAMI_Context_advance until it calls cb_done
 *
 * Three rules hold everywhere:
 *
 *   1. A context is used by one thread at a time. Threads that share one take its lock
 *      (PAMI_Context_lock). Only PAMI_Context_post needs no lock.
 *   2. What comes is received by PAMI_Context_advance (advancev, trylock_advancev) alone, in the
 *      thread that calls it: dispatch functions and cb_done run nowhere else. A send, put or get
 *      goes at once where nothing is in its way, and then calls its local_fn or done_fn (and
 *      rdone_fn) before it returns; what does not go at once goes on when the context is advanced,
 *      and is told there. So a program sets what a callback needs before it starts a transfer.
 *   3. A callback may send, put, get and post; it does not advance its own context.
 *
 * Functions return PAMI_SUCCESS, or say with PAMI_Error_text what was wrong.
 */
#ifndef PAMI_H
#define PAMI_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/uio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- results ---------------------------------------------------------------------------- */

typedef enum {
    PAMI_SUCCESS = 0,
    PAMI_NERROR = -1,      /* an error, where a negative number is wanted */
    PAMI_ERROR = 1,        /* an error without a number of its own */
    PAMI_INVAL = 2,        /* an argument makes no sense */
    PAMI_UNIMPL = 3,       /* this library does not do that */
    PAMI_EAGAIN = 4,       /* not now: nothing happened, or no room; try again */
    PAMI_ENOMEM = 5,       /* no memory */
    PAMI_SHUTDOWN = 6,     /* the other task has left */
    PAMI_CHECK_ERRNO = 7,  /* errno says more */
    PAMI_OTHER = 8,
    PAMI_RESULT_EXT = 1000 /* results of extensions begin here */
} pami_result_t;

/* Writes what the calling thread's last failed call had to say, at most `length` characters with
 * the closing 0; the number of characters in front of it. */
size_t PAMI_Error_text(char *string, size_t length);

/* ---- handles ---------------------------------------------------------------------------- */

typedef void *pami_client_t;     /* an exclusive collection of resources */
typedef void *pami_context_t;    /* one threading point of a client */
typedef void *pami_type_t;       /* a layout of data */
typedef uint32_t pami_task_t;    /* a process of the job */
typedef uint32_t pami_endpoint_t; /* a context of a task of a client; holds no pointer */
typedef void *pami_geometry_t;   /* tasks that communicate collectively */
typedef size_t pami_algorithm_t; /* an algorithm of a collective operation */

extern pami_client_t PAMI_CLIENT_NULL;
extern pami_context_t PAMI_CONTEXT_NULL;
extern pami_type_t PAMI_TYPE_NULL;
extern pami_geometry_t PAMI_GEOMETRY_NULL;
extern pami_algorithm_t PAMI_ALGORITHM_NULL;
extern pami_endpoint_t PAMI_ENDPOINT_NULL;
extern size_t PAMI_ALL_CONTEXTS;

/* ---- callbacks -------------------------------------------------------------------------- */

/* Something has ended; `result` says how. */
typedef void (*pami_event_function)(pami_context_t context, void *cookie, pami_result_t result);

/* Posted work: called again at the next advance as long as it returns PAMI_EAGAIN. */
typedef pami_result_t (*pami_work_function)(pami_context_t context, void *cookie);

/* Handles `bytes` bytes from `source` for `target`: copies them, or combines them. */
typedef void (*pami_data_function)(void *target, void *source, size_t bytes, void *cookie);

/* Storage of posted work: the program keeps it until the work has run. */
#define PAMI_WORK_SIZE_STATIC (8 * sizeof(uintptr_t))
typedef uintptr_t pami_work_t[PAMI_WORK_SIZE_STATIC / sizeof(uintptr_t)];

extern pami_data_function PAMI_DATA_COPY; /* copies */

/* Data functions that combine elements of a predefined type; they cannot be called. In a reduction
 * `target` has the operand of the higher ranks and gets the result, `source` that of the lower
 * ranks: COPY gives the data of the first rank, NOOP that of the last. In pami_recv_t and
 * PAMI_Type_transform_data, what comes is combined with what is in memory: for a predefined type, or
 * one built of elements of one with PAMI_Type_add_typed. Where data is sent from, only COPY. */
extern pami_data_function PAMI_DATA_NOOP;   /* leaves the target as it is */
extern pami_data_function PAMI_DATA_MAX;    /* integers, floating point */
extern pami_data_function PAMI_DATA_MIN;
extern pami_data_function PAMI_DATA_SUM;    /* also complex numbers */
extern pami_data_function PAMI_DATA_PROD;
extern pami_data_function PAMI_DATA_LAND;   /* integers, logical */
extern pami_data_function PAMI_DATA_LOR;
extern pami_data_function PAMI_DATA_LXOR;
extern pami_data_function PAMI_DATA_BAND;   /* integers */
extern pami_data_function PAMI_DATA_BOR;
extern pami_data_function PAMI_DATA_BXOR;
extern pami_data_function PAMI_DATA_MAXLOC; /* types of PAMI_TYPE_LOC_... */
extern pami_data_function PAMI_DATA_MINLOC;

/* ---- predefined types ------------------------------------------------------------------- */

extern pami_type_t PAMI_TYPE_BYTE; /* where it is combined, an unsigned integer */
extern pami_type_t PAMI_TYPE_SIGNED_CHAR;
extern pami_type_t PAMI_TYPE_UNSIGNED_CHAR;
extern pami_type_t PAMI_TYPE_SIGNED_SHORT;
extern pami_type_t PAMI_TYPE_UNSIGNED_SHORT;
extern pami_type_t PAMI_TYPE_SIGNED_INT;
extern pami_type_t PAMI_TYPE_UNSIGNED_INT;
extern pami_type_t PAMI_TYPE_SIGNED_LONG;
extern pami_type_t PAMI_TYPE_UNSIGNED_LONG;
extern pami_type_t PAMI_TYPE_SIGNED_LONG_LONG;
extern pami_type_t PAMI_TYPE_UNSIGNED_LONG_LONG;
extern pami_type_t PAMI_TYPE_FLOAT;
extern pami_type_t PAMI_TYPE_DOUBLE;
extern pami_type_t PAMI_TYPE_LONG_DOUBLE;
extern pami_type_t PAMI_TYPE_LOGICAL1;           /* truth values of so many bytes */
extern pami_type_t PAMI_TYPE_LOGICAL2;
extern pami_type_t PAMI_TYPE_LOGICAL4;
extern pami_type_t PAMI_TYPE_LOGICAL8;
extern pami_type_t PAMI_TYPE_SINGLE_COMPLEX;     /* float _Complex */
extern pami_type_t PAMI_TYPE_DOUBLE_COMPLEX;     /* double _Complex */
extern pami_type_t PAMI_TYPE_LOC_2INT;           /* struct { int value; int index; } */
extern pami_type_t PAMI_TYPE_LOC_2FLOAT;         /* struct { float value; float index; } */
extern pami_type_t PAMI_TYPE_LOC_2DOUBLE;        /* struct { double value; double index; } */
extern pami_type_t PAMI_TYPE_LOC_SHORT_INT;      /* struct { short value; int index; } */
extern pami_type_t PAMI_TYPE_LOC_FLOAT_INT;      /* struct { float value; int index; } */
extern pami_type_t PAMI_TYPE_LOC_DOUBLE_INT;     /* struct { double value; int index; } */
extern pami_type_t PAMI_TYPE_LOC_LONG_INT;       /* struct { long value; int index; } */
extern pami_type_t PAMI_TYPE_LOC_LONGDOUBLE_INT; /* struct { long double value; int index; } */

#define PAMI_TYPE_CONTIGUOUS PAMI_TYPE_BYTE /* its older name */

/* ---- configuration ---------------------------------------------------------------------- */

typedef enum {
    PAMI_CLIENT_CLOCK_MHZ = 100,     /* size_t: clock of the processor, in MHz */
    PAMI_CLIENT_CONST_CONTEXTS,      /* size_t: 1: every task may make as many contexts */
    PAMI_CLIENT_HWTHREADS_AVAILABLE, /* size_t: processors this task has for itself, at least 1 */
    PAMI_CLIENT_MEMREGION_SIZE,      /* size_t: bytes of a pami_memregion_t */
    PAMI_CLIENT_MEM_SIZE,            /* size_t: main memory, in MiB */
    PAMI_CLIENT_NUM_TASKS,           /* size_t: tasks of the job */
    PAMI_CLIENT_NUM_LOCAL_TASKS,     /* size_t: those of them on this machine */
    PAMI_CLIENT_LOCAL_TASKS,         /* size_t[]: their numbers */
    PAMI_CLIENT_NUM_CONTEXTS,        /* size_t: contexts that this task may make */
    PAMI_CLIENT_PROCESSOR_NAME,      /* char[]: a name of this process's own */
    PAMI_CLIENT_TASK_ID,             /* size_t: this task */
    PAMI_CLIENT_WTIMEBASE_MHZ,       /* size_t: clock of PAMI_Wtimebase, in MHz */
    PAMI_CLIENT_WTICK,               /* double: resolution of PAMI_Wtime, in seconds */
    PAMI_CLIENT_NONCONTIG,           /* bool, 1 unless set: collective operations take types with gaps */
    PAMI_CLIENT_MEMORY_OPTIMIZE,     /* size_t: answered as set; there is no memory to spare */

    PAMI_CONTEXT_DISPATCH_ID_MAX = 200, /* size_t: the highest dispatch id */

    PAMI_DISPATCH_RECV_IMMEDIATE_MAX = 300, /* size_t: header and data a dispatch function gets with its call */
    PAMI_DISPATCH_SEND_IMMEDIATE_MAX,       /* size_t: header and data PAMI_Send_immediate takes */
    PAMI_DISPATCH_ATOM_SIZE_MAX,            /* size_t: largest atom of a typed message */

    PAMI_GEOMETRY_OPTIMIZE = 400,  /* size_t: 0: one algorithm is listed, which the tables decide */
    PAMI_GEOMETRY_NONCONTIG,       /* bool: operations take types with gaps; as the client's unless set */
    PAMI_GEOMETRY_MEMORY_OPTIMIZE, /* size_t: answered as set; there is no memory to spare */

    PAMI_TYPE_DATA_SIZE = 500, /* size_t: bytes of data of one element */
    PAMI_TYPE_DATA_EXTENT,     /* size_t: from one element to the next, in bytes */
    PAMI_TYPE_ATOM_SIZE,       /* size_t: the unit of data functions, in bytes */

    PAMI_ATTRIBUTE_NAME_EXT = 1000 /* attributes of extensions begin here */
} pami_attribute_name_t;

typedef union {
    size_t intval;
    double doubleval;
    const char *chararray;
    const size_t *intarray;
} pami_attribute_value_t;

typedef struct {
    pami_attribute_name_t name;
    pami_attribute_value_t value;
} pami_configuration_t;

typedef char *pami_user_key_t;
typedef char *pami_user_value_t;

typedef struct {
    pami_user_key_t key;
    pami_user_value_t value;
} pami_user_config_t;

/* ---- clients ---------------------------------------------------------------------------- */

/* Joins the job of this process (that of mpiexec, or one of its own) as client `name`. Several
 * clients coexist, also with MPI, at most 8 at a time: one that all its tasks have destroyed makes room for another
 * one. A name can be used again after PAMI_Client_destroy. Every task of a client gives the same names, equally often.
 * The environment variable PAMIR_CLIENTS may give a client some of the job's tasks alone, which have numbers of their own
 * in it; the others get PAMI_INVAL. Of the configuration, PAMI_CLIENT_NONCONTIG and PAMI_CLIENT_MEMORY_OPTIMIZE may be set. */
pami_result_t PAMI_Client_create(const char *name, pami_client_t *client,
                                 pami_configuration_t configuration[], size_t num_configs);

/* Ends a client whose contexts are destroyed. The handle becomes PAMI_CLIENT_NULL. */
pami_result_t PAMI_Client_destroy(pami_client_t *client);

pami_result_t PAMI_Client_query(pami_client_t client, pami_configuration_t configuration[],
                                size_t num_configs);

/* No attribute of a client can be changed: PAMI_INVAL says which one was tried. */
pami_result_t PAMI_Client_update(pami_client_t client, pami_configuration_t configuration[],
                                 size_t num_configs);

/* ---- contexts --------------------------------------------------------------------------- */

/* Makes the next `ncontexts` contexts of the client, at most PAMI_CLIENT_NUM_CONTEXTS in all: 16, or as
 * many as there is room for, or what the environment variable PAMIR_CONTEXTS says. Their places in the
 * order of making are their offsets. PAMI_CLIENT_CONST_CONTEXTS is the only attribute that may be given. */
pami_result_t PAMI_Context_createv(pami_client_t client, pami_configuration_t configuration[],
                                   size_t num_configs, pami_context_t context[], size_t ncontexts);

/* Moves out what waits, and ends the contexts. The handles become PAMI_CONTEXT_NULL. */
pami_result_t PAMI_Context_destroyv(pami_context_t *contexts, size_t ncontexts);

pami_result_t PAMI_Context_query(pami_context_t context, pami_configuration_t configuration[],
                                 size_t num_configs);
pami_result_t PAMI_Context_update(pami_context_t context, pami_configuration_t configuration[],
                                  size_t num_configs);

/* Polls until something has happened, at most `maximum` times: PAMI_SUCCESS if something has,
 * PAMI_EAGAIN if not. */
pami_result_t PAMI_Context_advance(pami_context_t context, size_t maximum);

/* The same for several contexts, in turn. */
pami_result_t PAMI_Context_advancev(pami_context_t context[], size_t count, size_t maximum);

/* The same, of those contexts whose lock is free, under their locks. */
pami_result_t PAMI_Context_trylock_advancev(pami_context_t context[], size_t count, size_t maximum);

/* A context's lock. It is not recursive. */
pami_result_t PAMI_Context_lock(pami_context_t context);
pami_result_t PAMI_Context_trylock(pami_context_t context);
pami_result_t PAMI_Context_unlock(pami_context_t context);

/* Hands over work to whoever advances the context next. Any thread may post, without the lock. */
pami_result_t PAMI_Context_post(pami_context_t context, pami_work_t *work, pami_work_function fn,
                                void *cookie);

/* ---- endpoints -------------------------------------------------------------------------- */

/* The endpoint of context `offset` of `task`. Nothing is sent: the context need not exist yet. */
pami_result_t PAMI_Endpoint_create(pami_client_t client, pami_task_t task, size_t offset,
                                   pami_endpoint_t *endpoint);
pami_result_t PAMI_Endpoint_query(pami_endpoint_t endpoint, pami_task_t *task, size_t *offset);

/* ---- hints ------------------------------------------------------------------------------ */

typedef enum {
    PAMI_HINT_DEFAULT = 0, /* the library chooses */
    PAMI_HINT_ENABLE = 1,
    PAMI_HINT_DISABLE = 2,
    PAMI_HINT_INVALID = 3
} pami_hint_t;

/* Hints of a dispatch id. What says how messages travel is taken as a hint: all go through shared memory,
 * in packets or by the kernel, and a context makes progress when it is advanced (or by
 * "EXT_async_progress"). PAMI_Dispatch_set refuses PAMI_HINT_INVALID, and consistency together with
 * long_header enabled: a header longer than a packet is overtaken. */
typedef struct {
    unsigned multicontext : 2;          /* other contexts may help: here none does */
    unsigned long_header : 2;           /* headers longer than a packet */
    unsigned recv_contiguous : 2;       /* pami_recv_t: type and offset are not set */
    unsigned recv_copy : 2;             /* pami_recv_t: data_fn and data_cookie are not set */
    unsigned recv_immediate : 2;        /* header and data come with the call; disabled: never */
    unsigned consistency : 2;           /* dispatched in the order of sending */
    unsigned buffer_registered : 2;     /* buffers lie in memory regions */
    unsigned remote_async_progress : 2; /* the target advances by itself */
    unsigned use_rdma : 2;              /* data moves between memories */
    unsigned use_shmem : 2;             /* messages go through shared memory: they do */
    unsigned queue_immediate : 2;       /* disabled: PAMI_Send_immediate returns PAMI_EAGAIN */
} pami_dispatch_hint_t;

/* Hints of one message: taken, and not looked at. */
typedef struct {
    unsigned reserved0 : 12;
    unsigned buffer_registered : 2;
    unsigned remote_async_progress : 2;
    unsigned use_rdma : 2;
    unsigned use_shmem : 2;
    unsigned reserved1 : 2;
} pami_send_hint_t;

/* Hints of one collective operation. */
typedef struct {
    unsigned multicontext : 2;
    unsigned reserved0 : 20;
} pami_collective_hint_t;

/* ---- receiving -------------------------------------------------------------------------- */

/* Where the data of a message goes: filled in by the dispatch function. */
typedef struct {
    void *cookie;                 /* for local_fn */
    pami_event_function local_fn; /* all data is there */
    void *addr;                   /* room for all of it; NULL: it is not wanted */
    pami_type_t type;             /* its layout there; PAMI_TYPE_BYTE: one piece */
    size_t offset;                /* where in the layout's data it begins, in bytes */
    pami_data_function data_fn;   /* consumes it, a multiple of the type's atom at a time */
    void *data_cookie;            /* for data_fn */
} pami_recv_t;

/* Receives a message. Either all data is there (`pipe_addr` is not NULL, `recv` is NULL), or it
 * says in `recv` where the `data_size` bytes go. Header and pipe are good until it returns: they lie in
 * the library's memory, and are not written to. */
typedef void (*pami_dispatch_p2p_function)(pami_context_t context, void *cookie,
                                           const void *header_addr, size_t header_size,
                                           const void *pipe_addr, size_t data_size,
                                           pami_endpoint_t origin, pami_recv_t *recv);

/* Receives a message of PAMI_XFER_AMBROADCAST or PAMI_XFER_AMSCATTER: says in `recv` where the data
 * goes. `pipe_addr` is NULL. */
typedef void (*pami_dispatch_ambroadcast_function)(pami_context_t context, void *cookie,
                                                   const void *header_addr, size_t header_size,
                                                   const void *pipe_addr, size_t data_size,
                                                   pami_endpoint_t origin, pami_geometry_t geometry,
                                                   pami_recv_t *recv);
typedef pami_dispatch_ambroadcast_function pami_dispatch_amscatter_function;

/* Answers PAMI_XFER_AMGATHER: says in `send` where the `data_size` bytes are; `local_fn` there is
 * called when they may be changed, and at the origin of the operation when all answers are there. */
typedef void (*pami_dispatch_amgather_function)(pami_context_t context, void *cookie,
                                                const void *header_addr, size_t header_size,
                                                size_t data_size, pami_endpoint_t origin,
                                                pami_geometry_t geometry, pami_recv_t *send);

/* Answers PAMI_XFER_AMREDUCE: the same, and which data function combines the answers. The type in `send` says
 * what they are made of. */
typedef void (*pami_dispatch_amreduce_function)(pami_context_t context, void *cookie,
                                                const void *header_addr, size_t header_size,
                                                size_t data_size, pami_endpoint_t origin,
                                                pami_geometry_t geometry, pami_data_function *op,
                                                pami_recv_t *send);

typedef union {
    pami_dispatch_p2p_function p2p;
    pami_dispatch_ambroadcast_function ambroadcast;
    pami_dispatch_amscatter_function amscatter;
    pami_dispatch_amgather_function amgather;
    pami_dispatch_amreduce_function amreduce;
} pami_dispatch_callback_function;

/* Says who receives the messages of id `dispatch` (0 to PAMI_CONTEXT_DISPATCH_ID_MAX). The
 * sending context sets it too, with the same hints. Messages that come before are kept, in their order:
 * the next advance gives them to `fn`, and only then is their remote_fn called. At most 4 MiB are kept;
 * what comes then waits on its way, and what the same origin has sent behind it. */
pami_result_t PAMI_Dispatch_set(pami_context_t context, size_t dispatch,
                                pami_dispatch_callback_function fn, void *cookie,
                                pami_dispatch_hint_t options);
pami_result_t PAMI_Dispatch_query(pami_context_t context, size_t dispatch,
                                  pami_configuration_t configuration[], size_t num_configs);
pami_result_t PAMI_Dispatch_update(pami_context_t context, size_t dispatch,
                                   pami_configuration_t configuration[], size_t num_configs);

/* ---- sending ---------------------------------------------------------------------------- */

typedef struct {
    struct iovec header;
    struct iovec data;
    size_t dispatch;
    pami_send_hint_t hints;
    pami_endpoint_t dest;
} pami_send_immediate_t;

typedef struct {
    void *cookie;                  /* for both functions */
    pami_event_function local_fn;  /* header and data may be changed; may be NULL */
    pami_event_function remote_fn; /* the target has received all; may be NULL */
} pami_send_event_t;

typedef struct {
    pami_send_immediate_t send;
    pami_send_event_t events;
} pami_send_t;

/* Sends header and data, at most PAMI_DISPATCH_SEND_IMMEDIATE_MAX bytes together (512, or what the
 * environment variable PAMIR_IMMEDIATE_BYTES says); both may be changed when it returns. */
pami_result_t PAMI_Send_immediate(pami_context_t context, pami_send_immediate_t *parameters);

/* Sends header and data of any length. */
pami_result_t PAMI_Send(pami_context_t context, pami_send_t *parameters);

/* ---- puts and gets ---------------------------------------------------------------------- */

typedef struct {
    pami_endpoint_t dest;
    pami_send_hint_t hints;
    size_t bytes;                /* more than 0 */
    void *cookie;                /* for all functions */
    pami_event_function done_fn; /* it has ended here */
} pami_rma_t;

typedef struct {
    void *local;
    void *remote;
} pami_rma_addr_t;

typedef struct {
    pami_event_function rdone_fn; /* the data is in the target's memory */
} pami_rma_put_t;

typedef struct {
    pami_rma_t rma;
    pami_rma_addr_t addr;
    pami_rma_put_t put;
} pami_put_simple_t;

typedef struct {
    pami_rma_t rma;
    pami_rma_addr_t addr;
} pami_get_simple_t;

/* Writes to, and reads from, an address of the other task. That the other task has memory there, which
 * may be read or written so, is looked at, here and in PAMI_Put_typed, PAMI_Get_typed and PAMI_Rmw: if
 * it has none, the events are told PAMI_INVAL. What has been moved by then stays. That it is the memory
 * that the program means, is the program's part. */
pami_result_t PAMI_Put(pami_context_t context, pami_put_simple_t *parameters);
pami_result_t PAMI_Get(pami_context_t context, pami_get_simple_t *parameters);

/* ---- types ------------------------------------------------------------------------------ */

/* A type says where the data of an element lies, and how far the next element is. It is built
 * block by block with a cursor that begins at 0:
 *
 *   add_simple(type, bytes, offset, count, stride):
 *       the cursor moves by `offset`; then `count` times: a block of `bytes` bytes stands at the
 *       cursor, which moves by `stride`
 *   add_typed: the same with an element of `subtype` in the place of each block
 *
 * offset and stride may be negative numbers. Where the cursor is in the end, the next element
 * begins: that is the extent. Applied to an address, a type is repeated as often as a transfer's
 * bytes take. A type that is complete never changes; any thread may use it, and it may be
 * destroyed while transfers use it. Blocks that overlap may be sent, not received. */
pami_result_t PAMI_Type_create(pami_type_t *type);
pami_result_t PAMI_Type_add_simple(pami_type_t type, size_t bytes, size_t offset, size_t count,
                                   size_t stride);
pami_result_t PAMI_Type_add_typed(pami_type_t type, pami_type_t subtype, size_t offset,
                                  size_t count, size_t stride);

/* Completes a type. The atom divides each contiguous piece, and is what data functions are given
 * a multiple of: 1 to PAMI_TYPE_ATOM_SIZE_STATIC (also PAMI_DISPATCH_ATOM_SIZE_MAX). */
#define PAMI_TYPE_ATOM_SIZE_STATIC 128
pami_result_t PAMI_Type_complete(pami_type_t type, size_t atom_size);

/* Ends a type, complete or not. The handle becomes PAMI_TYPE_NULL. */
pami_result_t PAMI_Type_destroy(pami_type_t *type);

/* PAMI_TYPE_DATA_SIZE, PAMI_TYPE_DATA_EXTENT and PAMI_TYPE_ATOM_SIZE of a complete type. */
pami_result_t PAMI_Type_query(pami_type_t type, pami_configuration_t configuration[],
                              size_t num_configs);

/* A complete type as bytes, which may be sent, and are good until it is destroyed; and a complete
 * type of its own from such bytes, which are checked. */
pami_result_t PAMI_Type_serialize(pami_type_t type, void **address, size_t *size);
pami_result_t PAMI_Type_deserialize(pami_type_t *type, void *address, size_t size);

/* Moves `size` bytes of data from one layout to another in this process, from an offset in each
 * one's data on. Source and destination do not overlap. */
pami_result_t PAMI_Type_transform_data(void *src_addr, pami_type_t src_type, size_t src_offset,
                                       void *dst_addr, pami_type_t dst_type, size_t dst_offset,
                                       size_t size, pami_data_function data_fn, void *cookie);

/* ---- typed transfers -------------------------------------------------------------------- */

typedef struct {
    pami_send_immediate_t send; /* data: where the type is applied, and how many bytes of data */
    pami_send_event_t events;
    struct {
        pami_type_t type;
        size_t offset;              /* where in the type's data the message begins, in bytes */
        pami_data_function data_fn; /* produces the data, a multiple of the type's atom at a time */
        void *data_cookie;          /* for data_fn */
    } typed;
} pami_send_typed_t;

/* Sends data that lies as a type says. The receiver's type may be another one. A data function
 * only handles data: it calls no function of this library. With a data function, offset and
 * length are whole atoms. */
pami_result_t PAMI_Send_typed(pami_context_t context, pami_send_typed_t *parameters);

typedef struct {
    pami_type_t local;
    pami_type_t remote; /* a type of this task's, for memory of the other */
} pami_rma_typed_t;

typedef struct {
    pami_rma_t rma;
    pami_rma_addr_t addr;
    pami_rma_typed_t type;
    pami_rma_put_t put;
} pami_put_typed_t;

typedef struct {
    pami_rma_t rma;
    pami_rma_addr_t addr;
    pami_rma_typed_t type;
} pami_get_typed_t;

/* Puts and gets between layouts. Where the other task's blocks are shorter than 4 KiB, it takes
 * part when it advances. */
pami_result_t PAMI_Put_typed(pami_context_t context, pami_put_typed_t *parameters);
pami_result_t PAMI_Get_typed(pami_context_t context, pami_get_typed_t *parameters);

/* ---- memory regions --------------------------------------------------------------------- */

#define PAMI_CLIENT_MEMREGION_SIZE_STATIC 32

/* A region of a task's memory. It may be sent to other tasks as it is. */
typedef uintptr_t pami_memregion_t[PAMI_CLIENT_MEMREGION_SIZE_STATIC / sizeof(uintptr_t)];

/* Registers memory; all of it is granted. It stays mapped, readable and writable until it is taken back:
 * transfers are compared with the region's bounds, and only the kernel, where it copies, sees more. */
pami_result_t PAMI_Memregion_create(pami_context_t context, void *address, size_t bytes_in,
                                    size_t *bytes_out, pami_memregion_t *memregion);

/* Takes a region back; its handle is no region any more. */
pami_result_t PAMI_Memregion_destroy(pami_context_t context, pami_memregion_t *memregion);

typedef struct {
    pami_memregion_t *mr;
    size_t offset;
} pami_rma_mr_t;

typedef struct {
    pami_rma_mr_t local;
    pami_rma_mr_t remote;
} pami_rdma_t;

typedef struct {
    pami_rma_t rma;
    pami_rdma_t rdma;
    pami_rma_put_t put;
} pami_rput_simple_t;

typedef struct {
    pami_rma_t rma;
    pami_rdma_t rdma;
} pami_rget_simple_t;

/* Puts and gets between a region here and one of the other task, which bounds are checked by. */
pami_result_t PAMI_Rput(pami_context_t context, pami_rput_simple_t *parameters);
pami_result_t PAMI_Rget(pami_context_t context, pami_rget_simple_t *parameters);

typedef struct {
    pami_rma_t rma;
    pami_rdma_t rdma;
    pami_rma_typed_t type;
    pami_rma_put_t put;
} pami_rput_typed_t;

typedef struct {
    pami_rma_t rma;
    pami_rdma_t rdma;
    pami_rma_typed_t type;
} pami_rget_typed_t;

/* The same between layouts, all of which lie in the regions. */
pami_result_t PAMI_Rput_typed(pami_context_t context, pami_rput_typed_t *parameters);
pami_result_t PAMI_Rget_typed(pami_context_t context, pami_rget_typed_t *parameters);

/* ---- read-modify-write ------------------------------------------------------------------ */

typedef enum {
    PAMI_ATOMIC_FETCH = 0x1 << 0,   /* *local becomes *remote as it was */
    PAMI_ATOMIC_COMPARE = 0x1 << 1, /* only if *remote equals *test */
    PAMI_ATOMIC_SET = 0x1 << 2,     /* *remote becomes *value */
    PAMI_ATOMIC_ADD = 0x2 << 2,     /* *value is added to *remote */
    PAMI_ATOMIC_OR = 0x3 << 2,
    PAMI_ATOMIC_AND = 0x4 << 2,
    PAMI_ATOMIC_XOR = 0x5 << 2,

    PAMI_ATOMIC_FETCH_SET = PAMI_ATOMIC_FETCH | PAMI_ATOMIC_SET,
    PAMI_ATOMIC_FETCH_ADD = PAMI_ATOMIC_FETCH | PAMI_ATOMIC_ADD,
    PAMI_ATOMIC_FETCH_OR = PAMI_ATOMIC_FETCH | PAMI_ATOMIC_OR,
    PAMI_ATOMIC_FETCH_AND = PAMI_ATOMIC_FETCH | PAMI_ATOMIC_AND,
    PAMI_ATOMIC_FETCH_XOR = PAMI_ATOMIC_FETCH | PAMI_ATOMIC_XOR,

    PAMI_ATOMIC_COMPARE_SET = PAMI_ATOMIC_COMPARE | PAMI_ATOMIC_SET,
    PAMI_ATOMIC_COMPARE_ADD = PAMI_ATOMIC_COMPARE | PAMI_ATOMIC_ADD,
    PAMI_ATOMIC_COMPARE_OR = PAMI_ATOMIC_COMPARE | PAMI_ATOMIC_OR,
    PAMI_ATOMIC_COMPARE_AND = PAMI_ATOMIC_COMPARE | PAMI_ATOMIC_AND,
    PAMI_ATOMIC_COMPARE_XOR = PAMI_ATOMIC_COMPARE | PAMI_ATOMIC_XOR,

    PAMI_ATOMIC_FETCH_COMPARE_SET = PAMI_ATOMIC_FETCH | PAMI_ATOMIC_COMPARE_SET,
    PAMI_ATOMIC_FETCH_COMPARE_ADD = PAMI_ATOMIC_FETCH | PAMI_ATOMIC_COMPARE_ADD,
    PAMI_ATOMIC_FETCH_COMPARE_OR = PAMI_ATOMIC_FETCH | PAMI_ATOMIC_COMPARE_OR,
    PAMI_ATOMIC_FETCH_COMPARE_AND = PAMI_ATOMIC_FETCH | PAMI_ATOMIC_COMPARE_AND,
    PAMI_ATOMIC_FETCH_COMPARE_XOR = PAMI_ATOMIC_FETCH | PAMI_ATOMIC_COMPARE_XOR
} pami_atomic_t;

typedef struct {
    pami_endpoint_t dest;
    pami_send_hint_t hints;
    void *cookie;                /* for done_fn */
    pami_event_function done_fn; /* it is done, and *local stored */
    void *local;                 /* written if the operation fetches */
    void *remote;                /* the other task's integer, aligned */
    void *value;                 /* read before PAMI_Rmw returns */
    void *test;                  /* read before PAMI_Rmw returns, if the operation compares */
    pami_atomic_t operation;
    pami_type_t type;            /* signed or unsigned int, long or long long */
} pami_rmw_t;

/* One atomic step on an integer of another task. The target does it when it advances. An address that
 * is not aligned, or where the target has no memory, or none that may be written unless the operation
 * is PAMI_ATOMIC_FETCH alone, is told to done_fn as PAMI_INVAL. */
pami_result_t PAMI_Rmw(pami_context_t context, pami_rmw_t *parameters);

/* ---- fences ----------------------------------------------------------------------------- */

/* A region in which fences may be asked for; regions are not nested. */
pami_result_t PAMI_Fence_begin(pami_context_t context);
pami_result_t PAMI_Fence_end(pami_context_t context);

/* Tells when all that this context has sent, put, got and modified before is where it should be:
 * at every endpoint, or at one. */
pami_result_t PAMI_Fence_all(pami_context_t context, pami_event_function done_fn, void *cookie);
pami_result_t PAMI_Fence_endpoint(pami_context_t context, pami_event_function done_fn,
                                  void *cookie, pami_endpoint_t target);

/* ---- geometries ------------------------------------------------------------------------- */

typedef struct {
    pami_task_t lo; /* the first task */
    pami_task_t hi; /* the last one */
} pami_geometry_range_t;

/* All tasks of the job, each with its first context, in the order of their numbers. It has the id 0
 * and is not destroyed. */
pami_result_t PAMI_Geometry_world(pami_client_t client, pami_geometry_t *world_geometry);

/* Makes a geometry of tasks, each with the context of one offset, or with all of its contexts
 * (PAMI_ALL_CONTEXTS; then all tasks have made as many); or of endpoints. The place in the list is
 * a member's rank. `id` is more than
 * 0, the same at all members, and no other geometry's of any of them.
 *
 * Every task with a member calls it once. With a parent every task of the parent does, and those
 * that are to have no part give NULL as `geometry`. All of them meet: `fn` is called when they have,
 * by an advance of `context`; the contexts of the endpoints are advanced, too. The lists may be
 * changed when it returns. The configuration may have the attributes PAMI_GEOMETRY_... */
pami_result_t PAMI_Geometry_create_taskrange(pami_client_t client, size_t context_offset,
                                             pami_configuration_t configuration[],
                                             size_t num_configs, pami_geometry_t *geometry,
                                             pami_geometry_t parent, unsigned id,
                                             pami_geometry_range_t *task_slices, size_t slice_count,
                                             pami_context_t context, pami_event_function fn,
                                             void *cookie);
pami_result_t PAMI_Geometry_create_tasklist(pami_client_t client, size_t context_offset,
                                            pami_configuration_t configuration[],
                                            size_t num_configs, pami_geometry_t *geometry,
                                            pami_geometry_t parent, unsigned id, pami_task_t *tasks,
                                            size_t task_count, pami_context_t context,
                                            pami_event_function fn, void *cookie);
pami_result_t PAMI_Geometry_create_endpointlist(pami_client_t client,
                                                pami_configuration_t configuration[],
                                                size_t num_configs, pami_geometry_t *geometry,
                                                unsigned id, pami_endpoint_t *endpoints,
                                                size_t endpoint_count, pami_context_t context,
                                                pami_event_function fn, void *cookie);

/* Ends a geometry without operations under way (else PAMI_EAGAIN); the handle becomes
 * PAMI_GEOMETRY_NULL. `fn` is called by an advance of `context`. */
pami_result_t PAMI_Geometry_destroy(pami_client_t client, pami_geometry_t *geometry,
                                    pami_context_t context, pami_event_function fn, void *cookie);

/* Attributes PAMI_GEOMETRY_... All members change them alike; `fn` is called by an advance. */
pami_result_t PAMI_Geometry_query(pami_geometry_t geometry, pami_configuration_t configuration[],
                                  size_t num_configs);
pami_result_t PAMI_Geometry_update(pami_geometry_t geometry, pami_configuration_t configuration[],
                                   size_t num_configs, pami_context_t context,
                                   pami_event_function fn, void *cookie);

/* ---- algorithms ------------------------------------------------------------------------- */

typedef enum {
    PAMI_XFER_BROADCAST = 0,
    PAMI_XFER_ALLREDUCE,
    PAMI_XFER_REDUCE,
    PAMI_XFER_ALLGATHER,
    PAMI_XFER_ALLGATHERV,
    PAMI_XFER_ALLGATHERV_INT,
    PAMI_XFER_SCATTER,
    PAMI_XFER_SCATTERV,
    PAMI_XFER_SCATTERV_INT,
    PAMI_XFER_GATHER,
    PAMI_XFER_GATHERV,
    PAMI_XFER_GATHERV_INT,
    PAMI_XFER_BARRIER,
    PAMI_XFER_ALLTOALL,
    PAMI_XFER_ALLTOALLV,
    PAMI_XFER_ALLTOALLV_INT,
    PAMI_XFER_SCAN,
    PAMI_XFER_REDUCE_SCATTER,
    PAMI_XFER_AMBROADCAST,
    PAMI_XFER_AMSCATTER,
    PAMI_XFER_AMGATHER,
    PAMI_XFER_AMREDUCE,
    PAMI_XFER_COUNT,
    PAMI_XFER_TYPE_EXT = 1000 /* kinds of extensions begin here */
} pami_xfer_type_t;

/* What an operation lacks for an algorithm; 0: nothing. */
typedef union metadata_result_t {
    unsigned bitmask;
    struct {
        unsigned unspecified : 1;
        unsigned range : 1;
        unsigned align_send_buffer : 1;
        unsigned align_recv_buffer : 1;
        unsigned datatype_op : 1; /* the data function is not commutative */
        unsigned contiguous_send : 1;
        unsigned contiguous_recv : 1;
        unsigned continuous_send : 1;
        unsigned continuous_recv : 1;
        unsigned nonlocal : 1;
    } check;
} metadata_result_t;

typedef struct pami_xfer_t *xfer_p;
typedef metadata_result_t (*pami_metadata_function)(struct pami_xfer_t *in);

/* An algorithm: "Pamir:BROADCAST:binomial" is the binomial one. "...:selected" chooses one by size,
 * from the tables that `pamir tune`, selection.toml and PAMIR_BROADCAST fill. */
typedef struct {
    char *name;
    unsigned version;
    pami_metadata_function check_fn; /* asked before each operation if checkrequired */
    size_t range_lo, range_hi;       /* bytes that it serves: all */
    unsigned send_min_align;
    unsigned recv_min_align;
    union {
        unsigned bitmask_correct;
        struct {
            unsigned checkrequired : 1;
            unsigned nonlocal : 1;
            unsigned rangeminmax : 1;
            unsigned sendminalign : 1;
            unsigned recvminalign : 1;
            unsigned alldtop : 1;      /* serves all types and data functions */
            unsigned contigsflags : 1; /* data must lie together where it is sent: never */
            unsigned contigrflags : 1; /* and where it is received: never */
            unsigned continsflags : 1;
            unsigned continrflags : 1;
            unsigned blocking : 1;
            unsigned inplace : 1;      /* takes PAMI_IN_PLACE: always */
            unsigned asyncflowctl : 1; /* a member may run ahead of the others */
            unsigned oneatatime : 1;
            unsigned global_order : 4;
        } values;
    } check_correct;
    union {
        unsigned bitmask_perf;
        struct {
            unsigned hw_accel : 1;
        } values;
    } check_perf;
    size_t range_lo_perf, range_hi_perf; /* bytes that the tables take it for; lo > hi: none */
    unsigned min_align_perf;
} pami_metadata_t;

/* How many algorithms a geometry has for a kind of operation: lists_lengths[0] that serve any, of
 * which the first chooses by size, and lists_lengths[1] of which check_fn is asked first. */
pami_result_t PAMI_Geometry_algorithms_num(pami_geometry_t geometry, pami_xfer_type_t coll_type,
                                           size_t *lists_lengths);

/* The first num0 and num1 of both lists; descriptions may be NULL. */
pami_result_t PAMI_Geometry_algorithms_query(pami_geometry_t geometry, pami_xfer_type_t colltype,
                                             pami_algorithm_t *algs0, pami_metadata_t *mdata0,
                                             size_t num0, pami_algorithm_t *algs1,
                                             pami_metadata_t *mdata1, size_t num1);

/* ---- collective operations -------------------------------------------------------------- */

/* As send buffer, or as receive buffer of a scatter's root: data is where it goes. */
#define PAMI_IN_PLACE ((void *)-1L)

/* Types are predefined ones or the program's; data of types with gaps is packed on its way. Counts and
 * displacements are in elements of the type. `root` is an endpoint of the geometry.
 *
 * A reduction combines elements of the type that is sent (of the result's, where that is in place). The
 * result's type has the same elements, or is PAMI_TYPE_BYTE, or one of which nobody has said more;
 * otherwise the call is refused. A type of the program's is made of elements of one predefined type
 * (PAMI_Type_add_typed), unless a function of the program's combines. */
typedef struct {
    char *sndbuf;
    pami_type_t stype;
    size_t *stypecounts; /* for each member */
    size_t *sdispls;
    char *rcvbuf;
    pami_type_t rtype;
    size_t *rtypecounts; /* from each member */
    size_t *rdispls;
} pami_alltoallv_t;

typedef struct {
    char *sndbuf;
    pami_type_t stype;
    int *stypecounts;
    int *sdispls;
    char *rcvbuf;
    pami_type_t rtype;
    int *rtypecounts;
    int *rdispls;
} pami_alltoallv_int_t;

typedef struct {
    char *sndbuf;
    pami_type_t stype;
    size_t stypecount; /* for each member */
    char *rcvbuf;
    pami_type_t rtype;
    size_t rtypecount; /* from each member */
} pami_alltoall_t;

typedef struct {
    pami_endpoint_t root;
    char *sndbuf;
    pami_type_t stype;
    size_t stypecount;
    char *rcvbuf; /* the root's */
    pami_type_t rtype;
    size_t rtypecount;
    pami_data_function op;
    void *data_cookie; /* for a function of the program's own */
    int commutative;   /* whether its operands may change places */
} pami_reduce_t;

typedef struct {
    char *sndbuf;
    pami_type_t stype;
    size_t stypecount;
    char *rcvbuf;
    pami_type_t rtype;
    size_t *rcounts; /* elements for each member: the same list at all */
    pami_data_function op;
    void *data_cookie;
    int commutative;
} pami_reduce_scatter_t;

typedef struct {
    pami_endpoint_t root;
    char *buf;
    pami_type_t type;
    size_t typecount;
} pami_broadcast_t;

typedef struct {
    char *sndbuf;
    pami_type_t stype;
    size_t stypecount;
    char *rcvbuf;
    pami_type_t rtype;
    size_t rtypecount; /* from each member */
} pami_allgather_t;

typedef struct {
    pami_endpoint_t root;
    char *sndbuf;
    pami_type_t stype;
    size_t stypecount;
    char *rcvbuf; /* the root's */
    pami_type_t rtype;
    size_t rtypecount; /* from each member */
} pami_gather_t;

typedef struct {
    pami_endpoint_t root;
    char *sndbuf;
    pami_type_t stype;
    size_t stypecount;
    char *rcvbuf;
    pami_type_t rtype;
    size_t *rtypecounts;
    size_t *rdispls;
} pami_gatherv_t;

typedef struct {
    pami_endpoint_t root;
    char *sndbuf;
    pami_type_t stype;
    int stypecount;
    char *rcvbuf;
    pami_type_t rtype;
    int *rtypecounts;
    int *rdispls;
} pami_gatherv_int_t;

typedef struct {
    char *sndbuf;
    pami_type_t stype;
    size_t stypecount;
    char *rcvbuf;
    pami_type_t rtype;
    size_t *rtypecounts;
    size_t *rdispls;
} pami_allgatherv_t;

typedef struct {
    char *sndbuf;
    pami_type_t stype;
    int stypecount;
    char *rcvbuf;
    pami_type_t rtype;
    int *rtypecounts;
    int *rdispls;
} pami_allgatherv_int_t;

typedef struct {
    pami_endpoint_t root;
    char *sndbuf; /* the root's */
    pami_type_t stype;
    size_t stypecount; /* for each member */
    char *rcvbuf;
    pami_type_t rtype;
    size_t rtypecount;
} pami_scatter_t;

typedef struct {
    pami_endpoint_t root;
    char *sndbuf;
    pami_type_t stype;
    size_t *stypecounts;
    size_t *sdispls;
    char *rcvbuf;
    pami_type_t rtype;
    size_t rtypecount;
} pami_scatterv_t;

typedef struct {
    pami_endpoint_t root;
    char *sndbuf;
    pami_type_t stype;
    int *stypecounts;
    int *sdispls;
    char *rcvbuf;
    pami_type_t rtype;
    int rtypecount;
} pami_scatterv_int_t;

typedef struct {
    char *sndbuf;
    pami_type_t stype;
    size_t stypecount;
    char *rcvbuf;
    pami_type_t rtype;
    size_t rtypecount;
    pami_data_function op;
    void *data_cookie;
    int commutative;
} pami_allreduce_t;

typedef struct {
    char *sndbuf;
    pami_type_t stype;
    size_t stypecount;
    char *rcvbuf;
    pami_type_t rtype;
    size_t rtypecount;
    pami_data_function op;
    void *data_cookie;
    int exclusive; /* without the own data; then nothing is stored at the first rank */
} pami_scan_t;

typedef struct {
    unsigned reserved; /* a barrier has no parameters */
} pami_barrier_t;

/* Active-message collectives: one member starts, and functions that were set with
 * PAMI_AMCollective_dispatch_set run at all members. Headers are at most half a packet long.
 *
 * At the member that starts, AMBROADCAST calls no function, and cb_done when all others have the data. The
 * others call its own function too: the local_fn that this names takes the place of cb_done, and is
 * called when the operation has ended everywhere, with the result in rcvbuf. */
typedef struct {
    size_t dispatch;
    void *user_header; /* the same for all members */
    size_t headerlen;
    void *sndbuf;
    pami_type_t stype;
    size_t stypecount;
} pami_ambroadcast_t;

typedef struct {
    size_t dispatch;
    void *headers; /* one for each member */
    size_t headerlen;
    void *sndbuf; /* one block for each member */
    pami_type_t stype;
    size_t stypecount;
} pami_amscatter_t;

typedef struct {
    size_t dispatch;
    void *headers; /* one for each member */
    size_t headerlen;
    void *rcvbuf; /* one block from each member */
    pami_type_t rtype;
    size_t rtypecount;
} pami_amgather_t;

typedef struct {
    size_t dispatch;
    void *user_header;
    size_t headerlen;
    void *rcvbuf; /* the combination, by the data function that the own member names */
    pami_type_t rtype;
    size_t rtypecount;
    void *data_cookie;
    int commutative;
} pami_amreduce_t;

typedef union {
    pami_allreduce_t xfer_allreduce;
    pami_broadcast_t xfer_broadcast;
    pami_reduce_t xfer_reduce;
    pami_allgather_t xfer_allgather;
    pami_allgatherv_t xfer_allgatherv;
    pami_allgatherv_int_t xfer_allgatherv_int;
    pami_scatter_t xfer_scatter;
    pami_scatterv_t xfer_scatterv;
    pami_scatterv_int_t xfer_scatterv_int;
    pami_gather_t xfer_gather;
    pami_gatherv_t xfer_gatherv;
    pami_gatherv_int_t xfer_gatherv_int;
    pami_alltoall_t xfer_alltoall;
    pami_alltoallv_t xfer_alltoallv;
    pami_alltoallv_int_t xfer_alltoallv_int;
    pami_ambroadcast_t xfer_ambroadcast;
    pami_amscatter_t xfer_amscatter;
    pami_amgather_t xfer_amgather;
    pami_amreduce_t xfer_amreduce;
    pami_scan_t xfer_scan;
    pami_barrier_t xfer_barrier;
    pami_reduce_scatter_t xfer_reduce_scatter;
} pami_collective_t;

typedef struct pami_xfer_t {
    pami_event_function cb_done; /* it has ended here */
    void *cookie;
    pami_algorithm_t algorithm; /* of PAMI_Geometry_algorithms_query: names geometry and kind */
    pami_collective_hint_t options;
    pami_collective_t cmd;
} pami_xfer_t;

/* Starts an operation; cb_done is called once, by an advance of the context, which is that of an
 * endpoint of the geometry. Every member starts the same operations of a geometry in the same order
 * (of active-message ones, one member does); several may be under way. Buffers stay until cb_done,
 * `cmd` and lists of counts need not. A member that has left ends the others' operations with
 * PAMI_SHUTDOWN; members that do not agree on lengths, with PAMI_INVAL. */
pami_result_t PAMI_Collective(pami_context_t context, pami_xfer_t *cmd);

/* Says who takes part for this context in active-message collectives of the algorithm's kind with id
 * `dispatch`. What has come before is kept as for PAMI_Dispatch_set. */
pami_result_t PAMI_AMCollective_dispatch_set(pami_context_t context, pami_algorithm_t algorithm,
                                             size_t dispatch, pami_dispatch_callback_function fn,
                                             void *cookie, pami_collective_hint_t options);

/* ---- tasks that come and go ------------------------------------------------------------- */

/* Refuses instructions to some endpoints (PAMI_SHUTDOWN), until they are resumed. While something
 * is under way to one of them, none is purged: PAMI_EAGAIN. */
pami_result_t PAMI_Purge(pami_context_t context, pami_endpoint_t *dest, size_t count);
pami_result_t PAMI_Resume(pami_context_t context, pami_endpoint_t *dest, size_t count);

/* ---- time ------------------------------------------------------------------------------- */

double PAMI_Wtime(pami_client_t client);                 /* seconds */
/* Counts PAMI_CLIENT_WTIMEBASE_MHZ. C89 and C++98 have long long as an extension. */
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wlong-long"
#endif
unsigned long long PAMI_Wtimebase(pami_client_t client);
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

/* ---- extensions ------------------------------------------------------------------------- */

typedef void *pami_extension_t;

/* "EXT_torus_network" (its types are in pami_torus.h, for programs that do not declare them), of the shape that PAMIR_TORUS gives the job, such as 3x3x3, or else of the most even one of three dimensions:
 *   "information"  const pami_extension_torus_information_t *(*)(void)
 *   "task2torus"   pami_result_t (*)(pami_task_t, size_t coordinates[])
 *   "torus2task"   pami_result_t (*)(size_t coordinates[], pami_task_t *)
 */
#define __pami_extension_EXT_torus_network__ 1

/* "EXT_async_progress": a thread of the library's advances contexts, whatever the program does. The program takes
 * a context's lock for its own uses of it (PAMI_Context_lock).
 *   "register"  pami_result_t (*)(pami_context_t, progress, suspend, resume, void *cookie), where each is NULL
 *               or void (*)(pami_context_t, void *cookie): called in place of an advance; suspend and resume are not
 *   "enable"    pami_result_t (*)(pami_context_t, int event): 0 all, 1 arrivals, 2 a timer
 *   "disable"   the same; when it returns, the thread uses the context no more
 */
#define __pami_extension_EXT_async_progress__ 1

/* "EXT_collsel": measures the algorithms of collective operations, and advises the fastest (docs/user/active-messages.md);
 * "Collsel_init_fn", "Collsel_destroy_fn", "Collsel_table_generate_fn", "Collsel_table_load_fn", "Collsel_table_unload_fn",
 * "Collsel_query_fn" and "Collsel_advise_fn", and the same without "_fn" as MPICH's device declares them, with
 * "Collsel_query_create", "Collsel_query_destroy", "Collsel_initialized" and "Collsel_get_collectives". */
#define __pami_extension_EXT_collsel__ 1

/* "EXT_test_extension", for trying extensions out:
 *   "foo"  void (*)(void)
 *   "bar"  void (*)(struct { size_t line; char func[128]; } *)
 */
#define __pami_extension_EXT_test_extension__ 1

/* "EXT_pamir":
 *   "version"  const char[]
 *   "wait"     pami_result_t (*)(pami_context_t, unsigned long long nanoseconds): sleeps until
 *              something may have come for the context, at most so long
 *   "put_notify"  pamir_put_notify_fn: as PAMI_Put; when the data is there, the target's advance calls the
 *              function of the dispatch id, with a pamir_notice_t as its header and no data
 *   "get_notify"  pamir_get_notify_fn: as PAMI_Get; the other task's advance provides the data, and calls the
 *              function when its memory may be changed again
 */
#define __pami_extension_EXT_pamir__ 1

typedef struct {
    uint64_t word;  /* what the other task said */
    void *address;  /* what was written or read, in the memory of the task that is told */
    uint64_t bytes;
} pamir_notice_t;

typedef pami_result_t (*pamir_put_notify_fn)(pami_context_t, pami_put_simple_t *, size_t dispatch,
                                             uint64_t word);
typedef pami_result_t (*pamir_get_notify_fn)(pami_context_t, pami_get_simple_t *, size_t dispatch,
                                             uint64_t word);

pami_result_t PAMI_Extension_open(pami_client_t client, const char *name,
                                  pami_extension_t *extension);
pami_result_t PAMI_Extension_close(pami_extension_t extension);
void *PAMI_Extension_symbol(pami_extension_t extension, const char *name);

#ifdef __cplusplus
}
#endif

#endif
