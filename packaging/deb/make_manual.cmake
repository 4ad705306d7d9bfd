# CPack runs it before it packs: man pages, of what the programs' --help says. Debian keeps them compressed.
find_program(HELP2MAN help2man)
if(NOT HELP2MAN)
  message(FATAL_ERROR "no help2man, which makes the man pages: apt-get install help2man")
endif()
file(GLOB_RECURSE programs "${CPACK_TEMPORARY_DIRECTORY}/*_transfers")
list(FILTER programs INCLUDE REGEX "/bin/(bench|fleet|gate)_transfers$")
foreach(program ${programs})
  execute_process(COMMAND "${program}" --help OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCH "^[^.\n]+" summary "${help}")
  cmake_path(GET program FILENAME name)
  cmake_path(SET folder NORMALIZE "${program}/../../share/man/man1")
  file(MAKE_DIRECTORY "${folder}")
  # help2man gives the program's name to a shell: a folder's name may have spaces.
  cmake_path(GET program PARENT_PATH programs_folder)
  execute_process(
    COMMAND "${HELP2MAN}" --no-info "--version-string=${CPACK_PACKAGE_VERSION}" "--name=${summary}"
            "--output=${folder}/${name}.1" "./${name}"
    WORKING_DIRECTORY "${programs_folder}" COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND gzip -9nf "${folder}/${name}.1" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
