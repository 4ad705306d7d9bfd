# SPDX-License-Identifier: Apache-2.0
"""Spack's recipe of bench_transfers (packaging/README.md)."""

from spack.package import *


class BenchTransfers(CMakePackage, CudaPackage):
    """Benchmarks of host-device memory-transfer strategies on NVIDIA GPUs."""

    license("Apache-2.0")

    # Who publishes the project adds `git = ...` above and `tag=...` here. `spack dev-build` needs
    # neither.
    version("0.1.0")

    variant("shared", default=False, description="Build the library as a shared one")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("benchmark@1.7:")
    depends_on("boost@1.74:")
    depends_on("cli11@2.1:")
    depends_on("fmt@9:")
    depends_on("nlohmann-json@3.10:")
    depends_on("pugixml@1.12:")
    depends_on("simdjson@3:")
    depends_on("zlib-api")
    depends_on("cuda@12.4:", when="+cuda")
    depends_on("cccl", when="~cuda")  # Thrust's headers

    generator("ninja")

    def cmake_args(self):
        arguments = [
            self.define_from_variant("TRANSFERS_CUDA", "cuda"),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define("TRANSFERS_TESTS", False),
        ]
        if self.spec.satisfies("+cuda"):
            architectures = self.spec.variants["cuda_arch"].value
            if "none" in architectures:
                architectures = ("all-major",)
            arguments.append(self.define("CMAKE_CUDA_ARCHITECTURES", architectures))
        return arguments
