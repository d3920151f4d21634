# What `cmake --install` and CPack lay down. LibTorch is found where it was at build time (the rpath says so); a package
# for others has to bring one along.
include(GNUInstallDirs)
set_target_properties(straightedge PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS straightedge RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES packaging/straightedge.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
install(FILES packaging/straightedge.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo)
install(FILES resources/icons/straightedge.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)

set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_CONTACT "the Straightedge developers")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_RESOURCE_FILE_README ${PROJECT_SOURCE_DIR}/README.md)
include(CPack)
