# svc_module(NAME USES <modules...> EXTERNAL <targets...>): one static library for src/NAME.
# The linker keeps the layers: a module sees the headers of all, but links only what it may use.
add_library(svc_pch STATIC ${PROJECT_SOURCE_DIR}/cmake/pch.cpp)
target_include_directories(svc_pch PUBLIC ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(svc_pch PUBLIC Boost::headers Threads::Threads)
target_precompile_headers(svc_pch PRIVATE ${PROJECT_SOURCE_DIR}/cmake/pch.hpp)

function(svc_module name)
  cmake_parse_arguments(arg "" "" "USES;EXTERNAL" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  # A program's entry lies beside the module that it starts.
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  add_library(svc_${name} STATIC ${sources})
  target_include_directories(svc_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  list(TRANSFORM arg_USES PREPEND svc_)
  target_link_libraries(svc_${name} PUBLIC ${arg_USES} ${arg_EXTERNAL} Boost::headers Threads::Threads)
  target_precompile_headers(svc_${name} REUSE_FROM svc_pch)
endfunction()
