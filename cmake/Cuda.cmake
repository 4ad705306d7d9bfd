# cudaFuncGetParamInfo is of 12.4. src/transfers/cuda/toolkit.hpp has what differs since.
set(TRANSFERS_MINIMUM_CUDA 12.4)

# The version of the nvcc that CMake would take; empty if there is none, or if it is no nvcc.
function(transfers_find_nvcc_version result)
  if(CMAKE_CUDA_COMPILER)
    set(nvcc "${CMAKE_CUDA_COMPILER}")
  elseif(NOT "$ENV{CUDACXX}" STREQUAL "")
    get_filename_component(nvcc "$ENV{CUDACXX}" PROGRAM)
  else()
    find_program(nvcc nvcc NO_CACHE)
  endif()
  set(${result} "" PARENT_SCOPE)
  if(nvcc)
    execute_process(COMMAND "${nvcc}" --version OUTPUT_VARIABLE answer ERROR_QUIET)
    if(answer MATCHES "release ([0-9]+[.][0-9]+)")
      set(${result} "${CMAKE_MATCH_1}" PARENT_SCOPE)
    endif()
  endif()
endfunction()

set(TRANSFERS_HAVE_CUDA OFF)
set(TRANSFERS_WHY_NO_CUDA "")  # also said by the program, as is the next one
set(TRANSFERS_WHY_NO_NVRTC
    "this program was built without NVRTC, the compiler for kernels from source text")
if(TRANSFERS_CUDA STREQUAL "OFF")
  set(TRANSFERS_WHY_NO_CUDA "CUDA was switched off (TRANSFERS_CUDA=OFF)")
else()
  # An nvcc that is too old need not even know this C++ compiler, so CMake does not see it yet.
  transfers_find_nvcc_version(nvcc_version)
  if(nvcc_version AND nvcc_version VERSION_LESS TRANSFERS_MINIMUM_CUDA)
    string(CONCAT TRANSFERS_WHY_NO_CUDA
           "nvcc is of CUDA ${nvcc_version}, and ${TRANSFERS_MINIMUM_CUDA} is the oldest that will do")
  else()
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      # The GPU at hand; the preset 'bundle' has machine code for all. Without a GPU, code that the
      # driver of any GPU since Turing compiles when the program first starts.
      file(GLOB gpus /dev/nvidia[0-9]*)
      if(gpus)
        set(CMAKE_CUDA_ARCHITECTURES native)
      else()
        set(CMAKE_CUDA_ARCHITECTURES 75-virtual)
      endif()
    endif()
    include(CheckLanguage)
    check_language(CUDA)
    if(NOT CMAKE_CUDA_COMPILER AND nvcc_version)
      set(TRANSFERS_WHY_NO_CUDA "nvcc of CUDA ${nvcc_version} does not work here")
    elseif(NOT CMAKE_CUDA_COMPILER)
      set(TRANSFERS_WHY_NO_CUDA "no CUDA toolkit was found")
    endif()
  endif()
  if(TRANSFERS_WHY_NO_CUDA AND TRANSFERS_CUDA STREQUAL "ON")
    message(FATAL_ERROR "TRANSFERS_CUDA is ON, but ${TRANSFERS_WHY_NO_CUDA}: "
                        "put another nvcc on the PATH, or set CUDACXX to its path")
  endif()
endif()

if(TRANSFERS_WHY_NO_CUDA)
  message(STATUS "Only the device 'host' is built: ${TRANSFERS_WHY_NO_CUDA}")
  return()
endif()
enable_language(CUDA)
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  # CMake 3.25 does not know nvcc's C++20 mode, which targets inherit from CMAKE_CXX_STANDARD.
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
endif()
find_package(CUDAToolkit ${TRANSFERS_MINIMUM_CUDA} REQUIRED)
set(TRANSFERS_HAVE_CUDA ON)
# The runtime's version, which need not be nvcc's: it says which calls there are.
find_file(TRANSFERS_CUDART_HEADER cuda_runtime_api.h
  PATHS ${CUDAToolkit_INCLUDE_DIRS} NO_DEFAULT_PATH REQUIRED)
file(STRINGS "${TRANSFERS_CUDART_HEADER}" cudart_version REGEX "^#define CUDART_VERSION +[0-9]+")
string(REGEX MATCH "[0-9]+$" cudart_version "${cudart_version}")
math(EXPR cuda_major "${cudart_version} / 1000")
math(EXPR cuda_minor "${cudart_version} % 1000 / 10")
set(TRANSFERS_CUDA_VERSION "${cuda_major}.${cuda_minor}")
# A program and its libraries need one runtime together: a runtime knows only the kernels that were
# registered with it. A shared library would hide a static runtime from the program.
if(BUILD_SHARED_LIBS)
  set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
  set(TRANSFERS_CUDA_RUNTIME CUDA::cudart)
else()
  set(TRANSFERS_CUDA_RUNTIME CUDA::cudart_static)
endif()
find_file(TRANSFERS_NVRTC_HEADER nvrtc.h PATHS ${CUDAToolkit_INCLUDE_DIRS} NO_DEFAULT_PATH)
if(TRANSFERS_CUDA_VERSION VERSION_LESS 12.8)  # cudaLibraryLoadData
  string(CONCAT TRANSFERS_WHY_NO_NVRTC "kernels from source text need CUDA 12.8, and this program "
         "was built with CUDA ${TRANSFERS_CUDA_VERSION}")
elseif(TRANSFERS_NVRTC_HEADER)
  set(TRANSFERS_WHY_NO_NVRTC "")
endif()
if(TRANSFERS_PROGRAMS)
  # In toolkits installed without cuda-nvml-dev it is missing: scripts/setup.sh gets it from PyPI.
  file(GLOB nvml_wheel "${PROJECT_SOURCE_DIR}/.nvml/nvidia/*/include")
  find_file(TRANSFERS_NVML_HEADER nvml.h
    PATHS ${CUDAToolkit_INCLUDE_DIRS} ${nvml_wheel} NO_DEFAULT_PATH)
  if(NOT TRANSFERS_NVML_HEADER)
    message(STATUS "No nvml.h: the clocks of GPUs will not be known")
  endif()
endif()
message(STATUS "CUDA ${TRANSFERS_CUDA_VERSION}, nvcc ${CUDAToolkit_VERSION}: devices 'cuda:N' and 'host'")
