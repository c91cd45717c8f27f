// expect: exit 0
#include <stdatomic.h>
int main(void) {
    atomic_int a = 5;
    _Atomic unsigned char b = 250;
    int expected = 4;
    if (atomic_compare_exchange_strong(&a, &expected, 9) || expected != 5)
        return 1;
    if (!atomic_compare_exchange_strong(&a, &expected, 9) || a != 9)
        return 2;
    if (atomic_fetch_add(&a, 3) != 9 || atomic_fetch_sub(&a, 2) != 12 || atomic_exchange(&a, 6) != 10)
        return 3;
    if (atomic_fetch_or(&a, 9) != 6 || atomic_fetch_and(&a, 12) != 15 || atomic_fetch_xor(&a, 5) != 12)
        return 4;
    atomic_fetch_add(&b, 10);
    atomic_thread_fence(memory_order_seq_cst);
    atomic_flag flag = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&flag) || !atomic_flag_test_and_set(&flag))
        return 5;
    return a == 9 && b == 4 ? 0 : 6;
}
