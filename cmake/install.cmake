# install.cmake: headers, libraries, program, and the package that find_package(halation) finds.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/halation)

# Components: halation (the program), libhalation (what programs run with), libhalation-dev (what they are built with).
set(library_components LIBRARY COMPONENT libhalation NAMELINK_COMPONENT libhalation-dev ARCHIVE COMPONENT libhalation-dev)
install(TARGETS halation EXPORT halationTargets ${library_components})
install(DIRECTORY include/halation TYPE INCLUDE COMPONENT libhalation-dev PATTERN io.h EXCLUDE)
if(HALATION_IO)
  install(TARGETS halation_io EXPORT halationTargets ${library_components})
  install(FILES include/halation/io.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/halation COMPONENT libhalation-dev)
endif()
if(HALATION_APP)
  install(TARGETS halation_app RUNTIME COMPONENT halation)
endif()

# Shared libraries are found from where they were installed, under any prefix.
if(BUILD_SHARED_LIBS)
  foreach(target halation_io halation_app)
    if(TARGET ${target})
      set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN;$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
    endif()
  endforeach()
endif()

install(EXPORT halationTargets NAMESPACE halation:: DESTINATION ${package_dir} COMPONENT libhalation-dev)
configure_package_config_file(cmake/halationConfig.cmake.in halationConfig.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(halationConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/halationConfig.cmake ${PROJECT_BINARY_DIR}/halationConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT libhalation-dev)
if(HALATION_HAS_CUDA)
  install(FILES cmake/cuda_runtime.cmake DESTINATION ${package_dir} COMPONENT libhalation-dev)
endif()
