# Included by musl's Makefile.

# These files read a word at a time when they see a GNU compiler, past the end of
# the object. A byte at a time they stay inside, and a branch depends on one byte.
obj/src/string/%.o obj/src/multibyte/mbsrtowcs.o: CFLAGS_ALL += -U__GNUC__

# The builtins of the overlay's math files shall become intrinsics; with errno in
# play they would be calls of the very functions they implement. The same would
# happen in machine code, should somebody run the module natively, were it not for
# the instructions that these features add.
obj/src/math/rejoin/%.o: CFLAGS_ALL += -fno-math-errno -msse4.1 -mfma

.PHONY: bitcode
bitcode: $(LIBC_OBJS) obj/crt/crt1.o
