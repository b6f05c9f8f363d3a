# The stripped client in lib/svcd/cli, where `svcd` in bin looks for the file that it serves.
if(SVC_SANITIZE)
  return()
endif()
set(served_architecture ${CMAKE_SYSTEM_PROCESSOR})
if(served_architecture STREQUAL "x86_64")
  set(served_architecture amd64)
elseif(served_architecture STREQUAL "aarch64")
  set(served_architecture arm64)
endif()
set(served_directory ${CMAKE_BINARY_DIR}/lib/svcd/cli)
set(served_client ${served_directory}/svc-linux-${served_architecture})
# The strip program of this machine may not know another processor, so the linker leaves the symbols out then.
if(CMAKE_CROSSCOMPILING)
  target_link_options(svc PRIVATE -s)
  set(without_symbols ${CMAKE_COMMAND} -E copy $<TARGET_FILE:svc> ${served_client}.new)
else()
  set(without_symbols ${CMAKE_STRIP} -o ${served_client}.new $<TARGET_FILE:svc>)
endif()
# A running service may read the file, so it is replaced as a whole.
add_custom_command(TARGET svc POST_BUILD
  COMMAND ${CMAKE_COMMAND} -E make_directory ${served_directory}
  COMMAND ${without_symbols}
  COMMAND ${CMAKE_COMMAND} -E rename ${served_client}.new ${served_client}
  BYPRODUCTS ${served_client} VERBATIM)
