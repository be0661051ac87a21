//! Makes the sources of the C++ library Open MPI's.

fn main() {
    pamir_face_generator::cxx::build(&pamir_face_generator::cxx::Library {
        name: "openmpi",
        soname: "libmpi_cxx.so.40",
        c_library: "libmpi.so.40",
        throws: false,
    });
}
