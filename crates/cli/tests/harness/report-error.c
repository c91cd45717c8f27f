// expect: exit 0
#include <klee/klee.h>
int main(void) {
    unsigned char x;
    klee_make_symbolic(&x, 1, "x");
    if (x == 1)
        klee_report_error(__FILE__, __LINE__, "by name", "div.err"); // error: div
    if (x == 2)
        klee_report_error(__FILE__, __LINE__, "my own", "mine"); // error: report_error
    return 0;
}
