# CPack runs it before it packs. Objects of nvcc name a temporary file with the number of a process, which is another
# each time.
file(GLOB_RECURSE libraries "${CPACK_TEMPORARY_DIRECTORY}/*.a")
if(libraries)
  execute_process(COMMAND strip --strip-debug --enable-deterministic-archives ${libraries} COMMAND_ERROR_IS_FATAL ANY)
endif()
