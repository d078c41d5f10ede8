# Assay: see `make help`. Everything is built under build/.

SHELL := /bin/sh
B := build
CC ?= gcc
# The system's own Python: the packages that scripts/setup installs belong to it.
PYTHON ?= /usr/bin/python3
export PYTHONDONTWRITEBYTECODE = 1

# Options for the image, configuration file, vendors' event file or a directory of them, emulator, emulated CPU and how many:
# make run ARGS="suite=control" CFG=docs/examples/counts.cfg EMU=bochs CPU=corei7_haswell_4770
ARGS ?=
CFG ?=
EVENTS ?=
EMU ?= qemu
ARCH ?= x86
CPU ?=
CPUS ?=
V ?=
STRICT ?=
# Of make usb: the disk, and FORCE=1, both by the command line alone. Of make usb and make image: with what it is signed.
DEV ?=
FORCE ?=
SIGN_KEY ?=
SIGN_CERT ?=
export DEV SIGN_KEY SIGN_CERT

# What is given to make by name is one of these, or it would be passed over.
KNOWN := ARGS CFG EVENTS EMU ARCH CPU CPUS V BOOT STRICT DEV FORCE SIGN_KEY SIGN_CERT B CC PYTHON SHELL VENDOR_FILES CURDIR MAKEFLAGS MAKEOVERRIDES MFLAGS
UNKNOWN := $(filter-out $(KNOWN),$(foreach v,$(.VARIABLES),$(if $(findstring command line,$(origin $v)),$v)))
ifneq ($(UNKNOWN),)
$(error there is no variable $(UNKNOWN): there are ARGS CFG EVENTS EMU ARCH CPU CPUS V BOOT STRICT DEV FORCE SIGN_KEY SIGN_CERT (see `make help`); \
	options for the image go into ARGS="key=value ...")
endif
# Each instruction set with an image of its own besides x86 has arch/NAME/image.mk.
ARCHES := x86 ia32 $(patsubst arch/%/image.mk,%,$(wildcard arch/*/image.mk))
ifeq ($(filter $(ARCHES),$(ARCH)),)
$(error ARCH=$(ARCH): there are $(ARCHES))
endif
Q := $(if $(V),,@)

.PHONY: all image usb tools coverage run check soak errata bench help clean distclean setup host-tests FORCE
.DELETE_ON_ERROR:
.SECONDARY:
MAKEFLAGS += --no-builtin-rules

all: $(B)/BOOTX64.EFI $(B)/direct.bin $(B)/bochs_start.bin

help:
	@sed -n 's/^#: //p' Makefile

#: make run      boot the image in an emulator, print the verdict table     (ARGS="key=value ..." CFG=file EVENTS=file EMU=qemu|kvm|bochs CPU=model CPUS=n BOOT=disk|bios|direct V=1 STRICT=1; disk, the stick under UEFI firmware, is what is taken without ARGS, CFG and EVENTS; bios is the stick under a BIOS; direct, without firmware, is taken with them)
#: make run ARCH=aarch64   the same for AArch64, on QEMU's board virt, whose own PMU is judged: ARGS, BOOT, CPU, CPUS, V, and EMU=icount for exact instructions (docs/aarch64.md)
#: make run ARCH=ia32      the same for CPUs without 64-bit mode, without firmware: ARGS, CFG, EVENTS, EMU=qemu|bochs, CPU, CPUS, V, STRICT (docs/ia32.md)
#: make check    run every test; the last line counts them, the one before it has the time, and the dearest tests
#: make soak     run what takes too long for make check: whole grids, every suite on every virtual CPU, other hosts' answers, fuzzing   (VENDOR_FILES=directory of vendors' event files; Debian's if not given)
#: make bench    measure what the design promises, as ratios
#: make image    build/assay.img, for a USB stick, a disk or a CD, and build/assay.pxe, for a BIOS over the network    (SIGN_KEY=key.pem SIGN_CERT=certificate.pem signs it for Secure Boot)
#: make usb DEV=/dev/sdX   write it to a stick    (FORCE=1: to a disk in use or not removable, or without a terminal, too; SIGN_KEY and SIGN_CERT as for make image)
#: scripts/assay-report html build/report.json -o report.html   the last report as a page for a browser (docs/reports.md)
#: make tools    build/assay-encode: what event strings mean on a PMU, as register writes
#: make coverage how far the documented events of each microarchitecture are judged, and which impostors pass, as tables
#: make all      build/BOOTX64.EFI, and build/direct.bin for a start without firmware
#: make clean    remove what was built, but for newlib and what setup unpacked; make distclean removes all

# --- what is needed first -------------------------------------------------------------------------------------

# Installs packages and builds newlib where missing; silent and quick when nothing is. It is done before anything else, and before
# the rest of this file is acted upon: make brings an included file up to date first, and starts over if that changed.
ifneq ($(filter-out help clean distclean,$(or $(MAKECMDGOALS),all)),)
include $(B)/setup.mk
endif

$(B)/setup.mk: FORCE
	@scripts/setup $(B)

setup: $(B)/setup.mk

# --- sources ---------------------------------------------------------------------------------------------------

# Each room of arch/x86 but that of 32 bits, whose image adds it (arch/x86/ia32.mk).
X86_ROOMS := $(filter-out arch/x86/32,$(wildcard arch/x86/*))
IMAGE_DIRS := boot boot/menu boot/uefi boot/direct boot/bios boot/sent $(X86_ROOMS) pmu pmu/* pmu/*/* tests/judge tests/measure tests/report tests/suites tests/suites/x86 \
	tests/suites/research tests/suites/research/x86 tests/kernels tests/kernels/x86
# Instruction sets that are interpreted on the host say so in a file of their folder; their PMUs are built for the host alone.
# So do those that have an image of their own (image.mk, below).
HOSTED :=
IMAGES :=
OTHER_IMAGES :=
UEFI_IMAGES :=
# Commands that print what build/coverage prints, of other instruction sets.
OTHER_COVERAGE :=
-include $(wildcard arch/*/hosted.mk arch/*/families.mk)
HOSTED_PMUS := $(foreach isa,$(HOSTED) $(IMAGES),$(addsuffix /%,$(addprefix pmu/,$(PMUS_$(isa)))))
# What the tool coverage asks of families is for the host alone.
COVERAGE_PARTS := $(filter-out $(HOSTED_PMUS),$(wildcard pmu/*/coverage/*.c))
# So is what tests hold each family against, which it brings along.
READINGS := $(wildcard pmu/*/readings/*.c)
IMAGE_SRC := arch/breadcrumbs.c arch/console.c $(filter-out $(HOSTED_PMUS) $(COVERAGE_PARTS) $(READINGS),$(sort $(wildcard $(foreach d,$(IMAGE_DIRS),$(d)/*.c $(d)/*.S))))
EVENTS_GEN := $(B)/gen/intel_events.c $(B)/gen/intel_offcore.c $(patsubst pmu/%/errata/rows.csv,$(B)/gen/%_errata.c,$(wildcard pmu/*/errata/rows.csv))
GEN_SRC := $(B)/gen/font.c $(B)/gen/insn_tables.c $(EVENTS_GEN)
# Lists of events, as rows of C. Intel's list of single cores is packed instead.
EVENT_LISTS := $(filter-out pmu/intel/events/events.csv,$(shell grep -l '^name,cores,selector,' pmu/*/events/*.csv))
EVENT_ROWS := $(patsubst %.csv,$(B)/gen/%.def,$(EVENT_LISTS))
GEN_HEADERS := $(B)/gen/build_id.h $(B)/gen/settings.def $(B)/gen/system/jsmn.h $(EVENT_ROWS)

IMAGE_OBJ := $(patsubst %,$(B)/image/%.o,$(IMAGE_SRC)) $(patsubst $(B)/gen/%,$(B)/image/gen/%.o,$(GEN_SRC))

# --- flags -----------------------------------------------------------------------------------------------------

WARN := -Wall -Wextra -Werror -Wmissing-prototypes -Wstrict-prototypes
# The instruction set that is built for has a list of quantities and families of PMUs of its own.
INCLUDES := -I. -I$(B)/gen -DISA_X86 -DQUANTITY_LIST='"pmu/quantity/x86.def"'
GCC_INCLUDE = $(shell $(CC) -print-file-name=include)

# No red zone: interrupts and traps use the interrupted stack. No CET, no unwinding tables, no stack protector: there is no
# operating system to serve them. No ivopts: GCC 12 loses sight of what addresses point to that it has written as 2*p-q, takes functions
# with such stores for free of effects, and leaves out calls of them.
IMAGE_FLAGS = -std=gnu11 -O2 -g $(WARN) -ffreestanding -nostdinc -fPIE -fvisibility=hidden -mno-red-zone \
	-fno-stack-protector -fcf-protection=none -fno-asynchronous-unwind-tables -fno-omit-frame-pointer -fno-common \
	-fno-tree-vectorize -fno-ivopts -mstringop-strategy=libcall -ffunction-sections -fdata-sections $(INCLUDES) \
	-isystem $(B)/gen/system -isystem $(B)/newlib/include -isystem $(GCC_INCLUDE) -isystem /usr/include/efi -isystem /usr/include/efi/x86_64 \
	-DGNU_EFI_USE_MS_ABI -Wa,--fatal-warnings

# Flags of some objects alone are private: what is made on the way to an object would have them too.
# Code that runs inside trap handlers and the step monitor must leave the SSE registers alone.
INTEGER_ONLY := $(filter arch/% pmu/% tests/kernels/x86/emulation.c tests/kernels/x86/exceptions.c,$(IMAGE_SRC))
$(patsubst %,$(B)/image/%.o,$(filter %.c,$(INTEGER_ONLY))): private IMAGE_FLAGS += -mgeneral-regs-only
$(B)/image/gen/%.o: private IMAGE_FLAGS += -mgeneral-regs-only

# Little here is in a hurry: what is measured is assembly. The step engine, what it runs, and what it steps over and over are: they
# keep -O2. The rest is not scheduled either: instructions in the order of their kind are shorter when packed, by 14 KB.
HURRIED := $(wildcard arch/x86/step/account.c arch/x86/step/describe.c pmu/virtual/machine_model.c pmu/virtual/oracle.c \
	pmu/virtual/uarch.c pmu/virtual/vpmu.c pmu/*/model/model_counters.c pmu/*/model/model_sources.c pmu/*/model/uops.c \
	arch/x86/step/step*.c arch/x86/step/insn.c arch/x86/step/gather.c arch/x86/exceptions/trap_entered.c arch/x86/interrupts/apic.c arch/x86/cpu/msr.c \
	tests/measure/measure.c tests/measure/pass.c tests/measure/intrusion.c pmu/x86/read_counters.c pmu/x86/bracket_switch.c tests/judge/expectation.c tests/judge/bounds.c)
# They are linked first: how fast an emulator runs them depends on the pages that they share, and the rest does not move them there.
HURRIED_OBJ := $(patsubst %,$(B)/image/%.o,$(filter $(HURRIED),$(IMAGE_SRC)))
IMAGE_OBJ := $(HURRIED_OBJ) $(filter-out $(HURRIED_OBJ),$(IMAGE_OBJ))
UNHURRIED := $(filter arch/%.c boot/%.c tests/%.c pmu/%.c,$(filter-out $(HURRIED),$(IMAGE_SRC)))
$(patsubst %,$(B)/image/%.o,$(UNHURRIED)): private IMAGE_FLAGS += -Os -fno-schedule-insns2

# The LZMA SDK's headers, and its encoder as source, cut down to the fast mode that is used; the encoder of QR codes as source, which scripts/setup has unpacked.
SENT_INCLUDES := -isystem $(B)/gen/lzma -isystem /usr/include/lzma -isystem $(B)/qrcodegen/c
LZMA_FAST := $(addprefix $(B)/gen/lzma/,LzmaEnc.c LzFind.c)
$(B)/image/boot/sent/%.c.o: private IMAGE_FLAGS += $(SENT_INCLUDES)
$(B)/host/boot/sent/%.c.o: private HOST_FLAGS += $(SENT_INCLUDES)
$(B)/image/boot/sent/code_encoder.c.o $(B)/host/boot/sent/code_encoder.c.o: $(wildcard $(B)/qrcodegen/c/qrcodegen.c)

# UEFI strings are UTF-16.
$(B)/image/boot/uefi/%.c.o $(B)/image/boot/carrier/%.c.o $(B)/image/tests/self/boot/%.c.o: private IMAGE_FLAGS += -fshort-wchar

# --- generated -------------------------------------------------------------------------------------------------

# The screen's font.
$(B)/gen/font.c: scripts/gen-font
	@mkdir -p $(@D)
	$(Q)$(PYTHON) $< > $@

# Rewritten only when it changes.
$(B)/gen/build_id.h: FORCE
	@mkdir -p $(@D)
	@echo "#define BUILD_ID \"$$(git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)\"" > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

# Settings that any instruction set has.
$(B)/gen/settings.def: $(wildcard arch/*/settings.def)
	@mkdir -p $(@D)
	$(Q)cat $^ > $@

$(B)/gen/lzma/%.c: /usr/include/lzma/%.c
	@mkdir -p $(@D)
	$(Q)sed 's/[a-z]*->fastMode\([^=]*\)$$/1\1/; s/(!p->btMode)/(1)/' $< > $@
$(patsubst %,$(B)/%/boot/sent/lzma_encoder.c.o,image host): $(LZMA_FAST)

# A header of the system that goes into the image, without those beside it, which are not for the image.
$(B)/gen/system/%.h: /usr/include/%.h
	@mkdir -p $(@D)
	$(Q)cp $< $@

$(B)/tools/%: tools/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -O2 $(WARN) $(INCLUDES) -MMD -MP -MF $@.d -o $@ $< -lZydis

$(B)/tools/vendor-events: tools/vendor-events.c pmu/events/vendor_json.c pmu/events/vendor_json.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(HOST_FLAGS) -o $@ $(filter %.c,$^)

$(B)/tools/x86/decodegen: $(wildcard tools/x86/decodegen*.[ch]) arch/x86/step/insn.h arch/x86/step/insn_table.h arch/x86/step/insn_quantities.h \
	pmu/quantity/quantity.h $(wildcard pmu/quantity/*.def)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -O2 $(WARN) $(INCLUDES) -o $@ $(filter %.c,$^) -lZydis

$(B)/tools/x86/decodebench: tools/x86/decodebench.c arch/x86/step/insn.c $(B)/gen/insn_tables.c arch/x86/step/insn.h arch/x86/step/insn_table.h
	$(Q)$(CC) -std=gnu11 -O2 $(WARN) $(INCLUDES) -o $@ $(filter %.c,$^) -lZydis

# The image's own sources of the PMU families, with a model for a machine. What the tool does not use is left out.
ENCODE_SRC := tools/assay-encode.c tools/x86/model_cpu.c arch/x86/cpu/identity.c tests/report/json.c arch/x86/cpu/courage.c arch/x86/cpu/smi.c \
	$(filter-out pmu/virtual/vpmu.c $(HOSTED_PMUS) $(READINGS),$(wildcard pmu/*.[cS] pmu/*/*.[cS] pmu/*/*/*.[cS])) $(EVENTS_GEN)

tools: $(B)/assay-encode $(B)/assay-judge

# What judges, of the image's own sources: rows, kernels, expectation and verdict. Handlers are told from their code, which is why
# services.c is among them; all that runs on the machine alone is left out.
JUDGE_SRC := $(wildcard tools/rejudge.c tools/report_*.c) tools/x86/report_cpu.c $(filter-out tools/assay-encode.c,$(ENCODE_SRC)) \
	$(addprefix tests/judge/,attribution.c attribution_names.c attribution_windows.c errata.c event_judge.c event_seen.c expectation.c expectation_level.c bounds.c verdict.c line.c histogram.c under_hypervisor.c glob.c) \
	$(addprefix tests/kernels/,kernel.c kernel_rows.c) \
	$(addprefix tests/kernels/x86/,bounds.c handled.c roles.c services.c) $(wildcard tests/kernels/x86/*.S) arch/x86/step/insn.c arch/x86/step/account.c $(B)/gen/insn_tables.c \
	$(addprefix arch/x86/cpu/,isa.c levels.c)

$(B)/assay-judge: $(JUDGE_SRC) $(wildcard tools/*.h tools/x86/*.h arch/*.h pmu/*/*.h pmu/*/*.def pmu/*/*/*.h pmu/*/*/*.def tests/*/*.h tests/judge/*.def tests/kernels/x86/*.h) $(EVENT_ROWS)
	$(Q)$(CC) -std=gnu11 -O1 $(WARN) $(INCLUDES) -ffunction-sections -fdata-sections -Wl,--gc-sections -o $@ $(JUDGE_SRC) -ljansson

$(B)/assay-encode: $(ENCODE_SRC) $(wildcard arch/*.h pmu/*/*.h pmu/*/*.def pmu/*/*/*.h pmu/*/*/*.def tools/model_cpu.h tests/report/json.h) $(EVENT_ROWS)
	$(Q)$(CC) -std=gnu11 -O1 $(WARN) $(INCLUDES) -ffunction-sections -fdata-sections -Wl,--gc-sections -o $@ \
		$(ENCODE_SRC)

# How far events are judged: the families' rows, and what was left out of them; with the kernels and what they bound.
COVERAGE_OBJ := $(patsubst %,$(B)/host/%.o,tools/coverage.c tools/impostors.c tools/x86/impostor_kernels.c $(COVERAGE_PARTS)) $(B)/host/gen/unjudged.c.o

coverage: $(B)/coverage
	@scripts/coverage-table
	@for table in $(OTHER_COVERAGE); do scripts/coverage-table $$table || exit; done
	@scripts/coverage-classes

$(B)/coverage: $(COVERAGE_OBJ) $(patsubst %,$(B)/host/%.o,$(wildcard tests/kernels/x86/*.S)) $(B)/host/libassay.a
	$(Q)$(CC) $(HOST_FLAGS) -o $@ $^

$(B)/gen/unjudged.c: scripts/gen-events $(wildcard pmu/intel/*/*.csv pmu/intel/events/*.def pmu/quantity/*.def)
	@mkdir -p $(@D)
	$(Q)$(PYTHON) $< unjudged > $@

# Intel's events of single cores: what was imported, joined with what it means.
$(B)/gen/intel_events.c: scripts/gen-events $(wildcard pmu/intel/*/*.csv pmu/intel/events/*.def pmu/quantity/*.def)
	@mkdir -p $(@D)
	$(Q)$(PYTHON) $< packed > $@

$(EVENT_ROWS): $(B)/gen/%.def: %.csv scripts/gen-events $(wildcard pmu/*/events/meanings.csv pmu/*/events/floors.csv pmu/*/events/*.def pmu/quantity/*.def)
	@mkdir -p $(@D)
	$(Q)$(PYTHON) scripts/gen-events rows $* > $@

$(B)/gen/intel_offcore.c: scripts/gen-intel-offcore pmu/intel/events/offcore.csv pmu/intel/events/cores.csv pmu/intel/events/offcore.def
	@mkdir -p $(@D)
	$(Q)$(PYTHON) $< rows > $@

$(B)/gen/%_errata.c: scripts/gen-errata pmu/%/errata/rows.csv pmu/contract/mechanisms.def
	@mkdir -p $(@D)
	$(Q)$(PYTHON) $< $* > $@

$(B)/gen/insn_tables.c: $(B)/tools/x86/decodegen
	@mkdir -p $(@D)
	$(Q)$< > $@

# Copies of the models whose rules can be broken one by one, as the lists beside the models say.
MUTANT_LISTS := $(filter-out $(HOSTED_PMUS),$(wildcard pmu/*/model/mutants.list pmu/virtual/*_mutants.list))
MUTATED_SRC := $(foreach list,$(MUTANT_LISTS),$(addprefix $(dir $(list)),$(shell sed -n 's/^\t\([a-z0-9_]*\.c\) [a-z0-9_]*: .*/\1/p' $(list) | sort -u)))

$(B)/gen/mutants/done: scripts/gen-mutants $(MUTANT_LISTS) $(MUTATED_SRC)
	@mkdir -p $(@D)
	$(Q)$(PYTHON) $< $(@D) $(MUTANT_LISTS)
	@touch $@

$(addprefix $(B)/gen/mutants/,$(MUTATED_SRC)): $(B)/gen/mutants/done ;
$(B)/gen/mutants/%.h: $(B)/gen/mutants/done ;

# --- the image -------------------------------------------------------------------------------------------------

$(B)/image/%.c.o: %.c | $(GEN_HEADERS)
	@mkdir -p $(@D)
	$(Q)$(CC) $(IMAGE_FLAGS) -MMD -MP -c -o $@ $<

$(B)/image/%.S.o: %.S | $(GEN_HEADERS)
	@mkdir -p $(@D)
	$(Q)$(CC) $(IMAGE_FLAGS) -MMD -MP -c -o $@ $<

$(B)/image/gen/%.c.o: $(B)/gen/%.c | $(GEN_HEADERS)
	@mkdir -p $(@D)
	$(Q)$(CC) $(IMAGE_FLAGS) -MMD -MP -c -o $@ $<

IMAGE_LIBS = $(B)/newlib/libc.a $(shell $(CC) -print-libgcc-file-name)
LINK_EFI = ld -pie --no-dynamic-linker -z norelro -z noexecstack -z max-page-size=4096 -Bsymbolic --gc-sections -L linker \
	--no-warn-rwx-segments -T linker/efi-x86_64.ld -o $@

# Linked twice: the first time to learn where every function lies, the second time with their names in.
$(B)/link/symbols-none.c: scripts/gen-symbols
	@mkdir -p $(@D)
	$(Q)$(PYTHON) scripts/gen-symbols > $@

$(B)/link/symbols-%.c: $(B)/link/%-first.elf scripts/gen-symbols
	$(Q)$(PYTHON) scripts/gen-symbols $< > $@

$(B)/link/symbols-%.o: $(B)/link/symbols-%.c
	$(Q)$(CC) $(IMAGE_FLAGS) -c -o $@ $<

LINK_DIRECT = ld -static -z norelro -z noexecstack -z max-page-size=4096 --gc-sections -L linker --no-warn-rwx-segments \
	-T linker/direct-x86_64.ld -o $@

$(B)/link/efi-first.elf: $(IMAGE_OBJ) $(B)/link/symbols-none.o linker/efi-x86_64.ld linker/sections.ld
	$(Q)$(LINK_EFI) $(filter %.o,$^) $(IMAGE_LIBS)

$(B)/assay.elf: $(IMAGE_OBJ) $(B)/link/symbols-efi.o linker/efi-x86_64.ld linker/sections.ld
	$(Q)$(LINK_EFI) $(filter %.o,$^) $(IMAGE_LIBS)

# What is shipped: a small application that carries the image compressed and starts it.
CARRIER_OBJ := $(B)/image/boot/carrier/carrier.c.o $(B)/image/boot/carrier/payload.S.o
$(CARRIER_OBJ): private IMAGE_FLAGS += -Os -isystem /usr/include/lzma -DPAYLOAD='"$(B)/link/payload.lzma"'
$(B)/image/boot/carrier/payload.S.o: $(B)/link/payload.lzma

$(B)/link/payload.lzma: $(B)/assay.efi scripts/pack
	$(Q)$(PYTHON) scripts/pack $< $@

$(B)/BOOTX64.elf: $(CARRIER_OBJ) linker/efi-x86_64.ld linker/sections.ld
	$(Q)$(LINK_EFI) $(filter %.o,$^) $(IMAGE_LIBS)

$(B)/BOOTX64.EFI: $(B)/BOOTX64.elf scripts/elf2efi
	$(Q)$(PYTHON) scripts/elf2efi $< $@

$(B)/%.efi: $(B)/%.elf scripts/elf2efi
	$(Q)$(PYTHON) scripts/elf2efi $< $@

# The same objects for a start without firmware.
$(B)/link/direct-first.elf: $(IMAGE_OBJ) $(B)/link/symbols-none.o linker/direct-x86_64.ld linker/sections.ld
	$(Q)$(LINK_DIRECT) $(filter %.o,$^) $(IMAGE_LIBS)

$(B)/direct.elf: $(IMAGE_OBJ) $(B)/link/symbols-direct.o linker/direct-x86_64.ld linker/sections.ld
	$(Q)$(LINK_DIRECT) $(filter %.o,$^) $(IMAGE_LIBS)

$(B)/direct.bin: $(B)/direct.elf
	$(Q)objcopy -O binary $< $@

# The same with models whose rules can be broken one by one, a suite that does so, and checks of the machine that are not for every
# machine.
# Of models alone: lists number their mutants each from 1 on, and one number at a time is broken.
MUTANT_SRC := tests/suites/suites.c tests/suites/errata.c tests/suites/x86/machine.c $(filter-out $(HOSTED_PMUS),$(wildcard pmu/*/errata/injections.c)) $(filter-out pmu/virtual/%,$(MUTATED_SRC)) $(wildcard tests/self/mutants/*.c)
MUTANT_OBJ := $(filter-out $(patsubst %,$(B)/image/%.o,$(MUTANT_SRC)),$(IMAGE_OBJ)) $(patsubst %,$(B)/mutants/%.o,$(MUTANT_SRC))
$(patsubst %,$(B)/mutants/%.o,$(filter pmu/%,$(MUTANT_SRC))): private IMAGE_FLAGS += -mgeneral-regs-only

# What each family's errata are tried with.
$(B)/gen/mutants/catches.def: $(wildcard pmu/*/errata/catches.def)
	@mkdir -p $(@D)
	$(Q)cat $^ > $@
$(B)/mutants/tests/self/mutants/catches.c.o: $(B)/gen/mutants/catches.def

$(B)/mutants/%.c.o: %.c | $(GEN_HEADERS) $(B)/gen/mutants/done
	@mkdir -p $(@D)
	$(Q)$(CC) $(IMAGE_FLAGS) -DMODEL_MUTANTS -MMD -MP -c -o $@ $<

$(B)/mutants/pmu/%.c.o: $(B)/gen/mutants/pmu/%.c | $(GEN_HEADERS)
	@mkdir -p $(@D)
	$(Q)$(CC) $(IMAGE_FLAGS) -MMD -MP -c -o $@ $<

$(B)/link/mutants-first.elf: $(MUTANT_OBJ) $(B)/link/symbols-none.o linker/direct-x86_64.ld linker/sections.ld
	$(Q)$(LINK_DIRECT) $(filter %.o,$^) $(IMAGE_LIBS)

$(B)/mutants.elf: $(MUTANT_OBJ) $(B)/link/symbols-mutants.o linker/direct-x86_64.ld linker/sections.ld
	$(Q)$(LINK_DIRECT) $(filter %.o,$^) $(IMAGE_LIBS)

$(B)/mutants.bin: $(B)/mutants.elf
	$(Q)objcopy -O binary $< $@

# What starts them in Bochs (scripts/emulators.py).
$(B)/bochs_start.bin: scripts/bochs_start.S
	@mkdir -p $(@D)
	$(Q)$(CC) -nostdlib -static -Wl,-N,-Ttext=0,--build-id=none,--oformat=binary -o $@ $<

# And under firmware.
$(B)/link/mutants-efi-first.elf: $(MUTANT_OBJ) $(B)/link/symbols-none.o linker/efi-x86_64.ld linker/sections.ld
	$(Q)$(LINK_EFI) $(filter %.o,$^) $(IMAGE_LIBS)

$(B)/mutants-efi.elf: $(MUTANT_OBJ) $(B)/link/symbols-mutants-efi.o linker/efi-x86_64.ld linker/sections.ld
	$(Q)$(LINK_EFI) $(filter %.o,$^) $(IMAGE_LIBS)

# Images of other instruction sets.
include $(wildcard arch/*/image.mk) arch/x86/ia32.mk

# --- media and runs ----------------------------------------------------------------------------------------------

image: $(B)/assay.img $(B)/assay.pxe

# What a disk is lost by is not taken from the environment, where it may stand for something else.
usb: $(B)/assay.img
	@scripts/write-usb $< $(if $(filter command,$(origin DEV)),"$$DEV","") $(if $(filter command-1,$(firstword $(origin FORCE))-$(FORCE)),--force)

# With SIGN_KEY and SIGN_CERT its applications are signed. Firmware asks the image that BOOTX64.EFI carries for a signature, too.
SIGN_FILES := $(wildcard $(SIGN_KEY) $(SIGN_CERT)) scripts/sign
STICK := $(B)/BOOTX64.EFI $(UEFI_IMAGES)
ifneq ($(SIGN_KEY)$(SIGN_CERT),)
STICK := $(addprefix $(B)/signed/,$(notdir $(STICK)))
endif

$(B)/signed/%: $(B)/% $(SIGN_FILES)
	@mkdir -p $(@D)
	$(Q)scripts/sign "$$SIGN_KEY" "$$SIGN_CERT" $< $@
$(B)/signed/BOOTX64.EFI: $(B)/signed/unsigned.EFI $(SIGN_FILES)
	$(Q)scripts/sign "$$SIGN_KEY" "$$SIGN_CERT" $< $@

$(B)/signed/payload.lzma: $(B)/signed/assay.efi scripts/pack
	$(Q)$(PYTHON) scripts/pack $< $@
$(B)/signed/payload.o: private IMAGE_FLAGS += -DPAYLOAD='"$(B)/signed/payload.lzma"'
$(B)/signed/payload.o: boot/carrier/payload.S $(B)/signed/payload.lzma
	$(Q)$(CC) $(IMAGE_FLAGS) -c -o $@ $<
$(B)/signed/BOOTX64.elf: $(B)/image/boot/carrier/carrier.c.o $(B)/signed/payload.o linker/efi-x86_64.ld linker/sections.ld
	$(Q)$(LINK_EFI) $(filter %.o,$^) $(IMAGE_LIBS)
$(B)/signed/unsigned.EFI: $(B)/signed/BOOTX64.elf scripts/elf2efi
	$(Q)$(PYTHON) scripts/elf2efi $< $@

# Rewritten when the stick is to be signed otherwise than the last one.
$(B)/signed-by: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' "$$SIGN_KEY" "$$SIGN_CERT" > $@.new
	@cmp -s $@.new $@ && rm $@.new || { mv $@.new $@; rm -rf $(B)/signed; }
$(addprefix $(B)/signed/,assay.efi BOOTX64.EFI $(notdir $(UEFI_IMAGES))): $(B)/signed-by

# The stick serves every instruction set that has a UEFI image.
$(B)/assay.img: $(STICK) $(B)/BOOTIA32.EFI $(B)/signed-by $(B)/direct.bin $(B)/direct32.bin boot/assay.cfg boot/bios/grub.cfg scripts/mkimage
	$(Q)PATH="$$PATH:/usr/sbin:/sbin" scripts/mkimage $@ boot/assay.cfg boot/bios/grub.cfg $(B)/direct.bin $(B)/direct32.bin $(filter %.EFI,$^)

# What a BIOS fetches over the network, beside direct.bin and direct32.bin, and what 32-bit UEFI starts. A signature would not help the latter: under
# Secure Boot GRUB starts only what a shim lets pass.
$(B)/assay.pxe $(B)/BOOTIA32.EFI: boot/bios/grub.cfg scripts/mkgrub
	@mkdir -p $(@D)
	$(Q)PATH="$$PATH:/usr/sbin:/sbin" scripts/mkgrub $@ $<

# Without a question of its own a run is that of the stick, as a real machine starts it; with one, firmware is not the point.
BOOT ?= $(if $(strip $(ARGS)$(CFG)$(EVENTS)),direct,disk)
export ARGS CFG EVENTS EMU CPU CPUS V BOOT STRICT

# Exit status: 0 nothing wrong, 1 something wrong, 2 could not run. make ends with 2 whatever a recipe's status was; only with -q it
# ends with 1, when anything is left to do. So building and running are left to a make of their own (a line with + runs
# even under -q), and what is left to do afterwards depends on the status that it kept.
ifeq ($(MAKECMDGOALS),run)
MAKEFLAGS += -q
endif

run: run-and-keep-status
	$(if $(filter 0,$(RUN_STATUS)),,$(if $(filter 1,$(RUN_STATUS)),@false,$(error $(or $(RUN_WHY),could not run))))

RUN_STATUS = $(shell cat $(B)/run.status 2>/dev/null)
# Why it could not run: make's own line is the last one, so that has to say it as well.
RUN_WHY = $(shell cat $(B)/run.why 2>/dev/null)

run-and-keep-status:
	+@test -e $(B)/assay.img || echo "building the image (once, a minute or so)"
	+@rm -f $(B)/run.status $(B)/run.why $(B)/report.json $(B)/report.txt; env -u MAKEFLAGS -u MFLAGS $(MAKE) --no-print-directory -j$$(nproc) run-emulator; true

ifeq ($(ARCH),x86)
run-emulator: $(B)/assay.img $(B)/direct.bin $(B)/bochs_start.bin
	@set -f; scripts/run -e "$$EMU" $${CPU:+-c "$$CPU"} $${CPUS:+-n "$$CPUS"} -b "$$BOOT" $${CFG:+-f "$$CFG"} \
		$${EVENTS:+-d "$$EVENTS"} $${V:+-v} $${STRICT:+-s} $$ARGS; echo $$? > $(B)/run.status
endif

bench: all tools $(B)/assay.img $(B)/empty_app.efi
	@scripts/bench

# EFI applications that the tests put beside ours.
$(B)/%_app.elf: $(B)/image/tests/self/boot/%_app.c.o linker/efi-x86_64.ld linker/sections.ld
	$(Q)$(LINK_EFI) $(filter %.o,$^) $(IMAGE_LIBS)

# --- host tests ------------------------------------------------------------------------------------------------

# Everything that can run on the build machine is in one archive, under AddressSanitizer and UBSan; a test links what it uses of it.
HOST_SRC := $(sort $(filter-out $(HOSTED_PMUS) $(COVERAGE_PARTS) pmu/virtual/vpmu.c pmu/virtual/oracle.c pmu/virtual/path.c tests/self/host/support/scripted_pmu.c, \
	$(wildcard pmu/*.[cS] pmu/*/*.[cS] pmu/*/*/*.[cS] \
	tests/judge/*.c tests/measure/*.c tests/report/*.c tests/kernels/kernel.c tests/kernels/kernel_rows.c tests/kernels/elf_image.c tests/kernels/user_code.c tests/kernels/user_code_load.c \
	tests/kernels/x86/bounds.c tests/kernels/x86/needs.c tests/kernels/x86/roles.c tests/kernels/x86/string_step.c tests/kernels/x86/opcodes.c tests/kernels/x86/cache_geometry.c tests/kernels/x86/code_ring.c \
	tests/self/host/support/*.[cS])) \
	$(wildcard arch/x86/step/account.c arch/x86/step/denormals.c arch/x86/step/describe.c arch/x86/step/hypervisor_exits.c arch/x86/step/outcomes.c arch/x86/cpu/presented_cpuid.c arch/x86/cpu/geometry.c \
	arch/breadcrumbs.c arch/x86/machine/held_registers.c arch/x86/machine/settings.c arch/x86/machine/platform_watchdog.c arch/x86/machine/smbios.c arch/x86/time/tsc_rate.c arch/x86/console/screen.c boot/recovery.c \
	arch/x86/step/insn.c arch/x86/step/code.c arch/x86/emulated/evex.c arch/x86/emulated/sha.c arch/x86/emulated/simd_exceptions.c arch/x86/machine/acpi.c arch/x86/machine/notes.c arch/x86/processors/processor_list.c arch/x86/processors/core_types.c arch/x86/processors/processor_type.c arch/x86/processors/second_cpu_turns.c arch/x86/console/debug_port.c arch/x86/window/instructions.c arch/x86/machine/mtrr.c arch/x86/cpu/smi.c arch/x86/cpu/courage.c arch/x86/cpu/topology.c arch/x86/cpu/identity.c arch/x86/cpu/cpuid_leaves.c arch/x86/cpu/isa.c arch/x86/cpu/levels.c \
	boot/menu/keys.c boot/menu/list.c boot/menu/page.c boot/menu/widgets.c boot/menu/start.c boot/menu/save.c boot/menu/results.c boot/options.c boot/core_options.c boot/core_choice.c boot/tokens.c boot/experiments.c boot/config.c boot/report_out.c boot/run_folder.c boot/event_files.c boot/pmu_choice.c boot/direct/screen.c boot/direct/files.c boot/direct/multiboot2.c boot/sent/packed_report.c boot/sent/serial_report.c boot/sent/by_serial.c boot/sent/codes.c boot/sent/code_encoder.c boot/bios/kept_file.c boot/sent/lzma_encoder.c))
HOST_OBJ := $(patsubst %,$(B)/host/%.o,$(HOST_SRC)) $(patsubst $(B)/gen/%,$(B)/host/gen/%.o,$(GEN_SRC))
HOST_TESTS := $(patsubst tests/self/host/%.c,$(B)/host/%,$(wildcard tests/self/host/test_*.c tests/self/host/witness_*.c))
HOST_FLAGS := -std=gnu11 -O1 -g $(WARN) -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer $(INCLUDES)

$(B)/host/%.c.o: %.c | $(GEN_HEADERS)
	@mkdir -p $(@D)
	$(Q)$(CC) $(HOST_FLAGS) -MMD -MP -c -o $@ $<

$(B)/host/%.S.o: %.S | $(GEN_HEADERS)
	@mkdir -p $(@D)
	$(Q)$(CC) $(HOST_FLAGS) -MMD -MP -c -o $@ $<

$(patsubst tests/self/host/%,$(B)/host/tests/self/host/%.o,$(wildcard tests/self/host/test_*_mutants.c)): | $(B)/gen/mutants/done

$(B)/host/gen/%.c.o: $(B)/gen/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(HOST_FLAGS) -MMD -MP -c -o $@ $<

# This file says what is in it: an object that is new here and not yet built would not be missed otherwise (.SECONDARY).
$(B)/host/libassay.a: $(HOST_OBJ) Makefile
	@rm -f $@
	$(Q)ar rcs $@ $(filter %.o,$^)

# The linker set of kernels joins only what asks for it by name: an archive member that nobody calls would be left out.
HOST_KERNELS := $(patsubst %,$(B)/host/%.o,$(wildcard tests/kernels/x86/*.S))
$(B)/host/test_kernels $(B)/host/test_menu $(B)/host/test_controls $(B)/host/test_bounds $(B)/host/test_string_step $(B)/host/test_uarch_mutants $(B)/host/witness_ptrace: $(HOST_KERNELS)

# A PMU by script stands in for the machine, too: before the archive is asked for that.
SCRIPTED_TESTS := pass ladder shares_learn event_judge errata identities_suite errata_suite events_suite control_suite
SCRIPTED_OBJ := $(B)/host/tests/self/host/support/scripted_pmu.c.o
$(patsubst %,$(B)/host/test_%,$(SCRIPTED_TESTS)): $(SCRIPTED_OBJ)

# It has the build's id: in the archive it would be new, and with it all tests, after each commit.
PROGRESS_OBJ := $(patsubst %,$(B)/host/boot/%.c.o,progress journal)
$(PROGRESS_OBJ): private HOST_FLAGS += -Wno-format-truncation
$(B)/host/test_progress: $(PROGRESS_OBJ)

# What speaks to firmware has its calling convention and its characters.
VOLUME_OBJ := $(patsubst %,$(B)/host/boot/uefi/%.c.o,volume network)
$(VOLUME_OBJ) $(patsubst %,$(B)/host/tests/self/host/test_%.c.o,volume network): private HOST_FLAGS += -fshort-wchar -DGNU_EFI_USE_MS_ABI \
	-isystem /usr/include/efi -isystem /usr/include/efi/x86_64
$(B)/host/test_volume $(B)/host/test_network: $(VOLUME_OBJ)

# The engine itself is the test's.
TRANSACTION_OBJ := $(B)/host/arch/x86/step/step_transaction.c.o
$(B)/host/test_transaction: $(TRANSACTION_OBJ)
CORES_OBJ := $(B)/host/boot/cores.c.o
$(B)/host/test_core_options: $(CORES_OBJ)
CLOCK_OBJ := $(B)/host/arch/x86/time/hpet.c.o
$(B)/host/test_clocks: $(CLOCK_OBJ)
# Of the engine the deadline alone: what the rest of it would ask for is left out with it.
DEADLINE_OBJ := $(B)/host/arch/x86/step/step_engine.c.o
$(DEADLINE_OBJ): private HOST_FLAGS += -ffunction-sections
$(B)/host/test_step_deadline: private HOST_FLAGS += -Wl,--gc-sections
$(B)/host/test_step_deadline: $(DEADLINE_OBJ)
# Likewise of what kernels need: the gates. A table that a sanitizer knows would keep the rest.
$(B)/host/tests/self/host/test_gates.c.o: private HOST_FLAGS += -ffunction-sections -fdata-sections -fno-sanitize=all
$(B)/host/test_gates: private HOST_FLAGS += -Wl,--gc-sections
ORACLE_OBJ := $(B)/host/pmu/virtual/oracle.c.o
$(B)/host/test_oracle: $(ORACLE_OBJ)

VPMU_OBJ := $(B)/host/pmu/virtual/vpmu.c.o
$(B)/host/test_virtual_pmu: $(VPMU_OBJ)

# Code that speaks to devices; the test answers for them.
DEVICE_OBJ := $(patsubst %,$(B)/host/arch/x86/%.c.o,interrupts/apic interrupts/overflow time/pit)
$(B)/host/test_firmware_devices: $(DEVICE_OBJ)
CHIPS_OBJ := $(B)/host/arch/x86/interrupts/irq_chips.c.o
$(B)/host/test_irq_chips: $(CHIPS_OBJ)

$(B)/host/test_%: $(B)/host/tests/self/host/test_%.c.o $(B)/host/libassay.a
	$(Q)$(CC) $(HOST_FLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) -lcmocka -lZydis -lpfm -lm

# A virtual CPU of its own is found beside the families'.
$(B)/host/test_virtual_pmu: private HOST_FLAGS += -Wl,--wrap=model_profile_by_name

# A driver of its own is found in place of the families'.
$(B)/host/test_pmu_choice: private HOST_FLAGS += -Wl,--wrap=pmu_find

# Its own malloc() decides whether there is memory.
$(B)/host/test_serial_report: private HOST_FLAGS += -Wl,--wrap=malloc
$(B)/host/test_codes: private HOST_FLAGS += -Wl,--wrap=malloc,--wrap=realloc

# Its own malloc() decides whether there is memory; what it reads the report by is an established parser.
$(B)/host/test_report_memory: $(B)/host/tests/self/host/test_report_memory.c.o $(B)/host/libassay.a
	$(Q)$(CC) $(HOST_FLAGS) -Wl,--wrap=malloc,--wrap=realloc -o $@ $^ -lcmocka -ljansson

$(B)/host/witness_%: $(B)/host/tests/self/host/witness_%.c.o $(B)/host/libassay.a
	$(Q)$(CC) $(HOST_FLAGS) -o $@ $^ -lZydis

# --- machines that are interpreted on the host -------------------------------------------------------------------

# Assay on each of them is build/host/assay-NAME: what serves every instruction set, with this one in place of x86. What is left out
# is the C library's needs in the image and what is x86's: the list of suites, and suites whose code is in x86's bytes.
NOT_HOSTED := boot/syscalls.c $(addprefix tests/suites/,suites.c selftest.c research/bench.c research/skid.c overhead.c overhead_costs.c overhead_pending.c)
HOSTED_SRC := $(filter-out $(NOT_HOSTED),$(wildcard arch/absent_*.c boot/*.c boot/menu/*.c boot/host/*.c pmu/*.c pmu/contract/*.c pmu/events/*.c pmu/quantity/*.c pmu/virtual/*.c \
	tests/judge/*.c tests/measure/*.c tests/report/*.c tests/suites/*.c tests/suites/research/*.c tests/kernels/*.c))
HOSTED_FLAGS = $(filter-out -DISA_X86 -DQUANTITY_LIST=%,$(HOST_FLAGS)) -Wno-format-truncation

define hosted_rules
OBJ_$(1) := $$(patsubst %,$$(B)/$(1)/%.o,$$(HOSTED_SRC) $$(wildcard arch/$(1)/*.c tests/kernels/$(1)/*.[cS] tests/suites/$(1)/*.c \
	$$(filter-out $$(READINGS),$$(wildcard $$(foreach p,$$(PMUS_$(1)),pmu/$$(p)/*.c pmu/$$(p)/*/*.c)))))
HOSTED_OBJ += $$(OBJ_$(1))
FLAGS_$(1) = $$(HOSTED_FLAGS) -DISA_$(shell echo $(1) | tr a-z A-Z) -DQUANTITY_LIST='"pmu/quantity/$(1).def"'

$$(B)/$(1)/%.c.o: %.c | $$(GEN_HEADERS)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(FLAGS_$(1)) -MMD -MP -c -o $$@ $$<

$$(B)/$(1)/%.S.o: %.S | $$(GEN_HEADERS)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(FLAGS_$(1)) -MMD -MP -c -o $$@ $$<

$$(B)/host/assay-$(1): $$(OBJ_$(1))
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(FLAGS_$(1)) -o $$@ $$^
endef
$(foreach isa,$(HOSTED),$(eval $(call hosted_rules,$(isa))))

host-tests: $(HOST_TESTS)
	@for t in $^; do $$t || exit 1; done

# --- the witness in QEMU -----------------------------------------------------------------------------------------

$(B)/plugin/%.so: tests/self/boot/plugin/%.c $(wildcard tests/self/boot/plugin/*.h) tests/measure/marks.h
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -O2 $(WARN) -I. -shared -fPIC -fvisibility=hidden -o $@ $<

# --- everything that can fail -------------------------------------------------------------------------------------

# tests/self/boot/signatures.t runs test_bounds, with what emulators have seen.
check: all tools $(OTHER_IMAGES) $(B)/coverage $(patsubst %,$(B)/host/assay-%,$(HOSTED)) $(B)/assay.img $(B)/assay.pxe $(B)/mutants.bin $(B)/mutants-efi.efi $(HOST_TESTS) $(B)/services_app.efi $(B)/plugin/quantities.so $(B)/tools/vendor-events
	@scripts/check --measure $(filter-out $(B)/host/test_bounds,$(HOST_TESTS)) $(wildcard tests/self/host/*.t tests/self/boot/*.t)

# What takes too long for that, or needs files that are not ours to keep.
VENDOR_FILES ?= $(abspath $(B))/vendor

$(abspath $(B))/vendor/mapfile.csv: | scripts/vendor-files
	$(Q)scripts/vendor-files $(@D)

# Tests that `make check` thins out have their whole grid here.
THINNED := $(shell grep -l 'import .*\bfew\b' tests/self/boot/*.t)

# Every erratum that a virtual CPU can be given, against what the suite errata makes of it: caught, missed, false alarms.
errata: $(B)/mutants.bin
	@scripts/errata-table $(ARGS)

soak: all tools $(B)/assay.img $(B)/assay.pxe $(B)/mutants.bin $(B)/host/test_vendor_fuzz $(B)/host/test_bounds $(B)/host/test_uarch_mutants $(B)/tools/vendor-events \
	$(VENDOR_FILES)/mapfile.csv
	@ASSAY_FULL=1 FUZZ_INPUTS=1000000 VENDOR_FILES=$(VENDOR_FILES) scripts/check --limit 86400 $(B)/host/test_vendor_fuzz $(THINNED) $(wildcard tests/self/soak/*.t)

# --- cleaning --------------------------------------------------------------------------------------------------

clean:
	@test ! -d $(B) || find $(B) -mindepth 1 -maxdepth 1 ! -name newlib ! -name tftpd ! -name qrcodegen -exec rm -rf {} +

distclean:
	rm -rf $(B)

-include $(patsubst %.o,%.d,$(IMAGE_OBJ) $(MUTANT_OBJ) $(CARRIER_OBJ) $(HOST_OBJ) $(HOST_KERNELS) $(SCRIPTED_OBJ) $(PROGRESS_OBJ) $(VOLUME_OBJ) $(TRANSACTION_OBJ) $(CLOCK_OBJ) $(DEADLINE_OBJ) $(ORACLE_OBJ) $(VPMU_OBJ) $(DEVICE_OBJ) $(CHIPS_OBJ) $(HOSTED_OBJ)) $(wildcard $(B)/host/tests/self/host/*.d $(B)/host/tools/*.d) $(wildcard $(B)/tools/*.d)
