# pg_lwprof: the extension (PGXS).  "make", "make install", "make installcheck"
# do what they do for every extension; "make check" is the whole test suite.

MODULE_big = pg_lwprof
OBJS = \
	extension/pg_lwprof.o \
	extension/guc.o \
	extension/mode.o \
	extension/shmem.o \
	extension/slot.o \
	extension/names.o \
	extension/nametable.o \
	extension/code.o \
	extension/summary.o \
	extension/instance.o \
	extension/details.o \
	extension/spin.o \
	extension/hold.o \
	extension/hooks.o \
	extension/wait.o \
	extension/stack.o \
	extension/detour.o \
	extension/nearpage.o \
	extension/textimage.o \
	extension/arch_x86_64.o \
	extension/arch_aarch64.o \
	extension/arch_other.o \
	extension/counters.o \
	extension/lockrows.o \
	extension/merge.o \
	extension/places.o \
	extension/symbols.o \
	extension/row.o \
	extension/sqlfuncs.o \
	extension/sqlfuncs_activity.o \
	extension/sql_common.o \
	extension/sql_instances.o \
	extension/sql_attribution.o \
	extension/sql_history.o \
	sampler/sampler.o \
	sampler/timer.o \
	sampler/pass.o \
	sampler/blame.o \
	sampler/history.o \
	sampler/ring.o \
	sampler/stacks.o \
	sampler/shared.o \
	sampler/observe.o \
	sampler/table.o
PGFILEDESC = "pg_lwprof - wall-clock profile of lightweight locks"

EXTENSION = pg_lwprof
DATA = $(wildcard sql/pg_lwprof--*.sql)

PG_CPPFLAGS = -I$(CURDIR)/extension
PG_CFLAGS = -Wextra -Wno-unused-parameter -Wno-sign-compare -Wno-missing-field-initializers -fno-omit-frame-pointer \
	-MMD -MP
SHLIB_LINK = -lcapstone -ldw
EXTRA_CLEAN = $(OBJS:.o=.d)

# Nothing here is worth inlining into queries; do without LLVM bitcode.
override with_llvm = no

PG_CONFIG ?= pg_config

# PGXS has a "check" of its own, which only says that there is none.
ifeq ($(filter check,$(MAKECMDGOALS)),)
PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)
else
check:
	scripts/test
endif

# What each object was made from, besides its source.
-include $(OBJS:.o=.d)

# A hook that begins with the same instruction as the function it replaces
# saves undoing that instruction (extension/arch_x86_64.c).
ifeq ($(GCC),yes)
ifeq ($(findstring clang,$(CC)),)
extension/hooks.o: CFLAGS += -fno-shrink-wrap -fno-schedule-insns2
endif
endif

# --- the programs ---------------------------------------------------------------

# "make WITH_PROGRAMS=no" builds and installs the module alone.
WITH_PROGRAMS ?= yes
PROGRAMS = driver

ifeq ($(WITH_PROGRAMS),yes)
all: $(PROGRAMS)
install: $(PROGRAMS:%=install-%)
uninstall: $(PROGRAMS:%=uninstall-%)
clean: $(PROGRAMS:%=clean-%)
endif

.PHONY: $(PROGRAMS)
$(PROGRAMS):
	$(MAKE) -C $@ PG_CONFIG="$(PG_CONFIG)"

$(PROGRAMS:%=install-%): install-%: %
	$(MAKE) -C $* install PG_CONFIG="$(PG_CONFIG)" DESTDIR="$(DESTDIR)"

$(PROGRAMS:%=uninstall-%): uninstall-%:
	$(MAKE) -C $* uninstall PG_CONFIG="$(PG_CONFIG)" DESTDIR="$(DESTDIR)"

$(PROGRAMS:%=clean-%): clean-%:
	$(MAKE) -C $* clean

# --- PostgreSQL's own suites ----------------------------------------------------

.PHONY: check-postgres check-pgbench
check-postgres:
	scripts/check-postgres

check-pgbench: driver
	scripts/check-pgbench

# --- for those who work on it ------------------------------------------------

C_FILES = $(shell find extension sampler driver client tests bench -name build -prune -o -name '*.[ch]' -print 2>/dev/null)

.PHONY: check format check-format lint check-unit

format:
	clang-format -i $(C_FILES)

check-format:
	clang-format --dry-run --Werror $(C_FILES)

lint:
	scripts/test lint

check-unit:
	scripts/test unit
