// ranks: 1
// timeout: 20
// only: pamir
// What is not there yet says so: MPI_ERR_UNSUPPORTED_OPERATION with a text that names the call, and the program goes on.
#include "check.h"

#define UNSUPPORTED(call, name)                                                           \
    do {                                                                                  \
        int code = call, class_number = -1, length = 0;                                   \
        char text[MPI_MAX_ERROR_STRING] = "";                                             \
        MPI_Error_class(code, &class_number);                                             \
        if (code == MPI_SUCCESS) break; /* it is there by now */                          \
        CHECK_INT(class_number, MPI_ERR_UNSUPPORTED_OPERATION);                           \
        MPI_Error_string(code, text, &length);                                            \
        CHECK_THAT(strstr(text, name) != NULL, "the text does not name %s: %s", name, text); \
    } while (0)

int main(int argc, char **argv) {
    begin(&argc, &argv);
    int memory[4] = {0};
    MPI_Win window = MPI_WIN_NULL;
    UNSUPPORTED(MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_SELF, &window), "MPI_Win_create");
    MPI_File file = MPI_FILE_NULL;
    UNSUPPORTED(MPI_File_open(MPI_COMM_SELF, "nothing-here", MPI_MODE_RDONLY, MPI_INFO_NULL, &file), "MPI_File_open");
    MPI_Comm comm = MPI_COMM_NULL;
    int code;
    UNSUPPORTED(MPI_Comm_spawn("/nothing-here", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm, &code), "MPI_Comm_spawn");
    MPI_Request request = MPI_REQUEST_NULL;
    UNSUPPORTED(MPI_Psend_init(memory, 2, 2, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_INFO_NULL, &request), "MPI_Psend_init");
    return finish("unsupported");
}
