# AArch64 has an image of its own (image.mk). Its families of PMUs:
IMAGES += aarch64
PMUS_aarch64 := armv8
