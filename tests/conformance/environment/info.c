// ranks: 1 2
// timeout: 20
// Info objects: set, get with short and long buffers, replace, delete, order of keys, duplicates that stand alone,
// longest keys and values, hundreds of keys.
#include "check.h"

int main(int argc, char **argv) {
    begin(&argc, &argv);
    MPI_Info info, copy;
    int flag = -1, count = -1, length;
    char value[MPI_MAX_INFO_VAL + 1], key[MPI_MAX_INFO_KEY + 1];
    OK(MPI_Info_create(&info));
    CHECK(info != MPI_INFO_NULL);
    OK(MPI_Info_get_nkeys(info, &count));
    CHECK_INT(count, 0);
    length = sizeof value;
    OK(MPI_Info_get_string(info, "nothing", &length, value, &flag));
    CHECK_INT(flag, 0);

    OK(MPI_Info_set(info, "first", "one"));
    OK(MPI_Info_set(info, "second", "two words"));
    OK(MPI_Info_set(info, "third", ""));
    OK(MPI_Info_set(info, "first", "ONE"));
    OK(MPI_Info_get_nkeys(info, &count));
    CHECK_INT(count, 3);
    length = sizeof value;
    OK(MPI_Info_get_string(info, "first", &length, value, &flag));
    CHECK_INT(flag, 1);
    CHECK_STR(value, "ONE");
    CHECK_INT(length, 4); // with the null byte
    length = 5;
    OK(MPI_Info_get_string(info, "second", &length, value, &flag)); // cut short
    CHECK_STR(value, "two ");
    CHECK_INT(length, 10);
    length = 0;
    strcpy(value, "kept");
    OK(MPI_Info_get_string(info, "second", &length, value, &flag)); // only the length
    CHECK_INT(flag, 1);
    CHECK_INT(length, 10);
    CHECK_STR(value, "kept");
    OK(MPI_Info_get(info, "second", MPI_MAX_INFO_VAL, value, &flag)); // the older call: length without null byte
    CHECK_STR(value, "two words");
    OK(MPI_Info_get_valuelen(info, "second", &length, &flag));
    CHECK_INT(length, 9);
    static const char *const keys[] = {"first", "second", "third"};
    int seen[3] = {0};
    for (int i = 0; i < 3; i++) {
        OK(MPI_Info_get_nthkey(info, i, key));
        for (int k = 0; k < 3; k++) seen[k] += strcmp(key, keys[k]) == 0;
    }
    CHECK(seen[0] == 1 && seen[1] == 1 && seen[2] == 1);
    FAILS_EITHER(MPI_Info_get_nthkey(info, 3, key), MPI_ERR_ARG, MPI_ERR_INFO_KEY);

    OK(MPI_Info_dup(info, &copy));
    OK(MPI_Info_set(info, "first", "changed"));
    OK(MPI_Info_delete(info, "second"));
    FAILS(MPI_Info_delete(info, "second"), MPI_ERR_INFO_NOKEY);
    length = sizeof value;
    OK(MPI_Info_get_string(copy, "first", &length, value, &flag));
    CHECK_STR(value, "ONE");
    length = sizeof value;
    OK(MPI_Info_get_string(copy, "second", &length, value, &flag));
    CHECK_INT(flag, 1);
    OK(MPI_Info_free(&copy));
    CHECK(copy == MPI_INFO_NULL);

    char long_key[MPI_MAX_INFO_KEY + 2], long_value[MPI_MAX_INFO_VAL + 2];
    memset(long_key, 'k', sizeof long_key);
    memset(long_value, 'v', sizeof long_value);
    long_key[MPI_MAX_INFO_KEY - 1] = 0;
    long_value[MPI_MAX_INFO_VAL - 1] = 0;
    OK(MPI_Info_set(info, long_key, long_value));
    length = sizeof value;
    OK(MPI_Info_get_string(info, long_key, &length, value, &flag));
    CHECK(flag && strcmp(value, long_value) == 0);
    long_key[MPI_MAX_INFO_KEY - 1] = 'k';
    long_key[MPI_MAX_INFO_KEY + 1] = 0;
    FAILS(MPI_Info_set(info, long_key, "x"), MPI_ERR_INFO_KEY);
    long_value[MPI_MAX_INFO_VAL - 1] = 'v';
    long_value[MPI_MAX_INFO_VAL + 1] = 0;
    FAILS(MPI_Info_set(info, "x", long_value), MPI_ERR_INFO_VALUE);
    FAILS_EITHER(MPI_Info_set(info, "", "x"), MPI_ERR_INFO_KEY, MPI_ERR_ARG);
    OK(MPI_Info_free(&info));

    OK(MPI_Info_create(&info));
    for (int i = 0; i < 400; i++) {
        snprintf(key, sizeof key, "key %d", i);
        snprintf(value, sizeof value, "value %d", i * i);
        OK(MPI_Info_set(info, key, value));
    }
    for (int i = 399; i >= 0; i--) {
        char expected[32];
        snprintf(key, sizeof key, "key %d", i);
        snprintf(expected, sizeof expected, "value %d", i * i);
        length = sizeof value;
        OK(MPI_Info_get_string(info, key, &length, value, &flag));
        CHECK(flag && strcmp(value, expected) == 0);
    }
    OK(MPI_Info_free(&info));
    for (int i = 0; i < 5000; i++) {
        OK(MPI_Info_create(&info));
        OK(MPI_Info_set(info, "a", "b"));
        OK(MPI_Info_free(&info));
    }
    return finish("info");
}
