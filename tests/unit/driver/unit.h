/* unit.h: what every cmocka program of the driver includes. */
#ifndef LWP_UNIT_H
#define LWP_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

#define assert_close(got, want, rel)                                                               \
	do                                                                                             \
	{                                                                                              \
		double g_ = (got), w_ = (want);                                                            \
		if (!(fabs(g_ - w_) <= fabs(w_) * (rel) + 1e-300))                                         \
			fail_msg("%s: got %.17g, want %.17g", #got, g_, w_);                                   \
	} while (0)

#define RUN(tests) cmocka_run_group_tests_name(__FILE__, tests, NULL, NULL)

#endif
