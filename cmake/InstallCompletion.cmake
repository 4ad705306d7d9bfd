# Completion in bash. The programs write it, of their own options, so they must run on this machine.
if(CMAKE_CROSSCOMPILING)
  return()
endif()

set(completions "${PROJECT_BINARY_DIR}/completions")
file(MAKE_DIRECTORY "${completions}")
foreach(program ${programs})
  add_custom_command(OUTPUT "${completions}/${program}"
    COMMAND ${program} --generate=complete-bash > "${completions}/${program}"
    DEPENDS ${program} VERBATIM)
  list(APPEND completion_files "${completions}/${program}")
endforeach()
install(FILES ${completion_files}
  DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" COMPONENT programs)
add_custom_target(bench_transfers_completions ALL DEPENDS ${completion_files})
