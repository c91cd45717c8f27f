/* No _start in assembly: a program begins in _start_c. */
