# Debian packages of what is installed: cpack --preset deb, which scripts/package calls.
find_program(TRANSFERS_DPKG_DEB dpkg-deb)
mark_as_advanced(TRANSFERS_DPKG_DEB)
if(NOT TRANSFERS_DPKG_DEB)
  return()
endif()
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME bench-transfers)
set(CPACK_PACKAGE_VENDOR "")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has one of its own
# Debian's rules ask for an address, which only who publishes packages can give.
set(CPACK_PACKAGE_CONTACT "bench_transfers authors <nobody@bench-transfers.invalid>")
if(DEFINED ENV{DEBEMAIL})
  set(CPACK_PACKAGE_CONTACT "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_THREADS 0)
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/packaging/deb/make_manual.cmake"
                            "${PROJECT_SOURCE_DIR}/packaging/deb/strip_libraries.cmake")

# Debian's form of what CHANGELOG.md says in full. The date is that of SOURCE_DATE_EPOCH, if there is one.
set(package_version "${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}")
string(TIMESTAMP package_date "%a, %d %b %Y %H:%M:%S +0000" UTC)
set(package_files "${PROJECT_BINARY_DIR}/deb")
file(MAKE_DIRECTORY "${package_files}")
function(transfers_compress text archive)
  execute_process(COMMAND gzip -9nc "${text}" OUTPUT_FILE "${archive}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()
transfers_compress("${PROJECT_SOURCE_DIR}/CHANGELOG.md" "${package_files}/changelog.gz")
file(CONFIGURE OUTPUT "${package_files}/changelog.Debian" @ONLY CONTENT
"bench-transfers (@package_version@) unstable; urgency=medium

  * Version @PROJECT_VERSION@: see changelog.gz.

 -- @CPACK_PACKAGE_CONTACT@  @package_date@
")
transfers_compress("${package_files}/changelog.Debian" "${package_files}/changelog.Debian.gz")

# transfers_package(component name SUMMARY text DESCRIPTION text [SECTION section] [DEPENDS packages])
# Makes a package of a component and of the files that every package of Debian has, which are a component
# of their own: no other installation has them.
set(CPACK_COMPONENTS_ALL "")
macro(transfers_package component name)
  cmake_parse_arguments(package "" "SUMMARY;DESCRIPTION;SECTION;DEPENDS" "" ${ARGN})
  install(FILES packaging/copyright "${package_files}/changelog.gz"
                "${package_files}/changelog.Debian.gz"
    DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/doc/${name}"
    COMPONENT ${component}_doc EXCLUDE_FROM_ALL)
  list(APPEND CPACK_COMPONENTS_ALL ${component} ${component}_doc)
  string(TOUPPER ${component} package_key)
  set(CPACK_COMPONENT_${package_key}_GROUP ${component}_package)
  set(CPACK_COMPONENT_${package_key}_DOC_GROUP ${component}_package)
  set(CPACK_DEBIAN_${package_key}_PACKAGE_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${package_key}_PACKAGE_DESCRIPTION "${package_SUMMARY}\n${package_DESCRIPTION}")
  if(package_SECTION)
    set(CPACK_DEBIAN_${package_key}_PACKAGE_PACKAGE_SECTION ${package_SECTION})
  endif()
  if(package_DEPENDS)
    set(CPACK_DEBIAN_${package_key}_PACKAGE_PACKAGE_DEPENDS "${package_DEPENDS}")
  endif()
endmacro()

transfers_package(programs bench-transfers
  SUMMARY "benchmarks of memory transfers between host and GPU"
  DESCRIPTION "bench_transfers measures how fast data move between host memory and an
NVIDIA GPU, by which strategy, and what limits them. That needs NVIDIA's
driver 525 or later and compute capability 7.0 or later (Volta). Without a
GPU it measures copies within this machine's memory.
gate_transfers says whether transfers got slower than before, and
fleet_transfers names the slow GPU of many.")
# dcgm/limits.py needs files of the report, too.
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_PACKAGE_SUGGESTS "bench-transfers-report, python3")
install_integrations("${CMAKE_INSTALL_DATADIR}/${PROJECT_NAME}" COMPONENT programs_doc EXCLUDE_FROM_ALL)
install_licences("${CMAKE_INSTALL_DATAROOTDIR}/doc/bench-transfers/licences" programs_doc
  nlohmann_json cli11 boost_math)  # headers: the libraries are packages of their own
foreach(mpi IN LISTS TRANSFERS_MPI_NAMES)
  transfers_package(mpi_${mpi} bench-transfers-${mpi}
    DEPENDS "bench-transfers (= ${package_version})"
    SUMMARY "ranks of bench_transfers under ${mpi}"
    DESCRIPTION "Lets the processes that mpirun starts for \"bench_transfers fleet\"
gather what they measure.")
endforeach()
if(TRANSFERS_REPORT_PACKAGES)
  # The packages of Python that come along were compiled for one version of it.
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  math(EXPR python_next_minor "${Python3_VERSION_MINOR} + 1")
  string(CONCAT report_depends "bench-transfers (= ${package_version}), "
         "python3 (>= ${Python3_VERSION_MAJOR}.${Python3_VERSION_MINOR}), "
         "python3 (<< ${Python3_VERSION_MAJOR}.${python_next_minor}), fonts-liberation")
  transfers_package(report bench-transfers-report
    DEPENDS "${report_depends}"
    SUMMARY "reports of what bench_transfers measures"
    DESCRIPTION "report_transfers draws a page, figures for papers and tables from result
files. It brings the packages of Python that it needs, at the versions that
it is tested with.")
  set(CPACK_DEBIAN_REPORT_PACKAGE_PACKAGE_CONTROL_EXTRA
      "${PROJECT_SOURCE_DIR}/packaging/deb/report/postinst"
      "${PROJECT_SOURCE_DIR}/packaging/deb/report/prerm")
  # Packages of Python stay as they were published.
  install(FILES packaging/deb/report/lintian_overrides RENAME bench-transfers-report
    DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/lintian/overrides" COMPONENT report_doc EXCLUDE_FROM_ALL)
endif()
transfers_package(library libtransfers-dev SECTION libdevel
  SUMMARY "C++ library that moves data to a GPU and calculates there"
  DESCRIPTION "Headers, library, CMake package and pkg-config file of
transfers::transfers, which also runs without a GPU.")
if(TRANSFERS_INSTALLED_FMT)
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_PACKAGE_DEPENDS libfmt-dev)
endif()
include(CPack)
