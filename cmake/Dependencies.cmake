# Each from the system when it is there, otherwise fetched as pinned here: tags can be moved, commits
# and checksums cannot.
include(FetchContent)
if(TRANSFERS_BENCH)
  find_package(Threads REQUIRED)
endif()
if(TRANSFERS_BENCH AND TRANSFERS_PROGRAMS)
  find_package(OpenMP REQUIRED COMPONENTS CXX)  # for Thrust's containers, which are measured
endif()

# A project that contains this one may have it already.
if(NOT TARGET fmt::fmt)
  FetchContent_Declare(fmt
    GIT_REPOSITORY https://github.com/fmtlib/fmt.git
    GIT_TAG e69e5f977d458f2650bb346dadf2ad30c5320281 # 10.2.1
    FIND_PACKAGE_ARGS 9 CONFIG)
  FetchContent_MakeAvailable(fmt)
endif()
# What is in a system stays there. What is fetched is no part of an installed library, which then
# has its functions inside: slower to compile, and nothing to look for.
get_target_property(TRANSFERS_INSTALLED_FMT fmt::fmt IMPORTED)
if(TRANSFERS_INSTALLED_FMT)
  set(TRANSFERS_FMT fmt::fmt)
else()
  set(TRANSFERS_FMT $<BUILD_INTERFACE:fmt::fmt-header-only>)
endif()
if(TRANSFERS_PROGRAMS)
  FetchContent_Declare(nlohmann_json
    GIT_REPOSITORY https://github.com/nlohmann/json.git
    GIT_TAG 9cca280a4d0ccf0c08f47a99aa71d1b0e52f8d03 # v3.11.3
    FIND_PACKAGE_ARGS 3.10 CONFIG)
  FetchContent_Declare(CLI11
    GIT_REPOSITORY https://github.com/CLIUtils/CLI11.git
    GIT_TAG 6c7b07a878ad834957b98d0f9ce1dbe0cb204fc9 # v2.4.2
    FIND_PACKAGE_ARGS 2.1 CONFIG)
  FetchContent_Declare(simdjson
    URL https://github.com/simdjson/simdjson/archive/refs/tags/v3.10.1.tar.gz
    URL_HASH SHA256=1e8f881cb2c0f626c56cd3665832f1e97b9d4ffc648ad9e1067c134862bba060
    DOWNLOAD_EXTRACT_TIMESTAMP OFF
    FIND_PACKAGE_ARGS 3.0 CONFIG)
  set(ZLIB_BUILD_EXAMPLES OFF)
  set(SKIP_INSTALL_ALL ON)  # zlib's name for it
  FetchContent_Declare(ZLIB
    GIT_REPOSITORY https://github.com/madler/zlib.git
    GIT_TAG 51b7f2abdade71cd9bb0e7a373ef2610ec6f9daf # v1.3.1
    FIND_PACKAGE_ARGS)
  FetchContent_Declare(pugixml
    GIT_REPOSITORY https://github.com/zeux/pugixml.git
    GIT_TAG db78afc2b7d8f043b4bc6b185635d949ea2ed2a8 # v1.14
    FIND_PACKAGE_ARGS 1.12 CONFIG)
  FetchContent_MakeAvailable(nlohmann_json CLI11 simdjson ZLIB pugixml)
  if(TRANSFERS_BENCH)
    set(BENCHMARK_ENABLE_TESTING OFF)
    set(BENCHMARK_ENABLE_INSTALL OFF)
    FetchContent_Declare(benchmark
      GIT_REPOSITORY https://github.com/google/benchmark.git
      GIT_TAG c58e6d0710581e3a08d65c349664128a8d9a2461 # v1.9.1
      FIND_PACKAGE_ARGS 1.7 CONFIG)
    FetchContent_MakeAvailable(benchmark)
  endif()
  if(NOT TARGET ZLIB::ZLIB)  # what zlib's own build calls zlibstatic, without its headers
    target_include_directories(zlibstatic SYSTEM INTERFACE "${zlib_SOURCE_DIR}" "${zlib_BINARY_DIR}")
    add_library(ZLIB::ZLIB ALIAS zlibstatic)
  endif()
endif()
if(TRANSFERS_PROGRAMS)
  # Boost.Math, of which the headers alone are needed.
  find_path(BOOST_MATH_INCLUDE_DIR boost/math/distributions/students_t.hpp)
  if(NOT BOOST_MATH_INCLUDE_DIR)
    FetchContent_Declare(boost_math
      URL https://github.com/boostorg/math/archive/refs/tags/boost-1.83.0.tar.gz
      URL_HASH SHA256=53e5f7539a66899fe0fca3080405cbd5f7959da5394ec13664746741aece1705
      DOWNLOAD_EXTRACT_TIMESTAMP OFF
      SOURCE_SUBDIR include)  # without a CMakeLists.txt there, so that nothing is built
    FetchContent_MakeAvailable(boost_math)
    set(BOOST_MATH_INCLUDE_DIR "${boost_math_SOURCE_DIR}/include" CACHE PATH "" FORCE)
    set(BOOST_MATH_STANDALONE ON CACHE BOOL "Boost.Math without the rest of Boost" FORCE)
  endif()
  add_library(bench_transfers_boost_math INTERFACE)
  target_include_directories(bench_transfers_boost_math SYSTEM INTERFACE "${BOOST_MATH_INCLUDE_DIR}")
  # Otherwise it computes in long double, which has other digits, or is slow, on other CPUs; and which
  # valgrind, by which tests count work, does not know.
  target_compile_definitions(bench_transfers_boost_math
    INTERFACE BOOST_MATH_PROMOTE_DOUBLE_POLICY=false)
  if(BOOST_MATH_STANDALONE)
    target_compile_definitions(bench_transfers_boost_math INTERFACE BOOST_MATH_STANDALONE)
  endif()
endif()
if(TRANSFERS_TESTS)
  FetchContent_Declare(GTest
    GIT_REPOSITORY https://github.com/google/googletest.git
    GIT_TAG b514bdc898e2951020cbdca1304b75f5950d1f59 # v1.15.2
    FIND_PACKAGE_ARGS 1.12 CONFIG)
  FetchContent_MakeAvailable(GTest)
endif()

if(NOT TRANSFERS_BENCH)
  return()
endif()
# Thrust comes with the CUDA toolkit; without one, Debian's libthrust-dev has the same headers.
find_path(THRUST_INCLUDE_DIR thrust/version.h
  HINTS ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES cccl)
if(NOT THRUST_INCLUDE_DIR)
  message(FATAL_ERROR "Thrust's headers were not found: install a CUDA toolkit or the package "
                      "libthrust-dev, or set THRUST_INCLUDE_DIR to the folder that contains thrust/")
endif()
add_library(bench_transfers_thrust INTERFACE)
target_include_directories(bench_transfers_thrust SYSTEM INTERFACE "${THRUST_INCLUDE_DIR}")
# Thrust binds references to null when it dereferences its own pointers and iterators (reference.h,
# "select_system"; iterator_adaptor.h), and Debian's moves 0 bytes from null (trivial_copy.h): under
# -fsanitize=undefined those checks are off for what includes it.
target_compile_options(bench_transfers_thrust
  INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=null,nonnull-attribute>)
# The library needs Thrust's pools alone, and has threads of its own.
add_library(bench_transfers_thrust_sequential INTERFACE)
target_compile_definitions(bench_transfers_thrust_sequential INTERFACE
  THRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP)
target_link_libraries(bench_transfers_thrust_sequential INTERFACE bench_transfers_thrust)
if(TRANSFERS_PROGRAMS)
  add_library(bench_transfers_thrust_openmp INTERFACE)
  target_compile_definitions(bench_transfers_thrust_openmp INTERFACE
    THRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_OMP)
  target_link_libraries(bench_transfers_thrust_openmp
    INTERFACE bench_transfers_thrust OpenMP::OpenMP_CXX)
endif()
