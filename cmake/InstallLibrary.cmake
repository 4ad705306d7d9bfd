# The library, its headers and its package: find_package(transfers) and transfers::transfers.
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/transfers")
install(TARGETS transfers EXPORT transfersTargets COMPONENT library
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/transfers" COMPONENT library
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cuh")
install(EXPORT transfersTargets NAMESPACE transfers:: COMPONENT library
  DESTINATION "${package_dir}")

# What the package looks for before others can link.
get_target_property(library_type transfers TYPE)
set(needs_libraries OFF)
if(library_type STREQUAL "STATIC_LIBRARY")
  set(needs_libraries ON)
endif()
set(fmt_range "")
if(TRANSFERS_INSTALLED_FMT)
  # Each major version has symbols of its own.
  string(REGEX MATCH "^[0-9]+" fmt_major "${fmt_VERSION}")
  math(EXPR fmt_next_major "${fmt_major} + 1")
  set(fmt_range "${fmt_VERSION}...<${fmt_next_major}")
endif()
set(cuda_version "")
if(TRANSFERS_HAVE_CUDA)
  set(cuda_version "${TRANSFERS_CUDA_VERSION}")
endif()
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/transfersConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/transfersConfig.cmake"
  INSTALL_DESTINATION "${package_dir}"
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/transfersConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/transfersConfig.cmake" "${PROJECT_BINARY_DIR}/transfersConfigVersion.cmake"
  COMPONENT library DESTINATION "${package_dir}")

# For builds without CMake: pkg-config --cflags --libs transfers.
set(pc_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
file(RELATIVE_PATH pc_to_prefix "/${pc_dir}" "/")
set(pc_description "C++ library that moves data to a GPU and calculates there")
set(pc_requires "")
set(pc_libraries "")
set(pc_variables "")
if(needs_libraries)
  set(pc_libraries "-pthread")
  if(TRANSFERS_INSTALLED_FMT)
    set(pc_requires "fmt >= ${fmt_VERSION}, fmt < ${fmt_next_major}")
  endif()
  if(TRANSFERS_HAVE_CUDA)
    # Where NVIDIA's packages put it. A variable, because CUDA may be elsewhere.
    cmake_path(GET CUDA_cudart_static_LIBRARY FILENAME pc_cuda_library)
    set(pc_variables "cudalibdir=/usr/local/cuda/lib64\n")
    string(APPEND pc_libraries " \${cudalibdir}/${pc_cuda_library} -lrt -ldl")
  endif()
endif()
configure_file("${PROJECT_SOURCE_DIR}/cmake/transfers.pc.in" "${PROJECT_BINARY_DIR}/transfers.pc"
  @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/transfers.pc" COMPONENT library DESTINATION "${pc_dir}")
