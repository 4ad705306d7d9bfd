# An overlay port: it builds the library of this checkout (packaging/README.md).
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../.." ABSOLUTE)

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    -DTRANSFERS_PROGRAMS=OFF
    -DTRANSFERS_TESTS=OFF
    -DTRANSFERS_CUDA=ON
    -DCMAKE_CUDA_ARCHITECTURES=all-major)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME transfers CONFIG_PATH lib/cmake/transfers)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
