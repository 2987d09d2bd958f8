/*
 * stubs.c
 *		The few things of the server that the files under test call.
 *
 * Memory contexts are malloc(), an error is a longjmp to CATCH_ERROR()
 * (stubs.h), and a failed assertion of the server ends the program.  All the
 * rest comes from the server's own libpgport and libpgcommon.
 */
#include "stubs.h"

#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "storage/proc.h"
#include "storage/shmem.h"

int MyProcPid = 4711;
PGPROC *MyProc = NULL;
BackendType MyBackendType = B_BACKEND;
BackgroundWorker *MyBgworkerEntry = NULL;

sigjmp_buf *stub_error_target = NULL;
char stub_error_message[256];
long stub_slept_us = 0;

/* --- memory ------------------------------------------------------------------ */

void *
palloc(Size size)
{
	void *p = malloc(size);

	assert_non_null(p);
	return p;
}

void
pfree(void *p)
{
	free(p);
}

Size
add_size(Size s1, Size s2)
{
	return s1 + s2;
}

Size
mul_size(Size s1, Size s2)
{
	return s1 * s2;
}

/* --- errors ------------------------------------------------------------------ */

bool
errstart(int level, const char *domain)
{
	(void) domain;
	return level >= ERROR;
}

bool
errstart_cold(int level, const char *domain)
{
	return errstart(level, domain);
}

int
errcode(int code)
{
	(void) code;
	return 0;
}

int
errmsg(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(stub_error_message, sizeof(stub_error_message), fmt, ap);
	va_end(ap);
	return 0;
}

void
errfinish(const char *filename, int lineno, const char *funcname)
{
	(void) funcname;
	if (stub_error_target == NULL)
		_fail(filename, lineno);
	siglongjmp(*stub_error_target, 1);
}

void
ExceptionalCondition(const char *conditionName, const char *errorType, const char *fileName,
					 int lineNumber)
{
	fprintf(stderr, "%s:%d: %s: %s\n", fileName, lineNumber, errorType, conditionName);
	abort();
}

/* --- the rest ------------------------------------------------------------------ */

void
pg_usleep(long microsec)
{
	stub_slept_us += microsec;
}

/* Tests shall do the same every time. */
bool
pg_strong_random(void *buf, size_t len)
{
	memset(buf, 0x5a, len);
	return true;
}
