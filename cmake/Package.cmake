# The installed package: headers, libprofdb as an archive and as a shared library, the profdb program, and what
# find_package(profdb) and pkg-config need. Both libraries are made of the objects that the program is linked from.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(_objects $<TARGET_OBJECTS:profdb_base> $<TARGET_OBJECTS:profdb_interpolation> $<TARGET_OBJECTS:profdb_engine>
    $<TARGET_OBJECTS:profdb_c>)
add_library(profdb_static STATIC ${_objects})
add_library(profdb_shared SHARED ${_objects})
foreach(library profdb_static profdb_shared)
  set_target_properties(${library} PROPERTIES OUTPUT_NAME profdb LINKER_LANGUAGE CXX)
  target_compile_features(${library} INTERFACE cxx_std_20)
  target_include_directories(${library} INTERFACE
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/base/include> $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/engine/include>
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/c/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${library}
    INTERFACE nlohmann_json::nlohmann_json
    PRIVATE SQLiteCpp SQLite::SQLite3 fmt::fmt Qhull::qhull_r xxhash::xxhash Threads::Threads)
endforeach()
set_target_properties(profdb_static PROPERTIES EXPORT_NAME engine)
# The C++ interface may change with every minor version before 1.0, so the shared library's name carries it.
set_target_properties(profdb_shared PROPERTIES EXPORT_NAME engine_shared
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
target_link_options(profdb_shared PRIVATE
  -Wl,--version-script=${CMAKE_SOURCE_DIR}/cmake/exports.map -Wl,-Bsymbolic-functions -Wl,--no-undefined)
set_property(TARGET profdb_shared APPEND PROPERTY LINK_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/exports.map)
add_library(profdb::engine ALIAS profdb_static)
add_library(profdb::engine_shared ALIAS profdb_shared)

install(TARGETS profdb_static profdb_shared EXPORT profdbTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development)
install(TARGETS profdb_cli DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
install(DIRECTORY base/include/ engine/include/ c/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)

set(_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/profdb)
install(EXPORT profdbTargets NAMESPACE profdb:: DESTINATION ${_config_dir} COMPONENT development)
configure_package_config_file(cmake/profdbConfig.cmake.in ${CMAKE_BINARY_DIR}/profdbConfig.cmake
  INSTALL_DESTINATION ${_config_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/profdbConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/profdbConfig.cmake ${CMAKE_BINARY_DIR}/profdbConfigVersion.cmake
  DESTINATION ${_config_dir} COMPONENT development)

# The file finds its prefix from where it lies, so that an installed tree may be moved.
file(RELATIVE_PATH PROFDB_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/profdb.pc.in ${CMAKE_BINARY_DIR}/profdb.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/profdb.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
