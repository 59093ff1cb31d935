// What is to be imported: the files, the mapping and the identity of the release (formats §1).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/store/database.h"
#include "importer/import.h"
#include "importer/mapping/mapping_yaml.h"

namespace profdb::importer {

struct SourceFile {
  std::filesystem::path on_disk;
  std::string path;    // as stored: relative to the release folder, or the file name
  std::string kernel;  // the file's stem, or its alias
  std::string sha256;  // of the bytes; empty where they cannot be read
  std::uint64_t bytes = 0;
};

struct ReleaseSource {
  Identity identity;
  Mapping mapping;
  std::string mapping_digest;  // SHA-256 of the mapping's canonical JSON
  std::string content_digest;  // SHA-256 over identity-independent content: files, kernels, mapping
  std::vector<SourceFile> files;
  std::vector<std::string> warnings;
};

// Looks at the sources without touching any database. Throws Error: usage for an identity or mapping that is
// not given, an alias for a file that is not there, no source; input for what cannot be read.
ReleaseSource find_release_source(const ImportOptions& options);

// The mapping as canonical JSON; equal mappings give equal text.
std::string canonical_json(const Mapping& mapping);
std::string sha256_of_text(std::string_view text);

// The content digest of a release: over its mapping and, file by file, path, kernel and SHA-256. A raw export
// is one file without a kernel.
struct DigestedFile {
  std::string path, kernel, sha256;
};
std::string content_digest(const std::string& mapping_digest, const std::vector<DigestedFile>& files);
// The same from what the database holds of a release.
std::string stored_content_digest(store::Connection& connection, std::int64_t release_id,
                                  const std::string& mapping_digest);

}  // namespace profdb::importer
