# svc_module(NAME [EXCEPT <folders...>] USES <modules...> EXTERNAL <targets...>): one static library for src/NAME. EXCEPT names
# folders in it that are modules of their own.
# The linker keeps the layers: a module sees the headers of all, but links only what it may use.
add_library(svc_pch STATIC ${PROJECT_SOURCE_DIR}/cmake/pch.cpp)
target_include_directories(svc_pch PUBLIC ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(svc_pch PUBLIC Boost::headers Threads::Threads)
target_precompile_headers(svc_pch PRIVATE ${PROJECT_SOURCE_DIR}/cmake/pch.hpp)

function(svc_module name)
  cmake_parse_arguments(arg "" "" "EXCEPT;USES;EXTERNAL" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  foreach(folder ${arg_EXCEPT})
    list(FILTER sources EXCLUDE REGEX "/${name}/${folder}/")
  endforeach()
  # The targets of nested modules have `_` where the folder has `/`.
  string(REPLACE "/" "_" target svc_${name})
  list(TRANSFORM arg_USES REPLACE "/" "_")
  # A program's entry lies beside the module that it starts.
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  add_library(${target} STATIC ${sources})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/include PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  list(TRANSFORM arg_USES PREPEND svc_)
  target_link_libraries(${target} PUBLIC ${arg_USES} ${arg_EXTERNAL} Boost::headers Threads::Threads)
  target_precompile_headers(${target} REUSE_FROM svc_pch)
endfunction()
