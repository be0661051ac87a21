pub mod primitive;
