//! Makes the sources of a face MPICH's.

fn main() {
    pamir_face_generator::build::build(&pamir_face_generator::build::Face {
        name: "mpich",
        soname: "libmpi.so.12",
        has_objects: false,
    });
}
