# svc_embed(TARGET SYMBOL FILE [HEAD]): compiles FILE into TARGET as `extern std::string_view const SYMBOL`
# in namespace svc::embedded. Put the declaration where it is used. The file HEAD goes before it (tools/embed.py).
function(svc_embed target symbol file)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/embedded_${symbol}.cpp)
  add_custom_command(OUTPUT ${source}
    COMMAND ${SVC_PYTHON} ${PROJECT_SOURCE_DIR}/tools/embed.py ${symbol} ${file} ${source} ${ARGN}
    DEPENDS ${file} ${ARGN} ${PROJECT_SOURCE_DIR}/tools/embed.py VERBATIM)
  target_sources(${target} PRIVATE ${source})
  set_source_files_properties(${source} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endfunction()
