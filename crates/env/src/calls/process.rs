//! The process: identity, limits, scheduling, odds and ends.

use super::*;
use crate::process::{PARENT, PID};
use crate::record::Record;

pub(super) fn exit(c: &mut Call) -> Done {
    Err(Stop::End(Reply::Exit(c.int(0))))
}

pub(super) fn getpid(_: &mut Call) -> Done {
    Ok(PID as i64)
}

pub(super) fn getppid(_: &mut Call) -> Done {
    Ok(PARENT as i64)
}

pub(super) fn getuid(c: &mut Call) -> Done {
    Ok(c.os.process.ids.user[0].into())
}

pub(super) fn geteuid(c: &mut Call) -> Done {
    Ok(c.os.process.ids.user[1].into())
}

pub(super) fn getgid(c: &mut Call) -> Done {
    Ok(c.os.process.ids.group[0].into())
}

pub(super) fn getegid(c: &mut Call) -> Done {
    Ok(c.os.process.ids.group[1].into())
}

pub(super) fn getresuid(c: &mut Call) -> Done {
    store_three(c, c.os.process.ids.user)
}

pub(super) fn getresgid(c: &mut Call) -> Done {
    store_three(c, c.os.process.ids.group)
}

fn store_three(c: &mut Call, ids: [u32; 3]) -> Done {
    for (i, id) in ids.into_iter().enumerate() {
        c.store_number(c.args[i], 4, id.into())?;
    }
    Ok(0)
}

const KEEP: u32 = u32::MAX;

/// New real, effective and saved ids. Only the superuser takes ids that are not its own already.
fn change(own: [u32; 3], root: bool, new: [u32; 3]) -> Result<[u32; 3], Errno> {
    if !root && new.iter().any(|id| *id != KEEP && !own.contains(id)) {
        return Err(Errno::EPERM);
    }
    Ok([0, 1, 2].map(|i| if new[i] == KEEP { own[i] } else { new[i] }))
}

fn set_user(c: &mut Call, new: [u32; 3]) -> Done {
    let ids = &c.os.process.ids;
    c.os.process_mut().ids.user = change(ids.user, ids.is_root(), new)?;
    Ok(0)
}

fn set_group(c: &mut Call, new: [u32; 3]) -> Done {
    let ids = &c.os.process.ids;
    c.os.process_mut().ids.group = change(ids.group, ids.is_root(), new)?;
    Ok(0)
}

pub(super) fn setresuid(c: &mut Call) -> Done {
    set_user(c, [c.unsigned(0), c.unsigned(1), c.unsigned(2)])
}

pub(super) fn setresgid(c: &mut Call) -> Done {
    set_group(c, [c.unsigned(0), c.unsigned(1), c.unsigned(2)])
}

/// The saved id follows the effective one when the real one is set or the effective one becomes
/// something else than the real one was.
fn saved(own: [u32; 3], real: u32, effective: u32) -> u32 {
    let follows = real != KEEP || effective != KEEP && effective != own[0];
    match () {
        () if !follows => KEEP,
        () if effective != KEEP => effective,
        () => own[1],
    }
}

pub(super) fn setreuid(c: &mut Call) -> Done {
    let (real, effective) = (c.unsigned(0), c.unsigned(1));
    set_user(c, [real, effective, saved(c.os.process.ids.user, real, effective)])
}

pub(super) fn setregid(c: &mut Call) -> Done {
    let (real, effective) = (c.unsigned(0), c.unsigned(1));
    set_group(c, [real, effective, saved(c.os.process.ids.group, real, effective)])
}

pub(super) fn setuid(c: &mut Call) -> Done {
    let id = c.unsigned(0);
    let new = if c.os.process.ids.is_root() { [id; 3] } else { [KEEP, id, KEEP] };
    if id == KEEP { error(Errno::EINVAL) } else { set_user(c, new) }
}

pub(super) fn setgid(c: &mut Call) -> Done {
    let id = c.unsigned(0);
    let new = if c.os.process.ids.is_root() { [id; 3] } else { [KEEP, id, KEEP] };
    if id == KEEP { error(Errno::EINVAL) } else { set_group(c, new) }
}

pub(super) fn getgroups(c: &mut Call) -> Done {
    let (size, list) = (c.int(0), c.args[1]);
    let groups = c.os.process.ids.groups.clone();
    if size < 0 || size > 0 && (size as usize) < groups.len() {
        return error(Errno::EINVAL);
    }
    if size > 0 && !groups.is_empty() {
        let bytes: Vec<u8> = groups.iter().flat_map(|g| g.to_le_bytes()).collect();
        c.store(list, &bytes.into())?;
    }
    Ok(groups.len() as i64)
}

pub(super) fn setgroups(c: &mut Call) -> Done {
    if !c.os.process.ids.is_root() {
        return error(Errno::EPERM);
    }
    let (size, list) = (c.args[0], c.args[1]);
    if size > 65536 {
        return error(Errno::EINVAL);
    }
    let mut groups = Vec::new();
    for i in 0..size {
        groups.push(c.load(list + 4 * i, 4)? as u32);
    }
    c.os.process_mut().ids.groups = groups;
    Ok(0)
}

/// Whether a process number means the program itself.
fn is_self(pid: i32) -> bool {
    pid == 0 || pid == PID as i32
}

pub(super) fn getpgrp(c: &mut Call) -> Done {
    Ok(c.os.process.group_leader as i64)
}

pub(super) fn getpgid(c: &mut Call) -> Done {
    if is_self(c.int(0)) { Ok(c.os.process.group_leader as i64) } else { error(Errno::ESRCH) }
}

pub(super) fn getsid(c: &mut Call) -> Done {
    if is_self(c.int(0)) { Ok(c.os.process.session as i64) } else { error(Errno::ESRCH) }
}

pub(super) fn setpgid(c: &mut Call) -> Done {
    match (c.int(0), c.int(1)) {
        (_, group) if group < 0 => error(Errno::EINVAL),
        (pid, _) if !is_self(pid) => error(Errno::ESRCH),
        // The program leads its session: it stays in its group.
        _ => error(Errno::EPERM),
    }
}

/// A group leader cannot start a session.
pub(super) fn setsid(_: &mut Call) -> Done {
    error(Errno::EPERM)
}

/// There are no children.
pub(super) fn wait(_: &mut Call) -> Done {
    error(Errno::ECHILD)
}

pub(super) fn uname(c: &mut Call) -> Done {
    const NAMES: [&[u8]; 6] = [b"Linux", b"localhost", b"6.1.0", b"#1 SMP", b"x86_64", b"(none)"];
    let record =
        NAMES.iter().enumerate().fold(Record::new(6 * 65), |record, (i, name)| record.text(65 * i, name));
    c.store(c.args[0], &record.bytes())?;
    Ok(0)
}

pub(super) fn getrlimit(c: &mut Call) -> Done {
    let [resource, address, ..] = c.args;
    limit(c, resource as u32, 0, address)
}

pub(super) fn setrlimit(c: &mut Call) -> Done {
    let [resource, address, ..] = c.args;
    limit(c, resource as u32, address, 0)
}

pub(super) fn prlimit64(c: &mut Call) -> Done {
    let [_, resource, new, old, ..] = c.args;
    if !is_self(c.int(0)) {
        return error(Errno::ESRCH);
    }
    limit(c, resource as u32, new, old)
}

fn limit(c: &mut Call, resource: u32, new: u64, old: u64) -> Done {
    let Some(&(soft, hard)) = c.os.process.limits.get(resource as usize) else {
        return error(Errno::EINVAL);
    };
    if new != 0 {
        let given = (c.load(new, 8)?, c.load(new + 8, 8)?);
        if given.0 > given.1 {
            return error(Errno::EINVAL);
        }
        if given.1 > hard && !c.os.process.ids.is_root() {
            return error(Errno::EPERM);
        }
        c.os.process_mut().limits[resource as usize] = given;
    }
    if old != 0 {
        c.store(old, &Record::new(16).put(0, 8, soft).put(8, 8, hard).bytes())?;
    }
    Ok(0)
}

pub(super) fn sysinfo(c: &mut Call) -> Done {
    const MEMORY: u64 = 8 << 30;
    let uptime = 10_000 + c.os.look_at_clock() / 1_000_000_000;
    let record = Record::new(112)
        .put(0, 8, uptime)
        .put(32, 8, MEMORY)
        .put(40, 8, MEMORY / 2)
        .put(80, 2, 1)
        .put(104, 4, 1);
    c.store(c.args[0], &record.bytes())?;
    Ok(0)
}

pub(super) fn getpriority(c: &mut Call) -> Done {
    match c.int(0) {
        0..=2 if is_self(c.int(1)) || c.int(0) != 0 => Ok(20 - i64::from(c.os.process.nice)),
        0..=2 => error(Errno::ESRCH),
        _ => error(Errno::EINVAL),
    }
}

pub(super) fn setpriority(c: &mut Call) -> Done {
    let (which, who, nice) = (c.int(0), c.int(1), c.int(2).clamp(-20, 19));
    match which {
        0..=2 if which != 0 || is_self(who) => {}
        0..=2 => return error(Errno::ESRCH),
        _ => return error(Errno::EINVAL),
    }
    if nice < c.os.process.nice && !c.os.process.ids.is_root() {
        return error(Errno::EACCES);
    }
    c.os.process_mut().nice = nice;
    Ok(0)
}

/// One processor.
pub(super) fn sched_getaffinity(c: &mut Call) -> Done {
    let (size, mask) = (c.unsigned(1), c.args[2]);
    if !is_self(c.int(0)) {
        return error(Errno::ESRCH);
    }
    if size < 8 || size % 8 != 0 {
        return error(Errno::EINVAL);
    }
    c.store_number(mask, 8, 1)?;
    Ok(8)
}

pub(super) fn getcpu(c: &mut Call) -> Done {
    for i in 0..2 {
        if c.args[i] != 0 {
            c.store_number(c.args[i], 4, 0)?;
        }
    }
    Ok(0)
}

impl Os {
    /// Bytes that look random and are the same in every run.
    pub(crate) fn random_bytes(&mut self, len: u64) -> Vec<u8> {
        let first = self.random;
        self.random += len;
        (first..first + len)
            .map(|i| {
                let mut x = i.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
                (x >> 56) as u8
            })
            .collect()
    }
}

pub(super) fn getrandom(c: &mut Call) -> Done {
    let [buffer, len, flags, ..] = c.args;
    if flags & !7 != 0 || flags & 6 == 6 {
        return error(Errno::EINVAL);
    }
    let bytes = c.os.random_bytes(len.min(1 << 20));
    let len = bytes.len() as i64;
    if len > 0 {
        c.store(buffer, &bytes.into())?;
    }
    Ok(len)
}

/// With one thread, nobody waits and nobody is there to wake.
pub(super) fn futex(c: &mut Call) -> Done {
    let [address, operation, expected, timeout, ..] = c.args;
    match operation & 0x7f {
        // FUTEX_WAIT, FUTEX_WAIT_BITSET
        0 | 9 => {
            if c.load(address, 4)? as u32 != expected as u32 {
                return error(Errno::EAGAIN);
            }
            if timeout == 0 {
                return Err(Stop::End(Reply::Blocked));
            }
            c.os.look_at_clock();
            error(Errno::ETIMEDOUT)
        }
        // FUTEX_WAKE, FUTEX_REQUEUE, FUTEX_CMP_REQUEUE, FUTEX_WAKE_OP, FUTEX_WAKE_BITSET
        1 | 3 | 4 | 5 | 10 => Ok(0),
        _ => unsupported(c),
    }
}

pub(super) fn arch_prctl(c: &mut Call) -> Done {
    const SET_FS: u64 = 0x1002;
    const GET_FS: u64 = 0x1003;
    let [what, address, ..] = c.args;
    match what {
        SET_FS => {
            c.os.process_mut().thread_pointer = address;
            Ok(0)
        }
        GET_FS => {
            c.store_number(address, 8, c.os.process.thread_pointer)?;
            Ok(0)
        }
        _ => error(Errno::EINVAL),
    }
}

pub(super) fn prctl(c: &mut Call) -> Done {
    let argument = c.args[1];
    match c.int(0) {
        // PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_KEEPCAPS, PR_SET_NO_NEW_PRIVS
        1 | 4 | 8 | 38 => Ok(0),
        // PR_GET_DUMPABLE, PR_CAPBSET_READ
        3 | 23 => Ok(1),
        // PR_GET_KEEPCAPS, PR_GET_NO_NEW_PRIVS
        7 | 39 => Ok(0),
        // PR_SET_NAME: cut to 15 bytes
        15 => {
            let mut name = [0; 16];
            for (i, slot) in name.iter_mut().take(15).enumerate() {
                match c.load(argument + i as u64, 1)? as u8 {
                    0 => break,
                    byte => *slot = byte,
                }
            }
            c.os.process_mut().name = name;
            Ok(0)
        }
        // PR_GET_NAME
        16 => {
            let name = c.os.process.name;
            c.store(argument, &name[..].into())?;
            Ok(0)
        }
        _ => error(Errno::EINVAL),
    }
}

pub(super) fn personality(_: &mut Call) -> Done {
    Ok(0)
}
