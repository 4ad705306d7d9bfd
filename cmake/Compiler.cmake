set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
endif()

# Linked to by every target of the project, and by nothing else.
add_library(bench_transfers_warnings INTERFACE)
target_compile_options(bench_transfers_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False alarms on std::string's operator+ (GCC bug 105651, fixed in 13), and with -O3 on lists of values that have a
  # std::function.
  target_compile_options(bench_transfers_warnings
    INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict -Wno-maybe-uninitialized>)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # It suspects each function that takes a name for a moment and returns an element of something else.
  target_compile_options(bench_transfers_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-dangling-reference>)
endif()
if(TRANSFERS_WERROR)
  target_compile_options(bench_transfers_warnings INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Werror>
    $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings -Xcompiler=-Werror>)
endif()
option(TRANSFERS_IN_BATCHES
       "Compile several files at once and headers once: faster from nothing, slower after a change" OFF)
option(TRANSFERS_OPTIMISE "Compile what is timed with -O3; off where nothing is measured" ON)
# Kinds of targets: of the library and the harness (timed), of other code (untimed) and of tests (test).
function(bench_transfers_optimise target kind)
  set(level_untimed -O1)  # half of the time to build them would go into optimising
  set(level_test -O0)     # they run once for each time that they are compiled
  if(NOT TRANSFERS_OPTIMISE)
    set(level_timed -O1)
  endif()
  if(DEFINED level_${kind})
    target_compile_options(${target}
      PRIVATE $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:${level_${kind}}>)
  endif()
endfunction()
# Compiles headers once for all files of a target, by GCC. Not under ccache, as a launcher or in place of
# the compiler: it reads every header again.
function(bench_transfers_precompile target)
  if(NOT TRANSFERS_IN_BATCHES OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU"
     OR "${CMAKE_CXX_COMPILER_LAUNCHER} ${CMAKE_CXX_COMPILER}" MATCHES "ccache")
    return()
  endif()
  target_precompile_headers(${target} PRIVATE ${ARGN})
endfunction()
# bench_transfers_precompile_for(kind HEADERS header... LIBRARIES library...): once for all targets of a
# kind. They have the macros and options of the libraries, too, because GCC compares them.
function(bench_transfers_precompile_for kind)
  cmake_parse_arguments(PARSE_ARGV 1 arguments "" "" "HEADERS;LIBRARIES")
  set(source "${PROJECT_BINARY_DIR}/no_code.cpp")  # CMake precompiles only for what has a source
  file(CONFIGURE OUTPUT "${source}" CONTENT "")
  set(target bench_transfers_${kind}_headers)
  add_library(${target} OBJECT EXCLUDE_FROM_ALL "${source}")
  target_link_libraries(${target} PRIVATE ${arguments_LIBRARIES} bench_transfers_warnings)
  bench_transfers_optimise(${target} ${kind})
  bench_transfers_precompile(${target} ${arguments_HEADERS})
endfunction()
function(bench_transfers_use_precompiled target kind)
  get_target_property(headers bench_transfers_${kind}_headers PRECOMPILE_HEADERS)
  if(headers)
    target_precompile_headers(${target} REUSE_FROM bench_transfers_${kind}_headers)
  endif()
endfunction()
# How many files of a target are compiled at once. Those of a kind that is timed are compiled one by one where it is:
# in a batch, a file's code could be inlined otherwise.
function(bench_transfers_put_in_batches target kind)
  set(batch_timed 10)
  set(batch_untimed 10)
  set(batch_test 20)  # these have a namespace each
  if(TRANSFERS_IN_BATCHES AND NOT (kind STREQUAL timed AND TRANSFERS_OPTIMISE))
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${batch_${kind}})
  endif()
endfunction()
foreach(kind IN ITEMS timed untimed test)
  cmake_language(EVAL CODE "
    function(bench_transfers_set_${kind} target)
      bench_transfers_optimise(\${target} ${kind})
      bench_transfers_use_precompiled(\${target} ${kind})
      bench_transfers_put_in_batches(\${target} ${kind})
    endfunction()")
endforeach()
# nvcc makes names of kernels from the path of their file; so they are the same in any folder.
function(bench_transfers_name_cuda file name)
  set_source_files_properties("${file}" PROPERTIES
    COMPILE_OPTIONS "-Xcudafe=--orig_src_path_name=${PROJECT_NAME}/${name}")
endfunction()
# bench_transfers_add_cuda(target file...): CUDA sources, which CMake does not put together. Most of the
# time to compile one goes into CUDA's headers.
function(bench_transfers_add_cuda target)
  if(NOT TRANSFERS_IN_BATCHES)
    target_sources(${target} PRIVATE ${ARGN})
    return()
  endif()
  set(batch "${CMAKE_CURRENT_BINARY_DIR}/${target}.cu")
  list(TRANSFORM ARGN REPLACE "(.+)" "#include \"${CMAKE_CURRENT_SOURCE_DIR}/\\1\"\n")
  list(JOIN ARGN "" includes)
  file(CONFIGURE OUTPUT "${batch}" CONTENT "${includes}" @ONLY)
  target_sources(${target} PRIVATE "${batch}")
  bench_transfers_name_cuda("${batch}" ${target}.cu)
endfunction()
if(TRANSFERS_CLANG_TIDY)
  find_program(CLANG_TIDY clang-tidy REQUIRED)
  set(CMAKE_CXX_CLANG_TIDY "${CLANG_TIDY};--quiet;--warnings-as-errors=*")
endif()
