//! Makes the sources of a face Open MPI's.

fn main() {
    pamir_face_generator::build::build(&pamir_face_generator::build::Face {
        name: "openmpi",
        soname: "libmpi.so.40",
        has_objects: true,
    });
}
