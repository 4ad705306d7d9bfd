set(programs fleet_transfers gate_transfers)
if(TRANSFERS_BENCH)
  list(APPEND programs bench_transfers)
endif()
# Beside the program in the bundle. The library's folder, seen from bin/, only where the library is a shared
# one: a bundle does not contain it, and beside a bundle in /tmp it is anybody's.
set(program_rpath "$ORIGIN")
if(TRANSFERS_BENCH AND BUILD_SHARED_LIBS)
  file(RELATIVE_PATH bin_to_lib "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
  list(APPEND program_rpath "$ORIGIN/${bin_to_lib}")
  set_target_properties(transfers PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
endif()
# Where the RUNPATH changes at the installation, CMake pads that of the build folder with colons, and the loader
# takes each empty entry for the current directory. So the programs are linked as they are installed. What
# they are linked with outside of this project stays among the entries, and a shared library is beside them.
set_target_properties(${programs} PROPERTIES INSTALL_RPATH "${program_rpath}"
  BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS ${programs} RUNTIME COMPONENT programs)

# The component `bundle` makes a folder that can be carried to another Linux machine: the programs,
# and beside them every shared library but the C library's own and the NVIDIA driver's. It is
# installed only by its name.
set(bundled_elsewhere
  "^ld-linux" "^libc\\.so" "^libm\\.so" "^libdl\\.so" "^libpthread\\.so" "^librt\\.so"
  "^libcuda\\.so" "^libnvidia")
install(TARGETS ${programs} RUNTIME_DEPENDENCY_SET shared_libraries
  RUNTIME DESTINATION . COMPONENT bundle EXCLUDE_FROM_ALL)
install(RUNTIME_DEPENDENCY_SET shared_libraries
  PRE_EXCLUDE_REGEXES ${bundled_elsewhere}
  LIBRARY DESTINATION . COMPONENT bundle EXCLUDE_FROM_ALL)
install(FILES packaging/bundle/README.md LICENSE packaging/copyright
  DESTINATION . COMPONENT bundle EXCLUDE_FROM_ALL)
# The licences of what is now a part of the programs, or beside them: of its sources, or where Debian has them.
set(debian_fmt libfmt-dev)
set(debian_nlohmann_json nlohmann-json3-dev)
set(debian_cli11 libcli11-dev)
set(debian_simdjson libsimdjson-dev)
set(debian_zlib zlib1g-dev)
set(debian_pugixml libpugixml-dev)
set(debian_benchmark libbenchmark-dev)
set(debian_boost_math libboost1*-dev)
set(debian_gcc gcc-*-base)
# install_licences(folder component part...)
function(install_licences folder component)
  foreach(part IN LISTS ARGN)
    if(${part}_SOURCE_DIR)
      file(GLOB licences "${${part}_SOURCE_DIR}/LICENSE" "${${part}_SOURCE_DIR}/LICENSE[.-]*")
    else()
      file(GLOB licences "/usr/share/doc/${debian_${part}}/copyright")
    endif()
    if(licences)
      install(FILES ${licences} DESTINATION "${folder}/${part}" COMPONENT ${component} EXCLUDE_FROM_ALL)
    endif()
  endforeach()
  if(TRANSFERS_CUDA12)  # of the presets for other machines
    install(DIRECTORY "${TRANSFERS_CUDA12}/licences/" DESTINATION "${folder}"
      COMPONENT ${component} EXCLUDE_FROM_ALL)
  endif()
endfunction()
install_licences(licences bundle fmt nlohmann_json cli11 simdjson zlib pugixml benchmark boost_math)
if(TRANSFERS_SYSROOT)
  install(DIRECTORY "${TRANSFERS_SYSROOT}/licences" DESTINATION . COMPONENT bundle EXCLUDE_FROM_ALL)
else()
  install_licences(licences bundle gcc)
endif()
# What starts the programs at a site (docs/SITE.md). The documentation stays with the sources, so the
# page there names it without a link.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/integrations/README.md")
file(READ integrations/README.md page)
string(REGEX REPLACE "\\[([^]]*)\\]\\(\\.\\./[^)]*\\)" "`\\1` of the sources" page "${page}")
file(WRITE "${PROJECT_BINARY_DIR}/bundle/integrations/README.md" "${page}")
function(install_integrations folder)
  install(DIRECTORY integrations DESTINATION "${folder}" USE_SOURCE_PERMISSIONS ${ARGN}
    PATTERN "__pycache__" EXCLUDE
    PATTERN "safe_path.sh" EXCLUDE
    PATTERN "README.md" EXCLUDE)
  install(FILES scripts/safe_path.sh  # a link there
    "${PROJECT_BINARY_DIR}/bundle/integrations/README.md" DESTINATION "${folder}/integrations" ${ARGN})
endfunction()
install_integrations(. COMPONENT bundle EXCLUDE_FROM_ALL)
# What integrations/dcgm/limits.py reads files with.
install(FILES plots/__init__.py DESTINATION plots COMPONENT bundle EXCLUDE_FROM_ALL)
install(FILES plots/model/__init__.py plots/model/gunzip.py plots/model/strict_json.py plots/model/values.py
  DESTINATION plots/model COMPONENT bundle EXCLUDE_FROM_ALL)
# MPI is not carried along: the plugins need that of the other machine, or are compiled by it.
install(FILES ${TRANSFERS_MPI_PLUGINS} DESTINATION . COMPONENT bundle EXCLUDE_FROM_ALL OPTIONAL)
foreach(mpi plugin IN ZIP_LISTS TRANSFERS_MPI_NAMES TRANSFERS_MPI_PLUGINS)
  # Each is a component, because it needs its MPI. The program looks there, whatever LIBDIR is; a
  # package that has libraries one folder further up calls ldconfig.
  install(FILES "${plugin}" DESTINATION lib/bench_transfers/mpi COMPONENT mpi_${mpi} OPTIONAL)
endforeach()
install(FILES src/fleet/mpi/plugin.c src/fleet/mpi/plugin.h
  DESTINATION mpi COMPONENT bundle EXCLUDE_FROM_ALL)

set(bundle_name "${PROJECT_NAME}-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}")
add_custom_target(bundle
  COMMAND "${CMAKE_COMMAND}" -E rm -rf "${bundle_name}"
  COMMAND "${CMAKE_COMMAND}" --install . --component bundle --prefix "${bundle_name}" --strip
  COMMAND "${CMAKE_COMMAND}" -E tar czf "${bundle_name}.tar.gz" "${bundle_name}"
  COMMAND "${CMAKE_COMMAND}" -E sha256sum "${bundle_name}.tar.gz" > "${bundle_name}.tar.gz.sha256"
  COMMAND "${CMAKE_COMMAND}" -E echo "${CMAKE_BINARY_DIR}/${bundle_name}.tar.gz"
  DEPENDS ${programs} bench_transfers_mpi_plugins
  WORKING_DIRECTORY "${CMAKE_BINARY_DIR}"
  VERBATIM)
