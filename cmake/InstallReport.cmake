# The component `report`: what draws reports (plots), as the program report_transfers. It is installed
# only by its name, because it needs packages of Python, which are not of this build:
# TRANSFERS_REPORT_PACKAGES names a folder with them (scripts/package fills one), if they are to come along.
set(TRANSFERS_REPORT_PACKAGES "" CACHE PATH "Folder of Python packages to install with the report")
set(report_folder "${CMAKE_INSTALL_DATADIR}/${PROJECT_NAME}")
install(PROGRAMS packaging/report_transfers DESTINATION "${CMAKE_INSTALL_BINDIR}"
  COMPONENT report EXCLUDE_FROM_ALL)
install(DIRECTORY plots DESTINATION "${report_folder}" COMPONENT report EXCLUDE_FROM_ALL
  PATTERN "__pycache__" EXCLUDE PATTERN "requirements.*" EXCLUDE)
# What it reads, at the same places as in the repository.
install(FILES results/published.csv DESTINATION "${report_folder}/results"
  COMPONENT report EXCLUDE_FROM_ALL)
install(FILES src/advice/page_sizes.json DESTINATION "${report_folder}/src/advice"
  COMPONENT report EXCLUDE_FROM_ALL)
install(FILES scripts/safe_path.sh DESTINATION "${report_folder}/scripts"
  COMPONENT report EXCLUDE_FROM_ALL)
if(TRANSFERS_REPORT_PACKAGES)
  install(DIRECTORY "${TRANSFERS_REPORT_PACKAGES}/" DESTINATION "lib/${PROJECT_NAME}/python"
    USE_SOURCE_PERMISSIONS COMPONENT report EXCLUDE_FROM_ALL PATTERN "__pycache__" EXCLUDE
    PATTERN "bin" EXCLUDE)
endif()
