//! A program as bytes, to be sent to another task that runs it.
//!
//! ```text
//!   "PDGS" version │ packed bytes │ extent │ subprograms n │ body 1 │ ... │ body n │ main body
//!
//!   instruction   operands         effect
//!   0 end                          the body ends
//!   1 copy        length           moves bytes at the cursor, and the cursor behind them
//!   2 skip        distance         moves the cursor
//!   3 loop        count, distance  repeats what follows up to its end, from the cursor on, each
//!                                  iteration so far behind the one before
//!   4 call        subprogram       runs a body defined before, from the cursor on
//! ```
//!
//! A body begins with the cursor at 0; loops and calls leave the cursor where it was. The main
//! body's first skip is the start. Operands are integers of 7 bits a byte, lowest
//! first, distances folded so that small negative ones are short. Equal bodies are written once.
//!
//! Step before: a complete program. Step after: the target runs what it was sent.
//!
//! Invariants of what [`Program::deserialize`] accepts: everything that composition checks
//! holds (sizes, spans, nesting), calls only go back, so that every program ends,
//! and memory and time are in proportion to the bytes read, [`super::canonical`]'s bound aside.
//!
//! Source: striping, a program may itself be sent to the target.

use std::collections::HashMap;

use super::node::{DEPTH_LIMIT, Node, Placed, repeat, sequence};
use crate::gather_scatter::error::{ProgramError, product, signed, sum};
use crate::gather_scatter::program::Program;

const MAGIC: &[u8; 4] = b"PDGS";
/// Version of the format.
const VERSION: u8 = 1;

const END: u8 = 0;
const COPY: u8 = 1;
const SKIP: u8 = 2;
const LOOP: u8 = 3;
const CALL: u8 = 4;

impl Program {
    /// The program as bytes; the same for programs in the same canonical form.
    pub fn serialize(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        let mut main = Vec::new();
        skip(&mut main, self.placed.displacement);
        if self.count == 1 {
            writer.body(&self.placed.node, &mut main);
        } else {
            main.push(LOOP);
            unsigned(&mut main, self.count as u64);
            distance(&mut main, self.stride);
            writer.body(&self.placed.node, &mut main);
            main.push(END);
        }
        main.push(END);
        let mut out = [MAGIC.as_slice(), &[VERSION]].concat();
        unsigned(&mut out, self.total as u64);
        distance(&mut out, self.stride);
        unsigned(&mut out, writer.bodies.len() as u64);
        out.extend(writer.bodies.concat());
        out.extend(main);
        out
    }

    /// The program that `code` holds, in canonical form.
    ///
    /// # Errors
    ///
    /// [`ProgramError`] for whatever does not hold of the bytes; they may be anyone's.
    pub fn deserialize(code: &[u8]) -> Result<Self, ProgramError> {
        let rest = code
            .strip_prefix(MAGIC)
            .and_then(|rest| rest.strip_prefix(&[VERSION]))
            .ok_or(ProgramError::NotAProgram { version: VERSION })?;
        let mut reader = Reader {
            code,
            at: code.len() - rest.len(),
            bodies: Vec::new(),
        };
        let said = reader.size()?;
        let extent = reader.distance()?;
        for _ in 0..reader.size()? {
            let body = reader.body(0)?;
            reader.bodies.push(body);
        }
        let main = reader.body(0)?;
        if reader.at != code.len() {
            return Err(reader.wrong_length());
        }
        let found = main.node.bytes();
        if found != said {
            return Err(ProgramError::WrongSize { said, found });
        }
        Self::canonical(&main, extent)
    }
}

/// Writes bodies, each once.
#[derive(Default)]
struct Writer {
    bodies: Vec<Vec<u8>>,
    /// Index by content.
    written: HashMap<Vec<u8>, u64>,
    /// Index by the node's identity, so that shared nodes are not walked twice.
    known: HashMap<usize, u64>,
}

impl Writer {
    /// Writes what `node` does from the cursor on.
    fn body(&mut self, node: &Node, out: &mut Vec<u8>) {
        match node {
            Node::Empty => {}
            Node::Block { bytes } => copy(out, *bytes),
            Node::Strided {
                count,
                block,
                stride,
            } => {
                out.push(LOOP);
                unsigned(out, *count as u64);
                distance(out, *stride);
                copy(out, *block);
                out.push(END);
            }
            Node::Loop(node) => {
                out.push(LOOP);
                unsigned(out, node.count as u64);
                distance(out, node.stride);
                self.body(&node.body, out);
                out.push(END);
            }
            Node::Uniform(node) => {
                let blocks = node.displacements.iter().map(|&at| (at, node.block));
                copies(out, blocks);
            }
            Node::Indexed(node) => {
                let ends = &node.ends;
                let bytes = |index| ends.ends()[index] - ends.start(index);
                let list = node.displacements.iter().enumerate();
                copies(out, list.map(|(index, &at)| (at, bytes(index))));
            }
            Node::Sequence(node) => {
                let mut cursor = 0;
                for part in &node.parts {
                    skip(out, part.displacement.wrapping_sub(cursor));
                    cursor = part.displacement;
                    match &part.node {
                        Node::Block { bytes } => {
                            copy(out, *bytes);
                            cursor = cursor.wrapping_add(*bytes as i64);
                        }
                        Node::Strided { .. } => self.body(&part.node, out),
                        other => {
                            let index = self.subprogram(other);
                            out.push(CALL);
                            unsigned(out, index);
                        }
                    }
                }
            }
        }
    }

    /// The index of `node`'s body, written if it is new.
    fn subprogram(&mut self, node: &Node) -> u64 {
        let identity = node.identity();
        if let Some(&index) = identity.and_then(|identity| self.known.get(&identity)) {
            return index;
        }
        let mut body = Vec::new();
        self.body(node, &mut body);
        body.push(END);
        let next = self.bodies.len() as u64;
        let index = *self.written.entry(body.clone()).or_insert(next);
        if index == next {
            self.bodies.push(body);
        }
        if let Some(identity) = identity {
            self.known.insert(identity, index);
        }
        index
    }
}

fn copies(out: &mut Vec<u8>, blocks: impl Iterator<Item = (i64, usize)>) {
    let mut cursor = 0i64;
    for (at, bytes) in blocks {
        skip(out, at.wrapping_sub(cursor));
        copy(out, bytes);
        cursor = at.wrapping_add(bytes as i64);
    }
}

fn copy(out: &mut Vec<u8>, bytes: usize) {
    out.push(COPY);
    unsigned(out, bytes as u64);
}

fn skip(out: &mut Vec<u8>, by: i64) {
    if by != 0 {
        out.push(SKIP);
        distance(out, by);
    }
}

fn distance(out: &mut Vec<u8>, value: i64) {
    unsigned(out, ((value << 1) ^ (value >> 63)) as u64);
}

fn unsigned(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Reads and checks.
struct Reader<'a> {
    code: &'a [u8],
    at: usize,
    bodies: Vec<Placed>,
}

impl Reader<'_> {
    fn wrong_length(&self) -> ProgramError {
        ProgramError::WrongLength {
            found: self.code.len(),
            end: self.at,
        }
    }

    fn byte(&mut self) -> Result<u8, ProgramError> {
        let byte = self.code.get(self.at).copied();
        let byte = byte.ok_or_else(|| self.wrong_length())?;
        self.at += 1;
        Ok(byte)
    }

    fn unsigned(&mut self) -> Result<u64, ProgramError> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7F);
            if shift == 63 && byte > 1 {
                break;
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(ProgramError::TooLarge { what: "an operand" })
    }

    fn size(&mut self) -> Result<usize, ProgramError> {
        let value = self.unsigned()?;
        usize::try_from(value).map_err(|_| ProgramError::TooLarge { what: "an operand" })
    }

    fn distance(&mut self) -> Result<i64, ProgramError> {
        let value = self.unsigned()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// Instructions up to their end, within `loops` loops.
    fn body(&mut self, loops: usize) -> Result<Placed, ProgramError> {
        let limit = DEPTH_LIMIT;
        if loops > limit {
            return Err(ProgramError::TooDeep {
                levels: loops,
                limit,
            });
        }
        let mut cursor = 0i64;
        let mut parts = Vec::new();
        loop {
            let at = self.at;
            match self.byte()? {
                END => return sequence(parts),
                COPY => {
                    let bytes = self.size()?;
                    parts.push(Placed::checked_block(cursor, bytes)?);
                    cursor = sum("the cursor", cursor, signed("the size", bytes)?)?;
                }
                SKIP => cursor = sum("the cursor", cursor, self.distance()?)?,
                LOOP => {
                    let (count, stride) = (self.size()?, self.distance()?);
                    product("a count", signed("a count", count)?, 1)?;
                    let body = self.body(loops + 1)?;
                    parts.push(repeat(count, stride, &body)?.shifted(cursor)?);
                }
                CALL => {
                    let index = self.size()?;
                    let body = self.bodies.get(index).ok_or(ProgramError::NoSubprogram {
                        at,
                        index,
                        defined: self.bodies.len(),
                    })?;
                    parts.push(body.shifted(cursor)?);
                }
                code => return Err(ProgramError::BadInstruction { at, code }),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(total: u8) -> Vec<u8> {
        [MAGIC.as_slice(), &[VERSION, total, 0, 0]].concat()
    }

    #[test]
    fn the_worked_example_is_a_few_bytes() {
        let parts = [(0, 12), (20, 6), (33, 16)].map(|(at, bytes)| Placed::block(at, bytes));
        let program = Program::canonical(&sequence(parts).unwrap(), 49).unwrap();
        let code = program.serialize();
        // Copy 12, skip 8, copy 6, skip 7, copy 16, end; distances are folded.
        let expected = [COPY, 12, SKIP, 16, COPY, 6, SKIP, 14, COPY, 16, END];
        assert_eq!(code[8..], expected);
        assert_eq!(Program::deserialize(&code).unwrap().serialize(), code);
    }

    #[test]
    fn a_vector_of_a_million_blocks_is_a_few_instructions() {
        let vector = repeat(1_000_000, 16, &Placed::block(0, 8)).unwrap();
        let plane = repeat(1000, 17_000_000, &vector).unwrap();
        let program = Program::new(plane, 17_000_000_000);
        let code = program.serialize();
        assert!(code.len() < 40, "{} bytes", code.len());
        let again = Program::deserialize(&code).unwrap();
        assert_eq!(again.bytes(), 8_000_000_000);
        assert_eq!(again.serialize(), code);
    }

    #[test]
    fn bad_code_is_refused() {
        let with = |body: &[u8]| Program::deserialize(&[header(1).as_slice(), body].concat());
        assert!(with(&[COPY, 1, END]).is_ok());
        assert!(matches!(
            with(&[COPY, 2, END]),
            Err(ProgramError::WrongSize { said: 1, found: 2 })
        ));
        assert!(matches!(
            with(&[COPY, 1]),
            Err(ProgramError::WrongLength { .. })
        ));
        assert!(matches!(
            with(&[COPY, 1, END, END]),
            Err(ProgramError::WrongLength { .. })
        ));
        assert!(matches!(
            with(&[9]),
            Err(ProgramError::BadInstruction { at: 8, code: 9 })
        ));
        assert!(matches!(
            with(&[CALL, 0, END]),
            Err(ProgramError::NoSubprogram { .. })
        ));
        assert!(matches!(
            Program::deserialize(b"PDGS\x02"),
            Err(ProgramError::NotAProgram { version: 1 })
        ));
        let deep = [[LOOP, 2, 2].repeat(300), vec![END; 301]].concat();
        assert!(matches!(with(&deep), Err(ProgramError::TooDeep { .. })));
        let huge = [&[LOOP][..], &[0xFF; 8], &[0x7F, 2, COPY, 8, END, END]].concat();
        assert!(matches!(with(&huge), Err(ProgramError::TooLarge { .. })));
    }

    #[test]
    fn subprograms_that_double_do_not_take_forever() {
        // Subprogram i calls subprogram i - 1 twice at uneven places: 2^60 copies.
        let mut code = [MAGIC.as_slice(), &[VERSION]].concat();
        unsigned(&mut code, 1 << 60);
        code.extend([0, 61]);
        code.extend([COPY, 1, END]);
        for index in 0..60u8 {
            code.extend([CALL, index, SKIP]);
            distance(&mut code, (3 << index) + 1);
            code.extend([CALL, index, END]);
        }
        code.extend([CALL, 60, END]);
        let program = Program::deserialize(&code).unwrap();
        assert_eq!(program.bytes(), 1 << 60);
        assert_eq!(
            Program::deserialize(&program.serialize()).unwrap().bytes(),
            1 << 60
        );
    }
}
