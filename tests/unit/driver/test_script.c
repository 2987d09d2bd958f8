/* Scripts: where commands end, meta commands, conditionals, parameters. */
#include "unit.h"

#include "mem.h"
#include "script.h"

static LwpNames names;

/* the commands of a script, one a line: SQL as it is, meta commands by words; NULL on error */
static char *
parse(const char *text)
{
	LwpScript *s = lwp_script_parse(text, "test", 1, &names);
	LwpStr out;

	if (s == NULL)
		return NULL;
	lwp_str_init(&out);
	for (int i = 0; i < s->ncmds; i++)
	{
		const LwpCommand *c = s->cmd[i];

		if (c->kind == LWP_CMD_SQL)
			lwp_str_addf(&out, "[%s]%s%s", c->text,
						 c->store == LWP_STORE_GSET   ? "g:"
						 : c->store == LWP_STORE_ASET ? "a:"
													  : "",
						 c->prefix ? c->prefix : "");
		else
			for (int k = 0; k < c->argc; k++)
				lwp_str_addf(&out, "%s%s", k ? " " : "\\", c->argv[k]);
		lwp_str_addc(&out, '\n');
	}
	lwp_script_free(s);
	return out.data;
}

static const struct
{
	const char *text;
	const char *want; /* NULL: refused */
} cases[] = {
	{"SELECT 1; SELECT 2;", "[SELECT 1;]\n[SELECT 2;]\n"},
	{"SELECT 1", "[SELECT 1]\n"},
	{"-- comment\n\n  SELECT 1;\n-- end", "[SELECT 1;]\n"},
	{"SELECT ';' ; SELECT 2;", "[SELECT ';' ;]\n[SELECT 2;]\n"},
	{"SELECT \"a;b\", 'it''s;';", "[SELECT \"a;b\", 'it''s;';]\n"},
	{"SELECT E'\\';' ; SELECT 2", "[SELECT E'\\';' ;]\n[SELECT 2]\n"},
	{"SELECT E'a'\n'\\';' ; SELECT 2", "[SELECT E'a'\n'\\';' ;]\n[SELECT 2]\n"},
	{"SELECT $$ ; $$; SELECT $x$ $$;$y$ $x$;", "[SELECT $$ ; $$;]\n[SELECT $x$ $$;$y$ $x$;]\n"},
	{"SELECT a$b$c; SELECT $1;", "[SELECT a$b$c;]\n[SELECT $1;]\n"},
	{"SELECT /* ; /* ; */ ; */ 1; SELECT 2;", "[SELECT /* ; /* ; */ ; */ 1;]\n[SELECT 2;]\n"},
	{"SELECT (1; 2); SELECT 3;", "[SELECT (1; 2);]\n[SELECT 3;]\n"},
	{"SELECT 1 \\; SELECT 2;", "[SELECT 1 ; SELECT 2;]\n"},
	{"SELECT 'a\\: b';", "[SELECT 'a\\: b';]\n"},
	{"SELECT a\\:b;", "[SELECT a:b;]\n"},
	{"CREATE FUNCTION f() BEGIN ATOMIC SELECT 1; SELECT CASE WHEN a THEN 1 END; END; SELECT 2;",
	 "[CREATE FUNCTION f() BEGIN ATOMIC SELECT 1; SELECT CASE WHEN a THEN 1 END; END;]\n"
	 "[SELECT 2;]\n"},
	{"BEGIN; SELECT 1; END;", "[BEGIN;]\n[SELECT 1;]\n[END;]\n"},
	{"SELECT 1 \\gset\nSELECT 2 AS x \\aset p_\n", "[SELECT 1 ]g:\n[SELECT 2 AS x ]a:p_\n"},
	{"\\set a 1\n\\set b \\\n 2\nSELECT :a;", "\\set a\n\\set b\n[SELECT :a;]\n"},
	{"\\sleep 10 ms\n\\sleep 1ms\n\\sleep :x us", "\\sleep 10 ms\n\\sleep 1ms\n\\sleep :x us\n"},
	{"\\SET a 1", "\\SET a\n"},
	{"\\startpipeline\nSELECT 1;\n\\syncpipeline\n\\endpipeline",
	 "\\startpipeline\n[SELECT 1;]\n\\syncpipeline\n\\endpipeline\n"},
	{";", "[;]\n"},
	{"\\; \\; SELECT 1 \\gset", "[; ; SELECT 1 ]g:\n"},
	/* refused */
	{"", NULL},
	{"-- nothing", NULL},
	{"\\nosuch", NULL},
	{"\\set", NULL},
	{"\\set a", NULL},
	{"\\set a 1 +", NULL},
	{"\\gset", NULL},
	{"\\set i 1\n\\gset", NULL},
	{"SELECT 1 \\gset\n\\gset", NULL},
	{"SELECT 1 \\gset a b", NULL},
	{"\\sleep", NULL},
	{"\\sleep 1 week", NULL},
	{"\\sleep 1x", NULL},
	{"\\sleep x", NULL},
	{"\\sleep 99999999999999999999", NULL},
	{"\\sleep 1 2 3", NULL},
	{"\\shell", NULL},
	{"\\setshell x", NULL},
	{"\\if 1", NULL},
	{"\\if 1\n\\else\n\\elif 1\n\\endif", NULL},
	{"\\if 1\n\\else\n\\else\n\\endif", NULL},
	{"\\elif 1", NULL},
	{"\\endif", NULL},
	{"\\if 1\n\\else x\n\\endif", NULL},
	{"\\endpipeline now", NULL},
};

static void
table(void **state)
{
	(void) state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		char *got = parse(cases[i].text);

		if (cases[i].want == NULL ? got != NULL : got == NULL || strcmp(got, cases[i].want) != 0)
			fail_msg("%s\ngot  %s\nwant %s", cases[i].text, got ? got : "(refused)",
					 cases[i].want ? cases[i].want : "(refused)");
		free(got);
	}
}

static void
branches_are_linked(void **state)
{
	LwpScript *s = lwp_script_parse("\\if 1\n"    /* 0 */
									"SELECT 1;\n" /* 1 */
									"\\if 2\n"    /* 2 */
									"\\endif\n"   /* 3 */
									"\\elif 3\n"  /* 4 */
									"\\else\n"    /* 5 */
									"\\endif\n",  /* 6 */
									"test", 1, &names);

	(void) state;
	assert_non_null(s);
	assert_int_equal(s->cmd[0]->next_branch, 4);
	assert_int_equal(s->cmd[4]->next_branch, 5);
	assert_int_equal(s->cmd[5]->next_branch, 6);
	assert_int_equal(s->cmd[4]->endif, 6);
	assert_int_equal(s->cmd[5]->endif, 6);
	assert_int_equal(s->cmd[2]->next_branch, 3);
	lwp_script_free(s);
}

static void
parameters_are_numbered(void **state)
{
	LwpScript *s = lwp_script_parse("SELECT :a, :b::int, ':c', ::x, 12:30, :a;", "test", 1, &names);
	int prepnum = 3;

	(void) state;
	assert_true(lwp_script_finish(s, LWP_MODE_PREPARED, &names, &prepnum));
	assert_string_equal(s->cmd[0]->sql, "SELECT $1, $2::int, '$3', ::x, 12:30, $4;");
	assert_int_equal(s->cmd[0]->nparams, 4);
	assert_string_equal(names.name[s->cmd[0]->param_slot[1]], "b");
	assert_string_equal(s->cmd[0]->stmt_name, "P_3");
	assert_int_equal(prepnum, 4);
	lwp_script_free(s);
}

static void
too_many_parameters(void **state)
{
	LwpStr text;
	int prepnum = 0;

	(void) state;
	for (int n = 255; n <= 256; n++)
	{
		LwpScript *s;

		lwp_str_init(&text);
		lwp_str_adds(&text, "SELECT 0");
		for (int i = 0; i < n; i++)
			lwp_str_adds(&text, ", :a");
		s = lwp_script_parse(text.data, "test", 1, &names);
		assert_int_equal(lwp_script_finish(s, LWP_MODE_EXTENDED, &names, &prepnum), n == 255);
		lwp_script_free(s);
		lwp_str_free(&text);
	}
}

static void
sleep_numbers(void **state)
{
	LwpScript *s = lwp_script_parse("\\sleep 15ms\n\\sleep 3\n\\sleep 7 us", "test", 1, &names);

	(void) state;
	assert_int_equal(s->cmd[0]->sleep_number * s->cmd[0]->sleep_unit_ns, 15000000);
	assert_int_equal(s->cmd[1]->sleep_number * s->cmd[1]->sleep_unit_ns, 3000000000);
	assert_int_equal(s->cmd[2]->sleep_number * s->cmd[2]->sleep_unit_ns, 7000);
	lwp_script_free(s);
}

static void
variables_as_text_and_value(void **state)
{
	LwpVars v;
	LwpValue out;
	int slot = lwp_names_intern(&names, "v");
	char longer[100];

	(void) state;
	lwp_vars_init(&v, &names);
	assert_null(lwp_var_text(&v.v[slot]));
	lwp_var_set(&v.v[slot], lwp_double(-0.5421));
	assert_string_equal(lwp_var_text(&v.v[slot]), "-0.5421");
	lwp_var_set(&v.v[slot], lwp_int(INT64_MIN));
	assert_string_equal(lwp_var_text(&v.v[slot]), "-9223372036854775808");
	lwp_var_set(&v.v[slot], lwp_null());
	assert_string_equal(lwp_var_text(&v.v[slot]), "NULL");
	memset(longer, 'x', 99);
	longer[99] = '\0';
	lwp_var_set_text(&v.v[slot], longer);
	/* its own text, longer than what is held inside */
	lwp_var_set_text(&v.v[slot], lwp_var_text(&v.v[slot]) + 1);
	assert_int_equal(strlen(lwp_var_text(&v.v[slot])), 98);
	lwp_var_set_text(&v.v[slot], " +12 ");
	assert_false(lwp_var_value(&v.v[slot], "v", &out));
	lwp_var_set_text(&v.v[slot], "+12");
	assert_true(lwp_var_value(&v.v[slot], "v", &out));
	assert_int_equal(out.u.i, 12);
	lwp_vars_free(&v);
}

static int
setup(void **state)
{
	(void) state;
	lwp_names_init(&names);
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
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table),
		cmocka_unit_test(branches_are_linked),
		cmocka_unit_test(parameters_are_numbered),
		cmocka_unit_test(too_many_parameters),
		cmocka_unit_test(sleep_numbers),
		cmocka_unit_test(variables_as_text_and_value),
	};

	return cmocka_run_group_tests_name(__FILE__, tests, setup, teardown);
}
