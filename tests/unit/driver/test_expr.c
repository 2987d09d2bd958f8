/* Expressions: parsing, precedence, evaluation, errors. */
#include "unit.h"

#include "expr.h"
#include "mem.h"

static LwpNames names;

/* value as "int 3", "double 1.5", "boolean true", "null"; "error" or "syntax: msg" */
static const char *
calc(const char *text)
{
	static char out[200];
	LwpParseError err;
	size_t used;
	LwpExpr *e = lwp_expr_parse(text, &names, &used, &err);
	LwpVars vars;
	LwpPrng g;
	LwpValue v;
	LwpEvalCtx ctx = {.vars = &vars, .prng = &g, .script = 0, .command = 1};

	if (e == NULL)
	{
		snprintf(out, sizeof(out), "syntax: %s%s%s", err.msg, err.more ? " " : "",
				 err.more ? err.more : "");
		free(err.more);
		return out;
	}
	lwp_vars_init(&vars, &names);
	lwp_prng_seed(&g, 1);
	lwp_var_set(&vars.v[lwp_names_find(&names, "seven")], lwp_int(7));
	lwp_var_set_text(&vars.v[lwp_names_find(&names, "word")], "bla");
	lwp_var_set_text(&vars.v[lwp_names_find(&names, "yes")], "y");
	lwp_var_set_text(&vars.v[lwp_names_find(&names, "half")], "0.5");
	lwp_var_set(&vars.v[lwp_names_find(&names, "default_seed")], lwp_int(5432));
	if (!lwp_expr_eval(&ctx, e, &v))
		strcpy(out, "error");
	else if (v.type == LWP_T_INT)
		snprintf(out, sizeof(out), "int %lld", (long long) v.u.i);
	else if (v.type == LWP_T_DOUBLE)
		snprintf(out, sizeof(out), "double %.15g", v.u.d);
	else if (v.type == LWP_T_BOOL)
		snprintf(out, sizeof(out), "boolean %s", v.u.b ? "true" : "false");
	else
		strcpy(out, "null");
	lwp_vars_free(&vars);
	lwp_expr_free(e);
	return out;
}

static const struct
{
	const char *text;
	const char *want;
} cases[] = {
	{"1 + 2 * 3", "int 7"},
	{"(1 + 2) * 3", "int 9"},
	{"10 - 4 - 3", "int 3"},
	{"-2 + 5", "int 3"},
	{"- (2 + 5)", "int -7"},
	{"17 / (4|1) + ( 4 + (7 >> 2))", "int 8"},
	{"- (3 * 4 - (-(~ 1) + -(~ 0))) / -1 + 3 % -1", "int 9"},
	{"~1 + 2", "int -4"}, /* ~ binds as loosely as | */
	{"1 # 3 | 4", "int 6"},
	{"5 / 3", "int 1"},
	{"-5 / 3", "int -1"},
	{"5 / 3.0", "double 1.66666666666667"},
	{"7 % 4", "int 3"},
	{"mod(7, 4)", "int 3"},
	{"not 1 = 2 and true", "boolean true"},
	{"true or 1/0 = 1", "boolean true"},
	{"false and 1/0 = 1", "boolean false"},
	{"1 < 2", "boolean true"},
	{"2 >= 2 and 2 <= 2 and 3 > 2 and 3 <> 2 and 3 != 2", "boolean true"},
	{"1 < 2 < 3", "syntax: syntax error"},
	{"1 = 2 is null", "boolean false"},
	{"null is null", "boolean true"},
	{"null isnull", "boolean true"},
	{"1 notnull", "boolean true"},
	{"1 is not null", "boolean true"},
	{"true is true is true", "boolean true"},
	{"null + 1", "null"},
	{"null and false", "null"},
	{"case when 1 = 2 then 3 when true then 4 else 5 end", "int 4"},
	{"case when false then 1 end", "null"},
	{"case when 0.5 then 1 else 2 end", "int 1"},
	{"least(5, 4.5, 6)", "double 4.5"},
	{"greatest(1, 7, 3)", "int 7"},
	{"greatest(5, 4, 3, 2, null)", "null"},
	{"abs(-3)", "int 3"},
	{"abs(-3.5)", "double 3.5"},
	{"abs(-9223372036854775808)", "error"},
	{"int(2.5)", "int 2"}, /* to even */
	{"int(3.5)", "int 4"},
	{"int(1e30)", "error"},
	{"double(3)", "double 3"},
	{"sqrt(9)", "double 3"},
	{"ln(exp(1))", "double 1"},
	{"pow(2, 10)", "double 1024"},
	{"power(2.0, 0.5)", "double 1.4142135623731"},
	{"pi() > 3.14 and pi() < 3.15", "boolean true"},
	{"9223372036854775807 + 1", "error"},
	{"-9223372036854775808 - 1", "error"},
	{"9223372036854775807 * 2", "error"},
	{"-9223372036854775808 / -1", "error"},
	{"-9223372036854775808 % -1", "int 0"},
	{"-9223372036854775808", "int -9223372036854775808"},
	{"9223372036854775808", "syntax: syntax error"},
	{"1 / 0", "error"},
	{"1 % 0", "error"},
	{"1.0 / 0", "double inf"},
	{"1 << 62", "int 4611686018427387904"},
	{"1 << 64", "int 1"},
	{"-1 >> 70", "int -1"},
	{"random(5, 3)", "error"},
	{"random(-9223372036854775808, 9223372036854775807)", "error"},
	{"random_gaussian(0, 10, 1.0)", "error"},
	{"random_zipfian(0, 10, 1)", "error"},
	{"random_exponential(0, 10, 0.0)", "error"},
	{"random_gaussian(0, 10, 0.0/0.0)", "error"},
	{"hash(10)", "int -5817877081768721676"},
	{"hash_fnv1a(10, 5432)", "int -7793829335365542153"},
	{"permute(0, 0)", "error"},
	{"permute(0, 2, 5431)", "int 0"},
	{":seven * 6", "int 42"},
	{":half + 1", "double 1.5"},
	{":yes and true", "boolean true"},
	{":word + 1", "error"},
	{":nowhere", "error"},
	{"true + 1", "error"},
	{"not 1", "error"},
	{"ln(true)", "error"},
	{".5 + 1.", "double 1.5"},
	{"1e3", "double 1000"},
	{"1.0E309", "syntax: double constant overflow 1.0E309"},
	{"100000000000000000000", "syntax: bigint constant overflow 100000000000000000000"},
	{"", "syntax: syntax error"},
	{"1 +", "syntax: syntax error"},
	{"(1", "syntax: syntax error"},
	{"1)", "syntax: syntax error"},
	{"1 2", "syntax: syntax error"},
	{"ln()", "syntax: unexpected number of arguments ln"},
	{"ln(1, 2)", "syntax: unexpected number of arguments ln"},
	{"least()", "syntax: at least one argument expected least"},
	{"hash()", "syntax: unexpected number of arguments hash"},
	{"hash(1,2,3)", "syntax: unexpected number of arguments hash"},
	{"permute(1)", "syntax: unexpected number of arguments permute"},
	{"nosuch(1)", "syntax: unexpected function name nosuch"},
	{"case true then 1 end", "syntax: syntax error"},
	{"case when true then 1", "syntax: syntax error"},
	{"1 ; 2", "syntax: unexpected character ;"},
	{"least(0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15)", "int 0"},
	{"least(0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16)", "error"},
	{"1 + \\\n 2", "int 3"},
	{"1 + \\\r\n 2", "int 3"},
};

static void
table(void **state)
{
	(void) state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (strcmp(calc(cases[i].text), cases[i].want) != 0)
			fail_msg("%s: got %s, want %s", cases[i].text, calc(cases[i].text), cases[i].want);
}

static void
stops_at_the_newline(void **state)
{
	LwpParseError err;
	size_t used;
	LwpExpr *e = lwp_expr_parse("1 + 1\nSELECT", &names, &used, &err);

	(void) state;
	assert_non_null(e);
	assert_int_equal(used, 5);
	lwp_expr_free(e);
}

/* no script may overflow the stack, however it nests */
static void
nesting_is_limited(void **state)
{
	static const char *const units[] = {"(", "-", "not ", "abs(", "1+", "case when ", "~"};
	LwpStr s;

	(void) state;
	for (size_t u = 0; u < sizeof(units) / sizeof(units[0]); u++)
	{
		lwp_str_init(&s);
		for (int i = 0; i < 200000; i++)
			lwp_str_adds(&s, units[u]);
		lwp_str_adds(&s, "1");
		assert_memory_equal(calc(s.data), "syntax: ", 8);
		lwp_str_free(&s);
	}
	/* just within */
	lwp_str_init(&s);
	lwp_str_adds(&s, "1");
	for (int i = 0; i < LWP_MAX_EXPR_DEPTH - 1; i++)
		lwp_str_adds(&s, "+1");
	assert_string_equal(calc(s.data), "int 4000");
	lwp_str_free(&s);
}

static int
setup(void **state)
{
	(void) state;
	lwp_names_init(&names);
	lwp_names_intern(&names, "seven");
	lwp_names_intern(&names, "word");
	lwp_names_intern(&names, "yes");
	lwp_names_intern(&names, "half");
	lwp_names_intern(&names, "default_seed");
	lwp_message_mute(true);
	return 0;
}

static int
teardown(void **state)
{
	(void) state;
	lwp_names_free(&names);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(table),
									   cmocka_unit_test(stops_at_the_newline),
									   cmocka_unit_test(nesting_is_limited)};

	return cmocka_run_group_tests_name(__FILE__, tests, setup, teardown);
}
