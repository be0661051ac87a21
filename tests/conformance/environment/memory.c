// ranks: 1 2
// timeout: 20
// MPI_Alloc_mem and MPI_Free_mem: aligned, writable, usable as message buffers, of any size; MPI_Get_address and the
// arithmetic on it.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    static const MPI_Aint sizes[] = {1, 8, 100, 4096, 100000, 16 << 20};
    int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
    for (int i = 0; i < 6; i++) {
        unsigned char *out = NULL, *in = NULL;
        OK(MPI_Alloc_mem(sizes[i], MPI_INFO_NULL, &out));
        OK(MPI_Alloc_mem(sizes[i], MPI_INFO_NULL, &in));
        CHECK(out && in && out != in);
        CHECK_INT((uintptr_t)out % 8, 0);
        fill(out, (size_t)sizes[i], (uint64_t)world_rank);
        memset(in, 0, (size_t)sizes[i]);
        OK(MPI_Sendrecv(out, (int)sizes[i], MPI_BYTE, right, 1, in, (int)sizes[i], MPI_BYTE, left, 1, MPI_COMM_WORLD,
                        MPI_STATUS_IGNORE));
        CHECK_FILLED(in, sizes[i], left);
        OK(MPI_Free_mem(out));
        OK(MPI_Free_mem(in));
    }
    void *none = &none;
    OK(MPI_Alloc_mem(0, MPI_INFO_NULL, &none));
    if (none) OK(MPI_Free_mem(none));
    for (int i = 0; i < 2000; i++) {
        void *piece;
        OK(MPI_Alloc_mem(1000 + i, MPI_INFO_NULL, &piece));
        memset(piece, i, (size_t)(1000 + i));
        OK(MPI_Free_mem(piece));
    }
    MPI_Info info;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "mpi_minimum_memory_alignment", "256"));
    OK(MPI_Alloc_mem(1000, info, &none));
    CHECK_INT((uintptr_t)none % 256, 0);
    OK(MPI_Free_mem(none));
    OK(MPI_Info_free(&info));
    int array[10];
    MPI_Aint first, last;
    OK(MPI_Get_address(&array[0], &first));
    OK(MPI_Get_address(&array[9], &last));
    CHECK_INT(MPI_Aint_diff(last, first), 9 * sizeof(int));
    CHECK_INT(MPI_Aint_add(first, 9 * sizeof(int)), last);
    CHECK_INT(first, (intptr_t)array);
    OK(MPI_Get_address(MPI_BOTTOM, &first));
    CHECK_INT(first, 0);
    return finish("memory");
}
