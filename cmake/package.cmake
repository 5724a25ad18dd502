# package.cmake: .deb packages, one a component of install.cmake, by CPack: of a build with shared libraries, under /usr.
if(NOT BUILD_SHARED_LIBS OR NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  return()
endif()
set(packages halation libhalation0 libhalation-dev)
set(components halation libhalation libhalation-dev)

# Debian wants its own list of changes, packed, and the licence, beside each package.
find_program(HALATION_GZIP gzip REQUIRED)
set(maintainer "The maintainers of halation <maintainers@halation.invalid>")
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(cmake/debian/changelog.in changelog.Debian @ONLY)
execute_process(COMMAND ${HALATION_GZIP} -9 --no-name --force ${PROJECT_BINARY_DIR}/changelog.Debian COMMAND_ERROR_IS_FATAL ANY)
foreach(package component IN ZIP_LISTS packages components)
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/debian/copyright ${PROJECT_BINARY_DIR}/changelog.Debian.gz
    DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/${package} COMPONENT ${component})
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR halation)
set(CPACK_PACKAGE_CONTACT "${maintainer}")
set(CPACK_COMPONENTS_ALL ${components})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR} ${PROJECT_BINARY_DIR}/src/io)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY =)  # before 1.0 a minor version may change the interface

# The first line of all descriptions is the project's.
set(CPACK_DEBIAN_HALATION_PACKAGE_NAME halation)
set(CPACK_DEBIAN_HALATION_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_HALATION_PACKAGE_DEPENDS "libhalation0 (= ${PROJECT_VERSION}-1)")
set(CPACK_DEBIAN_HALATION_DESCRIPTION "This package holds the program: it filters image files by name or by
weights of your own (Gaussian, box, sharpen, Sobel and others; any size
and border), on the CPU and, where built so, on NVIDIA GPUs.")

set(CPACK_DEBIAN_LIBHALATION_PACKAGE_NAME libhalation0)
set(CPACK_DEBIAN_LIBHALATION_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBHALATION_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/debian/triggers)
set(CPACK_DEBIAN_LIBHALATION_DESCRIPTION "This package holds the shared libraries that programs run with: that of
the filters, and that of image files.")

set(CPACK_DEBIAN_LIBHALATION-DEV_PACKAGE_NAME libhalation-dev)
set(CPACK_DEBIAN_LIBHALATION-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBHALATION-DEV_PACKAGE_DEPENDS "libhalation0 (= ${PROJECT_VERSION}-1)")
set(CPACK_DEBIAN_LIBHALATION-DEV_DESCRIPTION "This package holds the C++ headers, and what CMake's find_package reads.")
include(CPack)
