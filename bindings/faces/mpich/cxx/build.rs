//! Makes the sources of the C++ library MPICH's.

fn main() {
    pamir_face_generator::cxx::build(&pamir_face_generator::cxx::Library {
        name: "mpich",
        soname: "libmpicxx.so.12",
        c_library: "libmpi.so.12",
        throws: true,
    });
}
