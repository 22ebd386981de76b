dnl SPDX-License-Identifier: MIT
dnl pqt.m4 - the questions that pqt asks the compiler.

# PQT_C17
# Makes CC compile C17 with GNU extensions. AC_PROG_CC itself goes no further than C11.
AC_DEFUN([PQT_C17],
[AC_CACHE_CHECK([for the option of $CC for C17], [pqt_cv_c17],
  [pqt_cv_c17=unknown
   pqt_saved_CC=$CC
   for pqt_option in '' -std=gnu17 -std=gnu2x -std=gnu18
   do
     CC="$pqt_saved_CC $pqt_option"
     AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
#if !defined __STDC_VERSION__ || __STDC_VERSION__ < 201710L
#error not C17
#endif
_Static_assert(sizeof(char) == 1, "C17");
]])],
       [pqt_cv_c17=${pqt_option:-none}
        break])
   done
   CC=$pqt_saved_CC])
AS_CASE([$pqt_cv_c17],
  [unknown], [AC_MSG_ERROR([a compiler for C17 is needed])],
  [none], [],
  [CC="$CC $pqt_cv_c17"])
])

# _PQT_TRY_FLAG(FLAG, LINK-OR-COMPILE, IF-ACCEPTED, IF-NOT)
# Tries a flag with warnings as errors, because clang only warns about flags that it does not know.
AC_DEFUN([_PQT_TRY_FLAG],
[AS_VAR_PUSHDEF([cached], [pqt_cv_flag_$2_$1])
AC_CACHE_CHECK([whether $CC knows $1], [cached],
  [pqt_saved_CFLAGS=$CFLAGS
   CFLAGS="$CFLAGS -Werror $1"
   m4_case([$2], [link], [AC_LINK_IFELSE], [AC_COMPILE_IFELSE])([AC_LANG_PROGRAM()],
     [AS_VAR_SET([cached], [yes])], [AS_VAR_SET([cached], [no])])
   CFLAGS=$pqt_saved_CFLAGS])
AS_VAR_IF([cached], [yes], [$3], [$4])
AS_VAR_POPDEF([cached])
])

# PQT_APPEND_FLAG(VARIABLE, FLAG)
# Appends a flag if the compiler accepts it.
AC_DEFUN([PQT_APPEND_FLAG],
[_PQT_TRY_FLAG([$2], [compile], [AS_VAR_APPEND([$1], [" $2"])], [:])])

# PQT_APPEND_LINK_FLAG(VARIABLE, FLAG)
# Appends a flag if the linker accepts it.
AC_DEFUN([PQT_APPEND_LINK_FLAG],
[_PQT_TRY_FLAG([$2], [link], [AS_VAR_APPEND([$1], [" $2"])], [:])])

# PQT_NEED_FLAG(VARIABLE, FLAG)
# Appends a flag. Stops if it does not work for both compiling and linking.
AC_DEFUN([PQT_NEED_FLAG],
[_PQT_TRY_FLAG([$2], [link], [AS_VAR_APPEND([$1], [" $2"])],
  [AC_MSG_ERROR([$CC does not know $2])])])

# PQT_NEED_PLAIN_DOUBLES(FLAGS)
# Stops unless, with these flags and the user's, arithmetic on doubles follows IEEE 754: in
# registers as wide as doubles, and without the liberties that -ffast-math takes.
AC_DEFUN([PQT_NEED_PLAIN_DOUBLES],
[AC_CACHE_CHECK([whether $CC computes doubles as IEEE 754 says], [pqt_cv_plain_doubles],
  [pqt_saved_CFLAGS=$CFLAGS
   CFLAGS="$CFLAGS $1"
   AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
#include <float.h>
#if FLT_EVAL_METHOD < 0 || FLT_EVAL_METHOD == 2
#error wider than double
#endif
#if defined __FAST_MATH__ || (defined __FINITE_MATH_ONLY__ && __FINITE_MATH_ONLY__)
#error no infinities, or sums in any order
#endif
_Static_assert(DBL_MANT_DIG == 53 && DBL_MAX_EXP == 1024, "IEEE 754");
]])],
     [pqt_cv_plain_doubles=yes], [pqt_cv_plain_doubles=no])
   CFLAGS=$pqt_saved_CFLAGS])
AS_IF([test $pqt_cv_plain_doubles = no],
  [AC_MSG_ERROR([results would not be exact with CFLAGS "$CFLAGS": no -ffast-math, no registers wider than a double])])
])
