#include "json_report.h"
bool lwp_json_write(const LwpOptions *o, const LwpResult *r){(void)o;(void)r;return true;}
