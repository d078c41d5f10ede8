# AArch64: a bootable image, by Debian's cross compiler (docs/aarch64.md). Included by the Makefile.
A := $(B)/aarch64
OTHER_IMAGES += $(A)/direct.bin
UEFI_IMAGES += $(A)/BOOTAA64.EFI
A_CROSS := aarch64-linux-gnu-
A_CC := $(A_CROSS)gcc
A_LIBC := $(A)/newlib/libc.a

A_SRC := $(filter-out boot/host/% arch/absent_breadcrumbs.c pmu/armv8/coverage/% $(READINGS) $(addprefix tests/suites/,suites.c research/bench.c), \
	$(wildcard boot/*.c boot/menu/*.c boot/sent/*.c arch/*.c arch/aarch64/*.[cS] arch/aarch64/step/*.c pmu/*.c pmu/contract/*.c pmu/events/*.c pmu/quantity/*.c pmu/virtual/*.c \
	$(foreach p,$(PMUS_aarch64),pmu/$(p)/*.c pmu/$(p)/*/*.[cS]) tests/judge/*.c tests/measure/*.c tests/report/*.c tests/suites/*.c tests/suites/research/*.c tests/kernels/*.c tests/kernels/aarch64/*.[cS]))
# Two images of the same: each start has an entry of its own.
A_DIRECT := $(wildcard boot/aarch64/*.[cS])
A_UEFI := $(wildcard boot/uefi/*.c)
A_OBJECTS = $(patsubst %,$(A)/image/%.o,$(1))
A_OBJ := $(call A_OBJECTS,$(A_SRC)) $(A)/gen/insn_tables.o

# The list of quantities is AArch64's.
A_ISA := -DISA_AARCH64 -DQUANTITY_LIST='"pmu/quantity/aarch64.def"'

# No outline atomics: there is no library to serve them. The other flags are those of x86's image (the Makefile says why).
A_FLAGS = -std=gnu11 -O2 -g $(WARN) -ffreestanding -nostdinc -fPIE -fvisibility=hidden -mno-outline-atomics -mbranch-protection=none \
	-fno-stack-protector -fno-asynchronous-unwind-tables -fno-omit-frame-pointer -fno-common -fno-tree-vectorize -fno-ivopts \
	-ffunction-sections -fdata-sections -I. -I$(B)/gen $(A_ISA) \
	-isystem $(B)/gen/system -isystem $(A)/newlib/include -isystem $(shell $(A_CC) -print-file-name=include) -Wa,--fatal-warnings

# What speaks to firmware has UEFI's characters, and gnu-efi's headers. Debian has these for x86 alone: x86-64's types are AArch64's
# as well, and its calling convention is left out.
$(call A_OBJECTS,$(A_UEFI)): private A_FLAGS += -fshort-wchar -isystem $(A)/gen -isystem /usr/include/efi -isystem /usr/include/efi/x86_64
$(call A_OBJECTS,$(A_UEFI)): | $(A)/gen/aarch64/efibind.h $(A)/gen/aarch64/efilibplat.h
$(A)/gen/aarch64/%.h: /usr/include/efi/x86_64/%.h
	@mkdir -p $(@D)
	$(Q)cp $< $@

$(call A_OBJECTS,$(wildcard boot/sent/*.c)): private A_FLAGS += $(SENT_INCLUDES)
$(call A_OBJECTS,boot/sent/lzma_encoder.c): $(LZMA_FAST)

# Code that runs inside trap handlers must leave vector registers alone.
$(patsubst %,$(A)/image/%.o,$(filter arch/%.c pmu/%.c,$(A_SRC))): private A_FLAGS += -mgeneral-regs-only

# Built again when the way of building it has changed.
$(A)/newlib.recipe: FORCE
	@mkdir -p $(@D)
	@cksum <scripts/build-newlib >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(A_LIBC): $(A)/newlib.recipe
	@echo "building newlib for AArch64 (once, about a minute)"
	$(Q)rm -rf $(A)/newlib && scripts/build-newlib $(A)/newlib aarch64

$(A)/image/%.c.o: %.c | $(GEN_HEADERS) $(A_LIBC)
	@mkdir -p $(@D)
	$(Q)$(A_CC) $(A_FLAGS) -MMD -MP -c -o $@ $<

$(A)/image/%.S.o: %.S | $(GEN_HEADERS) $(A_LIBC)
	@mkdir -p $(@D)
	$(Q)$(A_CC) $(A_FLAGS) -MMD -MP -c -o $@ $<

# Tables of instructions, by Capstone.
$(B)/tools/aarch64/decodegen: $(wildcard tools/aarch64/decodegen* tools/aarch64/*.def) arch/aarch64/step/insn_table.h arch/step.h pmu/quantity/quantity.h $(wildcard pmu/quantity/*.def)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -O2 $(WARN) -I. $(A_ISA) -o $@ $(filter %.c,$^) -lcapstone

$(A)/gen/insn_tables.c: $(B)/tools/aarch64/decodegen
	@mkdir -p $(@D)
	$(Q)$< > $@.new && mv $@.new $@

$(A)/gen/insn_tables.o: $(A)/gen/insn_tables.c | $(GEN_HEADERS) $(A_LIBC)
	$(Q)$(A_CC) $(A_FLAGS) -c -o $@ $<

A_LIBS = $(A_LIBC) $(shell $(A_CC) -print-libgcc-file-name)
A_LINK = $(A_CROSS)ld -z norelro -z noexecstack -z max-page-size=4096 --gc-sections -L linker --no-warn-rwx-segments

$(A)/direct.elf: $(call A_OBJECTS,$(A_DIRECT)) $(A_OBJ) $(A_LIBC) linker/direct-aarch64.ld linker/sections.ld
	$(Q)$(A_LINK) -static -T linker/direct-aarch64.ld -o $@ $(filter %.o,$^) $(A_LIBS)

$(A)/direct.bin: $(A)/direct.elf
	$(Q)$(A_CROSS)objcopy -O binary $< $@

$(A)/BOOTAA64.elf: $(call A_OBJECTS,$(A_UEFI)) $(A_OBJ) $(A_LIBC) linker/efi-aarch64.ld linker/sections.ld
	$(Q)$(A_LINK) -pie --no-dynamic-linker -Bsymbolic -T linker/efi-aarch64.ld -o $@ $(filter %.o,$^) $(A_LIBS)

# The same image with another entry in front of it, for a test.
OTHER_IMAGES += $(A)/HOSTAA64.EFI
A_HOST_ENTRY := $(A)/image/tests/self/boot/aarch64_host_efi.S.o
$(A)/HOSTAA64.elf: $(A_HOST_ENTRY) $(call A_OBJECTS,$(A_UEFI)) $(A_OBJ) $(A_LIBC) linker/efi-aarch64.ld linker/sections.ld
	$(Q)$(A_LINK) -pie --no-dynamic-linker -Bsymbolic -T linker/efi-aarch64.ld -e host_entry -o $@ $(filter %.o,$^) $(A_LIBS)

$(A)/%AA64.EFI: $(A)/%AA64.elf scripts/elf2efi
	$(Q)$(PYTHON) scripts/elf2efi $< $@

$(B)/signed/%: $(A)/% $(wildcard $(SIGN_KEY) $(SIGN_CERT)) scripts/sign
	@mkdir -p $(@D)
	$(Q)scripts/sign "$$SIGN_KEY" "$$SIGN_CERT" $< $@

-include $(patsubst %.o,%.d,$(call A_OBJECTS,$(A_DIRECT) $(A_UEFI)))
-include $(patsubst %.o,%.d,$(A_OBJ))

# Host tests of what is plain C here: with AArch64's list of quantities, and without the archive, which has x86's.
A_HOST_FLAGS = $(filter-out -DISA_X86 -DQUANTITY_LIST=%,$(HOST_FLAGS)) $(A_ISA) -Wno-format-truncation
A_HOST = $(patsubst %,$(A)/host/%.o,$(1))
A_KERNELS := $(filter tests/kernels/aarch64/%.S,$(A_SRC))

$(A)/host/%.c.o: %.c | $(GEN_HEADERS)
	@mkdir -p $(@D)
	$(Q)$(CC) $(A_HOST_FLAGS) -MMD -MP -c -o $@ $<

$(A)/kernels.bin: $(patsubst %,$(A)/image/%.o,$(A_KERNELS))
	$(Q)rm -f $@.new && for o in $^; do $(A_CROSS)objcopy -O binary -j .text.kernels $$o $@.part && cat $@.part >>$@.new || exit 1; done
	$(Q)rm -f $@.part && mv $@.new $@

$(call A_HOST,tests/self/host/test_aarch64_account.c): private A_HOST_FLAGS += -DKERNEL_CODE='"$(A)/kernels.bin"'
$(call A_HOST,tests/self/host/test_aarch64_account.c): $(A)/kernels.bin
$(B)/host/test_aarch64_account: $(call A_HOST,tests/self/host/test_aarch64_account.c arch/aarch64/step/account.c) $(A)/host/gen/insn_tables.c.o
	@mkdir -p $(@D)
	$(Q)$(CC) $(A_HOST_FLAGS) -o $@ $^ -lcmocka -lcapstone

$(B)/host/test_armv8_driver: $(call A_HOST,tests/self/host/test_armv8_driver.c arch/aarch64/user_counters.c pmu/armv8/driver/driver.c pmu/armv8/driver/pair.c pmu/armv8/checks/identities.c pmu/armv8/events/events.c pmu/contract/state.c)
	@mkdir -p $(@D)
	$(Q)$(CC) $(A_HOST_FLAGS) -o $@ $^ -lcmocka

$(B)/host/test_armv8_events: $(call A_HOST,tests/self/host/test_armv8_events.c pmu/armv8/events/events.c tests/judge/expectation.c \
	tests/kernels/kernel.c pmu/quantity/quantity.c tests/judge/glob.c tests/judge/bounds.c pmu/events/text.c)
	@mkdir -p $(@D)
	$(Q)$(CC) $(A_HOST_FLAGS) -o $@ $^ -lcmocka

$(B)/host/test_aarch64_smbios: $(call A_HOST,tests/self/host/test_aarch64_smbios.c arch/aarch64/board_smbios.c)
	@mkdir -p $(@D)
	$(Q)$(CC) $(A_HOST_FLAGS) -o $@ $^ -lcmocka

$(B)/host/test_aarch64_madt: $(call A_HOST,tests/self/host/test_aarch64_madt.c arch/aarch64/board_madt.c arch/aarch64/gic_place.c)
	@mkdir -p $(@D)
	$(Q)$(CC) $(A_HOST_FLAGS) -o $@ $^ -lcmocka

$(B)/host/test_aarch64_acpi: $(call A_HOST,tests/self/host/test_aarch64_acpi.c arch/aarch64/board_acpi.c arch/aarch64/gic_place.c)
	@mkdir -p $(@D)
	$(Q)$(CC) $(A_HOST_FLAGS) -o $@ $^ -lcmocka

$(B)/host/test_aarch64_fdt: $(call A_HOST,tests/self/host/test_aarch64_fdt.c arch/aarch64/fdt.c)
	@mkdir -p $(@D)
	$(Q)$(CC) $(A_HOST_FLAGS) -o $@ $^ -lcmocka

# The engine and the interrupt controller's code, by registers that are the test's.
$(B)/host/test_aarch64_gic: $(call A_HOST,tests/self/host/test_aarch64_gic.c arch/aarch64/gic_place.c)
	@mkdir -p $(@D)
	$(Q)$(CC) $(A_HOST_FLAGS) -o $@ $^ -lcmocka

$(B)/host/test_aarch64_exclusive: $(call A_HOST,tests/self/host/test_aarch64_exclusive.c arch/aarch64/step/account.c) $(A)/host/gen/insn_tables.c.o
	@mkdir -p $(@D)
	$(Q)$(CC) $(A_HOST_FLAGS) -o $@ $^ -lcmocka

# The model with rules that can be broken one by one.
A_MODEL := pmu/armv8/model
A_MUTATED := $(shell sed -n 's/^\t\([a-z0-9_]*\.c\) [a-z0-9_]*: .*/\1/p' $(A_MODEL)/mutants.list | sort -u)

$(A)/gen/mutants/done: scripts/gen-mutants $(A_MODEL)/mutants.list $(addprefix $(A_MODEL)/,$(A_MUTATED))
	@mkdir -p $(@D)
	$(Q)$(PYTHON) $< $(@D) $(A_MODEL)/mutants.list
	@touch $@

$(patsubst %,$(A)/gen/mutants/$(A_MODEL)/%,$(A_MUTATED)): $(A)/gen/mutants/done ;

$(A)/host/gen/%.c.o: $(A)/gen/%.c | $(GEN_HEADERS)
	@mkdir -p $(@D)
	$(Q)$(CC) $(A_HOST_FLAGS) -I$(A)/gen -MMD -MP -c -o $@ $<

$(call A_HOST,tests/self/host/test_armv8_mutants.c): private A_HOST_FLAGS += -I$(A)/gen
$(call A_HOST,tests/self/host/test_armv8_mutants.c): | $(A)/gen/mutants/done
$(B)/host/test_armv8_mutants: $(patsubst %,$(A)/host/gen/mutants/$(A_MODEL)/%.o,$(A_MUTATED)) \
	$(call A_HOST,tests/self/host/test_armv8_mutants.c tests/self/host/support/mutation.c pmu/armv8/events/events.c pmu/armv8/errata/injections.c)
	@mkdir -p $(@D)
	$(Q)$(CC) $(A_HOST_FLAGS) -o $@ $^ -lcmocka

-include $(wildcard $(A)/host/*/*/*.d $(A)/host/*/*/*/*.d $(A)/host/gen/mutants/*/*/*/*.d)

# Witnesses: a plugin of QEMU's, and the kernels in a program for Linux, by Debian's C library for it.
OTHER_IMAGES += $(B)/plugin/aarch64.so $(A)/user_kernels
A_USER := tests/self/boot/aarch64_user.c tests/kernels/kernel_rows.c $(A_KERNELS)
$(A)/user_kernels: $(A_USER) $(wildcard tests/kernels/*.h tests/kernels/aarch64/*.h pmu/quantity/*.h pmu/quantity/*.def) tests/measure/marks.h
	@mkdir -p $(@D)
	$(Q)$(A_CC) -std=gnu11 -O1 $(WARN) -I. -I$(B)/gen $(A_ISA) -static -o $@ $(A_USER)

# How far events are judged, in a program for Linux as well: its kernels are AArch64's.
OTHER_IMAGES += $(A)/coverage
coverage: $(A)/coverage
OTHER_COVERAGE += $(A)/coverage
A_COVERAGE := tools/coverage.c tools/impostors.c tools/aarch64/impostor_kernels.c pmu/armv8/coverage/coverage.c pmu/armv8/checks/identities.c \
	pmu/armv8/events/events.c pmu/events/text.c pmu/contract/event.c pmu/quantity/quantity.c arch/aarch64/identity.c $(addprefix tests/judge/,expectation.c expectation_level.c event_seen.c bounds.c glob.c) \
	tests/kernels/kernel.c tests/kernels/kernel_rows.c tests/kernels/aarch64/bounds.c $(A_KERNELS)
$(A)/coverage: $(A_COVERAGE) $(EVENT_ROWS) $(wildcard tools/*.h tests/judge/*.h tests/kernels/*.h tests/kernels/aarch64/*.h pmu/contract/*.h pmu/quantity/*.h pmu/quantity/*.def pmu/armv8/*.h pmu/armv8/*/*.h pmu/armv8/*/*.def)
	@mkdir -p $(@D)
	$(Q)$(A_CC) -std=gnu11 -O1 $(WARN) -I. -I$(B)/gen $(A_ISA) -ffunction-sections -fdata-sections -Wl,--gc-sections -static -o $@ $(filter %.c %.S,$^)

soak: $(A)/direct.bin

# make run ARCH=aarch64: the run's status is kept as x86's is.
ifeq ($(ARCH),aarch64)
ifneq ($(strip $(CFG)$(EVENTS)$(STRICT)),)
$(error ARCH=aarch64 takes no CFG, EVENTS and STRICT: there are ARGS, BOOT, CPU, CPUS, V, and EMU=icount)
endif
ifeq ($(filter qemu icount,$(EMU)),)
$(error EMU=$(EMU): with ARCH=aarch64 there are qemu and icount)
endif
run-emulator: $(A)/direct.bin $(B)/assay.img
	@set -f; scripts/run-aarch64 $(if $(filter icount,$(EMU)),-i) $${CPU:+-c "$$CPU"} $${CPUS:+-n "$$CPUS"} -b "$$BOOT" $${V:+-v} $$ARGS; echo $$? > $(B)/run.status
endif
