/*
 * arch_aarch64.c
 *		Detours on aarch64.  Every entry of the supported servers begins with
 *		one position-independent instruction, so one is moved and replaced by
 *		a branch; Capstone says whether it really is of that kind.
 */
#include "postgres.h"

#if defined(__aarch64__)

#include <capstone/capstone.h>

#include "detour_parts.h"

#define INSN_LEN 4

static bool
depends_on_place(csh cs, const cs_insn *insn)
{
	if (cs_insn_group(cs, insn, CS_GRP_JUMP) || cs_insn_group(cs, insn, CS_GRP_CALL) ||
		cs_insn_group(cs, insn, CS_GRP_RET) || cs_insn_group(cs, insn, CS_GRP_INT) ||
		cs_insn_group(cs, insn, CS_GRP_BRANCH_RELATIVE))
		return true;
	if (insn->id == ARM64_INS_ADR || insn->id == ARM64_INS_ADRP)
		return true;
	/* a literal load names its address as an immediate */
	if (insn->id == ARM64_INS_LDR || insn->id == ARM64_INS_LDRSW || insn->id == ARM64_INS_PRFM)
		for (int i = 0; i < insn->detail->arm64.op_count; i++)
			if (insn->detail->arm64.operands[i].type == ARM64_OP_IMM)
				return true;
	return false;
}

/* Does anything in the function branch back to the entry itself? */
static bool
branches_to_entry(csh cs, cs_insn *insn, const LwpDetour *d)
{
	const uint8_t *code = d->target;
	size_t left = d->size;
	uint64_t addr = (uint64_t) (uintptr_t) d->target;

	cs_option(cs, CS_OPT_SKIPDATA, CS_OPT_ON);
	while (cs_disasm_iter(cs, &code, &left, &addr, insn))
	{
		const cs_arm64 *arm;

		if (insn->id == 0 || !cs_insn_group(cs, insn, CS_GRP_JUMP))
			continue;
		arm = &insn->detail->arm64;
		for (int i = 0; i < arm->op_count; i++)
			if (arm->operands[i].type == ARM64_OP_IMM &&
				(uintptr_t) arm->operands[i].imm == (uintptr_t) d->target)
				return true;
	}
	return false;
}

const char *
lwp_arch_plan(LwpDetour *d)
{
	const uint8_t *code = d->target;
	size_t left = d->size;
	uint64_t addr = (uint64_t) (uintptr_t) d->target;
	const char *why = NULL;
	cs_insn *insn;
	csh cs;

	if (cs_open(CS_ARCH_ARM64, CS_MODE_ARM, &cs) != CS_ERR_OK)
		return lwp_refuse("the disassembler library can't decode aarch64");
	cs_option(cs, CS_OPT_DETAIL, CS_OPT_ON);
	insn = cs_malloc(cs);
	if (d->size < 2 * INSN_LEN)
		why = lwp_refuse("%s is too short", d->name);
	else if (!cs_disasm_iter(cs, &code, &left, &addr, insn))
		why = lwp_refuse("cannot decode the entry of %s", d->name);
	else if (depends_on_place(cs, insn))
		why = lwp_refuse("%s begins with an instruction that can't be moved (%s %s)", d->name,
						 insn->mnemonic, insn->op_str);
	else if (branches_to_entry(cs, insn, d))
		why = lwp_refuse("%s branches into its own entry", d->name);
	d->patch_at = 0;
	d->patch_len = INSN_LEN;
	memcpy(d->saved, d->target, INSN_LEN);
	cs_free(insn, 1);
	cs_close(&cs);
	return why;
}

static uint32
branch(const uint8 *from, const uint8 *to)
{
	return 0x14000000 | (((uint32) ((to - from) >> 2)) & 0x03ffffff);
}

/*
 *		relay:		ldr x16, route_addr; ldr x16, [x16]; br x16
 *		plain, original:	moved; b back
 *					nop
 *		route_addr:	address of the route
 *
 * x16 is the scratch register the ABI gives to code between call and entry.
 * Nothing of the entry has run when the hook is reached, so original and plain
 * are the same code.
 */
const char *
lwp_arch_emit(LwpDetour *d, uint8 *code, uint8 **end)
{
	uint8 *start = (uint8 *) TYPEALIGN(16, code);
	uint32 *w = (uint32 *) start;
	uint64 *literal = (uint64 *) (start + 6 * INSN_LEN);
	uint32 moved;

	memcpy(&moved, d->saved, sizeof(moved));
	w[0] = 0x58000010 | (6u << 5); /* ldr x16, literal, 6 words ahead */
	w[1] = 0xf9400210;             /* ldr x16, [x16] */
	w[2] = 0xd61f0200;             /* br x16 */
	w[3] = moved;
	w[4] = branch((uint8 *) &w[4], d->target + INSN_LEN);
	w[5] = 0xd503201f; /* nop */
	*literal = (uint64) (uintptr_t) d->route;
	d->relay = start;
	d->plain = &w[3];
	d->recording = d->hook;
	d->recording_alternative = d->alternative != NULL ? d->alternative : d->hook;
	*d->original = &w[3];
	*end = (uint8 *) (literal + 1);
	return NULL;
}

void
lwp_arch_jump(const LwpDetour *d, uint8 *buf)
{
	uint32 b = branch(d->target, d->relay);

	memcpy(buf, &b, sizeof(b));
}

#endif /* __aarch64__ */
