// A standard of required grids: which fields there are, and what each may hold.
#include "analysis/standard_yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/input/input_file.h"
#include "base/input/yaml_map.h"
#include "base/input/yaml_strict.h"
#include "engine/paths/registry.h"

namespace profdb::analysis {
namespace {

using analysis::Grid;
using analysis::Segment;
using analysis::Standard;

class StandardReader {
 public:
  explicit StandardReader(const std::string& name) { context_.name = name; }

  Standard read(std::string_view text) {
    const YAML::Node document = load_yaml(text, context_.name);
    YamlMap root(context_, "the standard", document, document.IsNull() ? 1 : line_of(document));
    refuse_unknown(root, {"name", "device", "notes", "grids"});
    Standard standard;
    standard.name = root.text("name").value_or(context_.name);
    standard.device = root.as_written("device").value_or("");
    const YamlField* grids = field(root, "grids");
    if (grids == nullptr || !grids->value.IsSequence() || grids->value.size() == 0)
      fail_at(context_.name, root.line("grids"), "the standard has no list 'grids'; write at least one grid");
    for (const YAML::Node& node : grids->value) standard.grids.push_back(read_grid(node));
    return standard;
  }

 private:
  static const YamlField* field(const YamlMap& map, std::string_view key) {
    const auto at = std::find_if(map.fields().begin(), map.fields().end(),
                                 [&](const YamlField& f) { return f.key == key; });
    return at == map.fields().end() ? nullptr : &*at;
  }

  // A field that is not understood is a grid that is not checked: an error, not a warning.
  void refuse_unknown(const YamlMap& map, std::initializer_list<std::string_view> known) const {
    for (const YamlField& f : map.fields())
      if (std::find(known.begin(), known.end(), f.key) == known.end())
        fail_at(context_.name, f.line,
                fmt::format("unknown field '{}' in {}; known are {}", f.key, map.where(),
                            fmt::join(known, ", ")));
  }

  Grid read_grid(const YAML::Node& node) {
    YamlMap map(context_, "a grid", node, line_of(node));
    refuse_unknown(map, {"path", "kernel", "axis", "each", "range", "segments", "required_values", "notes"});
    Grid grid;
    grid.line = map.line();
    grid.path = map.text("path").value_or("");
    grid.kernel = map.text("kernel").value_or("");
    grid.axis = map.text("axis").value_or("");
    check_axis(map, grid);
    grid.each_line = map.one_of("each", {"regime", "line"}).value_or("regime") == "line";
    read_range(map, grid);
    if (const YamlField* segments = field(map, "segments")) {
      if (!segments->value.IsSequence()) map.fail(*segments, "write a list of segments");
      for (const YAML::Node& segment : segments->value) grid.segments.push_back(read_segment(segment));
    }
    grid.required_values = integers(map, "required_values");
    std::sort(grid.required_values.begin(), grid.required_values.end());
    if (!grid.range_min && grid.segments.empty() && grid.required_values.empty())
      fail_at(context_.name, grid.line,
              "the grid asks for nothing; give a range, segments or required_values");
    if (!seen_.emplace(grid.path, grid.kernel, grid.axis).second)
      fail_at(context_.name, grid.line,
              fmt::format("a second grid for axis {} of {}; write one", grid.axis,
                          grid.kernel.empty() ? grid.path : grid.kernel));
    return grid;
  }

  void check_axis(const YamlMap& map, const Grid& grid) const {
    const Path* path = find_path(grid.path);
    if (path == nullptr) {
      std::vector<std::string_view> known;
      for (const Path* p : all_paths()) known.push_back(p->spec().name);
      fail_at(context_.name, map.line("path"),
              fmt::format("path of a grid is '{}'; write one of {}", grid.path, fmt::join(known, ", ")));
    }
    const auto& axes = path->spec().axes;
    if (std::find(axes.begin(), axes.end(), grid.axis) == axes.end())
      fail_at(context_.name, map.line("axis"),
              fmt::format("axis of a grid is '{}'; {} has {}", grid.axis, grid.path, fmt::join(axes, ", ")));
  }

  std::vector<std::int64_t> integers(const YamlMap& map, std::string_view key) const {
    std::vector<std::int64_t> values;
    const YamlField* list = field(map, key);
    if (list == nullptr) return values;
    if (!list->value.IsSequence()) map.fail(*list, "write a list of whole numbers: [1, 2, 4]");
    for (const YAML::Node& item : list->value) {
      const auto value = profdb::to_json(item);
      if (!value.is_number_integer() || value.get<std::int64_t>() < 0)
        fail_at(context_.name, line_of(item),
                fmt::format("an entry of {} of {} is no whole number from 0 on", key, map.where()));
      values.push_back(value.get<std::int64_t>());
    }
    return values;
  }

  void read_range(const YamlMap& map, Grid& grid) const {
    const auto range = integers(map, "range");
    if (field(map, "range") == nullptr) return;
    if (range.size() != 2 || range[0] >= range[1])
      fail_at(context_.name, map.line("range"), "range of a grid is not [LOWEST, HIGHEST] in rising order");
    grid.range_min = range[0];
    grid.range_max = range[1];
  }

  Segment read_segment(const YAML::Node& node) {
    YamlMap map(context_, "a segment", node, line_of(node));
    refuse_unknown(map, {"from", "to", "max_gap", "max_ratio"});
    Segment segment;
    segment.line = map.line();
    segment.from = map.integer("from", 0).value_or(-1);
    segment.to = map.integer("to", 1).value_or(-1);
    if (segment.from < 0 || segment.to <= segment.from)
      fail_at(context_.name, segment.line, "a segment needs from and to, in rising order");
    segment.max_gap = map.integer("max_gap", 1);
    segment.max_ratio = ratio(map);
    if (segment.max_gap.has_value() == segment.max_ratio.has_value())
      fail_at(context_.name, segment.line, "a segment needs either max_gap or max_ratio");
    if (segment.max_ratio && segment.from == 0)
      fail_at(context_.name, segment.line, "a segment with max_ratio begins at 1 or later");
    return segment;
  }

  static std::optional<double> ratio(const YamlMap& map) {
    const YamlField* f = field(map, "max_ratio");
    if (f == nullptr) return std::nullopt;
    const auto value = profdb::to_json(f->value);
    if (!value.is_number() || !(value.get<double>() > 1)) map.fail(*f, "write a number above 1");
    return value.get<double>();
  }

  YamlContext context_;
  std::set<std::tuple<std::string, std::string, std::string>> seen_;
};

}  // namespace

Standard parse_standard(std::string_view text, const std::string& name) {
  return StandardReader(name).read(text);
}

Standard read_standard(const std::filesystem::path& path) {
  InputFile file(path);
  const std::string_view text = file.read(kMaxYamlBytes + 1);  // one more, to see that it is more
  refuse_lfs_pointer(path, text);
  return parse_standard(text, path.string());
}

}  // namespace profdb::analysis
