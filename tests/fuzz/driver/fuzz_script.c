/* Parses anything as a script, in each query mode. */
#include <stdint.h>
#include <stdlib.h>

#include "mem.h"
#include "message.h"
#include "script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	LwpNames names;
	LwpScript *s;
	char *text;
	int prepnum = 0;

	if (size < 1)
		return 0;
	lwp_message_mute(true);
	text = lwp_strndup((const char *) data + 1, size - 1);
	lwp_names_init(&names);
	s = lwp_script_parse(text, "fuzz", 1, &names);
	if (s != NULL)
		lwp_script_finish(s, (LwpQueryMode) (data[0] % 3), &names, &prepnum);
	lwp_script_free(s);
	lwp_names_free(&names);
	free(text);
	return 0;
}
