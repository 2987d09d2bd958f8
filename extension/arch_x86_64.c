/*
 * arch_x86_64.c
 *		Detours on x86-64: what can be moved, and the code around it.
 *		Capstone decodes; this file only decides and emits.
 */
#include "postgres.h"

#if defined(__x86_64__)

#include <capstone/capstone.h>

#include "detour_parts.h"

#define JUMP_LEN  5 /* e9 rel32: jmp */
#define ROUTE_LEN 6 /* ff 25 rel32: jmp *route(%rip) */

/* Emission cursor; code runs where it is written. */
typedef struct Emit
{
	uint8 *at;
	bool out_of_reach;
} Emit;

static void
emit_bytes(Emit *e, const void *bytes, Size n)
{
	memcpy(e->at, bytes, n);
	e->at += n;
}

/* A 32-bit displacement to target, counted from the end of the instruction. */
static void
emit_rel32(Emit *e, const void *target, int bytes_after)
{
	int64 rel = (int64) (intptr_t) target - (int64) (intptr_t) (e->at + 4 + bytes_after);
	int32 rel32 = (int32) rel;

	if (rel < PG_INT32_MIN || rel > PG_INT32_MAX)
		e->out_of_reach = true;
	emit_bytes(e, &rel32, sizeof(rel32));
}

static void
emit_jump(Emit *e, const void *target)
{
	emit_bytes(e, "\xe9", 1);
	emit_rel32(e, target, 0);
}

static void
emit_route(Emit *e, const LwpDetour *d)
{
	emit_bytes(e, "\xff\x25", 2);
	emit_rel32(e, d->route, 0);
}

/* Has the instruction an operand in memory whose address is counted from this register? */
static bool
is_relative_to(const cs_insn *insn, x86_reg base)
{
	const cs_x86 *x86 = &insn->detail->x86;

	for (int i = 0; i < x86->op_count; i++)
		if (x86->operands[i].type == X86_OP_MEM && x86->operands[i].mem.base == base)
			return true;
	return false;
}

static bool
is_rip_relative(const cs_insn *insn)
{
	return is_relative_to(insn, X86_REG_RIP);
}

static bool
in_group(csh cs, const cs_insn *insn, unsigned int group)
{
	return cs_insn_group(cs, insn, group);
}

/* A direct jump or call: its operand is the absolute target. */
static bool
direct_branch(csh cs, const cs_insn *insn, uint64 *target)
{
	const cs_x86 *x86 = &insn->detail->x86;

	if (!in_group(cs, insn, CS_GRP_BRANCH_RELATIVE) || x86->op_count != 1 ||
		x86->operands[0].type != X86_OP_IMM)
		return false;
	*target = (uint64) x86->operands[0].imm;
	return true;
}

/* push of a 64-bit register, which a pop of the same register undoes */
static bool
is_register_push(const cs_insn *insn)
{
	const cs_x86 *x86 = &insn->detail->x86;

	return insn->id == X86_INS_PUSH && x86->op_count == 1 && x86->operands[0].type == X86_OP_REG &&
		   x86->operands[0].size == 8 && insn->size <= 2;
}

/* jmp or jcc with an 8-bit displacement, which has a 32-bit form of the same meaning */
static bool
is_short_jump(csh cs, const cs_insn *insn, uint64 *target)
{
	return direct_branch(cs, insn, target) && insn->detail->x86.encoding.imm_size == 1 &&
		   insn->size == 2 && (insn->bytes[0] == 0xeb || (insn->bytes[0] & 0xf0) == 0x70);
}

/* Registers that carry nothing into a function: no argument, not preserved. */
static bool
is_scratch(uint16_t reg)
{
	switch (reg)
	{
		case X86_REG_AL:
		case X86_REG_AX:
		case X86_REG_EAX:
		case X86_REG_RAX:
		case X86_REG_R10:
		case X86_REG_R10D:
		case X86_REG_R11:
		case X86_REG_R11D:
		case X86_REG_EFLAGS:
			return true;
		default:
			return false;
	}
}

/* Does the instruction only load something into scratch registers, so that it needs no undoing? */
static bool
is_harmless(csh cs, const cs_insn *insn)
{
	const cs_x86 *x86 = &insn->detail->x86;
	cs_regs read;
	cs_regs written;
	uint8_t n_read;
	uint8_t n_written;

	if (in_group(cs, insn, CS_GRP_JUMP) || in_group(cs, insn, CS_GRP_CALL) ||
		in_group(cs, insn, CS_GRP_RET) || in_group(cs, insn, CS_GRP_INT))
		return false;
	for (int i = 0; i < x86->op_count; i++)
		if (x86->operands[i].type == X86_OP_MEM && (x86->operands[i].access & CS_AC_WRITE))
			return false;
	if (cs_regs_access(cs, insn, read, &n_read, written, &n_written) != CS_ERR_OK || n_written == 0)
		return false;
	for (int i = 0; i < n_written; i++)
		if (!is_scratch(written[i]))
			return false;
	return true;
}

/* May this instruction run at another address, once its operand is re-aimed? */
static const char *
check_movable(csh cs, const LwpDetour *d, const cs_insn *insn)
{
	uint64 target;

	if (insn->id == X86_INS_INT3)
		return lwp_refuse("%s has a breakpoint in its entry", d->name);
	if (is_short_jump(cs, insn, &target))
		return NULL;
	if (direct_branch(cs, insn, &target))
	{
		if (in_group(cs, insn, CS_GRP_CALL) || insn->detail->x86.encoding.imm_size != 4)
			return lwp_refuse("%s begins with a branch that can't be moved (%s %s)", d->name,
							  insn->mnemonic, insn->op_str);
		return NULL;
	}
	if (in_group(cs, insn, CS_GRP_JUMP) || in_group(cs, insn, CS_GRP_CALL) ||
		in_group(cs, insn, CS_GRP_RET) || in_group(cs, insn, CS_GRP_INT) ||
		in_group(cs, insn, CS_GRP_IRET))
		return lwp_refuse("%s begins with an instruction that can't be moved (%s %s)", d->name,
						  insn->mnemonic, insn->op_str);
	if ((is_rip_relative(insn) && insn->detail->x86.encoding.disp_size != 4) ||
		is_relative_to(insn, X86_REG_EIP))
		return lwp_refuse("%s begins with an operand that can't be re-aimed (%s %s)", d->name,
						  insn->mnemonic, insn->op_str);
	return NULL;
}

static const char *
plan_entry(csh cs, cs_insn *insn, LwpDetour *d)
{
	const uint8_t *code = d->target;
	size_t left = d->size;
	uint64_t addr = (uint64_t) (uintptr_t) d->target;
	uint32 len = 0;
	const char *why;

	if (!cs_disasm_iter(cs, &code, &left, &addr, insn))
		return lwp_refuse("cannot decode the entry of %s", d->name);
	if (insn->id == X86_INS_ENDBR64 || is_register_push(insn) || is_harmless(cs, insn))
	{
		if ((why = check_movable(cs, d, insn)) != NULL)
			return why;
		d->undo_first = is_register_push(insn);
		d->patch_at = insn->size;
		if (!cs_disasm_iter(cs, &code, &left, &addr, insn))
			return lwp_refuse("cannot decode the entry of %s", d->name);
	}
	else
		d->patch_at = 0;

	for (;;)
	{
		if ((why = check_movable(cs, d, insn)) != NULL)
			return why;
		len += insn->size;
		if (len >= ROUTE_LEN || (len >= JUMP_LEN && insn->id == X86_INS_JMP))
			break;
		if (insn->id == X86_INS_JMP)
			return lwp_refuse("%s is too short", d->name);
		if (!cs_disasm_iter(cs, &code, &left, &addr, insn))
			return lwp_refuse("cannot decode the entry of %s", d->name);
	}
	if (d->patch_at + len > d->size || len > sizeof(d->saved))
		return lwp_refuse("%s is too short", d->name);
	d->patch_len = len;
	memcpy(d->saved, d->target + d->patch_at, len);
	return NULL;
}

/* Nothing in the function may branch into the bytes that will be the jump. */
static const char *
check_branches(csh cs, cs_insn *insn, const LwpDetour *d)
{
	const uint8_t *code = d->target;
	size_t left = d->size;
	uint64_t addr = (uint64_t) (uintptr_t) d->target;
	uint64 lo = addr + Max(d->patch_at, 1);
	uint64 hi = addr + d->patch_at + d->patch_len;

	cs_option(cs, CS_OPT_SKIPDATA, CS_OPT_ON);
	while (cs_disasm_iter(cs, &code, &left, &addr, insn))
	{
		uint64 target;

		if (insn->id == 0) /* skipped data has no detail */
			continue;
		if (direct_branch(cs, insn, &target) && target >= lo && target < hi)
			return lwp_refuse("%s branches into its own entry", d->name);
	}
	return NULL;
}

/* A decoder with details and room for one instruction; NULL on success, else why not. */
static const char *
open_decoder(csh *cs, cs_insn **insn)
{
	if (cs_open(CS_ARCH_X86, CS_MODE_64, cs) != CS_ERR_OK)
		return lwp_refuse("the disassembler library can't decode x86-64");
	cs_option(*cs, CS_OPT_DETAIL, CS_OPT_ON);
	*insn = cs_malloc(*cs);
	if (*insn != NULL)
		return NULL;
	cs_close(cs);
	return lwp_refuse("out of memory");
}

static void
close_decoder(csh *cs, cs_insn *insn)
{
	cs_free(insn, 1);
	cs_close(cs);
}

const char *
lwp_arch_plan(LwpDetour *d)
{
	const char *why;
	cs_insn *insn;
	csh cs;

	if ((why = open_decoder(&cs, &insn)) != NULL)
		return why;
	why = plan_entry(cs, insn, d);
	if (why == NULL)
		why = check_branches(cs, insn, d);
	close_decoder(&cs, insn);
	return why;
}

/* Instructions of the entry in [from, to), operands re-aimed. */
static const char *
emit_range(Emit *e, csh cs, cs_insn *insn, const LwpDetour *d, uint32 from, uint32 to)
{
	const uint8_t *code = d->target + from;
	size_t left = to - from;
	uint64_t addr = (uint64_t) (uintptr_t) code;

	while (left > 0)
	{
		const uint8 *at = code;
		const uint8 *aim;
		uint64 target;
		int field;

		if (!cs_disasm_iter(cs, &code, &left, &addr, insn))
			return lwp_refuse("cannot decode the entry of %s", d->name);
		if (is_short_jump(cs, insn, &target))
		{
			if (at[0] == 0xeb)
				emit_bytes(e, "\xe9", 1);
			else
			{
				uint8 near_form[2] = {0x0f, (uint8) (at[0] + 0x10)};

				emit_bytes(e, near_form, 2);
			}
			emit_rel32(e, (const uint8 *) (uintptr_t) target, 0);
			continue;
		}
		if (direct_branch(cs, insn, &target))
		{
			field = insn->detail->x86.encoding.imm_offset;
			aim = (const uint8 *) (uintptr_t) target;
		}
		else if (is_rip_relative(insn))
		{
			field = insn->detail->x86.encoding.disp_offset;
			aim = at + insn->size + insn->detail->x86.disp;
		}
		else
		{
			emit_bytes(e, at, insn->size);
			continue;
		}
		emit_bytes(e, at, (Size) field);
		emit_rel32(e, aim, insn->size - field - 4);
		emit_bytes(e, at + field + 4, (Size) (insn->size - field - 4));
	}
	return NULL;
}

/* The moved instructions, then a jump behind them. */
static const char *
emit_moved(Emit *e, csh cs, cs_insn *insn, const LwpDetour *d)
{
	uint32 end = d->patch_at + d->patch_len;
	const char *why = emit_range(e, cs, insn, d, d->patch_at, end);

	emit_jump(e, d->target + end);
	return why;
}

/*
 * Where to go to run a hook as if the entry had not begun yet:
 *
 *		undo:		pop of what the entry pushed
 *					jmp *hook
 *		hook:		address of the hook
 *
 * or into the hook itself, if that begins with what the entry has done.
 */
static void *
way_to(Emit *e, const LwpDetour *d, void *hook)
{
	uint8 *start;

	if (memcmp(hook, d->target, d->patch_at) == 0)
		return (uint8 *) hook + d->patch_at;
	e->at = (uint8 *) TYPEALIGN(64, e->at);
	start = e->at;
	if (d->undo_first) /* its pop differs by 8 in the last byte */
	{
		emit_bytes(e, d->target, d->patch_at);
		e->at[-1] = (uint8) (e->at[-1] + 8);
	}
	emit_bytes(e, "\xff\x25\x00\x00\x00\x00", 6); /* jmp *0(%rip) */
	emit_bytes(e, &hook, sizeof(hook));
	return start;
}

/*
 *		relay:		jmp *route, where the entry has no room for it
 *		plain:		moved; jmp back
 *		ways to the hooks
 *		original:	first instruction; moved; jmp back
 */
static const char *
emit_all(Emit *e, csh cs, cs_insn *insn, LwpDetour *d)
{
	const char *why;

	d->relay = NULL;
	if (d->patch_len < ROUTE_LEN)
	{
		d->relay = e->at;
		emit_route(e, d);
	}
	e->at = (uint8 *) TYPEALIGN(64, e->at);
	d->plain = e->at;
	if ((why = emit_moved(e, cs, insn, d)) != NULL)
		return why;

	d->recording = way_to(e, d, d->hook);
	d->recording_alternative = d->alternative != NULL ? way_to(e, d, d->alternative) : d->recording;

	e->at = (uint8 *) TYPEALIGN(64, e->at);
	*d->original = e->at;
	if ((why = emit_range(e, cs, insn, d, 0, d->patch_at)) != NULL)
		return why;
	return emit_moved(e, cs, insn, d);
}

const char *
lwp_arch_emit(LwpDetour *d, uint8 *code, uint8 **end)
{
	Emit e = {.at = (uint8 *) TYPEALIGN(64, code)};
	const char *why;
	cs_insn *insn;
	csh cs;

	if ((why = open_decoder(&cs, &insn)) != NULL)
		return why;
	why = emit_all(&e, cs, insn, d);
	close_decoder(&cs, insn);
	if (why == NULL && e.out_of_reach)
		why = lwp_refuse("%s refers to something out of reach of the near page", d->name);
	*end = e.at;
	return why;
}

void
lwp_arch_jump(const LwpDetour *d, uint8 *buf)
{
	const uint8 *at = d->target + d->patch_at;
	int32 rel;

	memset(buf, 0x90, d->patch_len); /* nop behind the jump, never reached */
	if (d->relay != NULL)
	{
		buf[0] = 0xe9;
		rel = (int32) (d->relay - (at + JUMP_LEN));
		memcpy(buf + 1, &rel, sizeof(rel));
	}
	else
	{
		buf[0] = 0xff;
		buf[1] = 0x25;
		rel = (int32) ((uint8 *) d->route - (at + ROUTE_LEN));
		memcpy(buf + 2, &rel, sizeof(rel));
	}
}

#endif /* __x86_64__ */
