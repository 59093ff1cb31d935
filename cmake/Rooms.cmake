# Each room shows its headers only to those who link it. profdb_room(TARGET FOLDER): FOLDER's files are included as
# "FOLDER/..." by TARGET and by all who link it, by way of a folder of links in the build folder that holds nothing else:
# an include of a room that is not linked does not compile. docs/architecture.md has the rooms and their arrows.
function(profdb_room target folder)
  string(REPLACE / _ name ${folder})
  set(root ${PROJECT_BINARY_DIR}/rooms/${name})
  get_filename_component(parent ${root}/${folder} DIRECTORY)
  file(MAKE_DIRECTORY ${parent})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${folder} ${root}/${folder} SYMBOLIC)
  target_include_directories(${target} PUBLIC ${root})
endfunction()
