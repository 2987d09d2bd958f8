/* Parses and evaluates anything as an expression. */
#include <stdint.h>
#include <stdlib.h>

#include "expr.h"
#include "mem.h"
#include "message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = lwp_strndup((const char *) data, size);
	LwpNames names;
	LwpParseError err;
	LwpExpr *e;
	size_t used;

	lwp_message_mute(true);
	lwp_names_init(&names);
	lwp_names_intern(&names, "default_seed");
	lwp_names_intern(&names, "i");
	lwp_names_intern(&names, "s");
	e = lwp_expr_parse(text, &names, &used, &err);
	if (e == NULL)
		free(err.more);
	else
	{
		LwpVars vars;
		LwpPrng g;
		LwpValue v;
		LwpEvalCtx ctx = {.vars = &vars, .prng = &g, .script = 0, .command = 1};

		lwp_vars_init(&vars, &names);
		lwp_prng_seed(&g, 1);
		lwp_var_set(&vars.v[0], lwp_int(7));
		lwp_var_set(&vars.v[1], lwp_int(INT64_MAX));
		lwp_var_set_text(&vars.v[2], "1e300");
		for (int i = 0; i < 3; i++)
			if (lwp_expr_eval(&ctx, e, &v))
			{
				lwp_var_set(&vars.v[1], v);
				lwp_var_text(&vars.v[1]);
			}
		lwp_vars_free(&vars);
		lwp_expr_free(e);
	}
	lwp_names_free(&names);
	free(text);
	return 0;
}
