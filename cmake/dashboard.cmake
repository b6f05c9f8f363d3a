# The dashboard's pages, embedded in `svc_http_site`. The tool runs at each build, because only it knows the sources of the
# pages; it writes its output only when that changes.
set(SVC_DASHBOARD AUTO CACHE STRING "The dashboard's pages: AUTO embeds them if they can be built, ON fails otherwise, OFF leaves them out")
set_property(CACHE SVC_DASHBOARD PROPERTY STRINGS AUTO ON OFF)
if(NOT SVC_DASHBOARD MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "SVC_DASHBOARD must be AUTO, ON or OFF: ${SVC_DASHBOARD}")
endif()
set(dashboard_source ${CMAKE_CURRENT_BINARY_DIR}/embedded_dashboard.cpp)
add_custom_target(svc_dashboard BYPRODUCTS ${dashboard_source}
  COMMAND ${SVC_PYTHON} ${PROJECT_SOURCE_DIR}/tools/build_dashboard.py ${SVC_DASHBOARD} ${CMAKE_BINARY_DIR}/dashboard
    ${dashboard_source} VERBATIM)
target_sources(svc_http_site PRIVATE ${dashboard_source})
add_dependencies(svc_http_site svc_dashboard)
set_source_files_properties(${dashboard_source} PROPERTIES GENERATED ON SKIP_PRECOMPILE_HEADERS ON
  SKIP_UNITY_BUILD_INCLUSION ON COMPILE_OPTIONS -Wno-overlength-strings)
