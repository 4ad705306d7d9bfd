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
  # False alarms on std::string's operator+ (GCC bug 105651, fixed in 13).
  target_compile_options(bench_transfers_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(TRANSFERS_WERROR)
  target_compile_options(bench_transfers_warnings INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Werror>
    $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings -Xcompiler=-Werror>)
endif()
option(TRANSFERS_IN_BATCHES
       "Compile several files at once: faster from nothing, slower after a change" OFF)
function(bench_transfers_compile_faster target level batch)
  target_compile_options(${target}
    PRIVATE $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:${level}>)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${TRANSFERS_IN_BATCHES}
                                             UNITY_BUILD_BATCH_SIZE ${batch})
endfunction()
# For targets whose code is not timed: half of the time to build them would go into optimising.
function(bench_transfers_set_untimed target)
  bench_transfers_compile_faster(${target} -O1 5)
endfunction()
# For tests, which run once for each time that they are compiled. They have a namespace for each file.
function(bench_transfers_set_test target)
  bench_transfers_compile_faster(${target} -O0 10)
endfunction()
if(TRANSFERS_CLANG_TIDY)
  find_program(CLANG_TIDY clang-tidy REQUIRED)
  set(CMAKE_CXX_CLANG_TIDY "${CLANG_TIDY};--quiet;--warnings-as-errors=*")
endif()
