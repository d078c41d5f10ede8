# Assay: see `make help`. Everything is built under build/.
