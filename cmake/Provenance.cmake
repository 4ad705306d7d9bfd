# Results name the commit they were measured with. It is looked up at every build, not only when
# CMake is configured; the header changes, and one file is recompiled, only when the answer does.
set(TRANSFERS_PROVENANCE_DIR "${CMAKE_BINARY_DIR}/provenance")
if(TRANSFERS_HAVE_CUDA)
  set(cuda_toolkit "${CUDAToolkit_VERSION}")
  set(cuda_runtime "${TRANSFERS_CUDA_VERSION}")
  list(JOIN CMAKE_CUDA_ARCHITECTURES "," cuda_architectures)
endif()
add_custom_target(bench_transfers_provenance
  COMMAND "${CMAKE_COMMAND}"
          "-DSOURCE_DIR=${PROJECT_SOURCE_DIR}"
          "-DHEADER=${TRANSFERS_PROVENANCE_DIR}/provenance.hpp"
          "-DVERSION=${PROJECT_VERSION}"
          "-DCOMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
          "-DBUILD_TYPE=${CMAKE_BUILD_TYPE}"
          "-DCUDA_TOOLKIT=${cuda_toolkit}"
          "-DCUDA_RUNTIME=${cuda_runtime}"
          "-DCUDA_ARCHITECTURES=${cuda_architectures}"
          -P "${PROJECT_SOURCE_DIR}/cmake/WriteProvenance.cmake"
  BYPRODUCTS "${TRANSFERS_PROVENANCE_DIR}/provenance.hpp"
  VERBATIM)
