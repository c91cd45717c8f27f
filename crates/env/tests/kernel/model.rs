//! The model's side.

use crate::script::MEMORY;
use crate::{Kernel, World};
use rejoin_env::{Bytes, Errno, Fault, Guest, Os, Reply, Setup};
use rejoin_memory::Value;

const BASE: u64 = 0x10000;

pub(crate) struct Model {
    os: Os,
    memory: Memory,
}

struct Memory(Vec<u8>);

impl Memory {
    fn range(&self, address: u64, len: u64) -> Result<std::ops::Range<usize>, Fault> {
        let start = address.checked_sub(BASE).ok_or(Fault::Error(Errno::EFAULT))?;
        let end = start.checked_add(len).filter(|e| *e <= MEMORY as u64);
        Ok(start as usize..end.ok_or(Fault::Error(Errno::EFAULT))? as usize)
    }
}

impl Guest for Memory {
    fn read(&mut self, address: u64, len: u64) -> Result<Bytes, Fault> {
        let range = self.range(address, len)?;
        Ok(self.0[range].into())
    }

    fn write(&mut self, address: u64, bytes: &Bytes) -> Result<(), Fault> {
        let range = self.range(address, bytes.len() as u64)?;
        self.0[range].copy_from_slice(bytes.known().expect("nothing is symbolic"));
        Ok(())
    }

    fn decide(&mut self, byte: Value) -> Result<u8, Fault> {
        Ok(byte.bits().expect("nothing is symbolic") as u8)
    }

    fn map(&mut self, _: u64, _: Option<u64>) -> Result<u64, Fault> {
        Err(Fault::Error(Errno::ENOMEM))
    }

    fn unmap(&mut self, _: u64, _: u64) -> Result<(), Fault> {
        Err(Fault::Error(Errno::EINVAL))
    }
}

impl Model {
    pub(crate) fn new(world: World) -> Self {
        let cwd = "/w".to_owned();
        let setup = Setup { uid: world.uid, gid: world.uid, cwd, ..Setup::default() };
        let mut model = Model { os: Os::new(&setup).expect("a good path"), memory: Memory(vec![0; MEMORY]) };
        // As in the real process, writing to a pipe that nobody reads is only an error.
        const SIGPIPE: u64 = 13;
        const SIG_IGN: u8 = 1;
        model.write(0, &[SIG_IGN]);
        assert_eq!(model.call(libc::SYS_rt_sigaction, [SIGPIPE, BASE, 0, 8, 0, 0]), 0);
        model
    }
}

impl Kernel for Model {
    fn base(&self) -> u64 {
        BASE
    }

    fn write(&mut self, at: u64, bytes: &[u8]) {
        self.memory.0[at as usize..at as usize + bytes.len()].copy_from_slice(bytes);
    }

    fn read(&self, at: u64, len: usize) -> Vec<u8> {
        self.memory.0[at as usize..at as usize + len].to_vec()
    }

    fn call(&mut self, number: i64, args: [u64; 6]) -> i64 {
        match self.os.call(&mut self.memory, number as u64, args) {
            Reply::Value(value) => value,
            other => panic!("call {number} comes to {other:?}"),
        }
    }
}
