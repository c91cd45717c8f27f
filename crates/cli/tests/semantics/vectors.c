// expect: exit 0
typedef int v4 __attribute__((vector_size(16)));
typedef short v8s __attribute__((vector_size(16)));
typedef float v4f __attribute__((vector_size(16)));
int main(void) {
    volatile v4 a = {1, -2, 3, -4};
    v4 b = a * a + a, less = a < 0;
    volatile int i = 3;
    if (b[i] != 12 || less[1] != -1 || less[0] != 0)
        return 1;
    v4 reversed = __builtin_shufflevector(a, b, 3, 2, 1, 4);
    reversed[i] += 5;
    if (reversed[0] != -4 || reversed[3] != 7)
        return 2;
    v4f f = __builtin_convertvector(a, v4f) / 2.0f;
    if (f[1] != -1.0f || f[2] != 1.5f)
        return 3;
    v8s s = (v8s)a;
    if (s[2] != -2 || s[3] != -1)
        return 4;
    v4 chosen = (a & less) | (b & ~less);
    if (chosen[0] != 2 || chosen[3] != -4)
        return 5;
    return __builtin_reduce_add(a) == -2 && __builtin_reduce_max(a) == 3 ? 0 : 6;
}
