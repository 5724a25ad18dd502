# install.cmake: headers, libraries, program, and the package that find_package(halation) finds.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/halation)

install(TARGETS halation EXPORT halationTargets)
install(DIRECTORY include/halation TYPE INCLUDE PATTERN io.h EXCLUDE)
if(HALATION_IO)
  install(TARGETS halation_io EXPORT halationTargets)
  install(FILES include/halation/io.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/halation)
endif()
if(HALATION_APP)
  install(TARGETS halation_app)
endif()

# Shared libraries are found from where they were installed, under any prefix.
if(BUILD_SHARED_LIBS)
  foreach(target halation_io halation_app)
    if(TARGET ${target})
      set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN;$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
    endif()
  endforeach()
endif()

install(EXPORT halationTargets NAMESPACE halation:: DESTINATION ${package_dir})
configure_package_config_file(cmake/halationConfig.cmake.in halationConfig.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(halationConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/halationConfig.cmake ${PROJECT_BINARY_DIR}/halationConfigVersion.cmake
  DESTINATION ${package_dir})
if(HALATION_HAS_CUDA)
  install(FILES cmake/cuda_runtime.cmake DESTINATION ${package_dir})
endif()
