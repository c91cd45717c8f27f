//! Linux's error numbers.

/// An error number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Errno(pub i32);

macro_rules! errors {
    ($($name:ident = $number:literal: $text:literal;)*) => {
        impl Errno {
            $(#[doc = $text] pub const $name: Errno = Errno($number);)*
        }
    };
}

errors! {
    EPERM = 1: "Operation not permitted.";
    ENOENT = 2: "No such file or directory.";
    ESRCH = 3: "No such process.";
    EINTR = 4: "Interrupted by a signal.";
    EIO = 5: "Input/output error.";
    ENXIO = 6: "No such device or address.";
    EBADF = 9: "Bad file descriptor.";
    ECHILD = 10: "No child processes.";
    EAGAIN = 11: "Try again.";
    ENOMEM = 12: "Out of memory.";
    EACCES = 13: "Permission denied.";
    EFAULT = 14: "Bad address.";
    EBUSY = 16: "Device or resource busy.";
    EEXIST = 17: "File exists.";
    ENODEV = 19: "No such device.";
    ENOTDIR = 20: "Not a directory.";
    EISDIR = 21: "Is a directory.";
    EINVAL = 22: "Invalid argument.";
    EMFILE = 24: "Too many open files.";
    ENOTTY = 25: "Not a terminal.";
    EFBIG = 27: "File too large.";
    ENOSPC = 28: "No space left on device.";
    ESPIPE = 29: "Illegal seek.";
    EPIPE = 32: "Broken pipe.";
    ERANGE = 34: "Result too large.";
    ENAMETOOLONG = 36: "File name too long.";
    ENOSYS = 38: "Not implemented.";
    ENOTEMPTY = 39: "Directory not empty.";
    ELOOP = 40: "Too many symbolic links.";
    ENODATA = 61: "No data available.";
    EOVERFLOW = 75: "Value too large.";
    EOPNOTSUPP = 95: "Operation not supported.";
    ETIMEDOUT = 110: "Timed out.";
}
