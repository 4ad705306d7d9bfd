# Man pages and the completions of bash, zsh and fish. The programs write them, of their own options, so
# they must run on this machine.
if(CMAKE_CROSSCOMPILING)
  return()
endif()

set(manual_dir "${PROJECT_BINARY_DIR}/manual")
set(manual_files)

# bench_transfers_install_manual(PROGRAM KIND NAME FOLDER): what PROGRAM --generate=KIND prints is
# installed as FOLDER/NAME.
function(bench_transfers_install_manual program kind name folder)
  set(file "${manual_dir}/${kind}/${name}")
  file(MAKE_DIRECTORY "${manual_dir}/${kind}")
  add_custom_command(OUTPUT "${file}"
    COMMAND ${program} --generate=${kind} > "${file}"
    DEPENDS ${program} VERBATIM)
  install(FILES "${file}" DESTINATION "${folder}" COMPONENT programs)
  set(manual_files ${manual_files} "${file}" PARENT_SCOPE)
endfunction()

foreach(program ${programs})
  bench_transfers_install_manual(${program} man ${program}.1 "${CMAKE_INSTALL_MANDIR}/man1")
  bench_transfers_install_manual(${program} complete-bash ${program}
    "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
  bench_transfers_install_manual(${program} complete-zsh _${program}
    "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
  bench_transfers_install_manual(${program} complete-fish ${program}.fish
    "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
endforeach()
add_custom_target(bench_transfers_manual_files ALL DEPENDS ${manual_files})
