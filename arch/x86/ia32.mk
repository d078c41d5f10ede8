# IA-32: the image for CPUs without 64-bit mode, of x86's own sources (docs/ia32.md). Included by the Makefile.
I := $(B)/ia32
OTHER_IMAGES += $(B)/direct32.bin
I_LIBC := $(I)/newlib/libc.a
I_CC := $(CC) -m32

# What has a file of its own for 32 bits in arch/x86/32, what newlib has, and what no CPU without 64-bit mode has.
I_NOT := $(addprefix arch/x86/,machine/switch.S machine/copies.S exceptions/entry.S exceptions/guard.S exceptions/user.S \
	step/step.S cpu/msr.S emulated/%) \
	$(addprefix tests/kernels/x86/,handlers.S avx.S avx512.S bmi.S guests.S transactions.S memory_types.S)
I_SRC := $(filter-out $(I_NOT),$(IMAGE_SRC)) $(wildcard arch/x86/32/*.[cS] tests/kernels/x86/32/*.S)
I_OBJECTS = $(patsubst %,$(I)/image/%.o,$(1))
I_OBJ := $(call I_OBJECTS,$(I_SRC)) $(patsubst $(B)/gen/%,$(I)/image/gen/%.o,$(GEN_SRC))

# The other flags are those of the image of 64 bits (the Makefile says why). Its own addresses may stand in its code: they are relocated
# like others. SSE2 is the least that is asked of a CPU.
I_FLAGS = $(filter-out -fPIE -mno-red-zone -DGNU_EFI_USE_MS_ABI,$(subst $(B)/newlib/include,$(I)/newlib/include,$(subst efi/x86_64,efi/ia32,$(IMAGE_FLAGS)))) \
	-march=pentium4 -mfpmath=sse -fno-pic
$(call I_OBJECTS,$(filter arch/%.c pmu/%.c tests/kernels/x86/emulation.c tests/kernels/x86/exceptions.c,$(I_SRC))): private I_OWN = -mgeneral-regs-only
$(I)/image/gen/%.o: private I_OWN = -mgeneral-regs-only
$(call I_OBJECTS,$(wildcard boot/sent/*.c)): private I_OWN = $(SENT_INCLUDES)
$(call I_OBJECTS,$(wildcard boot/sent/*.c)): | $(LZMA_FAST)
$(call I_OBJECTS,$(wildcard boot/uefi/*.c)): private I_OWN = -fshort-wchar

# Built again when the way of building it has changed.
$(I)/newlib.recipe: FORCE
	@mkdir -p $(@D)
	@cksum <scripts/build-newlib >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(I_LIBC): $(I)/newlib.recipe
	@echo "building newlib for IA-32 (once, about a minute)"
	$(Q)rm -rf $(I)/newlib && scripts/build-newlib $(I)/newlib i686

$(I)/image/gen/insn_tables.c.o: $(I)/gen/insn_tables.c | $(GEN_HEADERS) $(I_LIBC)
	@mkdir -p $(@D)
	$(Q)$(I_CC) $(I_FLAGS) $(I_OWN) -c -o $@ $<

$(I)/image/gen/%.c.o: $(B)/gen/%.c | $(GEN_HEADERS) $(I_LIBC)
	@mkdir -p $(@D)
	$(Q)$(I_CC) $(I_FLAGS) $(I_OWN) -MMD -MP -c -o $@ $<

$(I)/image/%.c.o: %.c | $(GEN_HEADERS) $(I_LIBC)
	@mkdir -p $(@D)
	$(Q)$(I_CC) $(I_FLAGS) $(I_OWN) -MMD -MP -c -o $@ $<

$(I)/image/%.S.o: %.S | $(GEN_HEADERS) $(I_LIBC)
	@mkdir -p $(@D)
	$(Q)$(I_CC) $(I_FLAGS) -MMD -MP -c -o $@ $<

$(I)/gen/insn_tables.c: $(B)/tools/x86/decodegen
	@mkdir -p $(@D)
	$(Q)$< 32 > $@.new && mv $@.new $@

I_LIBS = $(I_LIBC) $(shell $(I_CC) -print-libgcc-file-name)
I_LINK = ld -m elf_i386 -z norelro -z noexecstack -z max-page-size=4096 --gc-sections -L linker --no-warn-rwx-segments

# Linked twice, as the image of 64 bits is.
$(I)/symbols-none.c: scripts/gen-symbols
	@mkdir -p $(@D)
	$(Q)$(PYTHON) scripts/gen-symbols > $@

$(I)/symbols-%.c: $(I)/%-first.elf scripts/gen-symbols
	$(Q)$(PYTHON) scripts/gen-symbols $< > $@

$(I)/symbols-%.o: $(I)/symbols-%.c | $(GEN_HEADERS) $(I_LIBC)
	$(Q)$(I_CC) $(I_FLAGS) -c -o $@ $<

$(I)/direct-first.elf: $(I_OBJ) $(I)/symbols-none.o $(I_LIBC) linker/direct-ia32.ld linker/sections.ld
	$(Q)$(I_LINK) -static -T linker/direct-ia32.ld -o $@ $(filter %.o,$^) $(I_LIBS)

$(I)/direct.elf: $(I_OBJ) $(I)/symbols-direct.o $(I_LIBC) linker/direct-ia32.ld linker/sections.ld
	$(Q)$(I_LINK) -static -T linker/direct-ia32.ld -o $@ $(filter %.o,$^) $(I_LIBS)

$(B)/direct32.bin: $(I)/direct.elf
	$(Q)objcopy -O binary $< $@

-include $(patsubst %.o,%.d,$(I_OBJ))

# Witness: the kernels in a program of 32 bits for Linux, by Debian's C library for it. Headers of the kernel are those of 64 bits.
OTHER_IMAGES += $(B)/host/ia32_witness
I_WITNESS := tests/self/host/ia32_witness.c $(addprefix arch/x86/step/,insn.c account.c) $(I)/gen/insn_tables.c $(addprefix tests/kernels/,kernel.c kernel_rows.c) \
	$(addprefix tests/kernels/x86/,code_ring.c needs.c) tests/judge/disagreement.c pmu/quantity/quantity.c $(filter tests/kernels/x86/%.S,$(filter-out tests/kernels/x86/32/%,$(I_SRC)))
$(B)/host/ia32_witness: $(I_WITNESS) $(wildcard tests/kernels/*.h tests/kernels/x86/*.h arch/x86/step/*.h pmu/quantity/*.h pmu/quantity/*.def)
	@mkdir -p $(@D)
	$(Q)$(I_CC) -static -std=gnu11 -O1 $(WARN) $(INCLUDES) -idirafter /usr/include/x86_64-linux-gnu -ffunction-sections -Wl,--gc-sections -o $@ $(filter %.c %.S,$^)

# make run ARCH=ia32: the run's status is kept as that of the image of 64 bits is.
ifeq ($(ARCH),ia32)
BOOT ?= direct
run-emulator: $(B)/direct32.bin $(B)/bochs_start.bin
	@set -f; scripts/run -i -e "$$EMU" $${CPU:+-c "$$CPU"} $${CPUS:+-n "$$CPUS"} -b "$$BOOT" $${CFG:+-f "$$CFG"} \
		$${EVENTS:+-d "$$EVENTS"} $${V:+-v} $${STRICT:+-s} $$ARGS; echo $$? > $(B)/run.status
endif
