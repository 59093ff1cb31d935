// Finding a release's files, mapping and identity.
#include "importer/release_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>

#include "base/input/sha256.h"
#include "importer/read/csv.h"
#include "importer/read/raw_export.h"

namespace profdb::importer {
namespace fs = std::filesystem;
namespace {

using nlohmann::ordered_json;

bool is_csv(const fs::path& path) {
  return path.extension() == ".csv";
}

// All CSVs of a folder, by name, so that an import does not depend on the order of the file system.
std::vector<fs::path> csv_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator(folder, ec))
    if (!entry.is_directory() && is_csv(entry.path())) files.push_back(entry.path());
  if (ec) throw Error(ErrorKind::input, fmt::format("cannot list '{}': {}", folder.string(), ec.message()));
  std::sort(files.begin(), files.end());
  return files;
}

std::string kernel_of(const fs::path& file, const ImportOptions& options) {
  const auto alias = options.kernel_alias.find(file.stem().string());
  std::string kernel = alias == options.kernel_alias.end() ? file.stem().string() : alias->second;
  if (!is_kernel_name(kernel))
    throw Error(ErrorKind::usage, fmt::format("'{}' is no kernel name (letters, digits and _); name the "
                                              "kernel of '{}' with --kernel-alias '{}=KERNEL'",
                                              kernel, file.string(), file.stem().string()));
  return kernel;
}

void add_file(ReleaseSource& source, const fs::path& on_disk, const std::string& stored,
              const ImportOptions& options) {
  SourceFile file;
  file.on_disk = on_disk;
  file.path = stored;
  if (!is_raw_export(on_disk)) file.kernel = kernel_of(on_disk, options);  // a raw export holds many kernels
  std::error_code ec;
  file.bytes = fs::file_size(on_disk, ec);
  if (ec) file.bytes = 0;
  source.files.push_back(std::move(file));
}

void add_communication_files(ReleaseSource& source, const fs::path& folder, const ImportOptions& options) {
  const auto& ref = source.mapping.communication_data_ref;
  if (!ref) return;
  const fs::path data = folder / *ref;
  if (!fs::is_directory(data)) {
    source.warnings.push_back(
        fmt::format("communication_data_ref '{}' is no folder beside '{}'; collectives will miss", *ref,
                    folder.string()));
    return;
  }
  for (const fs::path& file : csv_files(data))
    if (file.filename().string().starts_with("hcom_"))
      add_file(source, file, (fs::path(*ref) / file.filename()).generic_string(), options);
}

void add_files(ReleaseSource& source, const ImportOptions& options) {
  for (const fs::path& given : options.sources) {
    if (fs::is_directory(given)) {
      for (const fs::path& file : csv_files(given)) add_file(source, file, file.filename().string(), options);
      add_communication_files(source, given, options);
    } else if (fs::exists(given)) {
      add_file(source, given, given.filename().string(), options);
    } else {
      throw Error(ErrorKind::input,
                  fmt::format("'{}' is not there; name a release folder or CSV files", given.string()));
    }
  }
  if (source.files.empty())
    throw Error(
        ErrorKind::input,
        fmt::format("no .csv file in '{}'; name the folder that holds one <KernelType>.csv per kernel",
                    options.sources.front().string()));
  std::set<std::string> seen;
  for (const SourceFile& file : source.files)
    if (!seen.insert(file.path).second)
      throw Error(ErrorKind::usage,
                  fmt::format("two files are called '{}'; a release holds each name once", file.path));
}

void check_aliases(const ReleaseSource& source, const ImportOptions& options) {
  for (const auto& alias : options.kernel_alias) {
    const std::string& stem = alias.first;
    if (std::none_of(source.files.begin(), source.files.end(),
                     [&](const auto& f) { return f.on_disk.stem() == stem; }))
      throw Error(ErrorKind::usage,
                  fmt::format("--kernel-alias {}={}: there is no file '{}.csv' among the sources", stem,
                              alias.second, stem));
  }
}

void warn_about_unmapped(ReleaseSource& source) {
  std::set<std::string> mapped;
  for (const OpMapping& op : source.mapping.operators) mapped.insert(op.kernels.begin(), op.kernels.end());
  for (const SourceFile& file : source.files)
    if (!is_raw_export(file.on_disk) && !mapped.contains(file.kernel))
      source.warnings.push_back(fmt::format(
          "'{}': no operator of the mapping runs as kernel {}; its rows are kept, but no lookup reaches them "
          "(--kernel-alias {}=KERNEL gives them to a kernel)",
          file.path, file.kernel, file.on_disk.stem().string()));
}

fs::path mapping_path(const ImportOptions& options) {
  if (options.mapping) return *options.mapping;
  for (const fs::path& given : options.sources)
    if (fs::is_directory(given) && fs::exists(given / "op_mapping.yaml")) return given / "op_mapping.yaml";
  throw Error(ErrorKind::usage,
              fmt::format("no op_mapping.yaml in '{}'; give the mapping with --mapping FILE",
                          options.sources.front().string()));
}

// "vllm0.18.0_torch2.9.0_cann8.5"
Identity identity_of_folder(const fs::path& folder) {
  static const std::regex form("([A-Za-z][A-Za-z_]*?)_?([0-9][0-9A-Za-z.+-]*)_torch([^_]+)_cann([^_]+)");
  std::error_code ec;
  const fs::path absolute = fs::weakly_canonical(folder, ec);
  const std::string name = (ec ? folder : absolute).filename().string();
  std::smatch parts;
  if (!std::regex_match(name, parts, form)) return {};
  return {"", parts[1], parts[2], parts[3], parts[4]};
}

std::string first_stated(std::initializer_list<std::string> values) {
  for (const std::string& value : values)
    if (!value.empty()) return value;
  return "";
}

Identity resolve_identity(const ReleaseSource& source, const ImportOptions& options) {
  Identity folder;
  for (const fs::path& given : options.sources)
    if (fs::is_directory(given)) folder = identity_of_folder(given);
  const Mapping& m = source.mapping;
  const Identity& flags = options.identity;
  Identity identity;
  identity.device = first_stated({flags.device, m.device.value_or(""), folder.device});
  identity.framework = first_stated({flags.framework, m.framework.value_or(""), folder.framework});
  identity.framework_version =
      first_stated({flags.framework_version, m.version.value_or(""), folder.framework_version});
  identity.torch_version =
      first_stated({flags.torch_version, m.pytorch_version.value_or(""), folder.torch_version});
  identity.cann_version =
      first_stated({flags.cann_version, m.cann_version.value_or(""), folder.cann_version});
  std::string missing;
  const auto need = [&](const std::string& value, const char* flag) {
    if (value.empty()) missing += (missing.empty() ? "" : ", ") + std::string(flag);
  };
  need(identity.device, "--device");
  need(identity.framework, "--framework");
  need(identity.framework_version, "--framework-version");
  need(identity.torch_version, "--torch-version");
  need(identity.cann_version, "--cann-version");
  if (!missing.empty())
    throw Error(
        ErrorKind::usage,
        fmt::format("neither flags nor mapping nor folder name say which release this is; give {}", missing));
  return identity;
}

// Files that cannot be read get no digest here; reading them for import says why.
void digest_files(ReleaseSource& source) {
  std::vector<DigestedFile> files;
  for (SourceFile& file : source.files) {
    try {
      file.sha256 = sha256_of_file(file.on_disk);
    } catch (const Error&) {
      file.sha256.clear();
    }
    files.push_back({file.path, file.kernel, file.sha256});
  }
  source.content_digest = content_digest(source.mapping_digest, files);
}

}  // namespace

std::string sha256_of_text(std::string_view text) {
  Sha256 digest;
  digest.update(text);
  return digest.finish();
}

std::string content_digest(const std::string& mapping_digest, const std::vector<DigestedFile>& files) {
  std::string content = mapping_digest + "\n";
  for (const DigestedFile& file : files)
    content += fmt::format("{}\t{}\t{}\n", file.path, file.kernel, file.sha256);
  return sha256_of_text(content);
}

std::string stored_content_digest(store::Connection& connection, std::int64_t release_id,
                                  const std::string& mapping_digest) {
  auto& find = connection.statement(
      "SELECT f.path, k.name, f.sha256\nFROM source_file AS f\nJOIN kernel AS k USING (kernel_id)\nWHERE "
      "f.release_id = "
      ":release\nORDER BY f.source_file_id");
  find.bind(1, release_id);
  std::vector<DigestedFile> files;
  store::Rows rows(find);
  while (rows.next()) {
    DigestedFile file{rows.text(0), rows.text(1), rows.text(2)};
    const std::string whole = file.path.substr(0, file.path.find('#'));
    if (whole != file.path && is_raw_export(whole)) {  // FILE#KERNEL: a part of a raw export
      file = {whole, "", file.sha256};
      if (!files.empty() && files.back().path == whole) continue;
    }
    files.push_back(std::move(file));
  }
  return content_digest(mapping_digest, files);
}

std::string canonical_json(const Mapping& mapping) {
  ordered_json operators = ordered_json::array();
  for (const OpMapping& op : mapping.operators)
    operators.push_back({op.op, op.kernels, op.category, op.query_mode.value_or(""),
                         op.compute_subcategory.value_or(""), op.tc_input_count.value_or(-1), op.zero_cost,
                         op.accepted_miss.value_or(""), op.accepted_miss_when, op.composite,
                         op.api_path.value_or(""), op.expected_input_formats, op.notes.value_or(""),
                         op.unknown_fields});
  ordered_json policies = ordered_json::array();
  for (const KernelPolicy& policy : mapping.policies)
    policies.push_back({policy.kernel, policy.max_interpolation_dim.value_or(-1),
                        policy.axis_transform.value_or(""), policy.generic_compute_axis.value_or(""),
                        policy.unknown_fields});
  return ordered_json{operators, policies, mapping.communication_data_ref.value_or(""),
                      column_aliases_to_json(mapping), mapping.unknown_fields}
      .dump();
}

ReleaseSource find_release_source(const ImportOptions& options) {
  if (options.sources.empty())
    throw Error(ErrorKind::usage, "nothing to import; name a release folder or CSV files");
  ReleaseSource source;
  for (const fs::path& given : options.sources)
    if (!fs::exists(given))
      throw Error(ErrorKind::input,
                  fmt::format("'{}' is not there; name a release folder or CSV files", given.string()));
  ParsedMapping parsed = read_mapping(mapping_path(options));
  source.mapping = std::move(parsed.mapping);
  source.warnings = std::move(parsed.warnings);
  source.mapping_digest = sha256_of_text(canonical_json(source.mapping));
  add_files(source, options);
  check_aliases(source, options);
  warn_about_unmapped(source);
  source.identity = resolve_identity(source, options);
  digest_files(source);
  return source;
}

}  // namespace profdb::importer
