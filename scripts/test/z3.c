/* Checks that the Z3 which is linked is the one that was meant, and works. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <z3.h>
#ifdef WITH_LLVM
#include <llvm-c/Core.h>
#endif

#define CHECK(cond) \
    do { \
        if (!(cond)) { \
            fprintf(stderr, "z3 test, line %d: %s\n", __LINE__, #cond); \
            exit(1); \
        } \
    } while (0)

int main(void)
{
#ifdef WITH_LLVM
    LLVMContextRef llvm = LLVMContextCreate();
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("m", llvm);
    CHECK(module != NULL);
#endif
    unsigned major, minor, build, revision;
    Z3_get_version(&major, &minor, &build, &revision);
    printf("Z3 %u.%u.%u.%u\n", major, minor, build, revision);
    CHECK(major == 5 && minor == 4);

    Z3_config config = Z3_mk_config();
    Z3_context c = Z3_mk_context(config);
    Z3_sort bv32 = Z3_mk_bv_sort(c, 32);
    Z3_ast x = Z3_mk_const(c, Z3_mk_string_symbol(c, "x"), bv32);
    Z3_ast y = Z3_mk_const(c, Z3_mk_string_symbol(c, "y"), bv32);
    Z3_solver s = Z3_mk_simple_solver(c);
    Z3_solver_inc_ref(c, s);

    Z3_solver_assert(c, s, Z3_mk_eq(c, x, Z3_mk_bvadd(c, y, Z3_mk_unsigned_int(c, 7, bv32))));
    Z3_solver_push(c, s);
    Z3_solver_assert(c, s, Z3_mk_eq(c, x, Z3_mk_unsigned_int(c, 3, bv32)));
    CHECK(Z3_solver_check(c, s) == Z3_L_TRUE);
    Z3_model m = Z3_solver_get_model(c, s);
    Z3_model_inc_ref(c, m);
    Z3_ast value;
    CHECK(Z3_model_eval(c, m, y, 1, &value));
    CHECK(strcmp(Z3_get_numeral_string(c, value), "4294967292") == 0);
    Z3_model_dec_ref(c, m);
    Z3_ast assumption = Z3_mk_eq(c, y, Z3_mk_unsigned_int(c, 3, bv32));
    CHECK(Z3_solver_check_assumptions(c, s, 1, &assumption) == Z3_L_FALSE);
    Z3_solver_pop(c, s, 1);

    /* Quantifiers are what Z3 is here for: i + y >= i for all i < 10; not so for y = -1. */
    Z3_ast i = Z3_mk_const(c, Z3_mk_string_symbol(c, "i"), bv32);
    Z3_app bound = Z3_to_app(c, i);
    Z3_ast body = Z3_mk_implies(c, Z3_mk_bvult(c, i, Z3_mk_unsigned_int(c, 10, bv32)),
                                Z3_mk_bvuge(c, Z3_mk_bvadd(c, i, y), i));
    Z3_solver_assert(c, s, Z3_mk_forall_const(c, 0, 1, &bound, 0, NULL, body));
    CHECK(Z3_solver_check(c, s) == Z3_L_TRUE);
    Z3_solver_assert(c, s, Z3_mk_eq(c, y, Z3_mk_int(c, -1, bv32)));
    CHECK(Z3_solver_check(c, s) == Z3_L_FALSE);

    Z3_solver_dec_ref(c, s);
    Z3_del_context(c);
    Z3_del_config(config);
#ifdef WITH_LLVM
    LLVMDisposeModule(module);
    LLVMContextDispose(llvm);
#endif
    puts("z3: ok");
    return 0;
}
