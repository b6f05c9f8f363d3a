# What `cmake --install BUILD --component cli` puts under a prefix: the client, its manual and its completions. The
# program itself writes both, so that they are those of its commands; a client for another processor cannot.
if(CMAKE_CROSSCOMPILING)
  return()
endif()
include(GNUInstallDirs)

set(manual ${CMAKE_CURRENT_BINARY_DIR}/manual)
set(completions ${CMAKE_CURRENT_BINARY_DIR}/completions)
file(MAKE_DIRECTORY ${completions})
add_custom_command(OUTPUT ${manual}/svc.1 ${completions}/svc ${completions}/_svc ${completions}/svc.fish
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${manual}
  COMMAND svc manual ${manual}
  COMMAND svc completion bash > ${completions}/svc
  COMMAND svc completion zsh > ${completions}/_svc
  COMMAND svc completion fish > ${completions}/svc.fish
  DEPENDS svc VERBATIM)
add_custom_target(svc_manual ALL DEPENDS ${manual}/svc.1)

install(CODE "set(CMAKE_INSTALL_DO_STRIP TRUE)" COMPONENT cli)
install(TARGETS svc RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT cli)
install(DIRECTORY ${manual}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT cli)
install(FILES ${completions}/svc DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT cli)
install(FILES ${completions}/_svc DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT cli)
install(FILES ${completions}/svc.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT cli)
