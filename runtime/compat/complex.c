/* What clang calls for products and quotients of complex numbers (C11 annex G). */
#include <math.h>

#define COMPLEX(T, MUL, DIV, COPYSIGN, LOGB, SCALBN, FABS, FMAX)                                       \
  static T boxed_##MUL(T x) { return COPYSIGN(isinf(x) ? 1 : 0, x); }                                  \
  T _Complex MUL(T a, T b, T c, T d) {                                                                 \
    T ac = a * c, bd = b * d, ad = a * d, bc = b * c;                                                  \
    T _Complex z;                                                                                      \
    __real__ z = ac - bd;                                                                              \
    __imag__ z = ad + bc;                                                                              \
    if (!isnan(__real__ z) || !isnan(__imag__ z))                                                      \
      return z;                                                                                        \
    int again = 0;                                                                                     \
    if (isinf(a) || isinf(b)) {                                                                        \
      a = boxed_##MUL(a), b = boxed_##MUL(b);                                                          \
      c = isnan(c) ? COPYSIGN(0, c) : c, d = isnan(d) ? COPYSIGN(0, d) : d;                            \
      again = 1;                                                                                       \
    }                                                                                                  \
    if (isinf(c) || isinf(d)) {                                                                        \
      c = boxed_##MUL(c), d = boxed_##MUL(d);                                                          \
      a = isnan(a) ? COPYSIGN(0, a) : a, b = isnan(b) ? COPYSIGN(0, b) : b;                            \
      again = 1;                                                                                       \
    }                                                                                                  \
    if (!again && (isinf(ac) || isinf(bd) || isinf(ad) || isinf(bc))) {                                \
      a = isnan(a) ? COPYSIGN(0, a) : a, b = isnan(b) ? COPYSIGN(0, b) : b;                            \
      c = isnan(c) ? COPYSIGN(0, c) : c, d = isnan(d) ? COPYSIGN(0, d) : d;                            \
      again = 1;                                                                                       \
    }                                                                                                  \
    if (again) {                                                                                       \
      __real__ z = (T)INFINITY * (a * c - b * d);                                                      \
      __imag__ z = (T)INFINITY * (a * d + b * c);                                                      \
    }                                                                                                  \
    return z;                                                                                          \
  }                                                                                                    \
  T _Complex DIV(T a, T b, T c, T d) {                                                                 \
    int scale = 0;                                                                                     \
    T log = LOGB(FMAX(FABS(c), FABS(d)));                                                              \
    if (isfinite(log)) {                                                                               \
      scale = (int)log;                                                                                \
      c = SCALBN(c, -scale), d = SCALBN(d, -scale);                                                    \
    }                                                                                                  \
    T norm = c * c + d * d;                                                                            \
    T _Complex z;                                                                                      \
    __real__ z = SCALBN((a * c + b * d) / norm, -scale);                                               \
    __imag__ z = SCALBN((b * c - a * d) / norm, -scale);                                               \
    if (!isnan(__real__ z) || !isnan(__imag__ z))                                                      \
      return z;                                                                                        \
    if (norm == 0 && (!isnan(a) || !isnan(b))) {                                                       \
      __real__ z = COPYSIGN((T)INFINITY, c) * a;                                                       \
      __imag__ z = COPYSIGN((T)INFINITY, c) * b;                                                       \
    } else if ((isinf(a) || isinf(b)) && isfinite(c) && isfinite(d)) {                                 \
      a = boxed_##MUL(a), b = boxed_##MUL(b);                                                          \
      __real__ z = (T)INFINITY * (a * c + b * d);                                                      \
      __imag__ z = (T)INFINITY * (b * c - a * d);                                                      \
    } else if (isinf(log) && log > 0 && isfinite(a) && isfinite(b)) {                                  \
      c = boxed_##MUL(c), d = boxed_##MUL(d);                                                          \
      __real__ z = 0 * (a * c + b * d);                                                                \
      __imag__ z = 0 * (b * c - a * d);                                                                \
    }                                                                                                  \
    return z;                                                                                          \
  }

COMPLEX(float, __mulsc3, __divsc3, copysignf, logbf, scalbnf, fabsf, fmaxf)
COMPLEX(double, __muldc3, __divdc3, copysign, logb, scalbn, fabs, fmax)
COMPLEX(long double, __mulxc3, __divxc3, copysignl, logbl, scalbnl, fabsl, fmaxl)
