; expect: ledger unknown-instruction llvm.readcyclecounter
declare i64 @llvm.readcyclecounter()
define i32 @main() {
  %t = call i64 @llvm.readcyclecounter()
  ret i32 0
}
