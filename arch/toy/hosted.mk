# The toy machine is interpreted on the host (docs/toy.md): the Makefile builds build/host/assay-toy. Its families of PMUs:
HOSTED += toy
PMUS_toy := toy
