// ranks: 1
// timeout: 20
// MPI_Dims_create: products are right, given entries stay, free ones are as close as possible and do not increase;
// impossible requests fail.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    static const struct {
        int nodes, n, in[4], out[4];
    } cases[] = {
        {6, 2, {0, 0}, {3, 2}},          {7, 2, {0, 0}, {7, 1}},         {6, 3, {0, 3, 0}, {2, 3, 1}},
        {1, 3, {0, 0, 0}, {1, 1, 1}},    {16, 2, {0, 0}, {4, 4}},        {12, 2, {0, 0}, {4, 3}},
        {64, 3, {0, 0, 0}, {4, 4, 4}},   {100, 2, {0, 0}, {10, 10}},     {24, 3, {0, 0, 0}, {4, 3, 2}},
        {36, 2, {0, 0}, {6, 6}},         {13, 1, {0}, {13}},             {60, 3, {0, 0, 0}, {5, 4, 3}},
        {8, 2, {2, 0}, {2, 4}},          {1024, 2, {0, 0}, {32, 32}},    {997, 2, {0, 0}, {997, 1}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int dims[4];
        memcpy(dims, cases[c].in, sizeof dims);
        OK(MPI_Dims_create(cases[c].nodes, cases[c].n, dims));
        for (int d = 0; d < cases[c].n; d++)
            CHECK_THAT(dims[d] == cases[c].out[d], "%d nodes: dimension %d is %d, expected %d", cases[c].nodes, d, dims[d],
                       cases[c].out[d]);
    }
    for (int nodes = 1; nodes <= 500; nodes++)
        for (int n = 1; n <= 4; n++) {
            int dims[4] = {0}, product = 1;
            OK(MPI_Dims_create(nodes, n, dims));
            for (int d = 0; d < n; d++) {
                product *= dims[d];
                if (d) CHECK(dims[d] <= dims[d - 1]);
            }
            CHECK_INT(product, nodes);
        }
    int impossible[2] = {4, 0};
    FAILS(MPI_Dims_create(7, 2, impossible), MPI_ERR_DIMS);
    int negative[2] = {-1, 0};
    FAILS_EITHER(MPI_Dims_create(6, 2, negative), MPI_ERR_DIMS, MPI_ERR_ARG);
    return finish("dimensions");
}
