; Poison reads as zero where it is written as such; an operation that would make poison computes.
; expect: exit 44
define i32 @main() {
  %zero = add i32 poison, 44
  %wrapped = add nsw i32 2147483647, 1
  %sign = lshr exact i32 %wrapped, 31
  %frozen = freeze i32 poison
  %same = freeze i32 undef
  %either = select i1 poison, i32 1, i32 %frozen
  %a = add i32 %zero, %sign
  %b = add i32 %either, %same
  %c = sub i32 %a, 1
  %d = add i32 %b, %c
  ret i32 %d
}
