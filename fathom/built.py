"""What this copy of Fathom was built from and with."""

commit = "5f48ecb45ce3-dirty"
compiler = "GNU 12.2.0"
flags = "-std=c++20 -O3 -fno-math-errno -fno-trapping-math -fno-signed-zeros -ffp-contract=off -DNDEBUG -march=native"
instructions = "avx avx2 fma bmi2"  # sets beyond the x86-64 baseline: a machine without them cannot run it
