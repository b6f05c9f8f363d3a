# cmake -DROOT=... -DOUTPUT=... -P build_commit.cmake: writes OUTPUT only when the commit changed.
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND git -C ${ROOT} rev-parse --short=12 HEAD
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(commit unknown)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define SVC_COMMIT \"@commit@\"\n" @ONLY)
