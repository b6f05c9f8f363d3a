# One compiler, its flags, and the sanitizers a preset asks for.

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  message(FATAL_ERROR
    "g++ ${CMAKE_CXX_COMPILER_VERSION} destroys temporaries twice in statements with co_await and so breaks "
    "correct coroutines (double free). Use clang 19: cmake --preset release (Debian: apt install clang-19).")
endif()
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS 19)
  message(FATAL_ERROR "This project is built and tested with clang 19; found ${CMAKE_CXX_COMPILER_ID} "
    "${CMAKE_CXX_COMPILER_VERSION}. Use one of the presets (cmake --list-presets).")
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

option(SVC_FAILPOINTS "Named places where tests stall, fail or kill the service" OFF)
option(SVC_BENCH "Build what only benchmarks need" OFF)
set(SVC_SANITIZE "" CACHE STRING "Value of -fsanitize=, empty for none")

find_program(SVC_CCACHE ccache)
if(SVC_CCACHE)
  # Without the sloppiness a precompiled header makes three of four compilations uncacheable.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${SVC_CCACHE})
endif()

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wunused
  -Woverloaded-virtual -Wimplicit-fallthrough -fno-omit-frame-pointer -fstack-protector-strong
  -pthread -Xclang -fno-pch-timestamp)
add_link_options(-fuse-ld=lld -pthread)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  # The same bytes wherever the sources lie (make dist).
  add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
  add_compile_definitions(_FORTIFY_SOURCE=2)
  add_link_options(-Wl,-z,relro,-z,now)
endif()
if(SVC_WERROR)
  add_compile_options(-Werror)
endif()
# Sources of a module in batches, each compiled as one: a fifth of the CPU of compiling them one by one. A name of one
# source may then lie outside a local of another, which is no fault; tools/tidy.sh compiles them one by one.
if(CMAKE_UNITY_BUILD)
  add_compile_options(-Wno-shadow)
endif()
if(SVC_SANITIZE)
  add_compile_options(-fsanitize=${SVC_SANITIZE} -fno-sanitize-recover=undefined)
  string(REPLACE "fuzzer-no-link" "" link_sanitize "${SVC_SANITIZE}")
  string(REGEX REPLACE "^,|,$" "" link_sanitize "${link_sanitize}")
  add_link_options(-fsanitize=${link_sanitize})
endif()
if(SVC_FAILPOINTS)
  add_compile_definitions(SVC_FAILPOINTS)
endif()

# Program-wide: the recycling allocator's default of two slots is too small for nested awaitables, and
# the heavy implementations are compiled once (src/core/boost.cpp).
add_compile_definitions(
  BOOST_ASIO_RECYCLING_ALLOCATOR_CACHE_SIZE=8
  BOOST_ASIO_SEPARATE_COMPILATION
  BOOST_BEAST_SEPARATE_COMPILATION
  BOOST_ASIO_NO_DEPRECATED
  BOOST_ASIO_DISABLE_BOOST_COROUTINE)
