# `cmake --install` makes a folder that can be carried to another Linux machine: the programs, and
# beside them every shared library but the C library's own and the NVIDIA driver's.
set(bundled_elsewhere
  "^ld-linux" "^libc\\.so" "^libm\\.so" "^libdl\\.so" "^libpthread\\.so" "^librt\\.so"
  "^libcuda\\.so" "^libnvidia")
set(bundled gate_transfers)
if(TRANSFERS_BENCH)
  list(APPEND bundled bench_transfers)
endif()
set_target_properties(${bundled} PROPERTIES INSTALL_RPATH "$ORIGIN")
install(TARGETS ${bundled} RUNTIME_DEPENDENCY_SET shared_libraries RUNTIME DESTINATION .)
install(RUNTIME_DEPENDENCY_SET shared_libraries
  PRE_EXCLUDE_REGEXES ${bundled_elsewhere}
  LIBRARY DESTINATION .)
install(FILES README.md LICENSE DESTINATION .)

set(bundle_name "${PROJECT_NAME}-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}")
add_custom_target(bundle
  COMMAND "${CMAKE_COMMAND}" -E rm -rf "${bundle_name}"
  COMMAND "${CMAKE_COMMAND}" --install . --prefix "${bundle_name}"
  COMMAND "${CMAKE_COMMAND}" -E tar czf "${bundle_name}.tar.gz" "${bundle_name}"
  COMMAND "${CMAKE_COMMAND}" -E echo "${CMAKE_BINARY_DIR}/${bundle_name}.tar.gz"
  DEPENDS ${bundled}
  WORKING_DIRECTORY "${CMAKE_BINARY_DIR}"
  VERBATIM)
