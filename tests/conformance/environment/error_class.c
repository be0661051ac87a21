// ranks: 1 2
// timeout: 20
// Error classes and codes: each predefined class is its own class and has a text; classes, codes and strings are added
// and removed; MPI_LASTUSEDCODE follows.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    int found, length, *last, flag;
    char text[MPI_MAX_ERROR_STRING], other[MPI_MAX_ERROR_STRING];
    CHECK_INT(MPI_SUCCESS, 0);
    static const int classes[] = {MPI_SUCCESS, MPI_ERR_BUFFER, MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_TAG, MPI_ERR_COMM,
                                  MPI_ERR_RANK, MPI_ERR_REQUEST, MPI_ERR_ROOT, MPI_ERR_GROUP, MPI_ERR_OP, MPI_ERR_TOPOLOGY,
                                  MPI_ERR_DIMS, MPI_ERR_ARG, MPI_ERR_UNKNOWN, MPI_ERR_TRUNCATE, MPI_ERR_OTHER, MPI_ERR_INTERN,
                                  MPI_ERR_PENDING, MPI_ERR_IN_STATUS, MPI_ERR_ACCESS, MPI_ERR_AMODE, MPI_ERR_ASSERT,
                                  MPI_ERR_BASE, MPI_ERR_CONVERSION, MPI_ERR_DISP, MPI_ERR_FILE, MPI_ERR_INFO_KEY,
                                  MPI_ERR_INFO_NOKEY, MPI_ERR_INFO_VALUE, MPI_ERR_INFO, MPI_ERR_IO, MPI_ERR_KEYVAL,
                                  MPI_ERR_LOCKTYPE, MPI_ERR_NAME, MPI_ERR_NO_MEM, MPI_ERR_PORT, MPI_ERR_SERVICE, MPI_ERR_SIZE,
                                  MPI_ERR_SPAWN, MPI_ERR_UNSUPPORTED_DATAREP, MPI_ERR_UNSUPPORTED_OPERATION, MPI_ERR_WIN};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        OK(MPI_Error_class(classes[i], &found));
        CHECK_INT(found, classes[i]);
        memset(text, 0, sizeof text);
        OK(MPI_Error_string(classes[i], text, &length));
        CHECK(length > 0 && length < MPI_MAX_ERROR_STRING);
        CHECK_INT(strlen(text), length);
        CHECK(classes[i] <= MPI_ERR_LASTCODE);
    }
    OK(MPI_Error_string(MPI_ERR_TAG, text, &length));
    OK(MPI_Error_string(MPI_ERR_RANK, other, &length));
    CHECK(strcmp(text, other) != 0);

    int mine, code, second;
    OK(MPI_Add_error_class(&mine));
    CHECK(mine > MPI_ERR_LASTCODE);
    OK(MPI_Error_class(mine, &found));
    CHECK_INT(found, mine);
    OK(MPI_Add_error_code(mine, &code));
    CHECK(code != mine);
    OK(MPI_Error_class(code, &found));
    CHECK_INT(found, mine);
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag));
    CHECK(flag && *last >= mine); // the largest class
    OK(MPI_Error_string(code, text, &length)); // no text yet
    CHECK_INT(length, 0);
    OK(MPI_Add_error_string(mine, "a class of this program"));
    OK(MPI_Add_error_string(code, "a code of this program"));
    OK(MPI_Error_string(mine, text, &length));
    CHECK_STR(text, "a class of this program");
    OK(MPI_Error_string(code, text, &length));
    CHECK_STR(text, "a code of this program");
    CHECK_INT(length, strlen("a code of this program"));
    OK(MPI_Add_error_code(MPI_ERR_TAG, &second)); // a code under a predefined class
    OK(MPI_Error_class(second, &found));
    CHECK_INT(found, MPI_ERR_TAG);
    OK(MPI_Add_error_string(second, "replaced"));
    OK(MPI_Add_error_string(second, "now this"));
    OK(MPI_Error_string(second, text, &length));
    CHECK_STR(text, "now this");

    OK(MPI_Remove_error_string(code));
    OK(MPI_Error_string(code, text, &length));
    CHECK_INT(length, 0);
    OK(MPI_Remove_error_string(mine));
    OK(MPI_Remove_error_code(code));
    OK(MPI_Remove_error_class(mine));
    OK(MPI_Add_error_code(MPI_ERR_TAG, &second)); // one without a text
    OK(MPI_Remove_error_code(second));
    for (int i = 0; i < 50; i++) {
        OK(MPI_Add_error_class(&mine));
        OK(MPI_Add_error_code(mine, &code));
        OK(MPI_Error_class(code, &found));
        CHECK_INT(found, mine);
    }
    return finish("error_class");
}
