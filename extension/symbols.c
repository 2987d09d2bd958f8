/*
 * symbols.c
 *		Names of code addresses; see symbols.h.
 *
 * elfutils reads the files, offline: that the reader's process may have other
 * libraries loaded, or the same elsewhere, makes no difference.  What it has
 * read stays open for the life of the session.
 */
#include "postgres.h"

#include <elfutils/libdwfl.h>
#include <unistd.h>

#include "symbols.h"

static Dwfl *dwfl = NULL;
static Dwfl_Module *opened[LWP_MODULES_MAX];
static bool tried[LWP_MODULES_MAX];

/* Debug files by build id only: a path lookup could pick those of another build. */
static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_build_id_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

static Dwfl_Module *
open_module(int module)
{
	const char *path;

	if (module < 0 || module >= LWP_MODULES_MAX || tried[module])
		return module >= 0 && module < LWP_MODULES_MAX ? opened[module] : NULL;
	path = lwp_code_module_path(module);
	if (path == NULL || access(path, R_OK) != 0)
		return NULL;
	tried[module] = true;
	if (dwfl == NULL)
		dwfl = dwfl_begin(&callbacks);
	if (dwfl == NULL)
		return NULL;
	dwfl_report_begin_add(dwfl);
	opened[module] = dwfl_report_offline(dwfl, path, path, -1);
	dwfl_report_end(dwfl, NULL, NULL);
	return opened[module];
}

const char *
lwp_symbol_module(LwpCode code)
{
	const char *path = lwp_code_module_path(lwp_code_module(code));
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

char *
lwp_symbol_name(LwpCode code)
{
	Dwfl_Module *module = open_module(lwp_code_module(code));
	uint64 offset = lwp_code_offset(code);
	const char *file = lwp_symbol_module(code);

	if (code == 0)
		return NULL;
	if (module != NULL)
	{
		Dwarf_Addr start;
		GElf_Off within;
		GElf_Sym symbol;
		const char *name;

		dwfl_module_info(module, NULL, &start, NULL, NULL, NULL, NULL, NULL);
		/* a return address is behind its call, which may be the function's last instruction */
		name = dwfl_module_addrinfo(module, start + offset - 1, &within, &symbol, NULL, NULL, NULL);
		if (name != NULL && within < symbol.st_size)
			return pstrdup(name);
	}
	return psprintf("%s+0x%" INT64_MODIFIER "x", file ? file : "?", offset);
}
