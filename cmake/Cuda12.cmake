# Toolchain file of released programs: the CUDA 12 toolkit that packaging/bundle/cuda12 makes, at first in the folder
# that the environment names.
set(default_toolkit "${CMAKE_CURRENT_LIST_DIR}/../.cache/cuda12")
if(DEFINED ENV{TRANSFERS_CUDA12})
  set(default_toolkit "$ENV{TRANSFERS_CUDA12}")
endif()
set(TRANSFERS_CUDA12 "${default_toolkit}" CACHE PATH "CUDA 12 toolkit")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TRANSFERS_CUDA12)
if(NOT EXISTS "${TRANSFERS_CUDA12}/bin/nvcc")
  message(FATAL_ERROR "${TRANSFERS_CUDA12} is no CUDA toolkit: packaging/bundle/cuda12 makes one")
endif()
set(CMAKE_CUDA_COMPILER "${TRANSFERS_CUDA12}/bin/nvcc")
